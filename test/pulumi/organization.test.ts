/**
 * A whole document as one component: the fewest activities, judged as a whole before the first child is registered.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import {
	agreeing,
	alice,
	apps,
	bob,
	carol,
	document,
	organizationId,
	policies,
	provider,
	providers,
	tags,
} from "../world.ts";
import { type Adapter, adapters, dynamicResources, plugin } from "./in-process/adapters.ts";
import { outputOf, type Program, type ProgramResource, unknown } from "./program.ts";

const organization = (
	properties: NonNullable<ProgramResource["properties"]>,
	options: NonNullable<ProgramResource["options"]> = {},
): ProgramResource => ({ type: "Organization", properties, options });

const program: Program = {
	resources: { acme: organization({ document: "orgsync.yaml" }) },
	outputs: { summary: outputOf("acme", "summary") },
};

/** A world whose program converges this document. */
const makeOrganization = (adapter: Adapter, text: string, options: Parameters<Adapter["makeWorld"]>[1] = {}) =>
	adapter.makeWorld(program, { ...options, files: { "orgsync.yaml": text } });

describe.each(adapters)("an Organization of $title", (adapter) => {
	it("brings every kind in sync with the fewest activities, submits nothing again, and repairs drift with the activities that it shows", async () => {
		const everything = document(
			`userTags: [{ name: approvers, id: ${tags.signers}, previously: [signers], members: { exactly: [alice, bob] } }]`,
			`absent:
  policies: [${policies.join(", ")}]
  oauthProviders: { bob: [${providers.bob.join(", ")}] }
  tvcApps: [${apps.retired}, ${apps.old}]`,
			"limits: { lockout: 100 }",
			agreeing.supportedAssets.replace("decimals: 18", "decimals: 19"),
		);
		const { world, stack } = await makeOrganization(adapter, everything);
		const preview = await stack.preview();
		expectSuccess(preview);
		expect(world.submits()).toEqual([]);
		// The whole plan as the command line shows it, with the document's names for users.
		expect(shown(preview)).toMatch(/name: signers -> approvers\n\s*\+ member bob\n\s*- member carol\n/);
		expect(shown(preview)).toContain("Plan: 5 activities;");

		const up = await stack.up();
		expectSuccess(up);
		expect(shown(up)).toMatch(/warning: read-only objects differ[\s\S]*decimals: live 18, document 19/);
		expect([...world.submits()].sort()).toEqual([
			"delete_oauth_providers",
			"delete_policies",
			"delete_tvc_app_and_deployments",
			"delete_tvc_app_and_deployments",
			"update_user_tag",
		]);
		const { summary } = await stack.outputs();
		expect(summary).toEqual({
			organizationId: summary.organizationId,
			differences: ["supportedAsset:eip155:1/ETH"],
			unmanaged: ["userTag:auditors", "userTag:oncall"],
		});
		const component = await stack.resource("acme");
		expect(component.inputs, "the document itself is not kept in the state").toEqual({
			organizationId: summary.organizationId,
		});

		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		// The component alone looks: children whose inputs are as they were ask nothing.
		expect([...world.requests()].sort()).toEqual([
			"list_policies",
			"list_supported_assets",
			"list_tvc_apps",
			"list_user_tags",
			"list_users",
		]);

		const before = await stack.outputs();
		world.clearRequests();
		await world.change({
			userTags: [{ tagId: tags.signers, userIds: [alice] }],
			policies: [{ policyId: policies[0], policyName: "policy 1" }],
			tvcApps: [{ id: apps.old, name: "old" }],
			users: [{ userId: bob, oauthProviders: [provider(providers.bob[0], "bob-one")] }],
		});
		const drifted = await stack.preview(["--expect-no-changes"]);
		expect(drifted.exitCode).toBe(7);
		expect(shown(drifted)).toContain("Plan: 4 activities;");
		expect(shown(drifted)).toMatch(/~ 4 to update/);
		// Bots and policies see which property of a part drifted; a dynamic resource has no detailed diff.
		const shownAs = adapter === dynamicResources ? "outOfSync" : "members";
		expect(shown(drifted)).toMatch(new RegExp(`UserTag acme-approvers update \\[diff: [^\\]]*${shownAs}`));
		expect(world.submits()).toEqual([]);

		expectSuccess(await stack.up());
		expect([...world.submits()].sort()).toEqual([
			"delete_oauth_providers",
			"delete_policies",
			"delete_tvc_app_and_deployments",
			"update_user_tag",
		]);
		expect((await stack.resource("acme-approvers")).outputs).not.toHaveProperty("outOfSync");
		const after = await stack.preview(["--expect-no-changes", "--diff"]);
		expectSuccess(after);
		expect(shown(after)).not.toMatch(/outOfSync|~ summary|Plan:/);
		expect(await stack.outputs()).toEqual(before);
	});

	it("renames a part in place, in the order in which names become free, and exchanges names with one more activity", async () => {
		const { world, stack } = await makeOrganization(
			adapter,
			document(`userTags:
  - { name: auditors, id: ${tags.oncall} }
  - { name: oncall, id: ${tags.signers} }
  - { name: reviewers, id: ${tags.auditors} }`),
		);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag", "update_user_tag"]);

		world.clearRequests();
		const others = `
  - { name: auditors, id: ${tags.signers}, previously: [oncall] }
  - { name: oncall, id: ${tags.oncall}, previously: [auditors] }`;
		stack.write({
			"orgsync.yaml": document(`userTags:${others}\n  - { name: inspectors, previously: [reviewers] }`),
		});
		const up = await stack.up();
		expectSuccess(up);
		expect(world.submits()).toEqual(Array.from({ length: 4 }, () => "update_user_tag"));
		expect((await stack.resource("acme-inspectors")).id).toBe(tags.auditors);
		const all = world.organization().userTags as { tagId: string; tagName: string }[];
		expect(Object.fromEntries(all.map(({ tagId, tagName }) => [tagId, tagName]))).toEqual({
			[tags.signers]: "auditors",
			[tags.oncall]: "oncall",
			[tags.auditors]: "inspectors",
		});
	});

	it("is not compared in a preview while its Provider is unknown, and is in sync after the up", async () => {
		const { world, stack } = await makeOrganization(adapter, "");
		adapter.write(stack, {
			round: 1,
			resources: {
				provider: { type: "Provider", properties: { url: unknown(world.url) } },
				own: organization({ document: "own.yaml" }, { provider: "provider" }),
				inherited: organization({ document: "inherited.yaml" }, { parent: "own" }),
			},
		});
		stack.write({
			"own.yaml": document("userTags: [{ name: auditors, members: { atLeast: [bob] } }]"),
			"inherited.yaml": document("userTags: [{ name: oncall, members: { atLeast: [alice] } }]"),
		});
		const preview = await stack.preview();
		expectSuccess(preview);
		// Meanwhile the engine does not ask a plugin, so only the dynamic resources can say so.
		const says =
			adapter === dynamicResources ? /not compared yet[\s\S]*not compared yet/ : /Organization inherited create/;
		expect(shown(preview)).toMatch(says);
		expect(world.requests()).toEqual([]);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
	});
});

