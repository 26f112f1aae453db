/** Edits list items and map entries in place; all other bytes stay. Only this file, yaml.ts and tree.ts import `yaml`. */
import {
	type CST,
	type Document,
	isAlias,
	isMap,
	isScalar,
	isSeq,
	type Node,
	type Pair,
	type Scalar,
	visit,
	type YAMLMap,
} from "yaml";
import { type Cell, pathOf } from "../cell.ts";
import { Problems } from "../problems.ts";
import { readText } from "../read/file-text.ts";
import { readTree } from "../read/tree.ts";
import { Substitution, type Variables } from "../read/variables.ts";
import { readYaml } from "../read/yaml.ts";
import { isPlainLine, type TextStyle, writeBlock, writeFlow, writeKey, writeText } from "../write-yaml.ts";
import { addBlockPairs, blockItems, blockPairs, type TextRange } from "./edit-block.ts";
import { flowEdits } from "./edit-flow.ts";
import {
	applyEdits,
	lineEndOf,
	lineStartOf,
	NotEditable,
	newlineOf,
	nextLineOf,
	type TextEdit,
	trimEnd,
} from "./edit-text.ts";

export { lineAfter, NotEditable, type TextEdit } from "./edit-text.ts";

export interface EditableDocument {
	readonly file: string;
	/** See EditableFile. */
	readonly text: string;
	readonly root: Cell;
	readonly yaml: Document.Parsed;
}

export interface EditableFile {
	/** The file without a byte order mark, and with a final line ending. Offsets refer to this text. */
	readonly text: string;
	readonly documents: readonly EditableDocument[];
	/** Returns the edited file, with the byte order mark and the end of the original. */
	readonly edited: (edits: readonly TextEdit[]) => string;
}

/** Returns the editable documents of a file without problems. */
export function readEditable(file: string, content: string | Uint8Array, options: Variables): EditableFile {
	const problems = new Problems();
	const substitution = new Substitution(options);
	const whole = typeof content === "string" ? content : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
	const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
	const found = readText(file, content, problems) ?? "";
	const added = found.endsWith("\n") ? "" : newlineOf(found, found.length);
	const text = found + added;
	const source = readYaml(file, text, problems, true);
	return {
		text,
		documents: source.documents.map((yaml) => ({
			file,
			text,
			root: readTree(yaml, source, substitution, problems),
			yaml,
		})),
		edited: (edits) => {
			const result = applyEdits(text, edits);
			return mark + (added !== "" && result.endsWith(added) ? result.slice(0, -added.length) : result);
		},
	};
}

/** Throws NotEditable if the value of the cell comes from a variable, or if an alias uses it elsewhere. */
export function refuseShared(document: EditableDocument, cell: Cell): void {
	const variable = findVariable(cell);
	if (variable !== undefined) throw new NotEditable(`${pathOf(variable)} comes from an environment variable`);
	visit(nodeOf(document, cell), {
		Node: (_key, node) => {
			if (!isAlias(node)) refuseAnchor(node, pathOf(cell));
		},
	});
}

