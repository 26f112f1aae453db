/** What `approve --plan` makes of a long history, and of activities that were made in the second of the plan. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, type RunOptions, readOutput } from "../../run.ts";
import { alice, bob, carol, document, makeWorld, tags, type World } from "../../world.ts";
import { startHostileService } from "../hostile-service.ts";

const tagging = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const addBob = { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] };

/** A plan whose only step was submitted, approved by a second user and then undone; an equal activity is pending. */
async function makeRepeated(
	between: (world: World) => Promise<void> = async () => {},
	planOptions: RunOptions = {},
): Promise<World> {
	const world = await makeWorld(document("userTags: [{ name: signers, members: { atLeast: [bob] } }]"));
	await world.setRules({ approvals: { [tagging]: 2 } });
	expect((await world.run(["plan", "--out", "plan.json"], planOptions)).code).toBe(0);
	await world.submitAsBob("update_user_tag", addBob);
	expect((await world.run(["approve", "--plan", "plan.json"])).code).toBe(0);
	await world.change({ userTags: [{ tagId: tags.signers, tagName: "signers", userIds: [alice] }] });
	await between(world);
	await world.submitAsBob("update_user_tag", addBob, 5000);
	world.clearRequests();
	return world;
}

/** The duplicate is refused with the activity that did the step. */
function expectRefused(world: World, answer: Answer): void {
	const ids = world.activities().flatMap(({ id, type, intent }) => {
		return type === tagging && intent.updateUserTagIntent.userTagId === tags.signers ? [id] : [];
	});
	expect(readOutput(answer).votes[0].activities).toMatchObject([
		{ activity: { activityId: ids[0] }, stepId: "step-1", decision: "ended" },
		{
			activity: { activityId: ids[1] },
			decision: "refused",
			disagreements: [{ code: "duplicate", activityId: ids[0] }],
		},
	]);
	expect({ code: answer.code, sent: world.submits(), count: ids.length }).toEqual({ code: 0, sent: [], count: 2 });
}

test("an activity of the plan's own second, in a service with whole seconds, takes its step, and an equal one is refused", async () => {
	const world = await makeRepeated();
	const { readAt } = JSON.parse(readFileSync(join(world.folder, "plan.json"), "utf8")).plans[0];
	const second = String(Math.floor(Date.parse(readAt) / 1000));
	const url = await startHostileService(world.url, (text, key) => {
		return key === "nanos" ? "0" : key === "seconds" ? second : text;
	});
	const answer = await world.run(["approve", "--plan", "plan.json", "--format", "json"], { env: { ORGSYNC_URL: url } });
	expectRefused(world, answer);
});

test.each([
	-240, 3, 100, 290, 3600,
])("a step that completed after a plan by a clock that is %i seconds ahead is done, and an equal activity is refused", async (seconds) => {
	const world = await makeRepeated(undefined, { laterMs: seconds * 1000 });
	expectRefused(world, await world.run(["approve", "--plan", "plan.json", "--format", "json"]));
});

test("a step that completed behind 1,005 other activities is done, and an equal activity is refused", async () => {
	const world = await makeRepeated(async (one) => {
		await one.setRules({});
		const carols = (count: number) => ({
			addUserIds: count % 2 ? [carol] : [],
			removeUserIds: count % 2 ? [] : [carol],
		});
		for (let count = 1; count <= 1005; count += 1) {
			await one.submitAsBob("update_user_tag", { userTagId: tags.oncall, ...carols(count) }, count);
		}
		await one.setRules({ approvals: { [tagging]: 2 } });
	});
	const answer = await world.run(["approve", "--plan", "plan.json", "--format", "json"]);
	expectRefused(world, answer);
}, 60_000);
