/** Votes on pending activities: what is approved, what is refused, and that no vote is cast twice. */
import { expect, test } from "vitest";
import { alice, bob, carol, document, makeWorld, policies, tags } from "../world.ts";

const approvals = { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2, ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } };
const agreeing = document(
	"userTags: [{ name: signers, members: { exactly: [alice, bob, carol] } }]",
	`absent: { policies: [${policies[0]}] }`,
);

test("an activity of another user is approved by its id", async () => {
	const world = await makeWorld(agreeing);
	await world.setRules(approvals);
	await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] });
	const [{ id }] = world.activities();
	world.clearRequests();
	const answer = await world.run(["approve", id, "--yes"]);
	expect(answer.code).toBe(0);
	expect(world.organization().userTags[0].userIds).toEqual(expect.arrayContaining([alice, bob, carol]));
});
