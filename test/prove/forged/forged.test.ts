/** A sample of `npm run prove -- forged`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

describe("a forged journal", () => {
	it("makes no command submit what the document does not ask for", { timeout: 60_000 }, async () => {
		const { cases, counts, findings } = await prove(proof, { seed: 8000, cases: 30, seconds: undefined });
		expect(findings).toEqual([]);
		expect(cases).toBe(30);
		expect(counts.of("forgeries")).toBeGreaterThan(25);
		expect(counts.of("journals refused")).toBeGreaterThan(5);
	});
});
