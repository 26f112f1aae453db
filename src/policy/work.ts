/** Counts the steps of one search and ends it where it would take too long: it is the same on every machine. */
import { TooComplex } from "./formula.ts";

/** Max steps of one search; some hundredths of a second. Organizations as people make them take less than a hundredth of it. */
const maxSteps = 150_000;

export class Work {
	#steps = 0;

	/** Throws TooComplex where the search has taken too many steps. */
	spend(steps: number): void {
		this.#steps += steps;
		if (this.#steps > maxSteps) throw new TooComplex("to find who can do it takes too many steps");
	}
}
