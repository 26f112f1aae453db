/**
 * Converts a YAML tree to cells: resolves aliases, substitutes variables, and reports what documents do not support, such as
 * missing values, keys that are not text, unknown tags and merge keys. Only this file, yaml.ts and edit.ts import `yaml`.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import { readOnlyKinds, removalKinds } from "../plan/kinds/index.ts";
import { expectationLists, removalLists } from "../plan/kinds/names.ts";
import type { Position } from "../plan/organization.ts";
import type { Cell } from "./cell.ts";
import { pathOf, pathWithKey } from "./cell.ts";
import { describePlace, type Problems, quote } from "./problems.ts";
import { type ExpansionBudget, expansionMessage, substituteVariables, type Variables } from "./variables.ts";

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

interface Reading {
	readonly positionOf: (offset: number) => Position;
	readonly variables: Variables;
	readonly expansion: ExpansionBudget;
	readonly problems: Problems;
	readonly anchors: Map<string, Anchor>;
	readonly targets: Map<Node, Anchor>;
	/** Number of aliases that contain the current node. */
	aliasDepth: number;
	cells: number;
	/** Bytes of the texts and keys read so far. */
	bytes: number;
	expanded: number;
}

/** Where a cell is in its document. */
type Slot = Pick<Cell, "parent" | "key"> & { readonly at: Position; readonly keyAt: Position };

/** The variables for `${NAME}`, and the count of the bytes that they add. */
export interface Substitution {
	readonly variables: Variables;
	readonly expansion: ExpansionBudget;
}

/** Returns the root cell of a document that is not empty. */
export function readTree(
	document: Document.Parsed,
	positionOf: (offset: number) => Position,
	substitution: Substitution,
	problems: Problems,
): Cell {
	substitution.expansion.beginDocument();
	const places = { anchors: new Map<string, Anchor>(), targets: new Map<Node, Anchor>() };
	const reading: Reading = {
		positionOf,
		...substitution,
		problems,
		...places,
		aliasDepth: 0,
		cells: 0,
		bytes: 0,
		expanded: 0,
	};
	const root = document.contents as Node;
	const at = positionOf(root.range?.[0] ?? 0);
	return readNode(root, { parent: undefined, key: undefined, at, keyAt: at }, reading);
}

/** Keys of a document, as in schemas/document.json. */
const rootKeys = ["organizationId", "users", "userTags", "absent", "expect", "protect", "limits"];

/** Max keys of a map that are compared with them. */
const maxComparedKeys = 100;

/**
 * Whether the YAML is a document. Otherwise reports a problem, which does not quote the file: it can be a link to any file,
 * such as a key.
 */
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

function readNode(node: Node, slot: Slot, reading: Reading): Cell {
	reading.cells++;
	if (isAlias(node)) return readAlias(node, node.source, slot, reading);
	const before = { cells: reading.cells, bytes: reading.bytes };
	const name = "anchor" in node ? (node.anchor as string | undefined) : undefined;
	const anchor: Anchor = { node, size: undefined };
	if (name !== undefined && reading.aliasDepth === 0) reading.anchors.set(name, anchor);
	const cell = readContents(node, slot, reading);
	anchor.size = { cells: 1 + reading.cells - before.cells, bytes: reading.bytes - before.bytes };
	if (node.tag !== undefined && !knownTags.has(node.tag)) {
		const tag = node.tag.replace("tag:yaml.org,2002:", "!!");
		reading.problems.invalidate(cell, "unknown-tag", `unknown YAML tag ${quote(tag)}; remove it`);
	}
	return cell;
}

function readContents(node: Node, slot: Slot, reading: Reading): Cell {
	if (isSeq(node)) {
		const items: Cell[] = [];
		const cell = makeCell("list", slot, { items });
		for (const [index, item] of node.items.entries()) {
			const at = reading.positionOf((item as Node).range?.[0] ?? 0);
			items.push(readNode(item as Node, { parent: cell, key: index, at, keyAt: at }, reading));
		}
		return cell;
	}
	if (isMap(node)) {
		const entries = new Map<string, Cell>();
		const cell = makeCell("map", slot, { entries });
		for (const pair of node.items) readPair(pair as Pair<Node, Node | null>, cell, entries, reading);
		return cell;
	}
	return readScalar(node as Scalar, slot, reading);
}

function makeCell(kind: Cell["kind"], slot: Slot, contents: Partial<Cell>): Cell {
	const empty = { entries: noEntries, items: noItems, value: null, written: "", fromEnvironment: false };
	return { kind, ...slot, ...empty, invalid: false, intendedKeys: [], ...contents };
}

const noEntries: ReadonlyMap<string, Cell> = new Map();
const noItems: readonly Cell[] = [];

function readPair(pair: Pair<Node, Node | null>, parent: Cell, entries: Map<string, Cell>, reading: Reading): void {
	const keyAt = reading.positionOf(pair.key.range?.[0] ?? 0);
	const key = readKey(pair.key, keyAt, parent, reading);
	if (key === undefined) {
		parent.intendedKeys = [...parent.intendedKeys, ""];
		return;
	}
	const first = entries.get(key);
	if (first !== undefined) {
		const message = `duplicate key ${quote(key)}, first ${describePlace(first.keyAt, keyAt)}; keep one`;
		reading.problems.add(keyAt, pathWithKey(pathOf(parent), key), "duplicate-key", message);
		return;
	}
	const at = reading.positionOf(pair.value?.range?.[0] ?? pair.key.range?.[1] ?? 0);
	if (pair.value === null) {
		const cell = makeCell("null", { parent, key, at: keyAt, keyAt }, {});
		reportNull(cell, reading.problems);
		entries.set(key, cell);
		return;
	}
	entries.set(key, readNode(pair.value, { parent, key, at, keyAt }, reading));
}

