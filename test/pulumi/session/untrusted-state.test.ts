/**
 * A state that another party has written: it must not choose what is submitted, nor make a change look applied. What it
 * keeps is used only where it agrees with itself and with the resource. Otherwise it is refused by name, and nothing is submitted.
 */
import { describe, expect, it } from "vitest";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import { type SubmitName, submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { alice, bob, carol, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";
import { keptOf, messageOf, providers } from "../providers.ts";

const otherOrganization = "0000000f-0000-4000-8000-000000000002";
const tag = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "keep", resource: "signers" };
const wish = { ...tag, members: { exactly: [alice, bob, carol] } };
const wanted = { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] };
const evil = { userTagId: tags.oncall, addUserIds: [carol], removeUserIds: [] };

/** An activity as a state keeps it, which is in agreement with itself. */
function activity(parameters: object, operation: SubmitName = "update_user_tag", organization = organizationId) {
	const values = parameters as Record<string, unknown>;
	const body = encodeSubmit(submits[operation], organization, values, Date.now() - 60_000);
	return {
		activityId: "019aa660-9400-7c3a-8f21-5d0e6b7a4c11",
		fingerprint: body.fingerprint,
		outcome: "awaiting-approval",
		body: body.bytes,
		requestDigest: requestDigestOf(organization, operation, values),
		covers: ["userTag:signers"],
		sentAt: new Date(Date.now() - 60_000).toISOString(),
	};
}

/** Updates a resource whose state keeps this. */
const updateOf =
	(start: (typeof providers)[number]["start"]) =>
	async (world: World, state: object, settings: Readonly<Record<string, string>> = {}) => {
		const provider = await start("UserTag", world, { reads: "documented", ...settings });
		return provider.update(tags.signers, { ...tag, ...state }, wish);
	};

// Dynamic providers with the same settings share a session: another `wait` makes another one, as in another process.

const good = activity(wanted);
const refused: readonly (readonly [what: string, kept: object, because: string])[] = [
	[
		"a request digest that is not that of its body",
		{ ...activity(evil), requestDigest: good.requestDigest },
		"does not match its request digest",
	],
	["a body that cannot be decoded", { ...good, body: "{" }, "has a body that orgsync did not create"],
	[
		"a body with a second list for another parser",
		{ ...good, body: good.body.replace('"addUserIds":', `"addUserIds":["${carol}"],"addUserIds":`) },
		"has a body that orgsync did not create",
	],
	["another fingerprint", { ...good, fingerprint: activity(evil).fingerprint }, "has a body with another fingerprint"],
	["another organization", activity(wanted, "update_user_tag", otherOrganization), "is for another organization"],
	[
		"another operation",
		activity({ policyIds: [policies[0]] }, "delete_policies"),
		"is a delete_policies, not a update_user_tag",
	],
	["an outcome that is never kept", { ...good, outcome: "completed" }, "has an outcome that is never stored"],
	["an id that is no id", { ...good, activityId: "`\n\u001b[2J" }, "`activities` has an invalid entry"],
];

