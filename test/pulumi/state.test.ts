/**
 * The state of a resource after a denial, with a pending activity, after changes of other clients, and without its journal.
 * The tests call the providers as the engine does.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { alice, apps, bob, carol, makeWorld, organizationId, providers, tags } from "../world.ts";
import { providers as adapters, keptOf } from "./providers.ts";

const tag = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "removeMembers", resource: "signers" };

describe.each(adapters)("the state of a UserTag of $title", ({ start }) => {
	it("stores a pending activity until it has ended, also if the program no longer asks for it", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const provider = await start("UserTag", world, { reads: "documented" });
		const kept = await keptOf(provider.create({ ...tag, name: "approvers" }));
		expect(kept.activities).toMatchObject([{ outcome: "awaiting-approval", body: expect.any(String) }]);

		const { outs } = await provider.update(tags.signers, kept, tag);
		expect(outs).toMatchObject({ name: "signers", activities: [{ outcome: "awaiting-approval" }] });
		expect(await provider.diff(tags.signers, outs, tag)).toMatchObject({ changes: true });
		expect(world.activities().length).toBe(1);

		await world.setRules({ approvals: {} });
		const elsewhere = await start("UserTag", world, { reads: "documented", wait: "9" });
		await elsewhere.update(tags.signers, outs, tag);
		expect(world.activities().length).toBe(1);
	});

	it("passes a pending activity to its replacement, also when the request is too old to be the same", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const documented = { reads: "documented" };
		const provider = await start("UserTag", world, documented);
		const named = { ...tag, name: "approvers" };
		const kept = await keptOf(provider.create(named));

		const now = Date.now;
		vi.spyOn(Date, "now").mockImplementation(() => now() + 2 * 60 * 60 * 1000);
		onTestFinished(() => void vi.restoreAllMocks());
		const elsewhere = await start("UserTag", world, { ...documented, wait: "9" });
		// The option `replaceOnChanges` makes a replacement of any difference.
		await elsewhere.diff(tags.signers, kept, named);
		expect((await keptOf(elsewhere.create(named))).activities).toEqual(kept.activities);
		expect(world.activities().length).toBe(1);
	});

	it("stores the members of the program, whichever members other clients add or remove", async () => {
		const world = await makeWorld();
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
		const provider = await start("UserTag", world);
		const inputs = { ...tag, members: { exactly: [alice, bob] } };
		const { outs } = await provider.create(inputs);
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
		const elsewhere = await start("UserTag", world, { wait: "9" });
		const { props } = await elsewhere.read(tags.signers, outs);
		expect(props).toMatchObject({ members: { exactly: [alice, bob, carol] } });
		await elsewhere.delete(tags.signers, props);
		expect(world.activities().at(-1).intent.updateUserTagIntent.removeUserIds).toEqual([alice, bob]);

		const loose = { ...tag, members: { atLeast: [alice, bob] } };
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice] }] });
		const away = await (await start("UserTag", world, { wait: "8" })).read(tags.signers, loose);
		expect(away.props).toMatchObject({ members: { atLeast: [alice] } });
	});
});

describe.each(adapters)("the state of a removal of $title", ({ start }) => {
	it("does not show an app as gone if its removal was denied", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ deny: [{ type: "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS" }] });
		const provider = await start("TvcAppRemoval", world, { reads: "documented" });
		const inputs = { organizationId, appId: apps.old, resource: "old" };
		const kept = await keptOf(provider.create(inputs));
		expect(kept).toMatchObject({ appId: apps.old });
		expect(await provider.read(apps.old, kept)).toEqual({});
	});

	it("belongs to one resource for all OAuth providers of a user, so a guard protects the last one", async () => {
		const world = await makeWorld();
		const provider = await start("OauthProviderRemoval", world);
		const inputs = { organizationId, userId: alice };
		const check = (resource: string, providerId: string) =>
			provider.check({}, { ...inputs, providerIds: [providerId], resource });
		expect((await check("one", providers.alice[0])).failures).toEqual([]);
		const { failures = [] } = await check("two", providers.alice[1]);
		expect(failures.map(({ reason }) => reason)).toEqual([
			`OAuth providers of the user ${alice} are removed by two resources, \`one\` and \`two\`; list them in one resource`,
		]);
	});
});

describe.each(adapters)("a journal of $title that is removed while a request is in flight", ({ title, start }) => {
	it("causes one warning, and the state has the activity", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		await world.addFault({ operation: "update_user_tag", fault: "slow", delayMs: 500 });
		// What a dynamic provider prints as information, the plugin prints as an error if no engine started it.
		const printed = (["log", "error"] as const).map((name) =>
			vi.spyOn(console, name).mockImplementation(() => undefined),
		);
		onTestFinished(() => {
			for (const one of printed) one.mockRestore();
		});
		const journal = join(world.folder, "journal.sqlite");
		const provider = await start("UserTag", world, { reads: "documented", journal });
		const failing = keptOf(provider.create({ ...tag, members: { exactly: [alice, bob] } }));
		await expect.poll(() => world.submits()).toEqual(["update_user_tag"]);
		rmSync(journal);
		expect((await failing).activities).toMatchObject([{ outcome: "awaiting-approval" }]);
		const lines = printed.flatMap(({ mock }) => mock.calls);
		// The plugin sends it as a warning, which the engine marks.
		const prefix = title === "the plugin" ? "" : "warning: ";
		expect(lines.filter(([line]) => String(line).includes("was removed or replaced"))).toEqual([
			[
				`${prefix}the journal ${journal} was removed or replaced during this run: only Pulumi's state records what the run submitted`,
			],
		]);
	});
});
