/** What creates and updates policies, and creates and deletes user tags: checks, effects, and what happens between the two. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServedSubmitName, servedSubmits } from "../../src/emulator/served-submits.ts";
import { type Emulator, startEmulator } from "../../src/emulator/server.ts";
import * as world from "./world.ts";

const { organizationId, alice, bob, carol, signers, auditors } = world;
const [first, second] = world.policies;
const draft = { policyName: "new", effect: "EFFECT_ALLOW", notes: "" };
let emulator: Emulator;

beforeEach(async () => {
	emulator = await startEmulator({ seed: world.makeSeed() });
});

afterEach(() => emulator.close());

const bodyOf = (name: ServedSubmitName, parameters: object) =>
	world.submitBody(name, parameters, Date.now(), { type: servedSubmits[name].type });
const submit = (name: ServedSubmitName, parameters: object, key = world.keys.alice) =>
	world.submitRaw(emulator.url, name, bodyOf(name, parameters), key);

/** The result of a completed activity. */
async function run(name: ServedSubmitName, parameters: object) {
	const { body } = await submit(name, parameters);
	expect(body).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
	return body.activity.result[servedSubmits[name].resultKey];
}

/** The HTTP status and the body's gRPC code and message. */
async function refusal(name: ServedSubmitName, parameters: object): Promise<readonly unknown[]> {
	const { status, body } = await submit(name, parameters);
	expect(emulator.state(organizationId).activities).toEqual([]);
	return [status, body.code, body.message];
}

const policies = async () => (await world.query(emulator.url, "list_policies", {})).body.policies;
const policy = async (policyId: string) => {
	const all: readonly { readonly policyId: string; readonly updatedAt: unknown }[] = await policies();
	return all.find((one) => one.policyId === policyId);
};
const tags = () => emulator.state(organizationId).organization.userTags;
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe("create_policies", () => {
	it("creates policies as list_policies shows them, with the ids in the order that was sent", async () => {
		const time = "time.now < Timestamp('2030-01-01T00:00:00Z')";
		const full = { ...draft, condition: "activity.action == 'DELETE'", consensus: "approvers.count() > 1", time };
		const more = { ...draft, policyName: "more", effect: "EFFECT_DENY", condition: null, notes: "why", extra: 1 };
		const { policyIds } = await run("create_policies", { policies: [full, more] });
		const times = { createdAt: expect.any(Object), updatedAt: expect.any(Object) };
		expect((await policies()).slice(2)).toEqual([
			{ ...full, policyId: policyIds[0], ...times },
			{
				policyId: policyIds[1],
				policyName: "more",
				effect: "EFFECT_DENY",
				condition: "",
				consensus: "",
				notes: "why",
				...times,
			},
		]);
	});

	it("echoes what was sent as its intent", async () => {
		const sent = [{ ...draft, condition: null }];
		const { body } = await submit("create_policies", { policies: sent });
		expect(body.activity.intent).toEqual({ createPoliciesIntent: { policies: sent } });
	});

	it.each([
		["a name that a policy has", [{ ...draft, policyName: "first" }], "policy label must be unique"],
		["a name that it has twice", [draft, draft], "policy label must be unique"],
		[
			"an unknown field",
			[{ ...draft, condition: "activity.actor == 'x'" }],
			"invalid policy condition: no field actor",
		],
		["a condition that is none", [{ ...draft, condition: "activity" }], /^invalid policy condition: /],
		[
			"a keyword of the other expression",
			[{ ...draft, consensus: "activity.action == 'SIGN'" }],
			/^invalid policy consensus: /,
		],
		["a time that is none", [{ ...draft, time: "always" }], /^invalid policy time: /],
		["no notes", [{ ...draft, notes: undefined }], "missing field: parameters.policies.0.notes"],
		["another effect", [{ ...draft, effect: "EFFECT_MAYBE" }], /^invalid field parameters.policies.0.effect: /],
		["no name", [{ ...draft, policyName: "" }], /^invalid field parameters.policies.0.policyName: /],
	])("refuses %s, and creates none", async (_what, sent, message) => {
		const sound = { ...draft, policyName: "sound" };
		const text = message instanceof RegExp ? expect.stringMatching(message) : message;
		expect(await refusal("create_policies", { policies: [...sent, sound] })).toEqual([400, 3, text]);
		expect(await policies()).toHaveLength(2);
	});

	it.each([
		["eth.tx.value > 1 && eth.tx.data[0..10] == '0x'", undefined],
		["wallets.any(one, one.label == 'x') || solana.tx.transfers.all(one, one.amount < 5)", undefined],
		["secret.static_properties['a'] == 'b' || activity.params.user_id == 'x'", undefined],
		["eth.tx.amount > 1", "no field amount"],
		["wallets.any(one, one.name == 'x')", "no field name"],
		["bitcoin.fee > 1", "no field fee"],
		["account.id == 'x'", "unknown name account"],
	])("knows the fields of the documentation: %s", async (condition, reason) => {
		const { status, body } = await submit("create_policies", { policies: [{ ...draft, condition }] });
		expect([status, body.message]).toEqual(
			reason === undefined ? [200, undefined] : [400, `invalid policy condition: ${reason}`],
		);
	});

	it("does not look for the tags and users that an expression names", async () => {
		const consensus = `approvers.any(user, user.tags.contains('${world.id(99)}') || user.id == 'nobody')`;
		await run("create_policies", { policies: [{ ...draft, consensus }] });
	});

	it("creates 100 policies of the organization, and no further one", async () => {
		const rows = names("p", 99).map((policyName) => ({ ...draft, policyName }));
		expect(await refusal("create_policies", { policies: rows })).toEqual([
			429,
			8,
			"resource limit exceeded: at most 100 policies",
		]);
		await run("create_policies", { policies: rows.slice(1) });
		expect(await policies()).toHaveLength(100);
	});

	it("gives policies that decide at once", async () => {
		const denial = { ...draft, effect: "EFFECT_DENY", condition: "activity.kind == 'CREATE_USER_TAG'" };
		await run("create_policies", { policies: [denial] });
		const { status, body } = await submit("create_user_tag", { userTagName: "new", userIds: [] });
		expect([status, body.code]).toEqual([403, 7]);
	});
});

