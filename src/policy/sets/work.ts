/** Counts the steps of one search and ends it where it would take too long: it is the same on every machine. */
import { TooComplex } from "./formula.ts";

/** Max steps of one search; some hundredths of a second. Organizations as people make them take less than a hundredth of it. */
const maxSteps = 150_000;

/** Steps that a search may always take, so that what it found too complex can still be said. */
const freeSteps = 2_000;

/** Steps that the searches of one question have left together. Each search takes from it. */
export class Budget {
	#left: number;

	constructor(steps = Number.POSITIVE_INFINITY) {
		this.#left = steps;
	}

	/** Returns whether so many steps were left. */
	take(steps: number): boolean {
		this.#left -= steps;
		return this.#left >= 0;
	}
}

export class Work {
	readonly #budget: Budget;
	#steps = 0;

	constructor(budget: Budget) {
		this.#budget = budget;
	}

	/** Throws TooComplex where the search, or all searches of the question together, have taken too many steps. */
	spend(steps: number): void {
		this.#steps += steps;
		if (this.#steps <= freeSteps) return;
		const isLeft = this.#budget.take(steps);
		if (this.#steps > maxSteps || !isLeft) throw new TooComplex("steps");
	}
}
