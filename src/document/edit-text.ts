/**
 * Text and its lines, for edits in place: where a line begins and ends, which line ending it has, and edits applied.
 */

/** Part of a text to replace: what is between the offsets becomes `text`. */
export interface TextEdit {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/** Why something cannot be changed in place. Caught by whoever asked for it, never shown as an error by itself. */
export class NotEditable extends Error {}

/** Where the line of an offset begins. */
export function lineStartOf(text: string, offset: number): number {
	return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the line of an offset ends, its line ending not included. */
export function lineEndOf(text: string, offset: number): number {
	const at = text.indexOf("\n", offset);
	if (at < 0) return text.length;
	return at > offset && text[at - 1] === "\r" ? at - 1 : at;
}

/** Where the next line begins; the end of the text when there is none. */
export function nextLineOf(text: string, offset: number): number {
	const at = text.indexOf("\n", offset);
	return at < 0 ? text.length : at + 1;
}

/** The line ending of the line, or of the line before where it is the last and has none; else the file's first. */
export function newlineOf(text: string, offset: number): string {
	const here = text.indexOf("\n", offset);
	const at = here >= 0 ? here : text.lastIndexOf("\n");
	return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** The offset without the blanks and line endings before it. */
export function trimEnd(text: string, offset: number): number {
	let end = offset;
	while (end > 0 && /\s/.test(text[end - 1] ?? "")) end--;
	return end;
}

/** Whether the line of an offset holds nothing but blanks. */
export function isBlankLine(text: string, offset: number): boolean {
	return text.slice(lineStartOf(text, offset), lineEndOf(text, offset)).trim() === "";
}

/** The text with the edits made; deletions may overlap. Throws NotEditable where one would undo another. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
	const sorted = [...edits].sort((left, right) => left.from - right.from || left.to - right.to);
	let result = "";
	let done = 0;
	for (const { from, to, text: replacement } of sorted) {
		if (from < done && replacement !== "") {
			throw new NotEditable("two changes meet in one place, in a layout that cannot be edited in place");
		}
		result += text.slice(done, Math.max(from, done)) + replacement;
		done = Math.max(done, to);
	}
	return result + text.slice(done);
}

/** The number that a line, counted from 1, has once the edits are made. */
export function lineAfter(text: string, line: number, edits: readonly TextEdit[]): number {
	let start = 0;
	for (let number = 1; number < line; number++) start = nextLineOf(text, start);
	const breaks = (part: string): number => part.split("\n").length - 1;
	return edits
		.filter(({ from, to }) => from < start && to <= start)
		.reduce((sum, edit) => sum + breaks(edit.text) - breaks(text.slice(edit.from, edit.to)), line);
}
