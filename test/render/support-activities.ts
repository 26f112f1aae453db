/** Pending activities as approve, reject and the page of a passkey show them. */
import type { ReviewedActivity } from "../../src/plan/activities/reviewed-activity.ts";
import { id, organizationId } from "../plan/support-organizations.ts";

export const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [
	string,
	string,
	string,
	string,
];

export const treasury = id("tag", 2);

export const names = {
	userNames: { [alice]: "alice", [bob]: "bob", [carol]: "carol" },
	liveNames: { [alice]: "alice", [bob]: "bob", [carol]: "carol", [dave]: "dave" },
};

/** An activity that alice submitted and that gives treasury to bob. */
export function activityOf(parts: Partial<ReviewedActivity> = {}): ReviewedActivity {
	const submitted = "2026-11-22T18:00:00.000Z";
	return {
		activityId: id("other", 7),
		organizationId,
		fingerprint: `sha256:${"a1".repeat(32)}`,
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation: "update_user_tag",
		parameters: { userTagId: treasury, addUserIds: [bob], removeUserIds: [] },
		mistakes: [],
		submittedBy: alice,
		createdAt: submitted,
		votes: [{ userId: alice, selection: "approved", at: submitted, counts: true }],
		voterNames: { [alice]: "alice" },
		effect: null,
		...parts,
	};
}
