/**
 * What a preview says of a single resource whose activity is pending: it does not show the change as a new one. Asked of the
 * providers as an engine asks them.
 */
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { alice, apps, bob, carol, makeWorld, organizationId, policies, providers, tags, type World } from "../world.ts";
import { asOnPage, readTexts } from "./page.ts";
import { configuredPlugin } from "./plugin/plugin-client.ts";
import { providers as adapters, keptOf } from "./providers.ts";

const everything = [
	"ACTIVITY_TYPE_UPDATE_USER_TAG",
	"ACTIVITY_TYPE_DELETE_POLICIES",
	"ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
	"ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS",
];
const tag = { organizationId, name: "signers", resource: "signers", members: { exactly: [alice, bob, carol] } };
const removal = { organizationId, policyIds: [policies[0]], resource: "old" };

const cases = [
	["UserTag", tag, "userTag:signers"],
	["PolicyRemoval", removal, `policy:${policies[0]}`],
	[
		"OauthProviderRemoval",
		{ organizationId, userId: bob, providerIds: [providers.bob[0]], resource: "old" },
		`oauthProvider:${bob}/${providers.bob[0]}`,
	],
	["TvcAppRemoval", { organizationId, appId: apps.old, resource: "old" }, `tvcApp:${apps.old}`],
] as const;

/** A world in which every activity takes two approvals. */
async function makePending(options: { readonly reads?: "documented" } = {}): Promise<World> {
	const world = await makeWorld(undefined, options);
	await world.setRules({ approvals: Object.fromEntries(everything.map((type) => [type, 2])) });
	return world;
}

/** The lines about activities that the providers print; the plugin prints to standard error where no engine started it. */
function linesPrinted(): () => readonly string[] {
	const printed = (["log", "error"] as const).map((name) =>
		vi.spyOn(console, name).mockImplementation(() => undefined),
	);
	onTestFinished(() => {
		for (const one of printed) one.mockRestore();
	});
	return () =>
		printed.flatMap(({ mock }) => mock.calls.map(([line]) => String(line))).filter((line) => /fingerprint/.test(line));
}

const pending = (id: string, fingerprint: string) =>
	`activity ${id} is pending approval since \\S+, approved by alice(?: \\(id a0000000…\\))?; fingerprint ${fingerprint}; `;