function readKey(node: Node, at: Position, parent: Cell, reading: Reading): string | undefined {
	const report = (path: string, code: string, message: string): undefined => {
		reading.problems.add(at, path, code, message);
		return undefined;
	};
	const before = pathOf(parent);
	if (isScalar(node)) reading.bytes += Buffer.byteLength(String(node.value));
	if (!isScalar(node)) {
		parent.invalid = true;
		const what = isAlias(node) ? "an alias (`*name`)" : "a list or a map";
		return report(before, "key-not-text", `a key must be text, but is ${what}; \`{{ }}\` and \`? \` are not supported`);
	}
	const written = String(node.source ?? node.value);
	const path = pathWithKey(before, written);
	if (node.value === null && written === "") return report(before, "key-not-text", "a key is missing before `:`");
	if (written === "<<" && node.type === "PLAIN") {
		return report(path, "merge-key", "the merge key `<<` is not supported; write the entries out");
	}
	if (written.includes(variableBegin)) {
		return report(
			path,
			"variable-in-key",
			`variable in the key ${quote(written)}: variables are substituted in values only; write the key out`,
		);
	}
	if (typeof node.value !== "string") {
		report(path, "key-not-text", `a key must be text; put it in quotes: "${quote(written).slice(1, -1)}"`);
	}
	return written;
}

function readAlias(node: Node, name: string, slot: Slot, reading: Reading): Cell {
	const invalid = makeCell("null", slot, { written: `*${name}`, invalid: true });
	const anchor = reading.targets.get(node) ?? reading.anchors.get(name);
	if (anchor === undefined) {
		const near = reading.problems.didYouMean(name, reading.anchors.keys());
		const message = `unknown anchor ${quote(`&${name}`)}${near === "" ? "; define it above, or put plain text in quotes" : near}`;
		reading.problems.invalidate(invalid, "unknown-anchor", message);
		return invalid;
	}
	reading.targets.set(node, anchor);
	if (anchor.size === undefined) {
		reading.problems.invalidate(
			invalid,
			"alias-expansion",
			`the alias ${quote(`*${name}`)} is inside its own anchor; write the value out`,
		);
		return invalid;
	}
	// Reported once: the first alias over the limit.
	if (reading.expanded > maxAliasedValues) return invalid;
	// The size of an anchor includes the aliases in it.
	if (reading.aliasDepth === 0) reading.expanded += anchor.size.cells;
	if (reading.expanded > maxAliasedValues) {
		const message = `aliases add more than ${maxAliasedValues.toLocaleString("en")} values; write them out`;
		reading.problems.invalidate(invalid, "alias-expansion", message);
		return invalid;
	}
	// An alias is short in the file, but diffs and output repeat the whole text.
	if (reading.expansion.left < 0) return invalid;
	if (reading.aliasDepth === 0 && !reading.expansion.add(anchor.size.bytes)) {
		reading.problems.invalidate(invalid, "expansion", expansionMessage);
		return invalid;
	}
	reading.aliasDepth++;
	const cell = readNode(anchor.node, slot, reading);
	reading.aliasDepth--;
	return cell;
}

function readScalar(node: Scalar, slot: Slot, reading: Reading): Cell {
	const { value } = node;
	const written = typeof value === "string" ? value : String(node.source ?? value);
	if (value === null) {
		const implicit = (node.source ?? "") === "";
		const cell = makeCell("null", implicit ? { ...slot, at: slot.keyAt } : slot, { written });
		reportNull(cell, reading.problems);
		return cell;
	}
	if (typeof value === "number") return makeCell("number", slot, { value, written });
	if (typeof value === "boolean") return makeCell("boolean", slot, { value, written });
	reading.bytes += Buffer.byteLength(String(value));
	return readString(String(value), written, slot, reading);
}

function readString(text: string, written: string, slot: Slot, { variables, expansion, problems }: Reading): Cell {
	if (expansion.left < 0) {
		// The first value over the limit is reported; later ones are not expanded.
		return makeCell("text", slot, { value: text, written, invalid: text.includes(variableBegin) });
	}
	const substituted = substituteVariables(text, variables, expansion, text.includes("${") && isIdPath(pathOf(slot)));
	const cell = makeCell("text", slot, { value: substituted.text, written, fromEnvironment: substituted.used });
	for (const message of substituted.mistakes) problems.invalidate(cell, substituted.code, message);
	return cell;
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

function reportNull(cell: Cell, problems: Problems): void {
	const { key } = cell;
	let message = "the document is empty; it needs at least `organizationId: UUID`";
	if (typeof key === "number") message = "this item has no value; write one, or remove the item";
	if (typeof key === "string") {
		let instead = "write its value";
		if (memberKeys.has(key)) instead = "write [] for no members";
		else if (listKeys.has(key)) instead = "write [] for an empty list";
		message = `${quote(key)} has no value; remove the key, or ${instead}`;
	}
	problems.invalidate(cell, "null-value", message);
}
