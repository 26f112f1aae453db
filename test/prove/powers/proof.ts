/** Powers and impact of random organizations, against every activity that their conditions distinguish and every set of approvers. */
import { randomWorld } from "../../policy/activities/activity-worlds.ts";
import { checkWorld, emptyTally } from "../../policy/cells/check-cells.ts";
import { Random } from "../../policy/model.ts";
import type { Counts, Proof } from "../proof.ts";

let tally = emptyTally();

export const proof: Proof = {
	promise:
		"no change of who can do what is missed, lockouts and escalations among them, each forecast comes true, at most 1 of 100 findings is " +
		"none, and at most 2 of 100 comparisons are unknown where everything is understood",
	defaultCases: 10_000,
	begin() {
		tally = emptyTally();
	},
	run(seed: number) {
		// One of five has expressions that are not understood.
		checkWorld(randomWorld(new Random(seed), seed % 5 === 0), tally);
	},
	end(counts: Counts) {
		for (const [name, count] of Object.entries(tally)) counts.add(name, count);
		if (tally.phantoms > tally.findings * 0.01)
			throw new Error(`${tally.phantoms} of ${tally.findings} findings are none`);
		if (tally.unknown > tally.asked * 0.02)
			throw new Error(`${tally.unknown} of ${tally.asked} comparisons are unknown`);
	},
};
