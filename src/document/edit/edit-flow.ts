/** Edits flow lists and maps in place. An item on lines of its own goes with these lines, any other with its comma. */
import type { TextRange } from "./edit-block.ts";
import { lineEndOf, lineStartOf, newlineOf, type TextEdit } from "./edit-text.ts";

/** A flow list or map: the text of its file, the range between its brackets, and those of its items. */
interface FlowList {
	readonly text: string;
	readonly inside: TextRange;
	readonly ranges: readonly TextRange[];
}

/** Returns the edits that remove the items with these numbers and add the texts `added` after the last remaining one. */
export function flowEdits(list: FlowList, removed: ReadonlySet<number>, added: readonly string[]): readonly TextEdit[] {
	const { text, inside, ranges } = list;
	const last = ranges.findLastIndex((_, index) => !removed.has(index));
	const content = text.slice(inside.from, inside.to);
	if (last < 0 && !content.includes("\n")) {
		const pad = added.length === 0 ? "" : (/^[ \t]*/.exec(content)?.[0] ?? "");
		return [{ from: inside.from, to: inside.to, text: `${pad}${added.join(", ")}${pad}` }];
	}
	const removals = [...removed].flatMap((index) => removeOne(list, removed, index));
	if (added.length === 0) return removals;
	return [...removals, ...(last < 0 ? addFirst(list, added) : addAfterItem(list, last, added))];
}

function removeOne(list: FlowList, removed: ReadonlySet<number>, index: number): readonly TextEdit[] {
	const { text, inside, ranges } = list;
	const { from, to } = ranges[index] as TextRange;
	const next = ranges[index + 1];
	const comma = findComma(text, to, next?.from ?? inside.to);
	// The text between them is about the next item.
	const isApart = comma !== undefined && /[\n#]/.test(text.slice(to, comma));
	const end = comma === undefined || isApart ? to : comma + 1;
	const beginsLine = isFirstOnLine(list, from);
	const rest = restOfLine(text, end, inside.to);
	const others = isApart ? [removeComma(text, comma, inside.to)] : [];
	if (beginsLine && rest !== undefined) {
		return [{ from: lineStartOf(text, from), to: end + rest.length, text: "" }, ...others];
	}
	const before = beginsLine ? from : spacesBefore(text, from);
	if (isApart) return [{ from: before, to, text: "" }, ...others];
	if (comma !== undefined) {
		const isBesideNext = next !== undefined && /^[ \t]*$/.test(text.slice(end, next.from));
		return [isBesideNext ? { from, to: next.from, text: "" } : { from: before, to: end, text: "" }];
	}
	const previous = ranges.slice(0, index).findLast((_, other) => !removed.has(other));
	if (previous === undefined || /[\n#]/.test(text.slice(previous.to, from))) return [{ from: before, to, text: "" }];
	return [{ from: previous.to, to, text: "" }];
}

/** Removes a comma at the beginning of a line: with the line if nothing else is on it, else with the spaces after it. */
function removeComma(text: string, comma: number, insideTo: number): TextEdit {
	const line = /^[ \t]*\r?\n/.exec(text.slice(comma + 1, insideTo))?.[0];
	if (line !== undefined) return { from: lineStartOf(text, comma), to: comma + 1 + line.length, text: "" };
	const blanks = /^[ \t]*/.exec(text.slice(comma + 1, insideTo))?.[0] ?? "";
	return { from: comma, to: comma + 1 + blanks.length, text: "" };
}

/** Returns the rest of the line with its line ending, if it has only spaces and a comment. */
function restOfLine(text: string, offset: number, insideTo: number): string | undefined {
	return /^[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(offset, insideTo))?.[0];
}

function addAfterItem(list: FlowList, last: number, added: readonly string[]): readonly TextEdit[] {
	const { text, inside, ranges } = list;
	const { from, to } = ranges[last] as TextRange;
	const comma = findComma(text, to, ranges[last + 1]?.from ?? inside.to);
	const end = lineEndOf(text, comma ?? to);
	const hasLine = isFirstOnLine(list, from) && end < (ranges[last + 1]?.from ?? inside.to);
	if (!hasLine) return addOnLine(list, { from, to }, added);
	const indent = text.slice(lineStartOf(text, from), from);
	const closing = comma === undefined ? "" : ",";
	const lines = added.map((item) => `${newlineOf(text, from)}${indent}${item}`).join(",");
	const after = { from: end, to: end, text: `${lines}${closing}` };
	return comma === undefined ? [{ from: to, to, text: "," }, after] : [after];
}

/** Adds items on the line of the last remaining one, so that the comment after it stays with it. */
function addOnLine(list: FlowList, { from, to }: TextRange, added: readonly string[]): readonly TextEdit[] {
	const { text, inside } = list;
	const items = added.join(", ");
	if (!/^[ \t]*,?[ \t]*#/.test(text.slice(to, inside.to))) return [{ from: to, to, text: `, ${items}` }];
	if (!isFirstOnLine(list, from)) return [{ from, to: from, text: `${items}, ` }];
	const end = lineEndOf(text, to);
	const indent = text.slice(lineStartOf(text, from), from);
	return [{ from: end, to: end, text: `${newlineOf(text, from)}${indent}, ${items}` }];
}

/** Adds items when none remains and the brackets are on different lines. */
function addFirst(list: FlowList, added: readonly string[]): readonly TextEdit[] {
	const { text, inside, ranges } = list;
	const end = lineEndOf(text, inside.from);
	const first = ranges[0];
	if (first !== undefined && (!isFirstOnLine(list, first.from) || first.from < end)) {
		return [{ from: inside.from, to: inside.from, text: `${added.join(", ")},` }];
	}
	const closing = lineStartOf(text, inside.to);
	const indent =
		first === undefined
			? `${/^[ \t]*/.exec(text.slice(closing))?.[0] ?? ""}  `
			: text.slice(lineStartOf(text, first.from), first.from);
	const lines = added.map((item) => `${newlineOf(text, inside.from)}${indent}${item},`).join("");
	return [{ from: end, to: end, text: lines }];
}

function isFirstOnLine({ text, inside }: FlowList, offset: number): boolean {
	const start = lineStartOf(text, offset);
	return start >= inside.from && text.slice(start, offset).trim() === "";
}

function spacesBefore(text: string, offset: number): number {
	let from = offset;
	while (text[from - 1] === " " || text[from - 1] === "\t") from--;
	return from;
}

/** Returns the offset of the comma between two offsets, outside comments. */
function findComma(text: string, from: number, to: number): number | undefined {
	for (let at = from; at < to; at++) {
		if (text[at] === ",") return at;
		if (text[at] === "#") at = lineEndOf(text, at);
	}
	return undefined;
}