function findVariable(cell: Cell): Cell | undefined {
	if (cell.fromEnvironment) return cell;
	for (const part of [...cell.items, ...cell.entries.values()]) {
		const found = findVariable(part);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Returns the edits that remove `removed` from the list and add `added`, YAML texts: of one line, but in a block list. */
export function editItems(
	document: EditableDocument,
	list: Cell,
	removed: readonly Cell[],
	added: readonly string[],
	withComments = false,
): readonly TextEdit[] {
	const node = nodeOf(document, list);
	if (!isSeq(node)) throw new NotEditable(`${pathOf(list)} is not a list`);
	const removedIndices = new Set(removed.map(({ key }) => Number(key)));
	const { text } = document;
	if (node.flow === true) {
		return flowEdits({ text, inside: insideOf(node), ranges: node.items.map(rangeOf) }, removedIndices, added);
	}
	const ranges = blockRanges(node);
	const edits = blockItems(text, ranges, removedIndices, added, withComments);
	return removedIndices.size < ranges.length || added.length > 0 ? edits : [...edits, emptyList(document, list)];
}

/** Returns the edits that remove these entries from the map. At least one must remain. */
export function removeEntries(document: EditableDocument, map: Cell, keys: readonly string[]): readonly TextEdit[] {
	const node = nodeOf(document, map);
	if (!isMap(node)) throw new NotEditable(`${pathOf(map)} is not a map`);
	const removedIndices = new Set(keys.map((key) => node.items.findIndex((pair) => keyOf(pair as Pair) === key)));
	const ranges = pairRanges(document, node);
	return node.flow === true
		? flowEdits({ text: document.text, inside: insideOf(node), ranges }, removedIndices, [])
		: blockPairs(document.text, ranges, removedIndices);
}

/** Returns the edits that add entries after the last one of the map: YAML texts `key: value` of one line, but at the root. */
export function addEntries(document: EditableDocument, map: Cell, added: readonly string[]): readonly TextEdit[] {
	const node = nodeOf(document, map);
	if (!isMap(node)) throw new NotEditable(`${pathOf(map)} is not a map`);
	const ranges = pairRanges(document, node);
	return node.flow === true
		? flowEdits({ text: document.text, inside: insideOf(node), ranges }, new Set(), added)
		: addBlockPairs(document.text, ranges, added);
}

/** Returns the ranges of the entries of a map, each from its key. */
function pairRanges({ text }: EditableDocument, node: YAMLMap): readonly TextRange[] {
	return (node.items as Pair<Node, Node | null>[]).map(({ key, value }) => ({
		from: rangeOf(key).from,
		to: value === null ? rangeOf(key).to : trimEnd(text, rangeOf(value).to),
	}));
}

/** Returns the edits that replace the cell with `written`, a YAML text of one line. */
export function replaceCell(document: EditableDocument, cell: Cell, written: string): readonly TextEdit[] {
	const { from, to } = rangeOf(nodeOf(document, cell));
	return [{ from, to: trimEnd(document.text, to), text: written }];
}

/** Returns the edits that replace the value of the cell. A text keeps its quotes, a list its brackets or dashes. */
export function replaceValue(document: EditableDocument, cell: Cell, value: unknown): readonly TextEdit[] {
	const node = nodeOf(document, cell);
	const { text } = document;
	const { from, to } = rangeOf(node);
	if (isScalar(node)) {
		const written = typeof value === "string" ? writeText(value, styleOf(node)) : writeFlow(value);
		return [{ from, to: trimEnd(text, to), text: written }];
	}
	if (!isSeq(node) || node.flow === true || !Array.isArray(value)) return [{ from, to, text: writeFlow(value) }];
	const ranges = blockRanges(node);
	const allIndices = new Set(ranges.keys());
	if (value.length === 0) return [...blockItems(text, ranges, allIndices, [], false), emptyList(document, cell)];
	const first = ranges[0]?.from ?? from;
	const indent = text.slice(lineStartOf(text, first), first);
	const lines = value.map((item) => `- ${writeFlow(item)}`);
	const end = lineEndOf(text, trimEnd(text, to));
	return [{ from: first, to: end, text: lines.join(`${newlineOf(text, first)}${indent}`) }];
}

/**
 * Returns the edits that replace a text by `written`, which has the escapes of documents. It keeps its quotes, or is a block as
 * before where a block can hold it.
 */
export function replaceText(document: EditableDocument, cell: Cell, written: string): readonly TextEdit[] {
	const node = nodeOf(document, cell);
	if (!isScalar(node)) throw new NotEditable(`${pathOf(cell)} is no text`);
	const { text } = document;
	const { from, to } = rangeOf(node);
	const end = trimEnd(text, to);
	const isBlock = node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED";
	const map = cell.parent && nodeOf(document, cell.parent);
	const mayBeBlock = isBlock || (cell.value === "" && isMap(map) && map.flow !== true);
	const header = isBlock ? text.slice(from, lineEndOf(text, from)) : "|-";
	const found = isBlock ? /^[ \t]*(?=\S)/m.exec(text.slice(nextLineOf(text, from), end))?.[0] : undefined;
	const indent = found ?? " ".repeat(cell.keyAt.column + 1);
	const newline = newlineOf(text, from);
	const block = mayBeBlock ? writeBlock(written, indent, newline) : undefined;
	const isLine = node.type === "PLAIN" && isMap(map) && map.flow !== true && isPlainLine(written);
	if (block === undefined) return [{ from, to: end, text: isLine ? written : writeKey(written, styleOf(node)) }];
	// The lines of a folded block would be joined, and a number in the header is about the old text.
	const style = written.includes("\n") ? "|" : header[0];
	// Only an expression may end with line breaks that it did not have.
	const keepMarks = (marks: string): string => (cell.expression === undefined ? "-" : marks.replace(/[1-9]/, ""));
	const newHeader = `${style}${header.slice(1).replace(/^[-+1-9]*/, keepMarks)}`;
	return [{ from, to: end, text: `${newHeader}${newline}${indent}${block}` }];
}

/** Whether a list or map is written in brackets. */
export function isFlow(document: EditableDocument, cell: Cell): boolean {
	const node = nodeOf(document, cell);
	return (isSeq(node) || isMap(node)) && node.flow === true;
}

function styleOf({ type }: Scalar): TextStyle {
	return type === "QUOTE_SINGLE" ? "single" : type === "PLAIN" || type === undefined ? "plain" : "double";
}

/** Returns the node of a cell. Throws NotEditable if an alias, an anchor or a tag is on the path to it. */
function nodeOf({ yaml }: EditableDocument, cell: Cell): Node {
	const path: (string | number)[] = [];
	for (let at = cell; at.parent !== undefined; at = at.parent) path.unshift(at.key ?? "");
	let node = yaml.contents as Node;
	refuseAnchor(node, "the document");
	for (const key of path) {
		const next = isSeq(node)
			? node.items[Number(key)]
			: isMap(node)
				? node.items.find((pair) => keyOf(pair as Pair) === key)?.value
				: undefined;
		if (next === undefined || next === null) throw new NotEditable(`${pathOf(cell)} is not written in the document`);
		node = next as Node;
		if (isAlias(node)) throw new NotEditable(`${pathOf(cell)} is inside the YAML alias \`*${node.source}\``);
		refuseAnchor(node, pathOf(cell));
	}
	return node;
}

function refuseAnchor(node: Node, path: string): void {
	const { anchor, tag } = node as { anchor?: string; tag?: string };
	if (anchor !== undefined) {
		throw new NotEditable(`${path} has the YAML anchor \`&${anchor}\`, which aliases may use`);
	}
	if (tag !== undefined) throw new NotEditable(`${path} has the YAML tag \`${tag}\``);
}

function keyOf({ key }: Pair): string | undefined {
	return isScalar(key) ? String(key.source ?? key.value) : undefined;
}

function rangeOf(node: unknown): TextRange {
	const { range } = node as Node;
	return { from: range?.[0] ?? 0, to: endOf(node as Node) };
}

/** Returns where the last value in a node ends. In a block, the range of `yaml` includes the comments after it. */
function endOf(node: Node): number {
	const end = node.range?.[1] ?? 0;
	if ((!isSeq(node) && !isMap(node)) || node.flow === true) return end;
	const last = node.items.at(-1);
	if (last === undefined) return end;
	return endOf((isMap(node) ? ((last as Pair).value ?? (last as Pair).key) : last) as Node);
}

/** Returns the range between the brackets. */
function insideOf(node: Node): TextRange {
	const { from, to } = rangeOf(node);
	return { from: from + 1, to: to - 1 };
}

/** Returns the ranges of the items of a block list, each from its dash. */
function blockRanges(node: Node): readonly TextRange[] {
	const dashes = (node.srcToken as CST.BlockSequence).items.flatMap(({ start }) => {
		const dash = start.find(({ type }) => type === "seq-item-ind");
		return dash === undefined ? [] : [dash.offset];
	});
	const items = isSeq(node) ? node.items : [];
	return items.map((item, index) => ({ from: dashes[index] ?? 0, to: rangeOf(item).to }));
}

/** Returns the edit that writes `[]` after the key of a block list without items. */
function emptyList({ yaml, text }: EditableDocument, list: Cell): TextEdit {
	const parent = list.parent === undefined ? yaml.contents : nodeOf({ yaml, text } as EditableDocument, list.parent);
	const pair = isMap(parent) ? parent.items.find((one) => keyOf(one as Pair) === list.key) : undefined;
	const separator = (pair as Pair & { srcToken?: CST.CollectionItem })?.srcToken?.sep;
	const colon = separator?.find(({ type }) => type === "map-value-ind");
	if (colon === undefined) throw new NotEditable(`${pathOf(list)} has a layout that cannot be edited in place`);
	return { from: colon.offset + 1, to: colon.offset + 1, text: " []" };
}
