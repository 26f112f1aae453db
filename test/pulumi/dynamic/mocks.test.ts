/**
 * Unit tests of programs: with `pulumi.runtime.setMocks` every resource, function and component works, with no request, and
 * with no key, address, organization or journal.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import * as orgsync from "../../../src/pulumi/dynamic/index.ts";
import { makeFolder } from "../../run.ts";
import { alice, apps, bob, makeWorld, organizationId, policies, providers, tags } from "../../world.ts";

interface Made {
	readonly type: string;
	readonly inputs: Readonly<Record<string, unknown>>;
}

const made = new Map<string, Made>();
const asked: (readonly [token: string, inputs: unknown])[] = [];
let answers: Readonly<Record<string, object>> = {};

/** The value of an output. */
const promiseOf = <T>(output: pulumi.Output<T>): Promise<unknown> =>
	new Promise((resolve) => output.apply((value) => resolve(value)));

// The next file of this process would have its functions answered too.
afterAll(() => pulumi.runtime.resetOptions("", "", -1, "", "", false, ""));

beforeEach(async () => {
	made.clear();
	asked.length = 0;
	answers = {};
	await pulumi.runtime.setMocks({
		newResource({ type, name, inputs, id }) {
			made.set(name, { type, inputs });
			return { id: id || `${name}-id`, state: { ...inputs, tagId: inputs.tagId ?? tags.signers } };
		},
		call({ token, inputs }) {
			asked.push([token, inputs]);
			return answers[token] ?? inputs;
		},
	});
	for (const name of ["URL", "ORGANIZATION_ID", "API_PRIVATE_KEY", "KEY_FILE"]) {
		const known = process.env[`ORGSYNC_${name}`];
		delete process.env[`ORGSYNC_${name}`];
		onTestFinished(() => {
			if (known !== undefined) process.env[`ORGSYNC_${name}`] = known;
		});
	}
});