describe.each(providers)("an activity in a state of $title", ({ start }) => {
	const update = updateOf(start);

	it.each(refused)("with %s is an error that names it, and nothing is submitted", async (_what, kept, because) => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const message = await messageOf(update(world, { activities: [kept] }));
		expect(message).toContain("the state of `signers` is invalid, nothing was submitted");
		expect(message).toContain(because);
		expect(world.requests()).toEqual([]);
	});

	it("is ignored if it is abandoned, valid or not", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const kept = { ...activity(evil), requestDigest: good.requestDigest };
		const hint = await messageOf(update(world, { activities: [kept] }));
		expect(hint).toContain(`\`pulumi config set orgsync:abandon ${kept.activityId}\``);
		const { outs } = await update(world, { activities: [kept] }, { abandon: kept.activityId });
		expect(outs).not.toHaveProperty("activities");
		expect(world.activities()).toMatchObject([
			{ intent: { updateUserTagIntent: { userTagId: tags.signers, addUserIds: [alice, bob, carol] } } },
		]);
	});

	it("is never submitted because the state has it: only an equal step of the plan resubmits it", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const unwanted = { ...activity({ ...evil, userTagId: tags.signers }) };
		await messageOf(update(world, { activities: [unwanted] }));
		expect(world.submits()).toEqual([]);

		const elsewhere = await start("UserTag", world, { reads: "documented", wait: "8" });
		const asked = await keptOf(elsewhere.create(wish));
		expect(asked.activities).toMatchObject([{ outcome: "awaiting-approval" }]);
		world.clearRequests();
		const again = await keptOf(update(world, asked, { wait: "9" }));
		expect(again.activities).toEqual(asked.activities);
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(world.activities().length).toBe(1);
	});

	it("is resubmitted by the update of its own resource and by no other", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const settings = { reads: "documented", journal: `${world.folder}/journal.sqlite` };
		await keptOf((await start("UserTag", world, settings)).create(wish));
		world.clearRequests();
		const elsewhere = await start("UserTag", world, { ...settings, wait: "9" });
		const { outs } = await elsewhere.create({ ...tag, name: "oncall", tagId: tags.oncall, resource: "oncall" });
		expect(outs).toMatchObject({ tagId: tags.oncall });
		expect(world.submits()).toEqual([]);
	});

	it("is not resubmitted if a guard blocks its step", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const kept = { ...activity({ policyIds: [...policies] }, "delete_policies"), covers: [`policy:${policies[0]}`] };
		const inputs = { organizationId, policyIds: policies, limits: { policies: 2 }, resource: "old" };
		const provider = await start("PolicyRemoval", world, { reads: "documented" });
		const message = await messageOf(provider.update("old", { ...inputs, activities: [kept] }, inputs));
		expect(message).toContain("blocked by a guard, nothing was submitted: 3 policies would be removed");
		expect(world.submits()).toEqual([]);
	});

	it("does not count as completed if it has the id of another, completed activity", async () => {
		const world = await makeWorld();
		await world.submitAsBob("update_user_tag", { ...evil, removeUserIds: [] });
		const [{ id }] = world.activities();
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const provider = await start("UserTag", world);
		const kept = { ...good, activityId: id };
		const state = await keptOf(provider.update(tags.signers, { ...tag, activities: [kept] }, wish));
		expect(state).not.toHaveProperty("lastApplied");
		expect(state.activities).toMatchObject([{ fingerprint: good.fingerprint, outcome: "awaiting-approval" }]);
		expect(state.activities).not.toMatchObject([{ activityId: id }]);
	});
});

const applied = {
	appliedAt: "2026-01-01T00:00:00.000Z",
	name: "signers",
	present: [alice, bob, carol],
	gone: [],
	updatedAt: "",
};
const memories: readonly (readonly [string, object])[] = [
	["no list of users", { ...applied, present: alice }],
	["users that are no ids", { ...applied, gone: ["everybody"] }],
	["no time", { ...applied, appliedAt: "once" }],
	["a time in the future", { ...applied, appliedAt: "9999-01-01T00:00:00.000Z" }],
];

describe.each(providers)("the last-applied state in a state of $title", ({ start }) => {
	const update = updateOf(start);

	it.each(memories)("with %s is an error of updates and refreshes that names it", async (_what, lastApplied) => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const because = "the state of `signers` is invalid, nothing was submitted: `lastApplied` is invalid";
		expect(await messageOf(update(world, { lastApplied }))).toContain(because);
		const provider = await start("UserTag", world, { reads: "documented", wait: "7" });
		expect(await messageOf(provider.read(tags.signers, { ...wish, lastApplied }))).toContain(because);
		expect(world.requests()).toEqual([]);
	});

	it.each([
		["no ids", { everything: "2026-01-01T00:00:00.000Z" }],
		["no times", { [policies[0]]: "gone" }],
	])("of removals with %s is an error that names it", async (_what, removedAt) => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const provider = await start("PolicyRemoval", world, { reads: "documented" });
		const inputs = { organizationId, policyIds: [policies[0]], resource: "old" };
		expect(await messageOf(provider.update("old", { ...inputs, removedAt }, inputs))).toContain(
			"the state of `old` is invalid, nothing was submitted: `removedAt` is invalid",
		);
		expect(world.requests()).toEqual([]);
	});
});
