/**
 * What a program changes for who can do what: a preview says it once for each resource, with who has to approve it, and guards
 * block a lockout and an escalation.
 */
import { describe, expect, it } from "vitest";
import { type Answer, shown } from "../engine/answer.ts";
import { alice, bob, carol, organizationId, policies, tags, type World } from "../world.ts";
import { adapters, plugin } from "./in-process/adapters.ts";
import { type Program, type ProgramResource, secret } from "./program.ts";

const has = (tag: string): string => `user.tags.contains('${tag}')`;

const signing = {
	policyId: policies[0],
	policyName: "two signers",
	effect: "EFFECT_ALLOW",
	consensus: `approvers.filter(user, ${has(tags.signers)} || ${has(tags.auditors)}).count() >= 2`,
	condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
};

const tagging = {
	policyId: policies[1],
	policyName: "alice and on call change tags",
	effect: "EFFECT_ALLOW",
	consensus: `approvers.any(user, user.id == '${alice}') && approvers.any(user, ${has(tags.oncall)})`,
	condition: "activity.resource == 'USER' && activity.action == 'UPDATE'",
};

const none = {
	policyId: policies[2],
	policyName: "none",
	effect: "EFFECT_ALLOW",
	consensus: "false",
	condition: "false",
};

async function setPolicies(world: World, rootQuorum: object): Promise<void> {
	await world.change({ policies: [signing, tagging, none], rootQuorum });
	world.clearRequests();
}

const two = { threshold: 2, userIds: [bob, carol] };
const tag = (name: string, exactly: readonly string[]): Record<string, ProgramResource> => ({
	[name]: { type: "UserTag", properties: { name, members: { exactly } } },
});
const removal: Program = { resources: { old: { type: "PolicyRemoval", properties: { policyIds: policies } } } };

const countIn = (text: string, part: string): number => text.split(part).length - 1;

describe.each(adapters)("who can do what with $title", { timeout: 180_000 }, (adapter) => {
	it("is said once for each resource in a preview, with who has to approve it, and without names beside secret inputs", async () => {
		const { world, stack } = await adapter.makeWorld({
			resources: { ...tag("signers", [alice, bob, carol]), ...tag("auditors", []) },
		});
		await setPolicies(world, two);
		const answer = await stack.preview();
		expect(answer.exitCode).toBe(0);
		// The engine shows each diagnostic as it comes, and all of them at the end.
		const [, text = ""] = answer.stdout.split("Diagnostics:");
		expect(countIn(text, "signers: + ")).toBe(1);
		expect(text).toMatch(
			/signers: \+ alice and bob can now sign with any wallet or key together: 2 of .*alice, bob, carol/,
		);
		expect(countIn(text, "signers: will be pending approval by ")).toBe(1);
		expect(text).toContain("signers: will be pending approval by 1 of oncall (bob)\n");
		expect(text).not.toContain("auditors: ");
		const asked = world.requests();
		for (const one of ["get_organization_configs", "list_policies", "list_users", "whoami"]) {
			expect(
				asked.filter((operation) => operation === one),
				one,
			).toHaveLength(1);
		}
		expect(world.submits()).toEqual([]);

		// Beside secret inputs, people are counted and not named.
		const members = { exactly: secret([alice, bob, carol]) };
		adapter.write(stack, { resources: { signers: { type: "UserTag", properties: { name: "signers", members } } } });
		const hidden = shown(await stack.preview());
		expect(hidden).toMatch(/signers: More permissive: \d+ \w+ can do more/);
		expect(hidden).toContain("signers: will be pending approval\n");
		expect(hidden).not.toMatch(/can (now|no longer)|live name/);
	});
});

/** What the guards find is the same for both adapters, so one of them shows it. */
describe("who can do what with the plugin, as with the dynamic resources,", { timeout: 180_000 }, () => {
	it("blocks a lockout and an escalation in preview and up, and accepts the number that was found", async () => {
		const { world, stack } = await plugin.makeWorld({ resources: tag("signers", [alice]) });
		await setPolicies(world, two);
		const refused = async (work: Promise<Answer>, ...texts: readonly string[]): Promise<void> => {
			const answer = await work;
			expect(answer.exitCode).toBe(1);
			for (const text of texts) expect(shown(answer)).toContain(text);
			expect(world.submits()).toEqual([]);
		};
		await refused(
			stack.up(),
			"no one could sign with any wallet or key",
			'to override: `pulumi config set orgsync:allow "lockout=1"`',
		);
		plugin.write(stack, removal);
		await refused(stack.preview(), '`pulumi config set orgsync:allow "lockout=2"`');
		plugin.write(stack, { resources: tag("oncall", [alice, bob]) });
		await refused(stack.preview(), '`pulumi config set orgsync:allow "escalation=1"`');
		await stack.configure({ "orgsync:allow": "escalation=1" });
		const answer = await stack.preview();
		expect(answer.exitCode).toBe(0);
		expect(shown(answer)).toContain("oncall: override used: orgsync:allow escalation=1");
	});

	it("is counted where a removal takes most of it away", async () => {
		const { stack } = await plugin.makeWorld(removal);
		const blocked = await stack.preview();
		expect(blocked.exitCode).toBe(1);
		expect(shown(blocked)).toMatch(
			/no one could sign with any wallet or key .* or do 11 other things any more, .*orgsync:allow "lockout=16"/,
		);
		const { exitCode, stdout } = await stack.preview([], { env: { ORGSYNC_ALLOW: "lockout=16" } });
		expect(exitCode).toBe(0);
		const [, text = ""] = stdout.split("Diagnostics:");
		expect(countIn(text, "old: !! ")).toBe(1);
		expect(text).toMatch(/old: !! no one can sign .*, and do 2 other things any more: policies .* are removed/);
	});

	it("is judged for a whole Organization, whose parts may take away what others give, and by the rules of its document", async () => {
		const document = {
			organizationId,
			users: { alice, bob, carol },
			userTags: [
				{ name: "signers", members: { exactly: [] } },
				{ name: "auditors", members: { exactly: ["alice", "carol"] } },
			],
		};
		const { world, stack } = await plugin.makeWorld(
			{ resources: { acme: { type: "Organization", properties: { document } } } },
			{ config: { "orgsync:allow": "memberRemovals=2 ownUserTags=1" } },
		);
		await setPolicies(world, { threshold: 1, userIds: [alice] });
		const preview = await stack.preview();
		expect(shown(preview)).toContain("Who can do what stays the same.");
		const up = await stack.up();
		expect(shown(up)).not.toContain("blocked by a guard");
		expect(up.exitCode).toBe(0);
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);

		// The rules of a document guard it too.
		const ruled = {
			...document,
			userTags: [{ name: "signers", members: { exactly: ["alice", "bob", "carol"] } }],
			rules: { noNewAccess: true },
		};
		plugin.write(stack, { resources: { acme: { type: "Organization", properties: { document: ruled } } } });
		await world.change({
			userTags: [
				{ tagId: tags.signers, userIds: [alice, carol] },
				{ tagId: tags.auditors, userIds: [] },
			],
		});
		await setPolicies(world, two);
		const answer = await stack.preview();
		expect(answer.exitCode).not.toBe(0);
		expect(shown(answer)).toMatch(/blocked by a guard.*orgsync:allow "memberRemovals=2 ownUserTags=1 newAccess=1"/s);
	});
});