describe("with mocks", () => {
	it("resources have the inputs of the program and the outputs of the mocks, and nothing else", async () => {
		const name = pulumi.output("signers");
		const tag = new orgsync.UserTag("signers", {
			name,
			members: { exactly: [alice, bob] },
			onDestroy: "removeMembers",
		});
		const removal = new orgsync.PolicyRemoval("old", { policyIds: [policies[0]] });
		const login = new orgsync.OauthProviderRemoval("login", { userId: bob, providerIds: [providers.bob[0]] });
		const app = new orgsync.TvcAppRemoval("app", { appId: apps.old });
		expect(await promiseOf(tag.tagId)).toBe(tags.signers);
		expect(await promiseOf(tag.members)).toEqual({ exactly: [alice, bob] });
		for (const { id } of [removal, login, app]) expect(await promiseOf(id)).toMatch(/-id$/);
		expect(Object.fromEntries([...made].map(([resource, { inputs }]) => [resource, inputs]))).toEqual({
			signers: { name: "signers", members: { exactly: [alice, bob] }, onDestroy: "removeMembers" },
			old: { policyIds: [policies[0]] },
			login: { userId: bob, providerIds: [providers.bob[0]] },
			app: { appId: apps.old },
		});
		expect(made.get("signers")?.type).toBe("pulumi-nodejs:dynamic/orgsync:UserTag");
		expect(await promiseOf(orgsync.UserTag.get("live", tags.oncall).id)).toBe(tags.oncall);
	});

	it("a Provider needs no key, and a key in the configuration is not read", async () => {
		pulumi.runtime.setConfig("orgsync:apiPrivateKey", "not a key");
		onTestFinished(() => pulumi.runtime.setAllConfig({}));
		const provider = new orgsync.Provider("other", { url: "https://one.test", wait: 5 });
		expect(await promiseOf(new orgsync.UserTag("signers", { name: "signers" }, { provider }).tagId)).toBe(tags.signers);
		expect(made.get("other")?.inputs).toMatchObject({ "orgsync:url": "https://one.test", "orgsync:wait": "5" });
		answers = { "orgsync:index:listUserTags": { userTags: [{ tagName: "signers" }] } };
		expect(await orgsync.listUserTags({}, { provider })).toEqual([{ tagName: "signers" }]);
	});

	it("the mocks answer functions by the names of the functions", async () => {
		answers = {
			"orgsync:index:getMfaPolicy": { mfaPolicy: { mfaPolicyName: "passkey-first" } },
			"orgsync:index:listUserTags": { userTags: [{ tagName: "signers" }] },
		};
		expect(await orgsync.getMfaPolicy({ userId: alice, mfaPolicyId: bob })).toEqual({ mfaPolicyName: "passkey-first" });
		const userTags = orgsync.listUserTagsOutput({ organizationId: pulumi.output(organizationId) });
		expect(await promiseOf(userTags)).toEqual([{ tagName: "signers" }]);
		expect(asked).toEqual([
			["orgsync:index:getMfaPolicy", { userId: alice, mfaPolicyId: bob }],
			["orgsync:index:listUserTags", { organizationId }],
		]);
		expect(await orgsync.getMfaPolicies({ userId: alice })).toEqual([]);
		await expect(orgsync.getLatestBootProof({ appName: apps.old })).rejects.toThrow(
			"get_latest_boot_proof: the mocks return nothing for it: return { bootProof: … } for orgsync:index:getLatestBootProof",
		);
	});

	it("the mocks answer getPlan with a plan", async () => {
		answers = { "orgsync:index:getPlan": { inSync: true, changes: [] } };
		expect(await orgsync.getPlan({ document: "orgsync.yaml" })).toEqual({ inSync: true, changes: [] });
		const plan = orgsync.getPlanOutput({ document: { organizationId: pulumi.output(organizationId) } });
		expect(await promiseOf(plan)).toEqual({ inSync: true, changes: [] });
		expect(asked).toEqual([
			["orgsync:index:getPlan", { document: "orgsync.yaml" }],
			["orgsync:index:getPlan", { document: { organizationId } }],
		]);
		answers = {};
		await expect(orgsync.getPlan({ document: "orgsync.yaml" })).rejects.toThrow(
			"getPlan: the mocks return nothing for it: return { inSync: … } for orgsync:index:getPlan",
		);
	});

	it("an Organization registers its parts and finds no differences", async () => {
		const folder = makeFolder();
		writeFileSync(join(folder, "Pulumi.yaml"), "name: probe\nruntime: nodejs\n");
		const before = process.cwd();
		process.chdir(folder);
		onTestFinished(() => process.chdir(before));
		const world = await makeWorld();
		process.env.ORGSYNC_URL = world.url;
		const organization = new orgsync.Organization("acme", {
			document: {
				organizationId,
				users: { alice, bob },
				userTags: [{ name: "signers", previously: ["approvers"], members: { exactly: ["alice", "bob"] } }],
				absent: { policies: [policies[0]], oauthProviders: { bob: [providers.bob[0]] }, tvcApps: [apps.old] },
			},
		});
		const summary = { organizationId, differences: [], unmanaged: [] };
		expect(await promiseOf(organization.summary)).toEqual(summary);
		const { changes, activities, impact, approvals } = organization;
		expect(await promiseOf(pulumi.all([changes, activities, impact, approvals]))).toEqual([[], 0, [], []]);
		await expect
			.poll(() => [...made.keys()].sort())
			.toEqual(["acme", "acme-oauth-providers-bob", "acme-policies", "acme-signers", `acme-tvc-app-${apps.old}`]);
		expect(made.get("acme-signers")?.inputs).toMatchObject({ name: "signers", members: { exactly: [alice, bob] } });
		expect(() => new orgsync.Organization("wrong", { document: { userTags: [{ name: "signers" }] } })).toThrow(
			"document.organizationId: missing key `organizationId`",
		);
		expect(world.requests()).toEqual([]);
		expect(existsSync(join(folder, ".orgsync"))).toBe(false);
	});
});

/** Mistakes of a program, with what the error says: nothing is registered. */
const mistakes: readonly (readonly [says: string, make: () => unknown])[] = [
	[
		"signers: a UserTag cannot be imported, because it is a dynamic resource; remove the option `import`: creating the resource adopts the live object",
		() => new orgsync.UserTag("signers", { name: "signers" }, { import: tags.signers }),
	],
	[
		"old: a PolicyRemoval cannot be read by an id, because it lists what must not exist; remove the option `id`",
		() => new orgsync.PolicyRemoval("old", { policyIds: [policies[0]] }, { id: policies[0] }),
	],
	[
		"document.organizationId is an output or a promise:",
		() => document({ organizationId: pulumi.output("x"), userTags: [{ name: Promise.resolve("y") }] }),
	],
	[
		"document.userTags[0].name is an output or a promise:",
		() => document({ userTags: [{ name: Promise.resolve("y") }] }),
	],
	["cannot write the document as JSON: ", () => document({ userTags: [1n] })],
];

function document(object: object): orgsync.Organization {
	return new orgsync.Organization("object", { document: object as Record<string, unknown> });
}

describe("a program with a mistake", () => {
	it.each(
		mistakes,
	)("registers nothing, and fails with an error that Pulumi shows without a stack: %s", (says, make) => {
		let thrown: unknown;
		try {
			make();
		} catch (error) {
			thrown = error;
		}
		expect(pulumi.RunError.isInstance(thrown)).toBe(true);
		expect((thrown as Error).message).toContain(says);
		expect(made.size).toBe(0);
	});
});
