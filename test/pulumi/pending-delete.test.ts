/**
 * Deleting a resource while an activity is pending that could change its object afterwards: asked of the providers as an engine
 * asks them. The state, the journal and the service's list each know of such activities.
 */
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { alice, apps, bob, carol, makeWorld, organizationId, policies, providers, tags, type World } from "../world.ts";
import { asOnPage, readTexts } from "./page.ts";
import { providers as adapters, keptOf, messageOf } from "./providers.ts";

const updating = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const everything = [
	updating,
	"ACTIVITY_TYPE_DELETE_POLICIES",
	"ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
	"ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
];
const tag = {
	...{ organizationId, name: "signers", tagId: tags.signers, resource: "signers" },
	members: { atLeast: [bob] },
};

const cases = [
	["UserTag that keeps its members", "UserTag", { ...tag, onDestroy: "keep" }],
	["UserTag with removeMembers", "UserTag", { ...tag, onDestroy: "removeMembers" }],
	["PolicyRemoval", "PolicyRemoval", { organizationId, policyIds: [policies[0]], resource: "old" }],
	[
		"OauthProviderRemoval",
		"OauthProviderRemoval",
		{ organizationId, userId: bob, providerIds: [providers.bob[0]], resource: "old" },
	],
	["TvcAppRemoval", "TvcAppRemoval", { organizationId, appId: apps.old, resource: "old" }],
] as const;

const membersOf = (world: World): readonly string[] =>
	world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds;

/** A world in which every activity takes two approvals. */
async function makePending(options: { readonly reads?: "documented" } = {}): Promise<World> {
	const world = await makeWorld(undefined, options);
	// The one who applies keeps a tag and the organization a policy, so that no guard minds.
	await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	await world.setRules({ approvals: Object.fromEntries(everything.map((type) => [type, 2])) });
	return world;
}

/** The activities without votes. */
const submitted = (world: World) => world.activities().filter(({ type }) => everything.includes(type));

/** What the providers print; the plugin prints to standard error where no engine started it. */
function linesPrinted(): () => readonly string[] {
	const printed = (["log", "error"] as const).map((name) =>
		vi.spyOn(console, name).mockImplementation(() => undefined),
	);
	onTestFinished(() => {
		for (const one of printed) one.mockRestore();
	});
	return () => printed.flatMap(({ mock }) => mock.calls.map(([line]) => String(line)));
}

