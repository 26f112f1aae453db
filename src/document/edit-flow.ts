/**
 * Edits flow lists in [ ] and flow maps in { } in place. An item on lines of its own is removed with these lines and the
 * comment after it. Any other item is removed with its comma and the spaces around it.
 */
import type { TextRange } from "./edit-block.ts";
import { lineEndOf, lineStartOf, newlineOf, type TextEdit } from "./edit-text.ts";

/**
 * Returns the edits between the brackets that remove the items with these numbers, and add the texts `added` after the last
 * remaining item.
 */
export function flowEdits(
	text: string,
	inside: TextRange,
	ranges: readonly TextRange[],
	removed: ReadonlySet<number>,
	added: readonly string[],
): readonly TextEdit[] {
	const last = ranges.findLastIndex((_, index) => !removed.has(index));
	const content = text.slice(inside.from, inside.to);
	if (last < 0 && !content.includes("\n")) {
		const pad = added.length === 0 ? "" : (/^[ \t]*/.exec(content)?.[0] ?? "");
		return [{ from: inside.from, to: inside.to, text: `${pad}${added.join(", ")}${pad}` }];
	}
	const removals = [...removed].flatMap((index) => removeOne(text, inside, ranges, removed, index));
	if (added.length === 0) return removals;
	return [
		...removals,
		...(last < 0 ? addFirst(text, inside, ranges, added) : addAfterItem(text, inside, ranges, last, added)),
	];
}

function removeOne(
	text: string,
	inside: TextRange,
	ranges: readonly TextRange[],
	removed: ReadonlySet<number>,
	index: number,
): readonly TextEdit[] {
	const { from, to } = ranges[index] as TextRange;
	const next = ranges[index + 1];
	const comma = findComma(text, to, next?.from ?? inside.to);
	// The text between them is about the next item.
	const isApart = comma !== undefined && /[\n#]/.test(text.slice(to, comma));
	const end = comma === undefined || isApart ? to : comma + 1;
	const beginsLine = isFirstOnLine(text, inside, from);
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

function addAfterItem(
	text: string,
	inside: TextRange,
	ranges: readonly TextRange[],
	last: number,
	added: readonly string[],
): readonly TextEdit[] {
	const { from, to } = ranges[last] as TextRange;
	const comma = findComma(text, to, ranges[last + 1]?.from ?? inside.to);
	const end = lineEndOf(text, comma ?? to);
	const hasLine = isFirstOnLine(text, inside, from) && end < (ranges[last + 1]?.from ?? inside.to);
	if (!hasLine) return addOnLine(text, inside, { from, to }, added);
	const indent = text.slice(lineStartOf(text, from), from);
	const closing = comma === undefined ? "" : ",";
	const lines = added.map((item) => `${newlineOf(text, from)}${indent}${item}`).join(",");
	const after = { from: end, to: end, text: `${lines}${closing}` };
	return comma === undefined ? [{ from: to, to, text: "," }, after] : [after];
}

/** Adds items on the line of the last remaining one, so that the comment after it stays with it. */
function addOnLine(
	text: string,
	inside: TextRange,
	{ from, to }: TextRange,
	added: readonly string[],
): readonly TextEdit[] {
	const items = added.join(", ");
	if (!/^[ \t]*,?[ \t]*#/.test(text.slice(to, inside.to))) return [{ from: to, to, text: `, ${items}` }];
	if (!isFirstOnLine(text, inside, from)) return [{ from, to: from, text: `${items}, ` }];
	const end = lineEndOf(text, to);
	const indent = text.slice(lineStartOf(text, from), from);
	return [{ from: end, to: end, text: `${newlineOf(text, from)}${indent}, ${items}` }];
}

/** Adds items when none remains and the brackets are on different lines. */
function addFirst(
	text: string,
	inside: TextRange,
	ranges: readonly TextRange[],
	added: readonly string[],
): readonly TextEdit[] {
	const end = lineEndOf(text, inside.from);
	const first = ranges[0];
	if (first !== undefined && (!isFirstOnLine(text, inside, first.from) || first.from < end)) {
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

function isFirstOnLine(text: string, inside: TextRange, offset: number): boolean {
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
