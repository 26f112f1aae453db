/** Counts the steps of one search and ends it where it would take too long: it is the same on every machine. */
import { TooComplex } from "./formula.ts";

/** Max steps of one search; some hundredths of a second. Organizations as people make them take less than a hundredth of it. */
const maxSteps = 150_000;

/** Steps that a search may always take, so that what it found too complex can still be said. */
const freeSteps = 2_000;

/** Steps that the searches of one question have left together; see `withinSteps`. */
let left = Number.POSITIVE_INFINITY;

export class Work {
	#steps = 0;

	/** Throws TooComplex where the search, or all searches of the question together, have taken too many steps. */
	spend(steps: number): void {
		this.#steps += steps;
		if (this.#steps <= freeSteps) return;
		left -= steps;
		if (this.#steps > maxSteps || left < 0) throw new TooComplex("steps");
	}
}

/** Returns what `ask` returns. All searches inside it together take at most so many steps. */
export function withinSteps<T>(steps: number, ask: () => T): T {
	const outer = left;
	left = steps;
	try {
		return ask();
	} finally {
		left = outer;
	}
}
