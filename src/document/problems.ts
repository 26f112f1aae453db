/**
 * Collects the problems of documents, and has the phrases that several messages share.
 *
 * One mistake is one problem: code that reports an unusable value marks its cell invalid, and no other check looks at an
 * invalid cell. No message holds a value from the environment, because it may be a secret.
 */
import { defined } from "../common/defined.ts";
import type { Problem } from "../common/errors.ts";
import { escapeSequence, replaceHidden } from "../common/invisible.ts";
import { nearest } from "../plan/nearest.ts";
import type { Position } from "../plan/organization.ts";
import { type Cell, pathOf } from "./cell.ts";

/** Max characters of a text that a message repeats. */
export const maxQuoteLength = 60;

/** Max problems that get a suggestion: looking for one takes long, and a file with more is probably the wrong file. */
const maxSuggestions = 1_000;

/** Max problems: a small file can have a million, each with a path and a message. */
const maxProblems = 10_000;

export class Problems {
	readonly #problems = new Map<string, Problem>();
	#isFull = false;

	/** Adds a problem at a position. A problem found twice, for example through a YAML alias, counts once. */
	add(position: Position, path: string, code: string, message: string, excerpt?: string): undefined {
		if (this.#isFull) return;
		const key = JSON.stringify([position.file, position.line, position.column, code, message]);
		if (this.#problems.has(key)) return;
		const { file, line, column } = position;
		this.#problems.set(key, { file, line, column, path, code, message, ...defined({ excerpt }) });
		if (this.#problems.size < maxProblems) return;
		this.#isFull = true;
		const more = `more than ${maxProblems.toLocaleString("en")} problems; the others are omitted`;
		this.#problems.set("", { file, line, column, path: "", code: "too-many-problems", message: more });
	}

	/** Adds a problem of a cell, at its value or at its key. */
	report(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): undefined {
		if (this.#isFull) return;
		if (where === "key") this.add(cell.keyAt, pathOf(cell), code, message);
		else this.add(cell.at, pathOf(cell), code, `${message}${describeUse(cell)}`);
	}

	/** Whether further problems are omitted. */
	get isFull(): boolean {
		return this.#isFull;
	}

	get isEmpty(): boolean {
		return this.#problems.size === 0;
	}

	/** Adds a problem of a cell and marks the cell invalid, so that no other check reports its value. */
	invalidate(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): undefined {
		this.report(cell, code, message, where);
		cell.invalid = true;
	}

	/** Returns the first item of each text that `read` returns, by that text, and reports the others. */
	distinct(
		items: readonly Cell[],
		read: (item: Cell) => string | undefined,
		show: (item: Cell) => string = quoteCell,
	): ReadonlyMap<string, Cell> {
		const found = new Map<string, Cell>();
		for (const item of items) {
			const text = read(item);
			const first = text === undefined ? undefined : found.get(text);
			if (first !== undefined) {
				this.report(item, "duplicate", `duplicate ${show(item)}, first ${describePlace(first.at, item.at)}; keep one`);
			} else if (text !== undefined) found.set(text, item);
		}
		return found;
	}

	/** Returns the candidate that `word` is probably a typing error of, or undefined. */
	nearest(word: string, candidates: Iterable<string>): string | undefined {
		return this.#problems.size > maxSuggestions ? undefined : nearest(word, candidates);
	}

	/** Returns "; did you mean `x`?" for the nearest candidate, or an empty text. */
	didYouMean(word: string, candidates: Iterable<string>): string {
		const candidate = this.nearest(word, candidates);
		return candidate === undefined ? "" : `; did you mean ${quote(candidate)}?`;
	}

	/** Returns all problems in the order of `files`, then by line and column. */
	sorted(files: readonly string[]): Problem[] {
		const order = new Map([...files].reverse().map((file, index) => [file, files.length - index]));
		return [...this.#problems.values()].sort(
			(left, right) =>
				(order.get(left.file) ?? 0) - (order.get(right.file) ?? 0) ||
				left.line - right.line ||
				left.column - right.column ||
				(left.message < right.message ? -1 : 1),
		);
	}
}

/** Returns the text in backticks: truncated if it is long, with control and invisible characters as YAML escapes. No text is `""`. */
export function quote(text: string): string {
	if (text === "") return '`""`';
	const short = text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;
	return `\`${replaceHidden(short, escapeSequence).replace(/\p{Cc}/gu, escapeSequence)}\``;
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

/** Returns where `there` is, for a message at `here`: `on line 7`, or file, line and column if the file is another. */
export function describePlace(there: Position, here: Position): string {
	if (there.file === here.file && there.line === here.line) return "on this line";
	return there.file === here.file ? `on line ${there.line}` : `at ${there.file}:${there.line}:${there.column}`;
}