describe("create_policy", () => {
	it("creates one policy, with the version of its type in its intent alone", async () => {
		const { body } = await submit("create_policy", draft);
		const { policyId } = body.activity.result.createPolicyResult;
		expect(body.activity.intent).toEqual({ createPolicyIntentV3: draft });
		expect(await policy(policyId)).toMatchObject(draft);
		expect((await submit("create_policy", draft)).body.message).toBe("policy label must be unique");
	});
});

describe("update_policy", () => {
	const full = { consensus: "true", condition: "true", time: "true", notes: "old" };
	beforeEach(() =>
		emulator.changeState({ organizationId, policies: [{ policyId: first, policyName: "first", ...full }] }),
	);

	it.each([
		["policyName", "policyName", "renamed"],
		["policyEffect", "effect", "EFFECT_DENY"],
		["policyCondition", "condition", "activity.kind == 'CREATE_POLICIES'"],
		["policyConsensus", "consensus", "approvers.count() > 2"],
		["policyNotes", "notes", "new"],
		["time", "time", "time.now > Timestamp('2030-01-01T00:00:00Z')"],
	])("with %s changes that field and no other", async (parameter, field, value) => {
		const before = await policy(first);
		expect(await run("update_policy", { policyId: first, policyNotes: null, [parameter]: value })).toEqual({
			policyId: first,
		});
		const after = await policy(first);
		expect(after).toEqual({ ...before, [field]: value, updatedAt: expect.any(Object) });
		expect(after?.updatedAt).not.toEqual(before?.updatedAt);
	});

	const empty = { policyId: first, policyCondition: "", policyConsensus: "", policyNotes: "", time: "" };

	it("clears the fields with an empty text", async () => {
		await run("update_policy", empty);
		expect(await policy(first)).toMatchObject({ condition: "", consensus: "", notes: "" });
		expect(await policy(first)).not.toHaveProperty("time");
	});

	it("keeps the fields with an empty text by a rule", async () => {
		await emulator.setRules(organizationId, { emptyUpdate: "keep" });
		const before = await policy(first);
		await run("update_policy", empty);
		expect(await policy(first)).toEqual(before);
	});

	it("checks what it changes, and leaves an expression that the emulator does not understand", async () => {
		const opaque = { policyId: first, policyName: "first", condition: "a ~ b" };
		await emulator.changeState({ organizationId, policies: [opaque] });
		await run("update_policy", { policyId: first, policyCondition: "a ~ b", policyNotes: "new" });
		expect(await policy(first)).toMatchObject({ condition: "a ~ b", notes: "new" });
		expect((await submit("update_policy", { policyId: first, policyCondition: "a ~ c" })).status).toBe(400);
	});

	it("that changes nothing leaves the time of the last change", async () => {
		const before = await policy(first);
		await run("update_policy", { policyId: first, policyName: "first", policyCondition: "true" });
		expect(await policy(first)).toEqual(before);
	});

	it.each([
		["a name that another policy has", { policyName: "second" }, [400, 3, "policy label must be unique"]],
		["an empty name", { policyName: "" }, [400, 3, expect.stringContaining("policyName")]],
		["a bad condition", { policyCondition: "nonsense" }, [400, 3, "invalid policy condition: unknown name nonsense"]],
		["a bad consensus", { policyConsensus: "1" }, [400, 3, expect.stringMatching(/^invalid policy consensus: /)]],
		["a missing policy", { policyId: world.id(99) }, [404, 5, `no policy found with id ${world.id(99)}`]],
	])("refuses %s", async (_what, changed, answer) => {
		const before = await policies();
		expect(await refusal("update_policy", { policyId: first, ...changed })).toEqual(answer);
		expect(await policies()).toEqual(before);
	});

	it("gives a policy that decides at once", async () => {
		await run("update_policy", { policyId: first, policyEffect: "EFFECT_DENY", time: "" });
		expect((await submit("update_policy", { policyId: second })).status).toBe(403);
	});
});

