/** A search that takes too many steps ends: its answer is unknown, on every machine alike. */
import { describe, expect, it } from "vitest";
import { TooComplex } from "../../../src/policy/sets/formula.ts";
import { findSmallestVectors } from "../../../src/policy/sets/vectors.ts";
import { Budget, Work } from "../../../src/policy/sets/work.ts";

describe("A search for smallest sets", () => {
	it("ends where it takes too many steps, though no step of it finds too many sets", () => {
		const classes = Array.from({ length: 10 }, (_, users) => ({ users, counts: [true, users % 2 === 0] }));
		const problem = { needs: [3, 1], classes, capacities: classes.map(() => 3), work: new Work(new Budget()) };
		const found = findSmallestVectors(problem);
		expect(found.length).toBeGreaterThan(100);
		const repeat = () => {
			for (let turn = 0; turn < 10_000; turn += 1) findSmallestVectors(problem);
		};
		expect(repeat).toThrow(TooComplex);
	});

	it("takes from the budget of its question, so that a later search of the question ends sooner, and of another does not", () => {
		const budget = new Budget(10_000);
		const search = (work: Work) => {
			for (let turn = 0; turn < 6; turn += 1) work.spend(1_000);
		};
		search(new Work(budget));
		search(new Work(budget));
		expect(() => search(new Work(budget))).toThrow(TooComplex);
		expect(() => search(new Work(new Budget(10_000)))).not.toThrow();
	});
});
