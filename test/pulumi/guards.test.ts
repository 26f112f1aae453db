/**
 * Guards refuse in `pulumi preview` already, with nothing sent, and are acknowledged by what they found.
 */
import { describe, expect, it } from "vitest";
import { alice, bob, carol, policies, tags } from "../world.ts";
import { keptPolicy, makePulumiWorld, shown, withImports } from "./world.ts";

const dave = "a0000000-0000-4000-8000-000000000004";
const erin = "a0000000-0000-4000-8000-000000000005";

const oncall = `new orgsync.UserTag("oncall", { name: "oncall", members: { exactly: ["${bob}"] } });\n`;
const auditors = `const members = { never: ["${carol}"] };
new orgsync.UserTag("auditors", { name: "auditors", members, limits: { memberRemovals: 0 } });\n`;
const own = `new orgsync.UserTag("signers", { name: "signers", members: { exactly: ["${carol}"] } });\n`;
const removal = `new orgsync.PolicyRemoval("old", { policyIds: ${JSON.stringify(policies)}, limits: { policies: 2 } });\n`;

describe("guards", { timeout: 180_000 }, () => {
	it("block preview and up, name the property and the override, and accept only that override", async () => {
		const { world, stack } = await makePulumiWorld(oncall);
		const users = [
			{ userId: dave, userName: "dave" },
			{ userId: erin, userName: "erin" },
		];
		// Without it, the removal of all policies would be a lockout too.
		await world.change({ users, policies: [keptPolicy], userTags: [{ tagId: tags.auditors, userIds: [carol] }] });
		await world.change({ userTags: [{ tagId: tags.oncall, userIds: [bob, carol, dave, erin] }] });
		const before = world.organization();
		const use = (program: string) => stack.write({ "index.mjs": withImports(program) });
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
				'has a problem: blocked by a guard, nothing was submitted: userTag:oncall would lose 3 of 4; 3 in all (allowed: at most 50% of a tag\'s known members); to override: `pulumi config set orgsync:allow "memberRemovals=3"`',
			],
		);
		await stack.configure({ "orgsync:allow": "memberRemovals=2" });
		await refused(["preview"], ['`pulumi config set orgsync:allow "memberRemovals=2 memberRemovals=3"`']);

		await stack.configure({ "orgsync:allow": "memberRemovals=3" });
		use(auditors);
		await refused(
			["up", "--yes", "--skip-preview"],
			[
				"UserTag resource 'auditors': property members value",
				'1 member would be removed (allowed: at most 0); to override: `pulumi config set orgsync:allow "memberRemovals=3 memberRemovals=1"`',
			],
		);
		use(own);
		await refused(
			["preview"],
			[
				`${alice} (live name alice) applies this and would be left without any user tag`,
				'`pulumi config set orgsync:allow "memberRemovals=3 ownUserTags=1"`',
			],
		);
		use(removal);
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
		use(oncall + auditors + own + removal);
		world.clearRequests();
		expect(await stack.up()).toMatchObject({ exitCode: 0 });
		expect([...world.submits()].sort()).toEqual([
			"delete_policies",
			"update_user_tag",
			"update_user_tag",
			"update_user_tag",
		]);
	});
});
