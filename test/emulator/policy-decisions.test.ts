/** Activities are decided by the policies and the root quorum of the seed, at each submit and each vote. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { servedSubmits } from "../../src/emulator/served-submits.ts";
import {
	type Emulator,
	type Rules,
	type Seed,
	type SeedOrganization,
	startEmulator,
} from "../../src/emulator/server.ts";
import { makeKey, type TestKey } from "../keys.ts";
import * as world from "./world.ts";

const { organizationId, id } = world;
const names = ["alice", "bob", "carol", "dave"] as const;
type Name = (typeof names)[number];
const people = Object.fromEntries(names.map((name, index) => [name, id(11 + index)])) as Record<Name, string>;
const keys = Object.fromEntries(names.map((name) => [name, makeKey()])) as Record<Name, TestKey>;
const { alice, bob, carol, dave } = people;
const tag = id(21);
const provider = id(41);
const nowMs = Date.UTC(2026, 0, 5, 12);
const hour = 60 * 60 * 1000;

interface PolicyText {
	readonly effect?: "EFFECT_ALLOW" | "EFFECT_DENY";
	readonly consensus?: string;
	readonly condition?: string;
	readonly time?: string;
}

const policyIds = Array.from({ length: 11 }, (_, index) => id(31 + index));
const one = (...who: readonly Name[]) => `approvers.any(user, user.id in [${who.map((name) => `'${people[name]}'`)}])`;
const twoOfTag = `approvers.filter(user, user.tags.contains('${tag}')).count() >= 2`;
const deny = (text: PolicyText): PolicyText => ({ effect: "EFFECT_DENY", ...text });

function makeSeed(policies: readonly PolicyText[], more: Partial<SeedOrganization> = {}): Seed {
	return {
		organizations: [
			{
				organizationId,
				users: names.map((userName) => ({
					userId: people[userName],
					userName,
					apiKeys: [{ publicKey: keys[userName].publicKey }],
					oauthProviders: userName === "carol" ? [{ providerId: provider, providerName: "mine" }] : [],
					...(userName === "alice"
						? { authenticators: [{ credentialId: world.credentialId, publicKey: world.keys.passkey.publicKey }] }
						: {}),
				})),
				userTags: [{ tagId: tag, tagName: "approvers", userIds: [alice, bob, carol] }],
				policies: policies.map((policy, index) => ({
					policyId: policyIds[index] ?? "",
					policyName: `policy ${index}`,
					...policy,
				})),
				...more,
			},
		],
	};
}

let emulator: Emulator;
beforeEach(async () => {
	emulator = await startEmulator({ now: () => nowMs });
});
afterEach(() => emulator.close());

const seed = (policies: readonly PolicyText[], more?: Partial<SeedOrganization>) =>
	emulator.changeState(makeSeed(policies, more));

async function send(name: string, parameters: object, by: Name, envelope: object = {}) {
	const raw = world.submitBody(name, parameters, nowMs, envelope);
	const timed = raw.replace(/"timestampMs":"\d+"/, `"timestampMs":"${emulator.setClock({ advanceMs: 0 })}"`);
	return world.submitRaw(emulator.url, name, timed, keys[by]);
}

const rename = (by: Name) => send("update_user_tag", { userTagId: tag, addUserIds: [], removeUserIds: [] }, by);

/** What becomes of a submit: the end of its status, or the HTTP status. */
async function outcome(by: Name): Promise<string | number> {
	const { status, body } = await rename(by);
	return status === 200 ? String(body.activity.status).replace("ACTIVITY_STATUS_", "") : status;
}

const outcomes = async (): Promise<object> =>
	Object.fromEntries(await Promise.all(names.map(async (name) => [name, await outcome(name)])));

/** Submits as the first, approves as the others, and returns the status after each. */
async function vote(by: Name, ...others: readonly Name[]): Promise<readonly string[]> {
	const { activity } = (await rename(by)).body;
	const statuses = [activity.status];
	for (const other of others) {
		const { status } = await send("approve_activity", { fingerprint: activity.fingerprint }, other);
		expect(status).toBe(200);
		statuses.push(await statusOf(activity.id));
	}
	return statuses.map((status) => String(status).replace("ACTIVITY_STATUS_", ""));
}

