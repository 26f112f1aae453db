/** Choices that follow from a seed alone. */
import { randomFrom } from "../proof.ts";

export class Dice {
	readonly #random: () => number;

	constructor(seed: number) {
		this.#random = randomFrom(seed);
	}

	/** Returns a number of at least 0 and below 1. */
	next(): number {
		return this.#random();
	}

	/** Returns a whole number of at least 0 and below `limit`. */
	int(limit: number): number {
		return Math.floor(this.#random() * limit);
	}

	/** Returns a small number more often than a large one, from 0 to below `limit`. */
	small(limit: number): number {
		return this.int(this.int(limit) + 1);
	}

	chance(probability: number): boolean {
		return this.#random() < probability;
	}

	pick<One>(choices: readonly One[]): One {
		return choices[this.int(choices.length)] as One;
	}
}
