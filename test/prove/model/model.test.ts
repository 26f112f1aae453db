/** A sample of `npm run prove -- model`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

describe("a history of many commands", () => {
	it("makes each change once, whatever goes wrong in it", { timeout: 60_000 }, async () => {
		const { cases, findings } = await prove(proof, { seed: 1, cases: 3, seconds: undefined });
		expect(findings).toEqual([]);
		expect(cases).toBe(3);
	});
});
