/** Powers and impact agree with every concrete activity and every set of approvers, as the emulator's evaluator decides them. */
import { describe, expect, it } from "vitest";
import { randomWorld } from "../activities/activity-worlds.ts";
import { Random } from "../model.ts";
import { checkWorld, emptyTally } from "./check-cells.ts";

const numRuns = Number(process.env.ORGSYNC_CELLS_RUNS ?? (process.env.CI ? 600 : 300));
const first = Number(process.env.ORGSYNC_CELLS_SEED ?? 1);

describe("Powers under conditions of every form", () => {
	it(
		"are true for every activity: no change is missed, and at most one of a hundred findings is none",
		() => {
			const tally = emptyTally();
			for (let seed = first; seed < first + numRuns; seed += 1) {
				try {
					checkWorld(randomWorld(new Random(seed), seed % 5 === 0), tally);
				} catch (error) {
					throw new Error(`with ORGSYNC_CELLS_SEED=${seed}`, { cause: error });
				}
			}
			expect(tally.unknown).toBeLessThanOrEqual(tally.asked * 0.02);
			expect(tally.phantoms).toBeLessThanOrEqual(tally.findings * 0.01);
		},
		30_000 + numRuns * 300,
	);
});
