/**
 * The problems found so far, and the words they are told in.
 *
 * The rule it keeps: one mistake is one problem. Whoever reports that a value is unusable marks it broken, and nobody
 * judges a broken value again. No message holds a value that came from the environment; it may be a secret.
 */
import { distance } from "fastest-levenshtein";
import type { Problem } from "../errors.ts";
import { escapeSequence, replaceHidden } from "../invisible.ts";
import type { Position } from "../plan/organization.ts";
import { type Cell, pathOf } from "./cell.ts";

/** Longest text that a message repeats, in characters. */
const longestQuote = 60;

/** More candidates than this are not compared: an organization has 100 users and 100 tags (docs/service.md#rates-and-limits). */
const mostCandidates = 200;

/** After so many problems no nearest words are looked for: it takes long, and the file is not the one that was meant. */
const mostHelped = 1_000;

/** Max number of problems: a small file can have a million, each with a path and a message. */
const mostProblems = 10_000;

/** A collector of problems. */
export class Findings {
	readonly #problems = new Map<string, Problem>();
	#isFull = false;

	/** Nothing; remembers a problem at a place. The same one twice, as through a YAML alias, is kept once. */
	add(position: Position, path: string, code: string, message: string): void {
		if (this.#isFull) return;
		const key = JSON.stringify([position.file, position.line, position.column, code, message]);
		if (this.#problems.has(key)) return;
		const { file, line, column } = position;
		this.#problems.set(key, { file, line, column, path, code, message });
		if (this.#problems.size < mostProblems) return;
		this.#isFull = true;
		const more = `more than ${mostProblems.toLocaleString("en")} problems; the others are left out`;
		this.#problems.set("", { file, line, column, path: "", code: "too-many-problems", message: more });
	}

	/** Nothing; remembers a problem of a cell, at its value or at its key. */
	report(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): void {
		if (!this.#isFull) this.add(where === "key" ? cell.keyAt : cell.at, pathOf(cell), code, message);
	}

	/** Nothing; as `report`, and nobody judges the cell's value again. */
	breaks(cell: Cell, code: string, message: string, where: "key" | "value" = "value"): void {
		this.report(cell, code, message, where);
		cell.broken = true;
	}

	/** The candidate that somebody who wrote `word` most likely meant; nothing when none is near. */
	nearest(word: string, candidates: Iterable<string>): string | undefined {
		return this.#problems.size > mostHelped ? undefined : nearest(word, candidates);
	}

	/** "; did you mean `x`?" for the nearest candidate, or an empty text. */
	didYouMean(word: string, candidates: Iterable<string>): string {
		const meant = this.nearest(word, candidates);
		return meant === undefined ? "" : `; did you mean ${quoted(meant)}?`;
	}

	/** All problems in the order of `files`, then by line and column. */
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

/** The text in backticks, cut when it is long, with control characters and invisible ones as YAML escapes. */
export function quoted(text: string): string {
	const short = text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
	return `\`${replaceHidden(short, escapeSequence).replace(/\p{Cc}/gu, escapeSequence)}\``;
}

/** A cell's scalar as it is written in the document, quoted; never a value from the environment. */
export function quotedCell(cell: Cell): string {
	return quoted(cell.written);
}

/** The key of a cell, quoted, or `an item of` its list; for messages that begin with what they are about. */
export function subject(cell: Cell): string {
	if (cell.parent === undefined) return "the document";
	if (typeof cell.key === "string") return quoted(cell.key);
	return cell.parent.parent === undefined ? "an item" : `an item of ${subject(cell.parent)}`;
}

/** Where something is, told from `here`: `on line 7`, or with the file when it is another one. */
export function placeOf(there: Position, here: Position): string {
	if (there.file === here.file && there.line === here.line) return "on this line";
	return there.file === here.file ? `on line ${there.line}` : `at ${there.file}:${there.line}:${there.column}`;
}

/** The candidate that somebody who wrote `word` most likely meant; nothing when none is near. */
function nearest(word: string, candidates: Iterable<string>): string | undefined {
	const all = [...candidates];
	if (word === "" || word.length > longestQuote || all.length > mostCandidates) return undefined;
	const wanted = word.toLowerCase();
	const limit = word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3));
	let best: { readonly candidate: string; readonly score: number } | undefined;
	for (const candidate of all) {
		const lower = candidate.toLowerCase();
		const part = Math.min(lower.length, wanted.length) >= 3 && (lower.includes(wanted) || wanted.includes(lower));
		// Letters that changed places are one slip, though they count as two.
		const turned = lower.length === wanted.length && letters(wanted) === letters(lower);
		const score = turned ? 1 : distance(wanted, lower);
		if ((part || score <= limit) && (best === undefined || score < best.score)) best = { candidate, score };
	}
	return best?.candidate;
}

function letters(word: string): string {
	return [...word].sort().join("");
}
