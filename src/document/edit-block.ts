/**
 * Lists with dashes and maps with a key a line edited in place: whole lines go and come. A comment behind what goes, goes
 * with it, and so do the comment lines that are indented deeper than its dash.
 */
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

/** Where something stands in the text. */
export interface TextRange {
	readonly from: number;
	readonly to: number;
}

/**
 * What to replace so that the items with these numbers, which begin at their dashes, are gone and the texts `added` stand
 * behind the last that stays. `withComments`: comment lines right above an item, and one of the blank lines around it, go
 * with it.
 */
export function blockItems(
	text: string,
	ranges: readonly TextRange[],
	gone: ReadonlySet<number>,
	added: readonly string[],
	withComments: boolean,
): readonly TextEdit[] {
	const last = ranges.findLast((_, index) => !gone.has(index));
	const removals = [...gone].map((index): TextEdit => {
		const { from, to } = linesOf(text, ranges[index] as TextRange);
		return { ...(withComments ? withNeighbours(text, from, to) : { from, to }), text: "" };
	});
	if (added.length === 0) return removals;
	const model = last ?? (ranges[0] as TextRange);
	const start = lineStartOf(text, model.from);
	const lines = added.map((item) => `${text.slice(start, model.from)}- ${item}`);
	const newline = newlineOf(text, model.from);
	if (last === undefined) {
		return [...removals, { from: start, to: start, text: lines.map((line) => line + newline).join("") }];
	}
	const end = lineEndOf(text, trimEnd(text, last.to));
	return [...removals, { from: end, to: end, text: lines.map((line) => newline + line).join("") }];
}

/** What to replace so that the entries with these numbers, which begin at their keys, are gone; one at least stays. */
export function blockPairs(text: string, ranges: readonly TextRange[], gone: ReadonlySet<number>): readonly TextEdit[] {
	const kept = ranges.find((_, index) => !gone.has(index));
	return [...gone].map((index): TextEdit => {
		const { from, to } = ranges[index] as TextRange;
		const start = lineStartOf(text, from);
		if (text.slice(start, from).trim() === "") {
			return { from: start, to: nextLineOf(text, trimEnd(text, to)), text: "" };
		}
		// The first key stands beside a dash: the next that stays takes its place.
		// What stands between goes too; a line that is a comment alone may be about what stays.
		const isCommented = kept !== undefined && /^[ \t]*#/m.test(text.slice(nextLineOf(text, to), kept.from));
		if (kept === undefined || kept.from < from || isCommented) {
			throw new NotEditable("the layout of the entry is one that cannot be edited in place");
		}
		return { from, to: kept.from, text: "" };
	});
}

/** The lines of an item, with the deeper comment lines behind it. */
function linesOf(text: string, { from, to }: TextRange): TextRange {
	const start = lineStartOf(text, from);
	if (text.slice(start, from).trim() !== "") {
		throw new NotEditable("an item shares its line with what stands before it, which cannot be edited in place");
	}
	let end = nextLineOf(text, trimEnd(text, to));
	for (;;) {
		const comment = /^[ \t]*(?=#)/.exec(text.slice(end, lineEndOf(text, end)))?.[0];
		if (comment === undefined || comment.length <= from - start) return { from: start, to: end };
		end = nextLineOf(text, end);
	}
}

function withNeighbours(text: string, start: number, to: number): TextRange {
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