/** What the component decides before an adapter registers anything is the same for both, so one of them shows it. */
describe("an Organization of the plugin, as of the dynamic resources,", () => {
	it("fails before any part where the plan would break a rule, and warns of rules that live state breaks", async () => {
		const rules = "rules: { exclusive: [oncall, signers], members: { auditors: { min: 1 } } }";
		const breaking = document("userTags: [{ name: oncall, members: { exactly: [alice, bob] } }]", rules);
		const { world, stack } = await makeOrganization(plugin, breaking);
		const blocked = await stack.up();
		expect(blocked.exitCode).not.toBe(0);
		expect(shown(blocked)).toContain("would break rule:exclusive.oncall+signers: alice has `oncall` and `signers`");
		expect(world.submits()).toEqual([]);

		stack.write({ "orgsync.yaml": document("userTags: [{ name: oncall, members: { exactly: [bob] } }]", rules) });
		const up = await stack.up();
		expectSuccess(up);
		expect(shown(up)).toMatch(
			/warning: the live organization breaks rules of the document:[\s\S]*rule:members.auditors/,
		);
	});

	it("shows how many activities cannot be compared with live state, and uses the state of each part for them", async () => {
		const { world, stack } = await makeOrganization(
			plugin,
			document("userTags: [{ name: signers, members: { exactly: [alice, bob] } }]"),
			{ serves: "documented", env: { ORGSYNC_READS: "documented" } },
		);
		const known =
			"Of these, 1 cannot be compared with live state: a resource that applied its part before submits nothing.";
		expect(shown(await stack.preview())).toContain(known);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		// As in a fresh clone: without the journal only the state knows what was applied.
		rmSync(join(stack.folder, ".orgsync"), { recursive: true });
		const preview = await stack.preview(["--expect-no-changes"]);
		expectSuccess(preview);
		expect(shown(preview)).toContain(known);
	});

	it("needs one override for all parts, and the parts remove what the guards checked", async () => {
		const { world, stack } = await makeOrganization(
			plugin,
			document(
				`userTags:
  - { name: signers, members: { exactly: [alice] } }
  - { name: oncall, members: { exactly: [alice] } }`,
				"limits: { memberRemovals: 1 }",
			),
		);
		const refused = await stack.preview();
		expect(refused.exitCode).toBe(1);
		expect(shown(refused)).toContain("2 members would be removed (allowed: at most 1)");
		await stack.configure({ "orgsync:allow": "memberRemovals=2" });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);

		// A program that fails has named no children; that must not read as if they were wanted no more.
		stack.write({
			"orgsync.yaml": document(`userTags:
  - { name: signers, members: { exactly: [] } }
  - { name: oncall, members: { exactly: [] } }`),
		});
		const again = await stack.up();
		expect(again.exitCode).toBe(1);
		expect(shown(again)).toContain("blocked by a guard, nothing was submitted");
		expect(world.submits()).toEqual([]);
		const left = (await stack.state()).deployment.resources ?? [];
		const kept = left.filter(({ type }) => type.endsWith(":UserTag")).map(({ urn }) => urn.split("::").at(-1));
		expect(kept.sort()).toEqual(["acme-oncall", "acme-signers"]);
	});

	it("keeps its parts when a run fails", async () => {
		const own: ProgramResource = { type: "Provider", properties: { organizationId } };
		const acme = organization({ document: "orgsync.yaml" }, { provider: "own" });
		const desired = document(
			`userTags: [{ name: signers, id: ${tags.signers}, members: { exactly: [alice, bob] } }, { name: oncall }]`,
			`absent: { policies: [${policies[0]}], tvcApps: [${apps.old}] }`,
		);
		const { world, stack } = await plugin.makeWorld(
			{ resources: { own, acme } },
			{ files: { "orgsync.yaml": desired } },
		);
		const partsIn = async () =>
			((await stack.state()).deployment.resources ?? [])
				.filter(({ type }) => /^orgsync:index:(UserTag|.*Removal)$/.test(type))
				.map(({ urn }) => urn.split("::").at(-1) ?? "")
				.sort();
		const parts = ["acme-oncall", "acme-policies", "acme-signers", `acme-tvc-app-${apps.old}`];
		expectSuccess(await stack.up());
		expect(await partsIn()).toEqual(parts);

		await world.change({
			userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, carol] }],
			policies: [{ policyId: policies[0], policyName: "policy 1" }],
		});
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		world.clearRequests();
		const pending = await stack.up();
		expect(pending.exitCode).toBe(1);
		expect(shown(pending)).toContain("remove a policy: pending approval");
		expect(shown(pending)).not.toMatch(/Organization resource|resource monitor/);
		expect([...world.submits()].sort()).toEqual(["delete_policies", "update_user_tag"]);
		expect(await partsIn()).toEqual(parts);

		stack.write({ "orgsync.yaml": document("userTags: [{ name: signers, members: { exactly: [alcie] } }]") });
		const wrong = await stack.up();
		expect(wrong.exitCode).toBe(1);
		expect(shown(wrong)).toContain("orgsync.yaml:3:50: unknown user `alcie`; did you mean `alice`?");
		expect(shown(wrong)).not.toMatch(/\n\s+at /);
		expect(await partsIn()).toEqual(parts);
	});

	it("accepts the document as an object, and needs organizationId if a file has several organizations", async () => {
		const members = { atLeast: ["alice", "bob"] };
		const object = { organizationId, users: { alice, bob }, userTags: [{ name: "oncall", members }] };
		const other = "organizationId: 10000000-0000-4000-8000-000000000009\n";
		const both = `${document("userTags: [{ name: auditors, members: { atLeast: [bob] } }]")}---\n${other}`;
		const { world, stack } = await plugin.makeWorld(
			{
				resources: {
					object: organization({ document: object }),
					file: organization({ document: "both.yaml", organizationId }),
				},
			},
			{ files: { "both.yaml": both } },
		);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);

		plugin.write(stack, { resources: { file: organization({ document: "both.yaml" }) } });
		const unclear = await stack.preview([], { env: { ORGSYNC_ORGANIZATION_ID: undefined } });
		expect(unclear.exitCode).toBe(1);
		expect(shown(unclear)).toContain("both.yaml has 2 organizations: set organizationId to one of");
	});
});

