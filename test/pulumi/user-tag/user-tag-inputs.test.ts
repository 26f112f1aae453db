/**
 * What the providers say of inputs, asked as the engine asks them, because it ends at the first wrong resource; that their
 * words reach the screen is shown in user-tag-found.test.ts.
 */
import type { dynamic } from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { providerOf } from "../../../src/pulumi/dynamic/provider.ts";
import { alice, apps, bob, carol, keys, makeWorld, organizationId, policies, providers, tags } from "../../world.ts";

type ResourceName = "UserTag" | "PolicyRemoval" | "OauthProviderRemoval" | "TvcAppRemoval";

/** What Pulumi has in the place of a value that is not known yet. */
const sentinel = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

async function startProvider(
	resource: ResourceName,
	settings: Readonly<Record<string, string>> = {},
): Promise<Required<dynamic.ResourceProvider>> {
	const provider = providerOf(resource) as Required<dynamic.ResourceProvider>;
	const given: Readonly<Record<string, string>> = { organizationId, ...settings };
	const config = { get: (key: string) => given[key.replace("orgsync:", "")] };
	await provider.configure({ config } as unknown as dynamic.ConfigureRequest);
	// Every state of a dynamic resource has this text; without it, the state is one of the plugin.
	return { ...provider, diff: (id, olds, news) => provider.diff(id, { __provider: "text", ...olds }, news) };
}

/** The failures of a check as text, `property: reason`. */
async function failuresOf(kind: ResourceName, inputs: object): Promise<readonly string[]> {
	const { failures = [] } = await (await startProvider(kind)).check({}, { resource: "it", ...inputs });
	return failures.map(({ property, reason }) => `${property}: ${reason}`);
}

const uuid = "a UUID such as 3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
const isNull = "is null; omit it or set a value";
const tagProperties = "name, organizationId, tagId, previously, members, limits, create, adopt, onDestroy";

const wrongTags: readonly (readonly [inputs: object, failure: string])[] = [
	[{ name: undefined }, "name: is required"],
	[{ name: null }, `name: ${isNull}`],
	[{ name: 5 }, "name: must be a string, got 5"],
	[{ name: "" }, "name: the name is empty; write a name"],
	[{ tagId: "7000" }, `tagId: must be ${uuid}, got "7000"`],
	[{ organizationId: "acme" }, `organizationId: must be ${uuid}, got "acme"`],
	[{ organizationId: null }, `organizationId: ${isNull}`],
	[{ previously: "auditors" }, 'previously: must be a list of strings, got "auditors"'],
	[
		{ previously: ["signers"] },
		"previously: previously[0]: `signers` is the current name of the tag, and `previously` lists former names; remove it",
	],
	[{ members: null }, `members: ${isNull}`],
	[{ members: "all" }, 'members: must be an object with exactly, atLeast or never, got "all"'],
	[{ members: [alice] }, `members: must be an object with exactly, atLeast or never, got ["${alice}"]`],
	[{ members: { exactly: null } }, `members: members.exactly ${isNull}`],
	[{ members: { atLeast: ["alice"] } }, `members: members.atLeast[0] must be ${uuid}, got "alice"`],
	[{ members: { only: [alice] } }, "members: members.only is an unknown property; known: exactly, atLeast, never"],
	[
		{ members: { exactly: [alice], atLeast: [bob] } },
		"members: members.atLeast: `atLeast` conflicts with `exactly`, which lists all members; keep one",
	],
	[
		{ members: { atLeast: [alice, bob], never: [bob] } },
		`members: members.never[0]: \`${bob}\` is under \`never\` here, and under \`atLeast\`; keep one`,
	],
	[{ members: { exactly: [alice, carol, alice] } }, `members: members.exactly[2]: duplicate \`${alice}\`; keep one`],
	[{ limits: { policies: 3 } }, "limits: limits.policies is an unknown property; known: memberRemovals, expiries"],
	[{ limits: { expiries: "all" } }, "limits: limits.expiries: `expiries` must be `any`, but is `all`"],
	[{ onDestroy: "remove" }, 'onDestroy: must be keep, removeMembers or delete, got "remove"'],
	[{ create: "yes" }, 'create: must be true or false, got "yes"'],
	[{ onDestroy: null }, `onDestroy: ${isNull}`],
	[{ member: [alice] }, `member: unknown property; known: ${tagProperties}`],
	// Names that every object has.
	[{ constructor: "x" }, `constructor: unknown property; known: ${tagProperties}`],
	[JSON.parse('{ "__proto__": {} }'), `__proto__: unknown property; known: ${tagProperties}`],
	[{ members: { toString: [] } }, "members: members.toString is an unknown property; known: exactly, atLeast, never"],
	[{ tagId: sentinel, onDestroy: "remove" }, 'onDestroy: must be keep, removeMembers or delete, got "remove"'],
];

