/** A sample of `npm run prove -- races`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

describe("a race", () => {
	it("makes one activity for each change, in any order", { timeout: 60_000 }, async () => {
		const { cases, findings } = await prove(proof, { seed: 7000, cases: 8, seconds: undefined });
		expect(findings).toEqual([]);
		expect(cases).toBe(8);
	});
});