// The failures of the plugin are in plugin-component.test.ts and plugin-organization.test.ts.
describe("an Organization of the dynamic resources", () => {
	it("fails before anything is registered if the document, the organization or a guard blocks it, and keeps its parts", async () => {
		const { world, stack } = await makeOrganization(
			dynamicResources,
			document("userTags: [{ name: signers, members: { exactly: [alcie] } }]"),
		);
		const misspelt = await stack.preview();
		expect(misspelt.exitCode).toBe(1);
		expect(shown(misspelt)).toContain("orgsync.yaml:3:50: unknown user `alcie`; did you mean `alice`?");
		expect(world.requests()).toEqual([]);

		stack.write({ "orgsync.yaml": document("userTags: [{ name: signres }]") });
		const missing = await stack.preview();
		expect(missing.exitCode).toBe(1);
		expect(shown(missing)).toContain("no user tag is called `signres`; the nearest: `signers`");

		stack.write({
			"orgsync.yaml": document(`absent: { policies: [${policies.join(", ")}] }`, "limits: { policies: 2 }"),
		});
		const refused = await stack.preview();
		expect(refused.exitCode).toBe(1);
		expect(shown(refused)).toContain("3 policies would be removed (allowed: at most 2)");
		expect(shown(refused)).toContain('pulumi config set orgsync:allow "policies=3 lockout=16"');
		for (const answer of [misspelt, missing, refused]) expect(shown(answer)).not.toMatch(/\n\s+at |Warning:/);
		expect(world.submits()).toEqual([]);

		await stack.configure({ "orgsync:allow": "policies=3 lockout=16" });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["delete_policies"]);

		// A program that fails has named no parts; that must not read as if they were desired no more.
		stack.write({ "orgsync.yaml": document("userTags: [{ name: signres }]") });
		expect((await stack.up()).exitCode).toBe(1);
		expect((await stack.resource("acme-policies")).outputs).toMatchObject({ policyIds: policies });
	});

	it("reports the problems of an object by its properties, without line numbers", async () => {
		const userTags = [
			{ name: "signers", members: { exactly: ["alcie"] } },
			{ name: "oncall", member: [], id: 5 },
			{ name: "oncall" },
		];
		const { world, stack } = await dynamicResources.makeWorld({
			resources: { object: organization({ document: { organizationId, users: { alice }, userTags } }) },
		});
		const wrong = await stack.preview();
		expect(wrong.exitCode).toBe(1);
		expect(shown(wrong)).toContain("document.userTags[1].member: unknown key `member`; did you mean `members`?");
		expect(shown(wrong)).toMatch(/document\.userTags\[1\]\.id: /);
		expect(shown(wrong)).not.toMatch(/document:\d+:\d+|on this line|on line|\n\s+at |Warning:/);
		expect(world.requests()).toEqual([]);
	});
});
