/** A sample of `npm run prove -- crash`. */
import { describe, expect, it } from "vitest";
import { Counts } from "../proof.ts";
import { proof, runPlan } from "./proof.ts";

describe("a command that is killed between two effects", () => {
	it("leaves what one more run completes, with one activity for each change", { timeout: 60_000 }, async () => {
		const counts = new Counts();
		await proof.begin?.(0);
		try {
			for (const seed of [0, 3]) await runPlan(seed, counts, 2);
		} finally {
			await proof.end?.(counts);
		}
		expect(counts.of("crashes")).toBe(4);
		expect(counts.of("points")).toBeGreaterThan(40);
	});
});