describe("create_user_tag", () => {
	it("creates a tag with its members", async () => {
		const { userTagId, userIds } = await run("create_user_tag", { userTagName: "new", userIds: [bob, carol, bob] });
		expect(userIds).toEqual([bob, carol]);
		expect(tags()?.at(-1)).toMatchObject({ tagId: userTagId, tagName: "new", tagType: "TAG_TYPE_USER", userIds });
		const { users } = (await world.query(emulator.url, "list_users", {})).body;
		expect(users[1].userTags).toEqual([userTagId]);
	});

	it.each([
		["a name that a tag has", { userTagName: "signers" }, [400, 3, "a tag with that name already exists"]],
		["a missing user", { userIds: [world.id(99)] }, [404, 5, `no user found with id ${world.id(99)}`]],
		["no list of members", { userIds: undefined }, [400, 3, "missing field: parameters.userIds"]],
	])("refuses %s", async (_what, changed, answer) => {
		expect(await refusal("create_user_tag", { userTagName: "new", userIds: [], ...changed })).toEqual(answer);
		expect(tags()).toHaveLength(2);
	});

	it.each([
		[100, {}],
		[10, { parentOrganizationId: world.otherOrganizationId }],
	])("creates up to %i tags of an organization with %j", async (max, settings) => {
		const userTags = names("t", max - 3).map((tagName, index) => ({ tagId: world.id(1000 + index), tagName }));
		await emulator.changeState({ organizationId, userTags, ...settings });
		await run("create_user_tag", { userTagName: "last", userIds: [] });
		const { status, body } = await submit("create_user_tag", { userTagName: "more", userIds: [] });
		expect([status, body.code, body.message]).toEqual([429, 8, `resource limit exceeded: at most ${max} user tags`]);
	});
});

