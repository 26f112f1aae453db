/** Helpers for edits in place: finds lines and line endings, and applies edits. */

/** Replaces the text between two offsets with `text`. */
export interface TextEdit {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/** Says why something cannot be edited in place. The code that asked for the edit catches it. */
export class NotEditable extends Error {}

export function lineStartOf(text: string, offset: number): number {
	return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns where the line of an offset ends, without its line ending. */
export function lineEndOf(text: string, offset: number): number {
	const at = text.indexOf("\n", offset);
	if (at < 0) return text.length;
	return at > offset && text[at - 1] === "\r" ? at - 1 : at;
}

/** Returns where the next line begins, or the end of the text. */
export function nextLineOf(text: string, offset: number): number {
	const at = text.indexOf("\n", offset);
	return at < 0 ? text.length : at + 1;
}

/** Returns the line ending of the line, or of the line before if it is the last one. */
export function newlineOf(text: string, offset: number): string {
	const here = text.indexOf("\n", offset);
	const at = here >= 0 ? here : text.lastIndexOf("\n");
	return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** Returns the offset before the spaces and line endings that precede it. */
export function trimEnd(text: string, offset: number): number {
	let end = offset;
	while (end > 0 && /\s/.test(text[end - 1] ?? "")) end--;
	return end;
}

export function isBlankLine(text: string, offset: number): boolean {
	return text.slice(lineStartOf(text, offset), lineEndOf(text, offset)).trim() === "";
}

/** Returns the edited text. Deletions may overlap; throws NotEditable for other overlaps. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
	const sorted = [...edits].sort((left, right) => left.from - right.from || left.to - right.to);
	let result = "";
	let done = 0;
	for (const { from, to, text: replacement } of sorted) {
		if (from < done && replacement !== "") {
			throw new NotEditable("two edits overlap, in a layout that cannot be edited in place");
		}
		result += text.slice(done, Math.max(from, done)) + replacement;
		done = Math.max(done, to);
	}
	return result + text.slice(done);
}

/** Returns the number of a line after the edits. Lines count from 1. */
export function lineAfter(text: string, line: number, edits: readonly TextEdit[]): number {
	let start = 0;
	for (let number = 1; number < line; number++) start = nextLineOf(text, start);
	const breaks = (part: string): number => part.split("\n").length - 1;
	return edits
		.filter(({ from, to }) => from < start && to <= start)
		.reduce((sum, edit) => sum + breaks(edit.text) - breaks(text.slice(edit.from, edit.to)), line);
}
