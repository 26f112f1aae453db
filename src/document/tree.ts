/**
 * YAML's tree to cells: aliases are followed, the environment's values are filled in, and what a document may not hold
 * (no value, keys that are no text, unknown tags, merge keys) is reported. With document/yaml.ts and document/edit.ts the
 * only door to `yaml`.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import { readOnlyKinds, removalKinds } from "../plan/kinds/index.ts";
import { expectationLists, removalLists } from "../plan/kinds/names.ts";
import type { Position } from "../plan/organization.ts";
import type { Cell } from "./cell.ts";
import { pathOf, pathWithKey } from "./cell.ts";
import { type Findings, placeOf, quoted } from "./findings.ts";
import { type Expansion, expansionMessage, fillIn, type Variables } from "./variables.ts";

/** How many values all aliases (`*name`) of a document may stand for together. */
const mostExpanded = 10_000;

const variableBegin = `\${`;

const knownTags = new Set([
	"!",
	...["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
]);

interface Anchor {
	readonly node: Node;
	/** How many cells it became, and the bytes of their texts and keys; nothing while it is being read. */
	size: { readonly cells: number; readonly bytes: number } | undefined;
}

interface Reading {
	readonly positionOf: (offset: number) => Position;
	readonly variables: Variables;
	readonly expansion: Expansion;
	readonly findings: Findings;
	readonly anchors: Map<string, Anchor>;
	readonly targets: Map<Node, Anchor>;
	/** Aliases around the present node. */
	within: number;
	cells: number;
	/** Bytes of the texts and keys read so far. */
	bytes: number;
	expanded: number;
}

type Slot = Pick<Cell, "parent" | "key"> & { readonly at: Position; readonly keyAt: Position };

/** The variables for `${NAME}`, and the count of what they add. */
export interface Filling {
	readonly variables: Variables;
	readonly expansion: Expansion;
}

/** The root cell of a document that has contents. */
export function readTree(
	document: Document.Parsed,
	positionOf: (offset: number) => Position,
	filling: Filling,
	findings: Findings,
): Cell {
	filling.expansion.beginDocument();
	const places = { anchors: new Map<string, Anchor>(), targets: new Map<Node, Anchor>() };
	const reading: Reading = { positionOf, ...filling, findings, ...places, within: 0, cells: 0, bytes: 0, expanded: 0 };
	const root = document.contents as Node;
	const at = positionOf(root.range?.[0] ?? 0);
	return readNode(root, { parent: undefined, key: undefined, at, keyAt: at }, reading);
}

/** Keys of a document. */
const rootKeys = ["organizationId", "users", "userTags", "absent", "expect", "protect", "limits"];

/** Max number of a map's keys that are compared with them. */
const maxComparedKeys = 100;

/**
 * Returns whether the YAML is a document, and reports it otherwise, without quoting any of it: the file can be a link to
 * anything, such as a key.
 */
export function isDocument(
	{ contents }: Document.Parsed,
	positionOf: (offset: number) => Position,
	findings: Findings,
): boolean {
	const root = contents as Node;
	// `null` is reported like any missing value.
	if (isScalar(root) && root.value === null) return true;
	const at = positionOf(root.range?.[0] ?? 0);
	if (!isMap(root)) {
		const found = isSeq(root) ? "a list" : "a single value";
		const message = `the document must be a map with \`organizationId: UUID\`, and is ${found}; is it the right file?`;
		findings.add(at, "", "wrong-type", message);
		return false;
	}
	const keys = root.items.slice(0, maxComparedKeys).map(({ key }) => (isScalar(key) ? String(key.value) : ""));
	if (keys.some((key) => rootKeys.includes(key) || findings.nearest(key, rootKeys) !== undefined)) return true;
	const message = `the document has no key that orgsync knows; it needs at least \`organizationId: UUID\`; is it the right file?`;
	findings.add(at, "", "no-document", message);
	return false;
}

function readNode(node: Node, slot: Slot, reading: Reading): Cell {
	reading.cells++;
	if (isAlias(node)) return readAlias(node, node.source, slot, reading);
	const before = { cells: reading.cells, bytes: reading.bytes };
	const name = "anchor" in node ? (node.anchor as string | undefined) : undefined;
	const anchor: Anchor = { node, size: undefined };
	if (name !== undefined && reading.within === 0) reading.anchors.set(name, anchor);
	const cell = readContents(node, slot, reading);
	anchor.size = { cells: 1 + reading.cells - before.cells, bytes: reading.bytes - before.bytes };
	if (node.tag !== undefined && !knownTags.has(node.tag)) {
		const tag = node.tag.replace("tag:yaml.org,2002:", "!!");
		reading.findings.breaks(cell, "unknown-tag", `the YAML tag ${quoted(tag)} is not known here; take it out`);
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
	return { kind, ...slot, ...empty, broken: false, meant: [], ...contents };
}

const noEntries: ReadonlyMap<string, Cell> = new Map();
const noItems: readonly Cell[] = [];

function readPair(pair: Pair<Node, Node | null>, parent: Cell, entries: Map<string, Cell>, reading: Reading): void {
	const keyAt = reading.positionOf(pair.key.range?.[0] ?? 0);
	const key = readKey(pair.key, keyAt, parent, reading);
	if (key === undefined) {
		parent.meant = [...parent.meant, ""];
		return;
	}
	const first = entries.get(key);
	if (first !== undefined) {
		const message = `the key ${quoted(key)} stands here already, ${placeOf(first.keyAt, keyAt)}; keep one of the two`;
		reading.findings.add(keyAt, pathWithKey(pathOf(parent), key), "duplicate-key", message);
		return;
	}
	const at = reading.positionOf(pair.value?.range?.[0] ?? pair.key.range?.[1] ?? 0);
	if (pair.value === null) {
		const cell = makeCell("nothing", { parent, key, at: keyAt, keyAt }, {});
		reportNothing(cell, reading.findings);
		entries.set(key, cell);
		return;
	}
	entries.set(key, readNode(pair.value, { parent, key, at, keyAt }, reading));
}

function readKey(node: Node, at: Position, parent: Cell, reading: Reading): string | undefined {
	const report = (path: string, code: string, message: string): undefined => {
		reading.findings.add(at, path, code, message);
		return undefined;
	};
	const before = pathOf(parent);
	if (isScalar(node)) reading.bytes += Buffer.byteLength(String(node.value));
	if (!isScalar(node)) {
		parent.broken = true;
		const what = isAlias(node) ? "an alias (`*name`)" : "a list or a map";
		return report(
			before,
			"key-not-text",
			`a key must be text, and is ${what}; \`{{ }}\` and \`? \` have no meaning here`,
		);
	}
	const written = String(node.source ?? node.value);
	const path = pathWithKey(before, written);
	if (node.value === null && written === "") return report(before, "key-not-text", "a key is missing before `:`");
	if (written === "<<" && node.type === "PLAIN") {
		return report(path, "merge-key", "the merge key `<<` is not used here; write the entries out");
	}
	if (written.includes(variableBegin)) {
		return report(
			path,
			"variable-in-key",
			`${quoted(written)} is a key, and only values are filled in from the environment; write the key out`,
		);
	}
	if (typeof node.value !== "string") {
		report(path, "key-not-text", `a key must be text; write it in quotes: "${quoted(written).slice(1, -1)}"`);
	}
	return written;
}

function readAlias(node: Node, name: string, slot: Slot, reading: Reading): Cell {
	const unusable = makeCell("nothing", slot, { written: `*${name}`, broken: true });
	const anchor = reading.targets.get(node) ?? reading.anchors.get(name);
	if (anchor === undefined) {
		const near = reading.findings.didYouMean(name, reading.anchors.keys());
		const message = `no anchor ${quoted(`&${name}`)} above this alias${near}; if it is meant as text, put it in quotes`;
		reading.findings.breaks(unusable, "unknown-anchor", message);
		return unusable;
	}
	reading.targets.set(node, anchor);
	if (anchor.size === undefined) {
		reading.findings.breaks(
			unusable,
			"alias-expansion",
			`the alias ${quoted(`*${name}`)} stands inside its own anchor`,
		);
		return unusable;
	}
	// Said once: after the first alias that is too much, the others would only repeat it.
	if (reading.expanded > mostExpanded) return unusable;
	// The size of an anchor counts the aliases in it already.
	if (reading.within === 0) reading.expanded += anchor.size.cells;
	if (reading.expanded > mostExpanded) {
		const message = `the aliases up to this one stand for more than ${mostExpanded.toLocaleString("en")} values; write them out`;
		reading.findings.breaks(unusable, "alias-expansion", message);
		return unusable;
	}
	// An alias is short in the file, but comparing and printing repeats the whole text.
	if (reading.expansion.left < 0) return unusable;
	if (reading.within === 0 && !reading.expansion.add(anchor.size.bytes)) {
		reading.findings.breaks(unusable, "expansion", expansionMessage);
		return unusable;
	}
	reading.within++;
	const cell = readNode(anchor.node, slot, reading);
	reading.within--;
	return cell;
}

function readScalar(node: Scalar, slot: Slot, reading: Reading): Cell {
	const { value } = node;
	const written = typeof value === "string" ? value : String(node.source ?? value);
	if (value === null) {
		const implicit = (node.source ?? "") === "";
		const cell = makeCell("nothing", implicit ? { ...slot, at: slot.keyAt } : slot, { written });
		reportNothing(cell, reading.findings);
		return cell;
	}
	if (typeof value === "number") return makeCell("number", slot, { value, written });
	if (typeof value === "boolean") return makeCell("truth", slot, { value, written });
	reading.bytes += Buffer.byteLength(String(value));
	return readString(String(value), written, slot, reading);
}

function readString(text: string, written: string, slot: Slot, { variables, expansion, findings }: Reading): Cell {
	if (expansion.left < 0) {
		// The first value over the limit is reported; later ones are not expanded.
		return makeCell("text", slot, { value: text, written, broken: text.includes(variableBegin) });
	}
	const filled = fillIn(text, variables, expansion, text.includes("${") && isOfId(pathOf(slot)));
	const cell = makeCell("text", slot, { value: filled.text, written, fromEnvironment: filled.used });
	for (const message of filled.mistakes) findings.breaks(cell, filled.code, message);
	return cell;
}

/** Whether the value at this path has to be an id. */
function isOfId(path: string): boolean {
	if (/^(?:organizationId|users[.[].+|absent[.[].+\]|.+\.id)$/.test(path)) return true;
	const key = /\.([^.[\]]+)$/.exec(path)?.[1] ?? "";
	return readOnlyKinds.some(({ identities, isIdentityId }) => identities.includes(key) && isIdentityId(key));
}

const forNobody = new Set(["exactly", "atLeast", "never"]);
const forNone = new Set([
	"userTags",
	"previously",
	...removalKinds.filter(({ isOfUser }) => !isOfUser).map(({ name }) => removalLists[name]),
	...readOnlyKinds.filter(({ groupedBy }) => groupedBy === null).map(({ name }) => expectationLists[name]),
]);

function reportNothing(cell: Cell, findings: Findings): void {
	const { key } = cell;
	let message = "the document holds nothing; it needs at least `organizationId: UUID`";
	if (typeof key === "number") message = "this item has no value; write one, or take the item out";
	if (typeof key === "string") {
		let instead = "write its value";
		if (forNobody.has(key)) instead = "write [] for nobody";
		else if (forNone.has(key)) instead = "write [] for none";
		message = `${quoted(key)} has no value; leave the key out, or ${instead}`;
	}
	findings.breaks(cell, "null-value", message);
}