describe("delete_user_tags", () => {
	it("removes tags from their users, and leaves users and policies", async () => {
		const consensus = `approvers.any(user, user.tags.contains('${signers}'))`;
		await emulator.changeState({ organizationId, policies: [{ policyId: first, policyName: "first", consensus }] });
		const before = await policies();
		const result = await run("delete_user_tags", { userTagIds: [auditors, signers, signers.toUpperCase()] });
		expect(result).toEqual({ userTagIds: [auditors, signers], userIds: [alice] });
		const { users } = (await world.query(emulator.url, "list_users", {})).body;
		expect(users.map((user: { userTags: unknown }) => user.userTags)).toEqual([[], [], []]);
		expect(await policies()).toEqual(before);
		expect(tags()).toEqual([]);
	});

	it("refuses a missing tag, and removes none", async () => {
		expect(await refusal("delete_user_tags", { userTagIds: [signers, world.id(99)] })).toEqual([
			404,
			5,
			`no user tag found with id ${world.id(99)}`,
		]);
		expect(tags()).toHaveLength(2);
	});
});

describe("create_oauth_providers", () => {
	const oidcClaims = { iss: "https://new.test", sub: "s", aud: "a" };
	const oauthProviders = [{ providerName: "new", oidcClaims }];
	const login = { issuer: "https://new.test", subject: "s", audience: "a" };
	const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

	it.each([
		["claims", { oidcClaims }],
		["a token", { oidcToken: tokenOf({ ...oidcClaims, aud: ["a", "b"] }), oidcClaims: null }],
	])("adds a provider by %s", async (_what, given) => {
		const { providerIds } = await run("create_oauth_providers", {
			userId: bob,
			oauthProviders: [{ providerName: "new", ...given }],
		});
		const { users } = (await world.query(emulator.url, "list_users", {})).body;
		expect(users[1].oauthProviders).toMatchObject([{ providerId: providerIds[0], providerName: "new", ...login }]);
	});

	const one = { iss: "https://one.test", sub: "s", aud: "a" };
	it.each([
		["a login that a user has", [{ providerName: "new", oidcClaims: one }], "OAUTH_PROVIDER_ALREADY_EXISTS"],
		["a login that it has twice", [...oauthProviders, ...oauthProviders], "OAUTH_PROVIDER_ALREADY_EXISTS"],
		["neither token nor claims", [{ providerName: "new" }], /^invalid field oauthProviders: /],
		["both", [{ providerName: "new", oidcToken: tokenOf(one), oidcClaims }], /^invalid field oauthProviders: /],
		["a token that is none", [{ providerName: "new", oidcToken: "x.y" }], /^invalid field oauthProviders: /],
		[
			"a token without a subject",
			[{ providerName: "new", oidcToken: tokenOf({ iss: "i", aud: "a" }) }],
			/^invalid field/,
		],
	])("refuses %s", async (_what, rows, message) => {
		const text = message instanceof RegExp ? expect.stringMatching(message) : message;
		expect(await refusal("create_oauth_providers", { userId: bob, oauthProviders: rows })).toEqual([400, 3, text]);
	});

	it("adds a login that differs from others in its issuer, subject or audience alone", async () => {
		const claims = [{ iss: "https://other.test" }, { sub: "other" }, { aud: "other" }];
		const rows = claims.map((other) => ({ providerName: "new", oidcClaims: { ...one, ...other } }));
		expect((await run("create_oauth_providers", { userId: bob, oauthProviders: rows })).providerIds).toHaveLength(3);
	});

	it("adds up to ten providers of a user", async () => {
		const rows = names("p", 9).map((sub) => ({ providerName: sub, oidcClaims: { ...oidcClaims, sub } }));
		const [status] = await refusal("create_oauth_providers", { userId: alice, oauthProviders: rows });
		expect(status).toBe(429);
		await run("create_oauth_providers", { userId: alice, oauthProviders: rows.slice(1) });
	});

	it("is free for a user's own, until a policy covers credentials", async () => {
		await emulator.changeState({
			organizationId,
			remove: { policies: [first, second] },
			rootQuorum: { threshold: 1, userIds: [carol] },
		});
		const statusOf = async (userId: string) =>
			(await submit("create_oauth_providers", { userId, oauthProviders })).status;
		expect([await statusOf(bob), await statusOf(alice)]).toEqual([403, 200]);
	});
});

