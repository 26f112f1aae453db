/**
 * Guards refuse in `pulumi preview` already, with nothing sent, and are acknowledged by what they found.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, carol, policies, tags } from "../world.ts";
import { keptPolicy } from "./checks.ts";
import { adapters } from "./in-process/adapters.ts";
import type { Program } from "./program.ts";

const dave = "a0000000-0000-4000-8000-000000000004";
const erin = "a0000000-0000-4000-8000-000000000005";

const resources = {
	oncall: { type: "UserTag", properties: { name: "oncall", members: { exactly: [bob] } } },
	auditors: {
		type: "UserTag",
		properties: { name: "auditors", members: { never: [carol] }, limits: { memberRemovals: 0 } },
	},
	signers: { type: "UserTag", properties: { name: "signers", members: { exactly: [carol] } } },
	old: { type: "PolicyRemoval", properties: { policyIds: policies, limits: { policies: 2 } } },
} as const;

const only = (name: keyof typeof resources): Program => ({ resources: { [name]: resources[name] } });

describe.each(adapters)("guards of $title", { timeout: 180_000 }, (adapter) => {
	it("block preview and up, name the property and the override, and accept only that override", async () => {
		const { world, stack } = await adapter.makeWorld(only("oncall"), {
			config: { "orgsync:allow": "memberRemovals=2" },
		});
		const users = [
			{ userId: dave, userName: "dave" },
			{ userId: erin, userName: "erin" },
		];
		// Without it, the removal of all policies would be a lockout too.
		await world.change({ users, policies: [keptPolicy], userTags: [{ tagId: tags.auditors, userIds: [carol] }] });
		await world.change({ userTags: [{ tagId: tags.oncall, userIds: [bob, carol, dave, erin] }] });
		const before = world.organization();
		const refused = async (words: readonly string[], texts: readonly string[]) => {
			world.clearRequests();
			const answer = await stack.pulumi([...words, "--color=never"]);
			expect(answer.exitCode).toBe(1);
			for (const text of texts) expect(shown(answer)).toContain(text);
			expect(world.submits()).toEqual([]);
		};

		await refused(
			["preview"],
			[
				"UserTag resource 'oncall': property members value",
				'has a problem: blocked by a guard, nothing was submitted: userTag:oncall would lose 3 of 4; 3 in all (allowed: at most 50% of a tag\'s known members); to override: `pulumi config set orgsync:allow "memberRemovals=2 memberRemovals=3"`',
			],
		);

		await stack.configure({ "orgsync:allow": "memberRemovals=3" });
		adapter.write(stack, only("auditors"));
		await refused(
			["up", "--yes", "--skip-preview"],
			[
				"UserTag resource 'auditors': property members value",
				'1 member would be removed (allowed: at most 0); to override: `pulumi config set orgsync:allow "memberRemovals=3 memberRemovals=1"`',
			],
		);
		adapter.write(stack, only("signers"));
		await refused(
			["preview"],
			[
				`alice (id ${alice.slice(0, 8)}…) applies this plan and would be left without any user tag`,
				'`pulumi config set orgsync:allow "memberRemovals=3 ownUserTags=1"`',
			],
		);
		adapter.write(stack, only("old"));
		await refused(
			["preview"],
			[
				"PolicyRemoval resource 'old': property policyIds value",
				"3 policies would be removed (allowed: at most 2)",
				'`pulumi config set orgsync:allow "memberRemovals=3 policies=3"`',
			],
		);
		expect(world.organization()).toEqual(before);

		await stack.configure({ "orgsync:allow": "memberRemovals=3 memberRemovals=1, ownUserTags=1 policies=3" });
		adapter.write(stack, { resources });
		world.clearRequests();
		expect(await stack.up()).toMatchObject({ exitCode: 0 });
		expect([...world.submits()].sort()).toEqual([
			"delete_policies",
			"update_user_tag",
			"update_user_tag",
			"update_user_tag",
		]);
	});

	it("block a destroy, whose configuration is that of the last up, and accept the override in its environment", async () => {
		const properties = { name: "signers", members: { exactly: [alice] }, onDestroy: "removeMembers" };
		const { world, stack } = await adapter.makeWorld({ resources: { signers: { type: "UserTag", properties } } });
		expectSuccess(await stack.up());
		world.clearRequests();
		const blocked = await stack.destroy();
		expect(shown(blocked)).toContain('to override: run the command again with `ORGSYNC_ALLOW="ownUserTags=1"`');
		expect(world.submits()).toEqual([]);
		expectSuccess(await stack.destroy([], { env: { ORGSYNC_ALLOW: "ownUserTags=1" } }));
		expect(world.submits()).toEqual(["update_user_tag"]);
	});
});