async function statusOf(activityId: string): Promise<string> {
	return (await query("get_activity", { activityId })).activity.status;
}

async function query(name: string, body: object) {
	const answer = await world.query(emulator.url, name, body, keys.dave);
	expect(answer.status).toBe(200);
	return answer.body;
}

async function evaluations(activityId: string): Promise<readonly (readonly string[])[]> {
	const { policyEvaluations } = await query("get_policy_evaluations", { activityId });
	return policyEvaluations.map(({ policyEvaluations: said }: { policyEvaluations: { outcome: string }[] }) =>
		said.map(({ outcome }) => outcome.replace("OUTCOME_", "")),
	);
}

describe("a submit", () => {
	it("is decided by rules alone where the organization has neither policies nor a root quorum", async () => {
		await seed([]);
		expect(await outcome("dave")).toBe("COMPLETED");
	});

	it("is denied where a root quorum exists and no policy allows it", async () => {
		await seed([], { rootQuorum: { threshold: 1, userIds: [alice] } });
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: 403, carol: 403, dave: 403 });
	});

	it("completes for everyone by a policy without consensus, condition and time", async () => {
		await seed([{}]);
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: "COMPLETED", carol: "COMPLETED", dave: "COMPLETED" });
	});

	it("completes for the users whom a policy allows alone, and is denied to others", async () => {
		await seed([{ consensus: one("alice", "bob") }]);
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: "COMPLETED", carol: 403, dave: 403 });
	});

	it("is denied by a policy that denies, whatever allows it, and not to the root quorum", async () => {
		await seed([{}, deny({ consensus: one("alice", "bob") })], { rootQuorum: { threshold: 1, userIds: [alice] } });
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: 403, carol: "COMPLETED", dave: "COMPLETED" });
	});

	it("is pending approval where the submitter is a part of a smallest consensus, and denied to others", async () => {
		await seed([{ consensus: twoOfTag }]);
		const pending = "CONSENSUS_NEEDED";
		expect(await outcomes()).toEqual({ alice: pending, bob: pending, carol: pending, dave: 403 });
	});

	it("is denied to a user who only adds to a consensus that needs no one else", async () => {
		await seed([{ consensus: one("alice") }, { consensus: `${one("alice")} && ${one("bob")}` }]);
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: 403, carol: 403, dave: 403 });
	});

	it("is pending for a member of the root quorum who is not enough of it", async () => {
		await seed([], { rootQuorum: { threshold: 2, userIds: [alice, bob] } });
		expect(await vote("alice", "bob")).toEqual(["CONSENSUS_NEEDED", "COMPLETED"]);
		expect(await outcome("carol")).toBe(403);
	});

	it("is not decided by a policy of other activities", async () => {
		await seed([{ condition: "activity.resource == 'POLICY'" }, deny({ condition: "activity.action == 'DELETE'" })]);
		expect(await outcome("alice")).toBe(403);
		const removal = await send("delete_policies", { policyIds: [policyIds[0]] }, "alice");
		expect(removal.status).toBe(403);
	});

	it("that is denied names each policy with its outcome, and makes no activity", async () => {
		await seed([
			{ consensus: one("alice") },
			deny({ consensus: one("bob") }),
			{ condition: "activity.kind == 'SIGN_TRANSACTION'" },
			{ condition: "wallet.id == 'x'" },
			{ consensus: "approvers.count >= 1" },
			{ time: "time.now < Timestamp('2026-01-01T00:00:00Z')" },
			{ consensus: `${one("bob")} && ${one("alice")}` },
		]);
		const { status, body } = await rename("bob");
		expect([status, body.code]).toEqual([403, 7]);
		const outcomes = ["DENY_IMPLICIT", "DENY_EXPLICIT", "DENY_IMPLICIT", "ERROR", "ERROR", "TIME_INACTIVE"];
		expect(body.details).toMatchObject([
			{
				"@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
				policyEvaluations: [...outcomes, "REQUIRES_CONSENSUS"].map((name, index) => ({
					policyId: policyIds[index],
					outcome: `OUTCOME_${name}`,
				})),
			},
		]);
		expect(emulator.state(organizationId).activities).toEqual([]);
	});

	it("is decided before its parameters are looked at", async () => {
		await seed([{ consensus: one("alice") }]);
		expect((await send("delete_tvc_app_and_deployments", { appId: id(99) }, "dave")).status).toBe(403);
		expect((await send("delete_tvc_app_and_deployments", { appId: id(99) }, "alice")).status).toBe(404);
	});

	it("of each type has its kind, resource and action", async () => {
		const targets: Readonly<Record<string, readonly [string, string, string]>> = {
			UPDATE_USER_TAG: ["UPDATE_USER_TAG", "USER", "UPDATE"],
			DELETE_OAUTH_PROVIDERS: ["DELETE_OAUTH_PROVIDERS", "CREDENTIAL", "DELETE"],
			DELETE_TVC_APP_AND_DEPLOYMENTS: ["DELETE_TVC_APP_AND_DEPLOYMENTS", "TVC_APP", "DELETE"],
			INIT_IMPORT_PRIVATE_KEY: ["INIT_IMPORT_PRIVATE_KEY", "PRIVATE_KEY", "IMPORT"],
			CREATE_POLICIES: ["CREATE_POLICIES", "POLICY", "CREATE"],
			CREATE_POLICY_V3: ["CREATE_POLICY", "POLICY", "CREATE"],
			UPDATE_POLICY_V2: ["UPDATE_POLICY", "POLICY", "UPDATE"],
			CREATE_USER_TAG: ["CREATE_USER_TAG", "USER", "CREATE"],
			DELETE_USER_TAGS: ["DELETE_USER_TAGS", "USER", "DELETE"],
			CREATE_OAUTH_PROVIDERS_V2: ["CREATE_OAUTH_PROVIDERS", "CREDENTIAL", "CREATE"],
			DELETE_POLICIES: ["DELETE_POLICIES", "POLICY", "DELETE"],
		};
		const types = Object.values(servedSubmits).map(({ type }) => type.replace("ACTIVITY_TYPE_", ""));
		expect(types.sort()).toEqual(Object.keys(targets).sort());
		const conditions = Object.entries(targets).map(
			([type, [kind, resource, action]]) =>
				`activity.type == 'ACTIVITY_TYPE_${type}' && activity.kind == '${kind}' && ` +
				`activity.resource == '${resource}' && activity.action == '${action}'`,
		);
		await seed(conditions.map((condition) => ({ condition })));
		const sent = {
			update_user_tag: { userTagId: tag, addUserIds: [], removeUserIds: [] },
			delete_oauth_providers: { userId: carol, providerIds: [provider] },
			delete_tvc_app_and_deployments: { appId: id(99) },
			init_import_private_key: { userId: dave },
			create_policies: { policies: [] },
			create_policy: { policyName: "another", effect: "EFFECT_DENY", condition: "false", notes: "" },
			update_policy: { policyId: policyIds[0] },
			create_user_tag: { userTagName: "another", userIds: [] },
			delete_user_tags: { userTagIds: [] },
			create_oauth_providers: { userId: carol, oauthProviders: [] },
			delete_policies: { policyIds: [policyIds[0]] },
		};
		const answers: unknown[] = [];
		for (const [name, parameters] of Object.entries(sent)) {
			const { type } = servedSubmits[name as keyof typeof servedSubmits];
			answers.push([name, (await send(name, parameters, "dave", { type })).status]);
		}
		const status = (name: string) => (name === "delete_tvc_app_and_deployments" ? 404 : 200);
		expect(answers).toEqual(Object.keys(sent).map((name) => [name, status(name)]));
	});

	it("is decided by rules as well", async () => {
		await seed([{}], { rules: { deny: [{ type: "ACTIVITY_TYPE_UPDATE_USER_TAG", userId: bob }] } });
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: 403, carol: "COMPLETED", dave: "COMPLETED" });
		const rules: Rules = { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } };
		await emulator.setRules(organizationId, rules);
		expect(await vote("alice", "bob")).toEqual(["CONSENSUS_NEEDED", "COMPLETED"]);
		await seed([{ consensus: twoOfTag }], { rules: { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 3 } } });
		expect(await vote("alice", "bob", "dave")).toEqual(["CONSENSUS_NEEDED", "CONSENSUS_NEEDED", "COMPLETED"]);
	});
});