describe("an extended submit", () => {
	const sent: Readonly<Record<string, readonly [ServedSubmitName, object, () => Promise<number>]>> = {
		policies: ["create_policies", { policies: [draft] }, async () => (await policies()).length],
		tags: ["create_user_tag", { userTagName: "new", userIds: [] }, async () => tags()?.length ?? 0],
	};

	it.each(Object.entries(sent))("of the same bytes creates %s once", async (_what, [name, parameters, count]) => {
		const raw = bodyOf(name, parameters);
		const one = await world.submitRaw(emulator.url, name, raw);
		const again = await world.submitRaw(emulator.url, name, raw);
		expect(again).toMatchObject({ status: 200, body: one.body });
		expect(await count()).toBe(3);
		const other = await submit(name, parameters);
		expect(other.status).toBe(400);
	});

	it.each(Object.entries(sent))("that creates %s pends by a rule, and takes effect when it is approved", async (_what, [
		name,
		parameters,
		count,
	]) => {
		await emulator.setRules(organizationId, { approvals: { [servedSubmits[name].type]: 2 } });
		const { activity } = (await submit(name, parameters)).body;
		expect([activity.status, activity.result, await count()]).toEqual([
			"ACTIVITY_STATUS_CONSENSUS_NEEDED",
			undefined,
			2,
		]);
		await world.submit(emulator.url, "approve_activity", { fingerprint: activity.fingerprint }, world.keys.bob);
		const { body } = await world.query(emulator.url, "get_activity", { activityId: activity.id });
		expect(body.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
		expect(Object.keys(body.activity.result)).toEqual([servedSubmits[name].resultKey]);
		expect(await count()).toBe(3);
	});

	it("that no longer fits when it is approved fails, and changes nothing", async () => {
		const type = servedSubmits.create_policies.type;
		await emulator.setRules(organizationId, { approvals: { [type]: 2 } });
		const { activity } = (await submit("create_policies", { policies: [draft] })).body;
		await run("create_policy", draft);
		await world.submit(emulator.url, "approve_activity", { fingerprint: activity.fingerprint }, world.keys.bob);
		const { body } = await world.query(emulator.url, "get_activity", { activityId: activity.id });
		expect(body.activity).toMatchObject({
			status: "ACTIVITY_STATUS_FAILED",
			failure: { code: 3, message: "policy label must be unique" },
		});
		expect(await policies()).toHaveLength(3);
	});

	it("meets the faults of its operation", async () => {
		emulator.addFault({ operation: "create_policies", fault: "drop-after" });
		emulator.addFault({ operation: "update_policy", fault: "5xx", status: 404 });
		emulator.addFault({ operation: "create_user_tag", fault: "fail" });
		await expect(submit("create_policies", { policies: [draft] })).rejects.toThrow();
		expect(await policies()).toHaveLength(3);
		expect((await submit("update_policy", { policyId: first })).status).toBe(404);
		const { body } = await submit("create_user_tag", { userTagName: "new", userIds: [] });
		expect(body.activity.status).toBe("ACTIVITY_STATUS_FAILED");
		expect(tags()).toHaveLength(2);
	});

	it("is not found where only the documented operations are served", async () => {
		const documented = await startEmulator({ seed: world.makeSeed(), reads: "documented" });
		const statusOf = async (name: ServedSubmitName, parameters: object) =>
			(await world.submitRaw(documented.url, name, bodyOf(name, parameters))).status;
		expect(await statusOf("create_policies", { policies: [draft] })).toBe(404);
		expect(await statusOf("delete_policies", { policyIds: [first] })).toBe(200);
		await documented.close();
	});

	it("is listed by its type, and is in the state that seeds the same organization", async () => {
		await run("create_policies", { policies: [{ ...draft, time: "" }] });
		await run("create_user_tag", { userTagName: "new", userIds: [bob] });
		const filterByType = [servedSubmits.create_policies.type];
		const { body } = await world.query(emulator.url, "list_activities", { filterByType });
		expect(body.activities).toHaveLength(1);
		const { organization } = emulator.state(organizationId);
		await emulator.changeState({ organizations: [organization] });
		expect(emulator.state(organizationId)).toEqual({ organization, activities: [] });
	});
});
