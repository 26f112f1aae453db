/** Collects the problems of documents. report.ts adds those of cells. */
import { defined } from "../common/defined.ts";
import type { Problem } from "../common/errors.ts";
import { nearest } from "../plan/nearest.ts";
import type { Position } from "../plan/organization.ts";

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

	/** Whether further problems are omitted. */
	get isFull(): boolean {
		return this.#isFull;
	}

	get isEmpty(): boolean {
		return this.#problems.size === 0;
	}

	/** Returns the candidate that `word` is probably a typing error of, or undefined. */
	nearest(word: string, candidates: Iterable<string>): string | undefined {
		return this.#problems.size > maxSuggestions ? undefined : nearest(word, candidates);
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
