/**
 * What the state of a resource says after a refusal, while something waits, and after somebody else's changes; asked of the
 * providers as the engine asks them.
 */
import { describe, expect, it } from "vitest";
import { alice, apps, bob, carol, makeWorld, organizationId, providers, tags } from "../world.ts";
import { keptOf, startProvider } from "./providers.ts";

const tag = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "removeMembers", resource: "signers" };

describe("the state of a UserTag", () => {
	it("keeps an pending activity when the program no longer wants it, until it has ended", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const provider = await startProvider("UserTag", world, { reads: "documented" });
		const kept = await keptOf(provider.create({ ...tag, name: "approvers" }));
		expect(kept.activities).toMatchObject([{ outcome: "awaiting-approval", body: expect.any(String) }]);

		const { outs } = await provider.update(tags.signers, kept, tag);
		expect(outs).toMatchObject({ name: "signers", activities: [{ outcome: "awaiting-approval" }] });
		expect(await provider.diff(tags.signers, outs, tag)).toMatchObject({ changes: true });
		expect(world.activities().length).toBe(1);

		await world.setRules({ approvals: {} });
		const elsewhere = await startProvider("UserTag", world, { reads: "documented", wait: "9" });
		await elsewhere.update(tags.signers, outs, tag);
		expect(world.activities().length).toBe(1);
	});

	it("remembers whom the program has named, whoever else was added or was away for a while", async () => {
		const world = await makeWorld();
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
		const provider = await startProvider("UserTag", world);
		const inputs = { ...tag, members: { exactly: [alice, bob] } };
		const { outs } = await provider.create(inputs);
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice, bob, carol] }] });
		const elsewhere = await startProvider("UserTag", world, { wait: "9" });
		const { props } = await elsewhere.read(tags.signers, outs);
		expect(props).toMatchObject({ members: { exactly: [alice, bob, carol] } });
		await elsewhere.delete(tags.signers, props);
		expect(world.activities().at(-1).intent.updateUserTagIntent.removeUserIds).toEqual([alice, bob]);

		const loose = { ...tag, members: { atLeast: [alice, bob] } };
		await world.change({ userTags: [{ tagId: tags.signers, userIds: [alice] }] });
		const away = await (await startProvider("UserTag", world, { wait: "8" })).read(tags.signers, loose);
		expect(away.props).toMatchObject({ members: { atLeast: [alice] } });
	});
});

describe("the state of a removal", () => {
	it("does not say of an app whose removal was denied that it is gone", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		await world.setRules({ deny: [{ type: "ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS" }] });
		const provider = await startProvider("TvcAppRemoval", world, { reads: "documented" });
		const inputs = { organizationId, appId: apps.old, resource: "old" };
		const kept = await keptOf(provider.create(inputs));
		expect(kept).toMatchObject({ appId: apps.old });
		expect(await provider.read(apps.old, kept)).toEqual({});
	});

	it("belongs to one resource for all OAuth providers of a user, so that the last one is seen to be the last", async () => {
		const world = await makeWorld();
		const provider = await startProvider("OauthProviderRemoval", world);
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