const provider = providers.bob[0];
const wrongRemovals: readonly (readonly [kind: ResourceName, inputs: object, failure: string])[] = [
	["PolicyRemoval", {}, "policyIds: is required"],
	["PolicyRemoval", { policyIds: policies[0] }, `policyIds: must be a list of UUIDs, got "${policies[0]}"`],
	["PolicyRemoval", { policyIds: [policies[0], "x"] }, `policyIds: policyIds[1] must be ${uuid}, got "x"`],
	["PolicyRemoval", { policyIds: [policies[0], null] }, `policyIds: policyIds[1] ${isNull}`],
	["OauthProviderRemoval", { providerIds: [provider] }, "userId: is required"],
	["OauthProviderRemoval", { userId: "bob", providerIds: [provider] }, `userId: must be ${uuid}, got "bob"`],
	["OauthProviderRemoval", { userId: bob, providerIds: null }, `providerIds: ${isNull}`],
	[
		"OauthProviderRemoval",
		{ userId: bob, providerIds: [provider, provider] },
		`providerIds: providerIds[1]: duplicate \`${provider}\`; keep one`,
	],
	["TvcAppRemoval", { appId: "signer" }, `appId: must be ${uuid}, got "signer"`],
	["TvcAppRemoval", { appId: 5 }, `appId: must be ${uuid}, got 5`],
	["TvcAppRemoval", { appId: apps.old, limits: 1 }, "limits: must be an object with tvcApps, got 1"],
];

describe("check", () => {
	it.each(wrongTags)("refuses a UserTag with %j and names the property", async (inputs, failure) => {
		expect(await failuresOf("UserTag", { name: "signers", ...inputs })).toEqual([failure]);
	});

	it.each(wrongRemovals)("refuses a %s with %j and names the property", async (kind, inputs, failure) => {
		expect(await failuresOf(kind, inputs)).toEqual([failure]);
	});

	it("reports all errors at once", async () => {
		const failures = await failuresOf("UserTag", { tagId: "x", onDestroy: "remove" });
		expect(failures.map((failure) => failure.split(":")[0])).toEqual(["name", "tagId", "onDestroy"]);
	});

	it("does not replace a variable in a name, as a document would", async () => {
		// With an input that is wrong for another reason, the service is not asked.
		expect(await failuresOf("UserTag", { name: "a $" + "{HOME} b", members: {} })).toEqual([
			"members: `members` is empty; write `exactly`, `atLeast` or `never`, or remove `members` (`exactly: []` means no members)",
		]);
	});

	it.each([
		{ members: { atLeast: [sentinel] } },
		{ members: sentinel, previously: sentinel, onDestroy: sentinel, limits: sentinel },
		{ organizationId: sentinel },
	])("keeps known values beside %j, which is unknown", async (unknown) => {
		const olds = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "keep", resource: "it" };
		const news = { name: "signers", resource: "it", ...unknown };
		const { inputs, failures } = await (await startProvider("UserTag")).check(olds, news);
		expect(failures).toEqual([]);
		expect(inputs).toEqual({ ...olds, ...unknown });
	});
});

const agreeing: readonly (readonly [kind: ResourceName, inputs: object, kept: object])[] = [
	[
		"UserTag",
		{ name: "signers", tagId: tags.signers.toUpperCase(), members: { exactly: [bob.toUpperCase(), alice] } },
		{ name: "signers", tagId: tags.signers, members: { exactly: [alice, bob] }, onDestroy: "keep" },
	],
	["PolicyRemoval", { policyIds: [policies[1].toUpperCase(), policies[0]] }, { policyIds: [policies[0], policies[1]] }],
	[
		"OauthProviderRemoval",
		{ userId: bob.toUpperCase(), providerIds: [providers.bob[1], providers.bob[0].toUpperCase()] },
		{ userId: bob, providerIds: providers.bob },
	],
	["OauthProviderRemoval", { userId: bob, providerIds: [] }, { userId: bob, providerIds: [] }],
	["TvcAppRemoval", { appId: apps.old.toUpperCase() }, { appId: apps.old }],
];

describe("check of unchanged inputs", () => {
	it.each(
		agreeing,
	)("of a %s with %j returns the inputs of the state, and makes no request", async (kind, inputs, kept) => {
		const olds = { organizationId, resource: "it", ...kept };
		const checked = await (await startProvider(kind)).check(olds, { resource: "it", ...inputs });
		expect(checked).toEqual({ inputs: olds, failures: [] });
	});

	it("explains how to remove a deleted tag from the state, if the program has no tagId", async () => {
		const world = await makeWorld();
		const settings = { url: world.url, apiPrivateKey: keys.alice.privateKey, journal: ":memory:" };
		const provider = await startProvider("UserTag", settings);
		await world.change({ remove: { userTags: [tags.auditors] } });
		const olds = { organizationId, name: "auditors", tagId: tags.auditors, onDestroy: "keep", resource: "it" };
		const { failures } = await provider.check(olds, { name: "reviewers", resource: "it" });
		expect(failures).toEqual([
			{
				property: "name",
				reason: expect.stringMatching(/^no user tag has the id 7\S+3; the nearest: .*`pulumi refresh` removes it/),
			},
		]);
	});
});

