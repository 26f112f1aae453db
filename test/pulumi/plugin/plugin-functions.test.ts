/** The functions through the plugin, without an engine: results, failures, secrets, and the plan of a document. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import providerMessages from "@pulumi/pulumi/proto/provider_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";
import { describe, expect, it } from "vitest";
import * as orgsync from "../../../src/pulumi/dynamic/index.ts";
import { queryFunctions } from "../../../src/pulumi/functions/queries.ts";
import { getPlanName } from "../../../src/pulumi/organization/get-plan.ts";
import { alice, apps, bob, carol, makeWorld, mfaPolicy, organizationId, policies, profile } from "../../world.ts";
import { configuredPlugin, type Plugin, secret } from "./plugin-client.ts";
import { read } from "./plugin-monitor.ts";

interface Answered {
	readonly result: Readonly<Record<string, unknown>>;
	readonly failures: readonly string[];
}

async function invoke(plugin: Plugin, name: string, args: object = {}): Promise<Answered> {
	const request = new providerMessages.InvokeRequest();
	request.setTok(`orgsync:index:${name}`);
	request.setArgs(struct.Struct.fromJavaScript(JSON.parse(JSON.stringify(args))));
	const response = await plugin.call<InstanceType<typeof providerMessages.InvokeResponse>>("invoke", request);
	const failures = response.getFailuresList().map((one) => `${one.getProperty()}: ${one.getReason()}`);
	return { result: read(response.getReturn()), failures };
}

describe("the functions of the plugin", () => {
	it("are those of orgsync/pulumi", () => {
		const room = Object.keys(orgsync).filter((name) => /^[a-z]/.test(name) && !name.endsWith("Output"));
		expect([...queryFunctions.map(({ name }) => name), getPlanName].sort()).toEqual(room.sort());
	});

	it("return the answers of the service", async () => {
		const plugin = await configuredPlugin(await makeWorld());
		const { result } = await invoke(plugin, "listUserTags");
		expect((result.userTags as { tagName: string }[]).map(({ tagName }) => tagName)).toContain("signers");
		const one = await invoke(plugin, "getMfaPolicy", { userId: alice, mfaPolicyId: mfaPolicy, organizationId });
		expect(one.result).toMatchObject({ mfaPolicy: { mfaPolicyName: "passkey-first" } });
		expect((await invoke(plugin, "getSessionProfile", { sessionProfileId: profile })).result).toMatchObject({
			sessionProfile: { sessionProfileName: "default" },
		});
		const proof = await invoke(plugin, "getLatestBootProof", { appName: apps.signer });
		expect(proof.result).toMatchObject({ bootProof: { deploymentLabel: "prod-42" } });
		expect((await invoke(plugin, "getMfaPolicies", { userId: carol })).result).toEqual({ mfaPolicies: [] });
		const assets = await invoke(plugin, "listSupportedAssets", { caip2: "eip155:1" });
		expect(assets.result).toMatchObject({ assets: [{ symbol: "ETH" }] });
	});

	it("share answers, but none from before a resource submitted something", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world);
		const names = async () => {
			const { userTags } = (await invoke(plugin, "listUserTags")).result as { userTags: { tagName: string }[] };
			return userTags.map(({ tagName }) => tagName);
		};
		expect(await names()).toContain("signers");
		expect(await names()).toContain("signers");
		expect(world.requests()).toEqual(["list_user_tags"]);
		const tag = plugin.resource("UserTag", "keepers");
		const { inputs } = await tag.check({ name: "keepers", previously: ["signers"] });
		await tag.create(inputs);
		expect(await names()).toContain("keepers");
	});

	it("name the argument that is wrong, and send nothing", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world, { organizationId: "" });
		const failuresOf = async (name: string, args: object) => (await invoke(plugin, name, args)).failures;
		expect(await failuresOf("getMfaPolicies", {})).toEqual(["userId: is required"]);
		expect(await failuresOf("getMfaPolicies", { userId: "alice" })).toEqual([
			expect.stringMatching(/^userId: must be a UUID such as .*, got "alice"$/),
		]);
		expect(await failuresOf("getMfaPolicies", { userId: alice })).toEqual([
			expect.stringMatching(/^organizationId: no organization is given: /),
		]);
		expect(await failuresOf("getMfaPolicies", { userId: alice, user: bob })).toEqual([
			expect.stringMatching(/^user: unknown property/),
		]);
		expect(await failuresOf("getPlan", { document: { users: {} } })).toEqual([
			expect.stringMatching(/^document: document.organizationId: missing key/),
		]);
		await expect(invoke(plugin, "getNothing")).rejects.toThrow("unknown function orgsync:index:getNothing");
		expect(world.requests()).toEqual([]);
	});

	it("show no secret argument in failures and errors, and make the result of one a secret", async () => {
		const plugin = await configuredPlugin(await makeWorld());
		const hidden = await invoke(plugin, "getMfaPolicies", { userId: secret("alice") });
		expect(hidden.failures.join()).toMatch(/^userId: must be a UUID such as .*, got a secret value$/);
		const missing = invoke(plugin, "getMfaPolicy", { userId: secret(bob), mfaPolicyId: mfaPolicy });
		await expect(missing).rejects.toThrow(/get_mfa_policy: /);
		await expect(missing).rejects.not.toThrow(bob);
		const { result } = await invoke(plugin, "getMfaPolicies", { userId: secret(alice) });
		expect(Object.keys(result.mfaPolicies as object)).toEqual(["4dabf18193072939515e22adb298388d", "value"]);
	});
});

const desired = {
	organizationId,
	users: { alice, bob, carol },
	userTags: [
		{
			name: "keepers",
			previously: ["signers"],
			members: {
				exactly: [
					"alice",
					{ user: "bob", until: "2090-01-01T00:00:00Z", reason: "on call" },
					{ user: "carol", until: "2020-01-01T00:00:00Z" },
				],
			},
		},
	],
	absent: { policies: [...policies] },
	expect: { supportedAssets: { "eip155:1": [{ symbol: "ETH", decimals: 19 }] } },
	limits: { policies: 2, lockout: 100 },
};

describe("getPlan", () => {
	it("says what a reviewer sees, as data and as text, and submits and writes nothing", async () => {
		const world = await makeWorld();
		const plugin = await configuredPlugin(world, { journal: join(world.folder, "journal.sqlite") });
		const { result } = await invoke(plugin, "getPlan", { document: desired });
		const { text, markdown, ...data } = result;
		expect(data).toEqual({
			organizationId,
			inSync: false,
			activities: 2,
			changes: [
				{
					address: "userTag:keepers",
					action: "update",
					summary: expect.stringMatching(
						/^name: signers -> keepers; \+ member bob .*; - member carol {2}\(access expired 2020-01-01 00:00 UTC\)$/,
					),
				},
				...policies.map((id, index) => ({
					address: `policy:${id}`,
					action: "remove",
					summary: `policy:${id}  policy ${index + 1}`,
				})),
			],
			impactVerdict: expect.any(String),
			impact: expect.any(Array),
			approvals: [
				{ step: "rename `signers` to `keepers` and change who has it", verdict: "runs", sentence: "runs at once" },
				{ step: "remove 3 policies at once", verdict: "runs", sentence: "runs at once" },
			],
			expiries: [
				{ address: "userTag:keepers", userId: carol, until: "2020-01-01T00:00:00.000Z", state: "expired" },
				{
					address: "userTag:keepers",
					userId: bob,
					until: "2090-01-01T00:00:00.000Z",
					reason: "on call",
					state: "granted",
				},
			],
			validUntil: "2090-01-01T00:00:00.000Z",
			guards: [
				{ kind: "policies", message: "3 policies would be removed", limit: "at most 2", override: "policies=3" },
			],
			problems: [],
			brokenRules: [],
			differences: ["supportedAsset:eip155:1/ETH"],
			unmanaged: ["userTag:auditors", "userTag:oncall"],
			unread: [],
		});
		world.write("plan.yaml", JSON.stringify(desired));
		const shown = await world.run(["plan", "-f", "plan.yaml"]);
		expect(text).toBe(shown.stdout.replaceAll("--allow ", "orgsync:allow "));
		expect(text).toContain("3 policies would be removed (allowed: at most 2); to override: orgsync:allow policies=3");
		expect(markdown).toMatch(/^<!-- orgsync: plan -->\n\n> \[!CAUTION\]\n> ⚠ no one can sign .*\n\n### /);
		expect(markdown).toContain("to override: `orgsync:allow policies=3`");
		expect(`${text}${markdown}`).not.toContain("--allow");
		expect(world.submits()).toEqual([]);
		expect(existsSync(join(world.folder, "journal.sqlite"))).toBe(false);
	});

	it("shows what a document creates, which an Organization refuses", async () => {
		const world = await makeWorld();
		await world.change({
			policies: [
				{ policyId: policies[0], policyName: "pay", effect: "EFFECT_ALLOW", consensus: "false", condition: "" },
			],
		});
		const plugin = await configuredPlugin(world);
		const consensus = "approvers.any(user, user.tags.contains('${userTags.payers}'))";
		const policy = { name: "pay", effect: "allow", consensus, condition: "activity.kind == 'SIGN_TRANSACTION'" };
		const document = {
			organizationId,
			userTags: [{ name: "payers", create: true, members: { exactly: [alice, bob] } }],
			policies: [policy, { ...policy, name: "pay more", notes: "New" }],
		};
		const { result } = await invoke(plugin, "getPlan", { document });
		const written = `+ ${consensus}; condition: + ${policy.condition}`;
		expect(result.changes).toMatchObject([
			{
				address: "userTag:payers",
				action: "create",
				summary: expect.stringMatching(/^\+ member alice .*; \+ member bob /),
			},
			{
				address: "policy:pay",
				action: "update",
				summary: expect.stringContaining(
					`consensus: - false; + ${consensus}; condition: - (every activity); + ${policy.condition}; takes`,
				),
			},
			{ address: "policy:pay more", action: "create", summary: `effect: allow; consensus: ${written}; notes: + New` },
		]);
		expect(result.text).toContain("1 user tag to create, 1 policy to create, 1 policy to update");
		expect(world.submits()).toEqual([]);
	});
});