describe("a query", () => {
	it("is free for every user, whatever policies deny", async () => {
		await seed([deny({})], { rootQuorum: { threshold: 1, userIds: [alice] } });
		expect((await query("list_policies", {})).policies).toHaveLength(1);
	});
});

describe("a policy that errs", () => {
	it.each([
		["lacks a field", "wallet.id == 'x' || true"],
		["is not understood", "activity.action = 'UPDATE'"],
	])("because it %s neither allows nor denies", async (_what, condition) => {
		await seed([{ condition }]);
		expect(await outcome("alice")).toBe(403);
		await seed([{}, deny({ condition })]);
		expect(await outcome("alice")).toBe("COMPLETED");
	});
});

describe("a policy with a time", () => {
	it("takes part at the emulator's clock alone, and an expired denial no longer denies", async () => {
		const until = "time.now < Timestamp('2026-01-05T13:00:00Z')";
		await seed([
			{ consensus: one("alice") },
			{ consensus: one("bob"), time: until },
			deny({ consensus: one("alice"), time: until }),
		]);
		expect(await outcomes()).toEqual({ alice: 403, bob: "COMPLETED", carol: 403, dave: 403 });
		emulator.setClock({ advanceMs: hour });
		expect(await outcomes()).toEqual({ alice: "COMPLETED", bob: 403, carol: 403, dave: 403 });
	});

	it("is looked at again at each vote", async () => {
		await seed([{ consensus: twoOfTag, time: "CronSpan('0 9 * * 1-5', '4h', 'UTC')" }]);
		const { activity } = (await rename("alice")).body;
		emulator.setClock({ advanceMs: hour });
		await send("approve_activity", { fingerprint: activity.fingerprint }, "bob");
		expect(await statusOf(activity.id)).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
		expect(await evaluations(activity.id)).toEqual([["REQUIRES_CONSENSUS"], ["TIME_INACTIVE"]]);
	});
});