const other = "0000000f-0000-4000-8000-000000000002";
const tag = { organizationId, name: "signers", tagId: tags.signers, onDestroy: "keep", members: { exactly: [alice] } };
const replacing: readonly (readonly [ResourceName, olds: object, more: object, replaces: readonly string[]])[] = [
	["UserTag", tag, { organizationId: other }, ["organizationId"]],
	["UserTag", tag, { tagId: tags.oncall }, ["tagId"]],
	["UserTag", tag, { name: "approvers", members: { exactly: [bob] }, previously: ["signers"] }, []],
	["UserTag", tag, { organizationId: sentinel, tagId: sentinel }, []],
	["PolicyRemoval", { organizationId, policyIds: [policies[0]] }, { organizationId: other }, ["organizationId"]],
	["PolicyRemoval", { organizationId, policyIds: [policies[0]] }, { policyIds: [policies[1]] }, []],
	["OauthProviderRemoval", { organizationId, userId: bob, providerIds: [provider] }, { userId: alice }, ["userId"]],
	["OauthProviderRemoval", { organizationId, userId: bob, providerIds: [provider] }, { userId: sentinel }, []],
	["TvcAppRemoval", { organizationId, appId: apps.old }, { appId: apps.retired }, ["appId"]],
];

/** What the class adds to the inputs of every dynamic resource, and the engine to its state. */
const __provider = "exports.handler=…";

describe("diff", () => {
	it.each(replacing)("of a %s from %j with %j replaces for %j", async (kind, given, more, replaces) => {
		const id = kind === "UserTag" ? tags.signers : "it";
		const olds = { ...given, __provider };
		const difference = await (await startProvider(kind)).diff(id, olds, { ...olds, ...more });
		expect(difference).toEqual({ changes: true, replaces });
		expect(await (await startProvider(kind)).diff(id, olds, olds)).toEqual({ changes: false, replaces: [] });
	});
});

describe("diff of a secret input", () => {
	it("updates a resource whose input becomes a secret, and replaces it if its id contains the value", async () => {
		const provider = await startProvider("UserTag");
		const olds = { ...tag, resource: "it", __provider };
		const members = await provider.diff(tags.signers, olds, { ...olds, secretInputs: ["members"] });
		expect(members).toEqual({ changes: true, replaces: [] });
		const sealed = { ...olds, secretInputs: ["members"] };
		expect(await provider.diff(tags.signers, sealed, sealed)).toEqual({ changes: false, replaces: [] });
		const tagId = await provider.diff(tags.signers, olds, { ...olds, secretInputs: ["tagId"] });
		expect(tagId).toEqual({ changes: true, replaces: ["tagId"] });
		const hidden = { ...olds, secretInputs: ["tagId"] };
		expect(await provider.diff("sha256:0123", hidden, hidden)).toEqual({ changes: false, replaces: [] });
	});

	it("shows no value of an invalid secret, and names no property whose value the engine would print", async () => {
		const provider = await startProvider("UserTag");
		const name = "n".repeat(80);
		const inputs = { name, tagId: "not-an-id", members: { exactly: ["nobody"] }, resource: "it" };
		const { failures } = await provider.check({}, { ...inputs, secretInputs: ["members", "name", "tagId"] });
		expect(failures).toEqual([
			{ property: "", reason: `tagId: must be ${uuid}, got a secret value` },
			{ property: "", reason: `members.exactly[0] must be ${uuid}, got a secret value` },
		]);
	});
});

describe("delete", () => {
	it("with removeMembers removes all managed members, also if live members are unknown", async () => {
		const world = await makeWorld(undefined, { reads: "documented" });
		const dave = "a0000000-0000-4000-8000-000000000004";
		const userIds = [alice, bob, carol, dave];
		await world.change({
			users: [{ userId: dave, userName: "dave" }],
			userTags: [{ tagId: tags.signers, userIds }],
		});
		const settings = {
			url: world.url,
			apiPrivateKey: keys.alice.privateKey,
			journal: ":memory:",
			reads: "documented",
		};
		const provider = await startProvider("UserTag", settings);
		const limits = { memberRemovals: "25%" };
		const props = { ...tag, members: { exactly: userIds }, limits, onDestroy: "removeMembers", resource: "it" };
		await provider.delete(tags.signers, props);
		expect(world.requests()).toEqual(["list_user_tags", "update_user_tag"]);
		expect(world.organization().userTags[0].userIds).toEqual([]);
	});
});