describe.each(adapters)("the preview of a resource of $title", ({ start }) => {
	it.each(
		cases,
	)("of the type %s says that a pending activity makes its change, be it new or in the state", async (type, inputs, address) => {
		const world = await makePending();
		const kept = await keptOf((await start(type, world)).create(inputs));
		const [{ id, fingerprint }] = world.activities();
		const line = new RegExp(
			`^${inputs.resource}: ${pending(id, fingerprint)}it makes the desired change of ${address}: \`pulumi up\` joins it and submits nothing$`,
		);
		const lines = linesPrinted();
		world.clearRequests();
		// Another `wait` makes another session with another journal, as in another process.
		const created = await start(type, world, { wait: "9" });
		const { inputs: checked, failures } = await created.check({}, inputs);
		expect(failures).toEqual([]);
		expect(lines()).toEqual([expect.stringMatching(line)]);
		expect(world.requests().filter((name) => name === "list_activities")).toHaveLength(1);

		const updated = await start(type, world, { wait: "8" });
		world.clearRequests();
		const again = await updated.check(checked, inputs);
		expect(world.requests()).toEqual([]);
		expect(await updated.diff("id", kept, { ...again.inputs, resource: inputs.resource })).toEqual({
			changes: true,
			replaces: [],
		});
		expect(lines()).toEqual([expect.stringMatching(line), expect.stringMatching(line)]);
		expect(world.requests().filter((name) => name === "list_activities")).toHaveLength(1);
		expect(world.submits()).toEqual([]);
	});

	it("prints what docs/pulumi.md shows", async () => {
		const world = await makePending();
		await keptOf((await start("PolicyRemoval", world)).create(removal));
		const lines = linesPrinted();
		const created = await start("PolicyRemoval", world, { wait: "9" });
		await created.check({}, { ...removal, resource: "old-policies" });
		const [line = ""] = lines();
		expect(readTexts()).toContain(asOnPage(line));
	});

	it("lists the activities of an organization once for all its resources, and not for one that is in sync", async () => {
		const world = await makePending();
		const provider = await start("UserTag", world);
		await provider.check({}, { ...tag, members: { exactly: [alice, carol] } });
		expect(world.requests()).not.toContain("list_activities");
		await Promise.all(
			Object.entries(tags).map(([name, tagId]) =>
				provider.check({}, { ...tag, name, tagId, members: { atLeast: [alice, bob, carol] }, resource: name }),
			),
		);
		expect(world.requests().filter((one) => one === "list_activities")).toHaveLength(1);
	});

	it("says that a pending activity of others conflicts with its change, and how to override that", async () => {
		const world = await makePending();
		await world.submitAsBob("update_user_tag", { userTagId: tags.signers, addUserIds: [], removeUserIds: [alice] });
		const [{ id }] = world.activities();
		const lines = linesPrinted();
		await (await start("UserTag", world)).check({}, tag);
		expect(lines()).toEqual([
			expect.stringContaining(
				`; it conflicts with the desired change of userTag:signers: \`pulumi up\` submits nothing until it ends; to override: \`pulumi config set orgsync:abandon ${id}\``,
			),
		]);
		const overridden = await start("UserTag", world, { abandon: id });
		await overridden.check({}, tag);
		expect(lines()).toHaveLength(1);
	});

	it("knows of a pending activity from the state alone, with documented reads", async () => {
		const world = await makePending({ reads: "documented" });
		const documented = { reads: "documented" };
		const kept = await keptOf((await start("UserTag", world, documented)).create(tag));
		const [{ id }] = world.activities();
		const lines = linesPrinted();
		const elsewhere = await start("UserTag", world, { ...documented, wait: "9" });
		world.clearRequests();
		await elsewhere.diff("id", kept, { ...tag, tagId: tags.signers, onDestroy: "keep" });
		expect(lines()).toEqual([
			expect.stringMatching(
				new RegExp(`^signers: activity ${id} is pending approval since \\S+, as last known; fingerprint .* joins it`),
			),
		]);
		expect(world.requests()).toEqual(["list_user_tags"]);
	});

	it("says that the object is in sync once the activity was approved", async () => {
		const world = await makePending();
		const kept = await keptOf((await start("UserTag", world)).create(tag));
		const [{ id, fingerprint }] = world.activities();
		await world.submitAsBob("approve_activity", { fingerprint });
		const lines = linesPrinted();
		await (await start("UserTag", world, { wait: "9" })).diff("id", kept, { ...tag, tagId: tags.signers });
		expect(lines()).toEqual([
			`signers: activity ${id} was pending approval when it was last read; fingerprint ${fingerprint}; the object is in sync: \`pulumi up\` learns what became of it, and submits nothing`,
		]);
	});

	it("says that a rejected activity is not submitted again, and how to override that", async () => {
		const world = await makePending();
		const journal = join(world.folder, "journal.sqlite");
		const first = await keptOf((await start("UserTag", world, { journal })).create(tag));
		const [{ fingerprint }] = world.activities();
		await world.submitAsBob("reject_activity", { fingerprint });
		const next = await start("UserTag", world, { wait: "9" });
		const kept = await keptOf(next.update("id", first, { ...tag, tagId: tags.signers }));
		expect(kept.activities).toMatchObject([{ outcome: "rejected" }]);
		const lines = linesPrinted();
		await (await start("UserTag", world, { wait: "8" })).diff("id", kept, { ...tag, tagId: tags.signers });
		expect(lines()).toEqual([
			expect.stringContaining(
				"it would have made the desired change of userTag:signers: `pulumi up` does not submit it again; to override: `ORGSYNC_RETRY_REJECTED=true pulumi up`",
			),
		]);
	});

	it("goes on where the service cannot be asked, and says so", async () => {
		const world = await makePending();
		const kept = await keptOf((await start("UserTag", world)).create(tag));
		const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
		const failed = vi.spyOn(console, "error").mockImplementation(() => undefined);
		onTestFinished(() => void vi.restoreAllMocks());
		const nowhere = await start("UserTag", world, { url: "http://127.0.0.1:1", timeout: "1" });
		expect(await nowhere.diff("id", kept, { ...tag, tagId: tags.signers })).toEqual({ changes: true, replaces: [] });
		expect([...printed.mock.calls, ...failed.mock.calls].flat().join("\n")).toContain(
			"signers: it has a pending activity, which cannot be read: ",
		);
	});
});

describe("the plugin", () => {
	it("lists the activities of an organization once for resources of all types", async () => {
		const world = await makePending();
		const plugin = await configuredPlugin(world);
		world.clearRequests();
		for (const [type, { resource, ...inputs }] of cases) await plugin.resource(type, resource).check(inputs);
		expect(world.requests().filter((one) => one === "list_activities")).toHaveLength(1);
	});
});

describe.each(adapters)("an update of a UserTag of $title", ({ start }) => {
	it("warns of an earlier activity that is still pending, although the program does not ask for it any more", async () => {
		const world = await makePending();
		const inputs = { ...tag, tagId: tags.signers };
		const kept = await keptOf((await start("UserTag", world)).create(inputs));
		const [{ id, fingerprint }] = world.activities();
		const lines = linesPrinted();
		const elsewhere = await start("UserTag", world, { wait: "9" });
		const { outs } = await elsewhere.update("id", kept, { ...inputs, members: { exactly: [alice, carol] } });
		expect(outs).toMatchObject({ activities: [{ outcome: "awaiting-approval" }] });
		expect(lines()).toEqual([
			expect.stringContaining(
				`signers: activity ${id} was pending approval when it was last read; fingerprint ${fingerprint}; the program does not ask for it any more, and it can still change the object: reject it`,
			),
		]);
	});
});
