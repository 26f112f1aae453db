/** Powers, impact and approvals agree with every set of approvers asked of a model that knows nothing of src/policy/. */
import { describe, it } from "vitest";
import { Random } from "../model.ts";
import { changeOrganization, randomOrganization } from "../random-model.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkImpact } from "./check-impact.ts";
import { checkPowers } from "./check-powers.ts";

const numRuns = Number(process.env.ORGSYNC_POWERS_RUNS ?? (process.env.CI ? 5_000 : 300));
/** In ms; a busy machine takes a tenth of it for each case. */
const timeout = 30_000 + numRuns * 100;
const first = Number(process.env.ORGSYNC_POWERS_SEED ?? 1);

/** Runs the check for many seeds, and names the seed of the first that fails. */
function forSeeds(check: (random: Random) => void): void {
	for (let seed = first; seed < first + numRuns; seed += 1) {
		try {
			check(new Random(seed));
		} catch (error) {
			throw new Error(`with ORGSYNC_POWERS_SEED=${seed}`, { cause: error });
		}
	}
}

describe("Powers of random organizations", () => {
	it(
		"are those that every set of approvers has",
		() => {
			forSeeds((random) => checkPowers(randomOrganization(random)));
		},
		timeout,
	);

	it(
		"change as every set of approvers of both sides does",
		() => {
			forSeeds((random) => {
				const before = randomOrganization(random);
				checkImpact(before, changeOrganization(random, before));
			});
		},
		timeout,
	);

	it(
		"lead to the approvals that are forecast",
		() => {
			forSeeds((random) => checkApprovals(random, randomOrganization(random)));
		},
		timeout,
	);
});
