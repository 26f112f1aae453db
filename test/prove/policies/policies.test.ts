/** A sample of `npm run prove -- policies`. */
import { describe, expect, it } from "vitest";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

describe("a history of policies and tags", { timeout: 120_000 }, () => {
	it("creates each once, and says what became of it, whatever others do to its name", async () => {
		const { cases, counts, findings } = await prove(proof, { seed: 1, cases: 80, seconds: undefined });
		expect(findings).toEqual([]);
		expect([cases, counts.of("converged") > 72, counts.of("killed applies") > 5]).toEqual([80, true, true]);
	});
});