describe("a vote", () => {
	it("completes an activity when the approvals at hand are allowed", async () => {
		await seed([{ consensus: `approvers.filter(user, user.tags.contains('${tag}')).count() >= 3` }]);
		expect(await vote("bob", "alice", "carol")).toEqual(["CONSENSUS_NEEDED", "CONSENSUS_NEEDED", "COMPLETED"]);
	});

	it("of a user who is no part of the consensus is counted and changes nothing", async () => {
		await seed([{ consensus: twoOfTag }]);
		expect(await vote("alice", "dave", "bob")).toEqual(["CONSENSUS_NEEDED", "CONSENSUS_NEEDED", "COMPLETED"]);
	});

	it("of a user without any permission completes what it is needed for, whatever policies say of votes", async () => {
		await seed([
			{ consensus: `${one("alice")} && ${one("dave")}` },
			deny({ condition: "activity.resource == 'ACTIVITY'" }),
		]);
		expect(await vote("alice", "dave")).toEqual(["CONSENSUS_NEEDED", "COMPLETED"]);
	});

	it("that brings a denial keeps the activity pending, until further approvals are allowed", async () => {
		const withoutDave = `${one("carol")} && !${one("dave")}`;
		await seed([{ consensus: twoOfTag }, deny({ consensus: withoutDave })]);
		expect(await vote("carol", "alice", "dave")).toEqual(["CONSENSUS_NEEDED", "CONSENSUS_NEEDED", "COMPLETED"]);
	});

	it("no longer counts after 24 hours", async () => {
		await seed([{ consensus: twoOfTag }]);
		const { activity } = (await rename("alice")).body;
		emulator.setClock({ advanceMs: 24 * hour });
		await send("approve_activity", { fingerprint: activity.fingerprint }, "bob");
		expect(await statusOf(activity.id)).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
		await send("approve_activity", { fingerprint: activity.fingerprint }, "carol");
		expect(await statusOf(activity.id)).toBe("ACTIVITY_STATUS_COMPLETED");
	});

	it("counts with the tags that its user has at the last vote", async () => {
		await seed([{ consensus: twoOfTag }]);
		const { activity } = (await rename("alice")).body;
		await emulator.changeState({ organizationId, userTags: [{ tagId: tag, userIds: [bob, carol] }] });
		await send("approve_activity", { fingerprint: activity.fingerprint }, "bob");
		expect(await statusOf(activity.id)).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
	});

	it("has the outcome of each policy as it was at that vote", async () => {
		await seed([
			{ consensus: twoOfTag },
			{ consensus: one("dave") },
			deny({ consensus: one("dave"), condition: "activity.resource == 'WALLET'" }),
		]);
		const { activity } = (await rename("alice")).body;
		await send("approve_activity", { fingerprint: activity.fingerprint }, "bob");
		await emulator.changeState({ organizationId, remove: { policies: policyIds.slice(0, 2) } });
		expect(await evaluations(activity.id)).toEqual([
			["REQUIRES_CONSENSUS", "DENY_IMPLICIT", "DENY_IMPLICIT"],
			["ALLOW", "DENY_IMPLICIT", "DENY_IMPLICIT"],
		]);
	});

	it("of the root quorum decides without any policy", async () => {
		await seed([{ consensus: one("dave") }], { rootQuorum: { threshold: 2, userIds: [alice, bob] } });
		const { activity } = (await rename("alice")).body;
		await send("approve_activity", { fingerprint: activity.fingerprint }, "bob");
		expect(await evaluations(activity.id)).toEqual([["DENY_IMPLICIT"], []]);
	});

	it("that rejects says so of the policies that lacked approvals", async () => {
		await seed([{ consensus: twoOfTag }, { consensus: one("dave") }]);
		const { activity } = (await rename("alice")).body;
		await send("reject_activity", { fingerprint: activity.fingerprint }, "dave");
		expect(await statusOf(activity.id)).toBe("ACTIVITY_STATUS_REJECTED");
		expect(await evaluations(activity.id)).toEqual([["REQUIRES_CONSENSUS", "DENY_IMPLICIT"], ["REJECTED"]]);
	});
});

