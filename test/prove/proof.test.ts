/** How proofs run: budgets, seeds, findings, and the command. */
import { describe, expect, it } from "vitest";
import { type Counts, prove, randomFrom } from "./proof.ts";

const failingAt = (...seeds: number[]) => ({
	promise: "no seed is one of these",
	defaultCases: 10,
	run(seed: number, counts: Counts) {
		counts.add("steps", 2);
		if (seeds.includes(seed)) throw new Error(`seed ${seed}`);
	},
});

describe("a proof", () => {
	it("runs the cases of a seed, counts, and goes on after a finding", async () => {
		const { cases, counts, findings } = await prove(failingAt(12), { seed: 10, cases: 5, seconds: undefined });
		expect([cases, counts.toString(), findings.map(({ seed }) => seed)]).toEqual([5, "10 steps", [12]]);
		expect(findings[0]?.what).toContain("Error: seed 12");
	});

	it("ends after the fifth finding, and begins no case after its seconds", async () => {
		const all = failingAt(...Array.from({ length: 20 }, (_, index) => index));
		expect((await prove(all, { seed: 0, cases: 20, seconds: undefined })).cases).toBe(5);
		expect((await prove(all, { seed: 100, cases: undefined, seconds: 0 })).cases).toBe(0);
	});

	it("has a finding without a seed if the run as a whole fails", async () => {
		const proof = { ...failingAt(), end: () => Promise.reject(new Error("too few steps")) };
		const { findings } = await prove(proof, { seed: 1, cases: 1, seconds: undefined });
		expect(findings).toMatchObject([{ seed: null, what: expect.stringContaining("too few steps") }]);
	});

	it("draws the same numbers from the same seed", () => {
		const draw = (seed: number) => Array.from({ length: 5 }, randomFrom(seed));
		expect(draw(7)).toEqual(draw(7));
		expect(draw(7)).not.toEqual(draw(8));
	});
});
