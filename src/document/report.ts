/**
 * Reports problems of cells, each to the problems of its document, and has the phrases that several messages share.
 *
 * One mistake is one problem: code that reports an unusable value marks its cell invalid, and no other check looks at an
 * invalid cell. No message holds a value from the environment, because it may be a secret.
 */
import { escapeSequence, replaceHidden } from "../common/invisible.ts";
import type { Position } from "../plan/organization.ts";
import { type Cell, pathOf } from "./cell.ts";
import type { Problems } from "./problems.ts";

/** Returns the problems of the cell's document. */
export function problemsOf({ parent, problems }: Cell): Problems {
	if (parent !== undefined) return problemsOf(parent);
	if (problems === undefined) throw new Error("the root of the document takes no problems");
	return problems;
}

/** Adds a problem of a cell, at its value or at its key. */
export function report(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): undefined {
	const problems = problemsOf(cell);
	if (problems.isFull) return;
	if (where === "key") problems.add(cell.keyAt, pathOf(cell), code, message);
	else problems.add(cell.at, pathOf(cell), code, `${message}${describeUse(cell)}`);
}

/** Adds a problem of a cell and marks the cell invalid, so that no other check reports its value. */
export function invalidate(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): undefined {
	report(cell, code, message, where);
	cell.invalid = true;
}

/** Returns the first item of each text that `read` returns, by that text, and reports the others. */
export function distinct(
	items: readonly Cell[],
	read: (item: Cell) => string | undefined,
	show: (item: Cell) => string = quoteCell,
): ReadonlyMap<string, Cell> {
	const found = new Map<string, Cell>();
	for (const item of items) {
		const text = read(item);
		const first = text === undefined ? undefined : found.get(text);
		if (first !== undefined) {
			report(item, "duplicate", `duplicate ${show(item)}, first ${describePlace(first.at, item.at)}; keep one`);
		} else if (text !== undefined) found.set(text, item);
	}
	return found;
}

/** Returns the scalar of a cell as the document has it, in backticks. It never shows a value from the environment. */
export function quoteCell(cell: Cell): string {
	return quote(cell.written);
}

/** Returns where the template uses a value of a list, as the end of a message; empty for another value. */
function describeUse({ usedAs }: Cell): string {
	if (usedAs === undefined) return "";
	const { file, line, column } = usedAs.at;
	return ` (${quote(usedAs.text)} at ${file}:${line}:${column})`;
}

/** Returns the key of a cell in backticks, or `an item of` its list: the subject of a message. */
export function describeCell(cell: Cell): string {
	if (cell.parent === undefined) return "the document";
	if (typeof cell.key === "string") return quote(cell.key);
	return cell.parent.parent === undefined ? "an item" : `an item of ${describeCell(cell.parent)}`;
}

/** Returns "; did you mean `x`?" for the nearest candidate, or an empty text. */
export function didYouMean(cell: Cell, word: string, candidates: Iterable<string>): string {
	const candidate = problemsOf(cell).nearest(word, candidates);
	return candidate === undefined ? "" : `; did you mean ${quote(candidate)}?`;
}

/** Max characters of a text that a message repeats. */
export const maxQuoteLength = 60;

/** Returns the text in backticks: truncated if it is long, with control and invisible characters as YAML escapes. No text is `""`. */
export function quote(text: string): string {
	if (text === "") return '`""`';
	const short = text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;
	return `\`${replaceHidden(short, escapeSequence).replace(/\p{Cc}/gu, escapeSequence)}\``;
}

/** Returns where `there` is, for a message at `here`: `on line 7`, or file, line and column if the file is another. */
export function describePlace(there: Position, here: Position): string {
	if (there.file === here.file && there.line === here.line) return "on this line";
	return there.file === here.file ? `on line ${there.line}` : `at ${there.file}:${there.line}:${there.column}`;
}