describe("a user's own credentials", () => {
	const remove = (by: Name) =>
		send("delete_oauth_providers", { userId: carol.toUpperCase(), providerIds: [provider] }, by);
	const ofCredentials = { consensus: one("alice"), condition: "activity.resource == 'CREDENTIAL'" };

	it("are the user's to change while no policy covers credential activities", async () => {
		await seed([{ consensus: one("alice"), condition: "activity.resource == 'USER'" }]);
		expect([(await remove("bob")).status, (await remove("carol")).status]).toEqual([403, 200]);
	});

	it.each<[string, PolicyText]>([
		["allows others", ofCredentials],
		["denies others", { ...ofCredentials, effect: "EFFECT_DENY" }],
		["is about another change of them", { consensus: one("alice"), condition: "activity.kind == 'CREATE_API_KEYS'" }],
	])("are no longer the user's where a policy %s", async (_what, policy) => {
		await seed([policy]);
		expect((await remove("carol")).status).toBe(403);
	});

	it("stay the user's where that policy is out of its time", async () => {
		await seed([{ ...ofCredentials, time: "time.now > Timestamp('2030-01-01T00:00:00Z')" }]);
		expect((await remove("carol")).status).toBe(200);
	});
});

describe("credentials in a consensus", () => {
	const passkeys = "credentials.any(credential, credential.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')";

	it("are the one that stamped the request", async () => {
		await seed([{ consensus: passkeys }]);
		expect(await outcome("alice")).toBe(403);
		const raw = world.submitBody("update_user_tag", { userTagId: tag, addUserIds: [], removeUserIds: [] }, nowMs);
		const stamp = world.passkeyStamp(raw);
		expect((await world.postRaw(emulator.url, "/public/v1/submit/update_user_tag", raw, stamp)).status).toBe(200);
	});

	it("are any one of those that other approvers have", async () => {
		await seed([{ consensus: `${passkeys} && ${one("bob")}` }]);
		expect(await outcomes()).toEqual({ alice: 403, bob: "CONSENSUS_NEEDED", carol: 403, dave: 403 });
	});
});
