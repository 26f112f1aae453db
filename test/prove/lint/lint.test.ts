/** A sample of `npm run prove -- lint`. */
import { expect, it } from "vitest";
import { lintRules } from "../../../src/policy/lint/lint.ts";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

it("finds each rule of lint where an evaluator written apart says so, and nowhere else", {
	timeout: 120_000,
}, async () => {
	const { cases, counts, findings } = await prove(proof, { seed: 5000, cases: 150, seconds: undefined });
	expect(findings).toEqual([]);
	expect(cases).toBe(150);
	// Every random expression is understood.
	const found = lintRules.map(({ code }) => code).filter((code) => code !== "not-understood");
	for (const code of found) expect(counts.of(code), code).toBeGreaterThan(0);
});
