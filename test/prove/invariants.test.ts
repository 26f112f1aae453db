/** What the proofs call a duplicate, a lost activity, and an approval that is missing. */
import { describe, expect, it } from "vitest";
import { findBrokenCourse, findDuplicates } from "./invariants.ts";
import type { ListedActivity } from "./small-world.ts";

const tagId = "70000000-0000-4000-8000-000000000001";
const user = "b0000000-0000-4000-8000-000000000001";

function addUser(id: string, status: string, approvers: readonly string[] = ["alice"]): ListedActivity {
	return {
		...{ id, type: "ACTIVITY_TYPE_UPDATE_USER_TAG", status: `ACTIVITY_STATUS_${status}`, fingerprint: `sha256:${id}` },
		intent: { updateUserTagIntent: { userTagId: tagId, addUserIds: [user], removeUserIds: [] } },
		votes: approvers.map((userId) => ({ userId, selection: "VOTE_SELECTION_APPROVED", message: "" })),
		createdAt: { seconds: "1" },
	};
}
const organizationWith = (...userIds: readonly string[]) => ({ userTags: [{ tagId, tagName: "signers", userIds }] });

describe("an activity", () => {
	const made = addUser("second", "COMPLETED");

	it("is a duplicate of an open one that makes the same change, and of a completed one that nothing undid", () => {
		const open = { organization: organizationWith(), activities: [addUser("first", "CONSENSUS_NEEDED")] };
		const done = { organization: organizationWith(user), activities: [addUser("first", "COMPLETED")] };
		for (const before of [open, done]) {
			expect(findDuplicates(made, before)).toMatchObject([
				{ change: `add ${tagId} ${user}`, earlier: { id: "first" } },
			]);
		}
	});

	it("is no duplicate of one that failed, was rejected or was undone", () => {
		for (const status of ["FAILED", "REJECTED", "COMPLETED"]) {
			const before = { organization: organizationWith(), activities: [addUser("first", status)] };
			expect(findDuplicates(made, before)).toEqual([]);
		}
	});

	it("takes a broken course if it is lost, ends twice, or is completed without its approvals", () => {
		const seen = (...activities: readonly ListedActivity[]) => ({ organization: {}, activities });
		const done = addUser("first", "COMPLETED", ["alice", "bob"]);
		expect(findBrokenCourse(seen(done), seen(), 2)).toContain("has lost it");
		expect(findBrokenCourse(seen(done), seen(addUser("first", "REJECTED")), 2)).toContain(
			"is ACTIVITY_STATUS_REJECTED now",
		);
		expect(findBrokenCourse(seen(), seen(addUser("first", "COMPLETED", ["alice", "alice"])), 2)).toContain("needs 2");
		expect(findBrokenCourse(seen(done), seen(done), 2)).toBeUndefined();
	});
});