describe.each(adapters)("deleting a resource of $title", ({ start }) => {
	it.each(
		cases,
	)("that is a %s names the pending activity of its state and refuses, until it has ended", async (_what, type, inputs) => {
		const world = await makePending();
		const kept = await keptOf((await start(type, world)).create(inputs));
		const [{ id, fingerprint }] = world.activities();

		// Another `wait` makes another session with another journal, as in another process.
		const elsewhere = await start(type, world, { wait: "9" });
		expect(await messageOf(elsewhere.delete("id", kept))).toMatch(
			new RegExp(
				`not deleted, and nothing was submitted: a pending activity can still change its object
  \\w+: activity ${id} is pending approval since \\S+, approved by alice \\(id a0000000…\\); fingerprint ${fingerprint}
  approve or reject it, or wait until it has ended; then run the command again
  to delete the resource all the same: \`ORGSYNC_ABANDON=${id} pulumi destroy\`$`,
			),
		);
		expect(submitted(world)).toHaveLength(1);

		await world.submitAsBob("reject_activity", { fingerprint });
		await (await start(type, world, { wait: "8" })).delete("id", kept);
		expect(submitted(world)).toHaveLength(1);
	});

	it("prints what docs/pulumi.md shows", async () => {
		const world = await makePending();
		const kept = await keptOf((await start("UserTag", world)).create({ ...tag, onDestroy: "keep" }));
		const refused = await messageOf((await start("UserTag", world, { wait: "9" })).delete("id", kept));
		expect(
			readTexts().some((text) => asOnPage(refused).endsWith(text)),
			asOnPage(refused),
		).toBe(true);
	});

	it.each(
		cases,
	)("that is a %s deletes it all the same once the activity is abandoned, and says so", async (_what, type, inputs) => {
		const world = await makePending();
		const kept = await keptOf((await start(type, world)).create(inputs));
		const [{ id }] = world.activities();
		const lines = linesPrinted();
		await (await start(type, world, { abandon: id })).delete("id", kept);
		expect(lines()).toEqual([expect.stringContaining(`override used: orgsync:abandon ${id}`)]);
		expect(submitted(world)).toHaveLength(1);
	});

	it("refuses with documented reads too, where only the state knows of the activity, also hours later", async () => {
		const world = await makePending({ reads: "documented" });
		const documented = { reads: "documented" };
		const kept = await keptOf((await start("UserTag", world, documented)).create({ ...tag, onDestroy: "keep" }));
		const [{ id }] = world.activities();
		const now = Date.now;
		vi.spyOn(Date, "now").mockImplementation(() => now() + 2 * 60 * 60 * 1000);
		onTestFinished(() => void vi.restoreAllMocks());
		world.clearRequests();
		const elsewhere = await start("UserTag", world, { ...documented, wait: "9" });
		expect(await messageOf(elsewhere.delete("id", kept))).toContain(
			"  once it has ended, `pulumi up` with the resource in the program learns what became of it",
		);
		expect(await messageOf(elsewhere.delete("id", kept))).toContain(`activity ${id} is pending approval`);
		expect(world.requests()).toEqual([]);
	});

	it("refuses where only the journal knows of the activity: an up was killed before its state was written", async () => {
		const world = await makePending();
		const journal = join(world.folder, "journal.sqlite");
		await keptOf((await start("UserTag", world, { journal })).create(tag));
		const [{ id }] = world.activities();
		const elsewhere = await start("UserTag", world, { journal, wait: "9" });
		expect(await messageOf(elsewhere.delete("id", { ...tag, onDestroy: "keep" }))).toContain(
			`activity ${id} is pending`,
		);
	});

	it("with removeMembers refuses a pending activity of the service's list that would give a member the tag again", async () => {
		const world = await makePending();
		await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [bob], removeUserIds: [] });
		const [{ id }] = world.activities();
		world.clearRequests();
		const provider = await start("UserTag", world);
		const props = { ...tag, onDestroy: "removeMembers" };
		expect(await messageOf(provider.delete("id", props))).toContain(`activity ${id} is pending approval`);
		expect(world.submits()).toEqual([]);
		expect(membersOf(world)).toEqual([alice, carol]);
	});

	it("names a pending activity of others, which holds nothing up", async () => {
		const world = await makePending();
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
		const kept = await keptOf((await start("UserTag", world)).create({ ...tag, name: "keepers" }));
		await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [], removeUserIds: [carol] });
		await world.submitAsBob("delete_policies", { policyIds: [policies[0]] });
		const [own, { id, fingerprint }] = world.activities();
		await world.submitAsBob("reject_activity", { fingerprint: own.fingerprint });
		const lines = linesPrinted();
		world.clearRequests();
		await (await start("UserTag", world, { wait: "9" })).delete("id", { ...kept, resource: "signers" });
		expect(lines()).toEqual([
			expect.stringMatching(
				new RegExp(
					`^signers: update_user_tag: activity ${id} is pending approval since \\S+, approved by bob \\(id a0000000…\\); fingerprint ${fingerprint}; it can still change what this resource managed$`,
				),
			),
		]);
		expect(world.submits()).toEqual([]);
	});

	it("continues with the removal of the members that it has submitted before", async () => {
		const world = await makePending();
		const journal = join(world.folder, "journal.sqlite");
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob] }] });
		const props = { ...tag, onDestroy: "removeMembers" };
		const first = await messageOf((await start("UserTag", world, { journal })).delete("id", props));
		const [{ id, fingerprint }] = world.activities();
		expect(first).toContain(`pending approval\n  activity ${id}`);
		const second = await messageOf((await start("UserTag", world, { journal, wait: "9" })).delete("id", props));
		expect(second).toContain("pending approval (it was submitted before, and nothing was submitted now)\n");
		expect(second).toContain(`activity ${id}`);
		await world.submitAsBob("approve_activity", { fingerprint });
		await (await start("UserTag", world, { journal, wait: "8" })).delete("id", props);
		expect(submitted(world)).toHaveLength(1);
		expect(membersOf(world)).toEqual([alice]);
	});

	it("waits for an activity that the service works on, as long as the setting `wait` says, and then removes the members", async () => {
		const world = await makePending();
		await world.setRules({ pendingMs: { [updating]: 1500 } });
		const kept = await keptOf(
			(await start("UserTag", world, { wait: "0" })).create({ ...tag, onDestroy: "removeMembers" }),
		);
		const [{ id }] = world.activities();
		expect(kept.activities).toMatchObject([{ outcome: "awaiting-approval" }]);
		const hasty = await start("UserTag", world, { wait: "0", timeout: "29" });
		expect(await messageOf(hasty.delete("id", kept))).toContain(`activity ${id} is in progress`);
		expect(membersOf(world)).toEqual([alice, carol]);

		await world.setRules({});
		await (await start("UserTag", world, { wait: "9" })).delete("id", kept);
		expect(world.activities()).toMatchObject([{ id }, { intent: { updateUserTagIntent: { removeUserIds: [bob] } } }]);
		expect(membersOf(world)).toEqual([alice, carol]);
	});

	it("leaves the activity to what takes its place, which continues with it", async () => {
		const world = await makePending({ reads: "documented" });
		const documented = { reads: "documented" };
		const kept = await keptOf((await start("UserTag", world, documented)).create({ ...tag, onDestroy: "keep" }));
		const now = Date.now;
		vi.spyOn(Date, "now").mockImplementation(() => now() + 2 * 60 * 60 * 1000);
		onTestFinished(() => void vi.restoreAllMocks());
		const elsewhere = await start("UserTag", world, { ...documented, wait: "9" });
		const { inputs } = await elsewhere.check({}, { ...tag, onDestroy: "keep" });
		// With `deleteBeforeReplace`, also of a tainted resource, whose state no diff gets.
		await elsewhere.delete("id", kept);
		expect((await keptOf(elsewhere.create(inputs))).activities).toEqual(kept.activities);
		expect(submitted(world)).toHaveLength(1);
	});

	it("lists the activities of an organization once for all resources, and asks nothing where nothing is known to be pending", async () => {
		const world = await makePending();
		const nowhere = await start("UserTag", world, { url: "http://127.0.0.1:1", timeout: "1" });
		await nowhere.delete("id", { ...tag, onDestroy: "keep" });
		const provider = await start("UserTag", world);
		const resources = [tags.signers, tags.auditors].map((tagId) => ({ ...tag, tagId, resource: tagId }));
		await Promise.all(resources.map((props) => provider.delete("id", { ...props, onDestroy: "removeMembers" })));
		expect(world.requests().filter((name) => name === "list_activities")).toHaveLength(1);
	});
});
