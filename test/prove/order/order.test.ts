/** A sample of `npm run prove -- order`. */
import { expect, it } from "vitest";
import { prove } from "../proof.ts";
import { proof } from "./proof.ts";

it("leads to no state that is worse than before and after, by the fewest activities for that; where there is none, it blocks", async () => {
	const { counts, findings } = await prove(proof, { seed: 1, cases: 200, seconds: undefined });
	expect(findings).toEqual([]);
	expect(counts.of("plans with whole steps")).toBeGreaterThan(150);
}, 120_000);
