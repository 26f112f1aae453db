/** The largest saved plans. */
import { describe, expect, it } from "vitest";
import { findContradiction } from "../../../src/document/saved/saved-plan-check.ts";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../../plan/support-organizations.ts";

const removal: PendingActivity = {
	activityId: "activity-1",
	fingerprint: "sha256:1",
	state: "pending",
	status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
	operation: "delete_policies",
	parameters: { policyIds: [id("policy", 1)] },
	createdAt: null,
	approvedBy: null,
	saidBy: "service",
};

describe("a saved plan that orgsync makes is taken", () => {
	it("before the test times out, also where it changes thousands of tags and removes thousands of policies", () => {
		const many = Array.from({ length: 5_000 }, (_, index) => index);
		const big = makePlan(
			desiredOf({
				userTags: many.map((number) => wantTag(`tag ${String(number).padStart(5, "0")}`, { id: id("tag", number) })),
				absent: { policyIds: many.map((number) => id("policy", number)), oauthProviders: [], tvcAppIds: [] },
			}),
			liveOf({
				userTags: known(many.map((number) => liveTag(number, `old ${number}`))),
				policies: known(many.map((number) => ({ id: id("policy", number), name: "x" }))),
			}),
			{ ...context, waiting: [removal] },
		);
		expect(findContradiction(big)).toBeUndefined();
	});
});
