/**
 * Converts a YAML tree to cells: resolves aliases, substitutes variables, and reports what documents do not support, such as
 * missing values, keys that are not text, unknown tags and merge keys. Only this file, yaml.ts and edit.ts import `yaml`.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, Pair, type ParsedNode, Scalar } from "yaml";
import { readOnlyKinds, removalKinds } from "../../plan/kinds/index.ts";
import { expectationLists, removalLists } from "../../plan/kinds/names.ts";
import type { Position } from "../../plan/organization.ts";
import { type Cell, makeCell, pathOf, pathWithKey, type Slot } from "../cell.ts";
import type { Problems } from "../problems.ts";
import { describePlace, didYouMean, invalidate, quote, report } from "../report.ts";
import type { RowValues } from "./each.ts";
import { isExpression, readExpression } from "./expression.ts";
import { formatVersionKey } from "./format-version.ts";
import type { Substituted, Substitution } from "./variables.ts";
import type { YamlSource } from "./yaml.ts";

/** Max values that all aliases (`*name`) of a document can add. */
const maxAliasedValues = 10_000;

const variableBegin = `\${`;

const knownTags = new Set([
	"!",
	...["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
]);

interface Anchor {
	readonly node: Node;
	/** Its number of cells, and the bytes of their texts and keys; undefined while it is being read. */
	size: { readonly cells: number; readonly bytes: number } | undefined;
}

/** The parts of a document to read, all without them. */
interface TreePart {
	readonly isRead?: (key: string) => boolean;
	/** The values of `${each.NAME}`, for a document that is a template. */
	readonly row?: RowValues;
	/** Is called with a cell that uses a value which the row does not have. */
	readonly onMissing?: (cell: Cell) => void;
	/** Whether null is a value at this path. */
	readonly allowsNull?: (path: string) => boolean;
}

/** Returns the root cell of a document that is not empty. */
export function readTree(
	document: Document.Parsed,
	source: YamlSource,
	substitution: Substitution,
	problems: Problems,
	part: TreePart = {},
): Cell {
	const root = document.contents as Node;
	if (part.row === undefined) substitution.beginDocument();
	else substitution.beginRow(part.row, root.range?.[1] ?? 0);
	return new TreeReader(source, substitution, problems, part).read(root);
}

/** Gives a document with `organizations` and without `organizationId` the default of that. */
export function addDefaultId({ contents }: Document.Parsed): void {
	if (!isMap(contents)) return;
	const keys = contents.items.map(({ key }) => key as Node).filter((key) => isScalar(key));
	const place = keys.find(({ value }) => value === "organizations");
	if (place === undefined || keys.some(({ value }) => value === "organizationId")) return;
	const [key, value] = [new Scalar("organizationId"), new Scalar("${each.organizationId}")];
	key.range = place.range ?? null;
	value.range = place.range ?? null;
	contents.items.unshift(new Pair(key, value) as unknown as Pair<ParsedNode, ParsedNode>);
}

/** Returns the scalar at this key of the document and its offset in the file; undefined if there is none. */
export function scalarAt(document: Document.Parsed, key: string): { value: unknown; offset: number } | undefined {
	const node = document.get(key, true);
	return isScalar(node) ? { value: node.value, offset: node.range?.[0] ?? 0 } : undefined;
}

/** Keys of a document, as in schemas/document.json. */
const rootKeys = [
	formatVersionKey,
	"organizationId",
	"organizations",
	"users",
	"userTags",
	"absent",
	"expect",
	"protect",
	"limits",
	"rules",
];

/** Max keys of a map that are compared with them. */
const maxComparedKeys = 100;

/** Whether the YAML is a document. Its problem does not quote the file, which a link can make any file, such as a key. */
export function isDocument(
	{ contents }: Document.Parsed,
	positionOf: (offset: number) => Position,
	problems: Problems,
): boolean {
	const root = contents as Node;
	// `null` is reported as a missing value later.
	if (isScalar(root) && root.value === null) return true;
	const at = positionOf(root.range?.[0] ?? 0);
	if (!isMap(root)) {
		const found = isSeq(root) ? "a list" : "a single value";
		const message = `the document must be a map with \`organizationId: UUID\`, but is ${found}; is it the right file?`;
		problems.add(at, "", "wrong-type", message);
		return false;
	}
	const keys = root.items.slice(0, maxComparedKeys).map(({ key }) => (isScalar(key) ? String(key.value) : ""));
	if (keys.some((key) => rootKeys.includes(key) || problems.nearest(key, rootKeys) !== undefined)) return true;
	const message = "not an orgsync document: it has no known key, such as `organizationId`; is it the right file?";
	problems.add(at, "", "not-a-document", message);
	return false;
}

class TreeReader {
	readonly #source: YamlSource;
	readonly #substitution: Substitution;
	readonly #problems: Problems;
	readonly #anchors = new Map<string, Anchor>();
	readonly #targets = new Map<Node, Anchor>();
	/** Number of aliases that contain the current node. */
	#aliasDepth = 0;
	#cells = 0;
	/** Bytes of the texts and keys read so far. */
	#bytes = 0;
	#expanded = 0;
	readonly #part: TreePart;

	constructor(source: YamlSource, substitution: Substitution, problems: Problems, part: TreePart) {
		this.#source = source;
		this.#substitution = substitution;
		this.#problems = problems;
		this.#part = part;
	}

	read(root: Node): Cell {
		const at = this.#source.positionOf(root.range?.[0] ?? 0);
		return this.#readNode(root, { parent: undefined, key: undefined, at, keyAt: at, problems: this.#problems });
	}

	#readNode(node: Node, slot: Slot): Cell {
		this.#cells++;
		if (isAlias(node)) return this.#readAlias(node, node.source, slot);
		const before = { cells: this.#cells, bytes: this.#bytes };
		const name = "anchor" in node ? (node.anchor as string | undefined) : undefined;
		const anchor: Anchor = { node, size: undefined };
		if (name !== undefined && this.#aliasDepth === 0) this.#anchors.set(name, anchor);
		const cell = this.#readContents(node, slot);
		anchor.size = { cells: 1 + this.#cells - before.cells, bytes: this.#bytes - before.bytes };
		if (node.tag !== undefined && !knownTags.has(node.tag)) {
			const tag = node.tag.replace("tag:yaml.org,2002:", "!!");
			invalidate(cell, "unknown-tag", `unknown YAML tag ${quote(tag)}; remove it`);
		}
		return cell;
	}

	#readContents(node: Node, slot: Slot): Cell {
		if (isSeq(node)) {
			const items: Cell[] = [];
			const cell = makeCell("list", slot, { items });
			for (const [index, item] of node.items.entries()) {
				const at = this.#source.positionOf((item as Node).range?.[0] ?? 0);
				items.push(this.#readNode(item as Node, { parent: cell, key: index, at, keyAt: at }));
			}
			return cell;
		}
		if (isMap(node)) {
			const entries = new Map<string, Cell>();
			const cell = makeCell("map", slot, { entries });
			for (const pair of node.items) this.#readPair(pair as Pair<Node, Node | null>, cell, entries);
			return cell;
		}
		return this.#readScalar(node as Scalar, slot);
	}

	#readPair(pair: Pair<Node, Node | null>, parent: Cell, entries: Map<string, Cell>): void {
		const keyAt = this.#source.positionOf(pair.key.range?.[0] ?? 0);
		const key = this.#readKey(pair.key, keyAt, parent);
		if (key === undefined) {
			parent.intendedKeys.add("");
			return;
		}
		if (parent.parent === undefined && this.#part.isRead?.(key) === false) return;
		const first = entries.get(key);
		if (first !== undefined) {
			const message = `duplicate key ${quote(key)}, first ${describePlace(first.keyAt, keyAt)}; keep one`;
			this.#problems.add(keyAt, pathWithKey(pathOf(parent), key), "duplicate-key", message);
			return;
		}
		const at = this.#source.positionOf(pair.value?.range?.[0] ?? pair.key.range?.[1] ?? 0);
		if (pair.value === null) {
			const cell = makeCell("null", { parent, key, at: keyAt, keyAt }, {});
			reportNull(cell);
			entries.set(key, cell);
			return;
		}
		entries.set(key, this.#readNode(pair.value, { parent, key, at, keyAt }));
	}

	#readKey(node: Node, at: Position, parent: Cell): string | undefined {
		const before = pathOf(parent);
		if (!isScalar(node)) {
			parent.invalid = true;
			const what = isAlias(node) ? "an alias (`*name`)" : "a list or a map";
			const message = `a key must be text, but is ${what}; \`{{ }}\` and \`? \` are not supported`;
			return this.#problems.add(at, before, "key-not-text", message);
		}
		this.#bytes += Buffer.byteLength(String(node.value));
		const written = String(node.source ?? node.value);
		const path = pathWithKey(before, written);
		if (node.value === null && written === "") {
			return this.#problems.add(at, before, "key-not-text", "a key is missing before `:`");
		}
		if (written === "<<" && node.type === "PLAIN") {
			const message = "the merge key `<<` is not supported; write the entries out";
			return this.#problems.add(at, path, "merge-key", message);
		}
		if (written.includes(variableBegin)) {
			const message = `variable in the key ${quote(written)}: variables are substituted in values only; write the key out`;
			return this.#problems.add(at, path, "variable-in-key", message);
		}
		if (typeof node.value !== "string") {
			const message = `a key must be text; put it in quotes: "${quote(written).slice(1, -1)}"`;
			this.#problems.add(at, path, "key-not-text", message);
		}
		return written;
	}

	#readAlias(node: Node, name: string, slot: Slot): Cell {
		const invalid = makeCell("null", slot, { written: `*${name}`, invalid: true });
		const refuse = (code: string, message: string): Cell => {
			report(invalid, code, message);
			return invalid;
		};
		const anchor = this.#targets.get(node) ?? this.#anchors.get(name);
		if (anchor === undefined) {
			const near = didYouMean(invalid, name, this.#anchors.keys());
			const message = `unknown anchor ${quote(`&${name}`)}${near === "" ? "; define it above, or put plain text in quotes" : near}`;
			return refuse("unknown-anchor", message);
		}
		this.#targets.set(node, anchor);
		if (anchor.size === undefined) {
			return refuse("alias-expansion", `the alias ${quote(`*${name}`)} is inside its own anchor; write the value out`);
		}
		// Reported once: the first alias over the limit.
		if (this.#expanded > maxAliasedValues) return invalid;
		// The size of an anchor includes the aliases in it.
		if (this.#aliasDepth === 0) this.#expanded += anchor.size.cells;
		if (this.#expanded > maxAliasedValues) {
			const message = `aliases add more than ${maxAliasedValues.toLocaleString("en")} values; write them out`;
			return refuse("alias-expansion", message);
		}
		// An alias is short in the file, but diffs and output repeat the whole text.
		if (this.#substitution.left < 0) return invalid;
		if (this.#aliasDepth === 0 && !this.#substitution.add(anchor.size.bytes)) {
			return refuse("expansion", this.#substitution.expansionMessage);
		}
		this.#aliasDepth++;
		const cell = this.#readNode(anchor.node, slot);
		this.#aliasDepth--;
		return cell;
	}

	#readScalar(node: Scalar, slot: Slot): Cell {
		const { value } = node;
		const written = typeof value === "string" ? value : String(node.source ?? value);
		if (value === null) {
			const implicit = (node.source ?? "") === "";
			const cell = makeCell("null", implicit ? { ...slot, at: slot.keyAt } : slot, { written });
			if (this.#part.allowsNull?.(pathOf(cell)) !== true) reportNull(cell);
			return cell;
		}
		if (typeof value === "number") return makeCell("number", slot, { value, written });
		if (typeof value === "boolean") return makeCell("boolean", slot, { value, written });
		this.#bytes += Buffer.byteLength(String(value));
		const text = String(value);
		if (!isExpression(slot)) return this.#readString(text, written, slot);
		const place = { text, style: node.type ?? "PLAIN", range: node.range ?? [0, 0], source: this.#source };
		return readExpression(place, slot, this.#substitution, this.#part.onMissing);
	}

	#readString(text: string, written: string, slot: Slot): Cell {
		if (this.#substitution.left < 0) {
			// The first value over the limit is reported; later ones are not expanded.
			return makeCell("text", slot, { value: text, written, invalid: text.includes(variableBegin) });
		}
		if (!text.includes(variableBegin)) return makeCell("text", slot, { value: text, written });
		const substituted = this.#substitution.substitute(text, isIdPath(pathOf(slot)));
		const cell = makeSubstituted(substituted, written, slot);
		cell.invalid = substituted.mistakes.length > 0;
		for (const message of substituted.mistakes) {
			if (message === "") this.#part.onMissing?.(cell);
			else invalidate(cell, substituted.code, message);
		}
		return cell;
	}
}

/** Returns the cell of a text with variables. The place of a value of a list is in the list. */
function makeSubstituted({ text, written: shown, used, each }: Substituted, written: string, slot: Slot): Cell {
	if (each === undefined) return makeCell("text", slot, { value: text, written, fromEnvironment: used });
	const usedAs = { text: `\${${each.name}}`, at: slot.at };
	const value = each.value ?? text;
	const kind = typeof value === "string" ? "text" : typeof value === "number" ? "number" : "boolean";
	return makeCell(kind, { ...slot, at: each.at }, { value, written: shown, fromEnvironment: used, usedAs });
}

/** Whether the value at this path must be an id. */
function isIdPath(path: string): boolean {
	if (/^(?:organizationId|users[.[].+|absent[.[].+\]|.+\.id)$/.test(path)) return true;
	const key = /\.([^.[\]]+)$/.exec(path)?.[1] ?? "";
	return readOnlyKinds.some(({ identities, isIdentityId }) => identities.includes(key) && isIdentityId(key));
}

const memberKeys = new Set(["exactly", "atLeast", "never"]);
const listKeys = new Set([
	"userTags",
	"previously",
	...removalKinds.filter(({ isOfUser }) => !isOfUser).map(({ name }) => removalLists[name]),
	...readOnlyKinds.filter(({ groupedBy }) => groupedBy === null).map(({ name }) => expectationLists[name]),
]);

function reportNull(cell: Cell): void {
	const { key } = cell;
	let message = "the document is empty; it needs at least `organizationId: UUID`";
	if (typeof key === "number") message = "this item has no value; write one, or remove the item";
	if (typeof key === "string") {
		let instead = "write its value";
		const path = pathOf(cell);
		if (/^exactly\.(?:policies|userTags)$/.test(path)) instead = "write {} for a complete list without exceptions";
		else if (/^(?:exactly$|limits\b)/.test(path)) instead = "write its value";
		else if (memberKeys.has(key)) instead = "write [] for no members";
		else if (listKeys.has(key)) instead = "write [] for an empty list";
		message = `${quote(key)} has no value; remove the key, or ${instead}`;
	}
	invalidate(cell, "null-value", message);
}
