/** Edits block lists and block maps in place, by whole lines. Comments behind and below a removed item go with it. */
import {
	isBlankLine,
	lineEndOf,
	lineStartOf,
	NotEditable,
	newlineOf,
	nextLineOf,
	type TextEdit,
	trimEnd,
} from "./edit-text.ts";

export interface TextRange {
	readonly from: number;
	readonly to: number;
}

/**
 * Returns the edits that remove the items with these numbers, which begin at their dashes, and add the texts `added` after the
 * last remaining item. `withComments` also removes the comment lines directly above an item, and one of the blank lines around
 * it.
 */
export function blockItems(
	text: string,
	ranges: readonly TextRange[],
	removed: ReadonlySet<number>,
	added: readonly string[],
	withComments: boolean,
): readonly TextEdit[] {
	const last = ranges.findLast((_, index) => !removed.has(index));
	const removals = [...removed].map((index): TextEdit => {
		const { from, to } = linesOf(text, ranges[index] as TextRange);
		return { ...(withComments ? withSurroundings(text, from, to) : { from, to }), text: "" };
	});
	if (added.length === 0) return removals;
	const model = last ?? (ranges[0] as TextRange);
	const start = lineStartOf(text, model.from);
	const indent = text.slice(start, model.from);
	const newline = newlineOf(text, model.from);
	const lines = added.map(
		(item) => `${indent}- ${item.replace(/\n(?!\n)/g, `\n${indent}  `).replaceAll("\n", newline)}`,
	);
	// Behind comments, as entries that are added to the last item: those come first.
	const at = last === undefined ? start : skipComments(text, nextLineOf(text, trimEnd(text, last.to)), indent.length);
	return [...removals, { from: at, to: at, text: lines.map((line) => line + newline).join("") }];
}

/** Returns the edits that remove the entries with these numbers, which begin at their keys. At least one must remain. */
export function blockPairs(
	text: string,
	ranges: readonly TextRange[],
	removed: ReadonlySet<number>,
): readonly TextEdit[] {
	const remaining = ranges.find((_, index) => !removed.has(index));
	return [...removed].map((index): TextEdit => {
		const { from, to } = ranges[index] as TextRange;
		const start = lineStartOf(text, from);
		if (text.slice(start, from).trim() === "") {
			return { from: start, to: nextLineOf(text, trimEnd(text, to)), text: "" };
		}
		// The first key follows a dash: the next remaining key takes its place, and the text between them is removed.
		// A comment line in that text may be about the remaining key.
		const isCommented = remaining !== undefined && /^[ \t]*#/m.test(text.slice(nextLineOf(text, to), remaining.from));
		if (remaining === undefined || remaining.from < from || isCommented) {
			throw new NotEditable("the layout of the entry cannot be edited in place");
		}
		return { from, to: remaining.from, text: "" };
	});
}

/** Returns the edits that add entries below the last entry and the deeper comment lines after it. */
export function addBlockPairs(
	text: string,
	ranges: readonly TextRange[],
	added: readonly string[],
): readonly TextEdit[] {
	const [first, last] = [ranges[0], ranges.at(-1)];
	if (first === undefined || last === undefined) throw new NotEditable("the map has no entry");
	const start = lineStartOf(text, first.from);
	// The first key can follow a dash.
	const indent = text.slice(start, first.from).replace(/[^ \t]/g, " ");
	const end = skipComments(text, nextLineOf(text, last.to), indent.length);
	const newline = newlineOf(text, last.to);
	return [
		{
			from: end,
			to: end,
			text: added.map((entry) => `${indent}${entry.replaceAll("\n", newline)}${newline}`).join(""),
		},
	];
}

/** Returns the lines of an item, with the deeper comment lines after it. */
function linesOf(text: string, { from, to }: TextRange): TextRange {
	const start = lineStartOf(text, from);
	if (text.slice(start, from).trim() !== "") {
		throw new NotEditable("an item that shares its line with other text cannot be edited in place");
	}
	return { from: start, to: skipComments(text, nextLineOf(text, trimEnd(text, to)), from - start) };
}

/** Returns where the comment lines that begin here and are indented deeper than `indent` end. */
function skipComments(text: string, offset: number, indent: number): number {
	let end = offset;
	for (;;) {
		const comment = /^[ \t]*(?=#)/.exec(text.slice(end, lineEndOf(text, end)))?.[0];
		if (comment === undefined || comment.length <= indent) return end;
		end = nextLineOf(text, end);
	}
}

function withSurroundings(text: string, start: number, to: number): TextRange {
	const indent = /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
	let from = start;
	while (from > 0 && text.startsWith(`${indent}#`, lineStartOf(text, from - 1))) from = lineStartOf(text, from - 1);
	const isAtEnd = to >= text.length;
	while (from > 0 && isBlankLine(text, from - 1) && (isAtEnd || isBlankLine(text, to))) {
		from = lineStartOf(text, from - 1);
		if (!isAtEnd) break;
	}
	return { from, to };
}
