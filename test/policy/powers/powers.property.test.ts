/** Powers, impact and approvals agree with every set of approvers asked of a model that knows nothing of src/policy/. */
import { describe, it } from "vitest";
import { forEachSeed } from "../../case-count.ts";
import { Random } from "../model.ts";
import { changeOrganization, randomOrganization } from "../random-model.ts";
import { checkApprovals } from "./check-approvals.ts";
import { checkImpact } from "./check-impact.ts";
import { checkPowers } from "./check-powers.ts";

/** Runs the check for many seeds. */
function forSeeds(check: (random: Random) => void): void {
	forEachSeed(200, (seed) => check(new Random(seed)));
}

describe("Powers of random organizations", () => {
	it("are those that every set of approvers has", () => {
		forSeeds((random) => checkPowers(randomOrganization(random)));
	});

	it("change as every set of approvers of both sides does", () => {
		forSeeds((random) => {
			const before = randomOrganization(random);
			checkImpact(before, changeOrganization(random, before));
		});
	});

	it("lead to the approvals that are forecast", () => {
		forSeeds((random) => checkApprovals(random, randomOrganization(random)));
	});
});
