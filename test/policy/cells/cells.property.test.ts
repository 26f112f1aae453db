/** Powers and impact agree with every concrete activity and every set of approvers, as the emulator's evaluator decides them. */
import { describe, expect, it } from "vitest";
import { forEachSeed } from "../../case-count.ts";
import { randomWorld } from "../activities/activity-worlds.ts";
import { Random } from "../model.ts";
import { checkWorld, emptyTally } from "./check-cells.ts";

describe("Powers under conditions of every form", () => {
	it("are true for every activity: no change is missed, and at most one of a hundred findings is none", () => {
		const tally = emptyTally();
		forEachSeed(100, (seed) => checkWorld(randomWorld(new Random(seed), seed % 5 === 0), tally));
		expect(tally.unknown).toBeLessThanOrEqual(tally.asked * 0.02);
		expect(tally.phantoms).toBeLessThanOrEqual(tally.findings * 0.01);
	});
});
