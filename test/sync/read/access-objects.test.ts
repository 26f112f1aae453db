/** What answers of the service say about who can do what, member by member: what is not clear is unknown. */

import { describe, expect, it } from "vitest";
import type { LiveRecord } from "../../../src/plan/organization.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { judgeTime } from "../../../src/policy/powers/compile.ts";
import {
	toAccessPolicies,
	toAccessUsers,
	toLivePolicies,
	toRootQuorum,
	toStatedTimes,
} from "../../../src/sync/read/access-objects.ts";
import { readNamedAccess } from "../../../src/sync/read/read-access.ts";
import { saying } from "../../in-words.ts";

const known = (value: unknown) => ({ known: true, value });
const unknown = (because: string) => ({ known: false, because: saying(because) });
const users = (...records: readonly object[]) => toAccessUsers({ users: records });
const user = { userId: "U1", userTags: ["T2", "t1", "T1"], apiKeys: [], authenticators: [] };
const shown = { id: "u1", tagIds: known(["t1", "t2"]), credentials: known([]) };

describe("live policies", () => {
	it("have their notes and the time of their creation, where the answer has it", () => {
		const policy = { policyId: "P1", policyName: "one", effect: "EFFECT_DENY" };
		const at = { seconds: "1795801566", nanos: "640000000" };
		const found = toLivePolicies({
			policies: [
				{ ...policy, notes: "n", createdAt: at },
				{ ...policy, policyId: "p2" },
			],
		});
		expect(found).toMatchObject(
			known([{ id: "p1", notes: "n", createdAt: "2026-11-27T17:46:06.640Z" }, { notes: "" }]),
		);
		expect(found.known && found.value[1]).not.toHaveProperty("createdAt");
	});
});

describe("users", () => {
	it.each([
		["a@b.example", "a@b.example"],
		["", null],
		[null, null],
		[7, null],
	])("have the e-mail address %j as %j", (userEmail, email) => {
		expect(users({ ...user, userEmail })).toEqual(known([{ ...shown, email: known(email) }]));
	});

	it("have no e-mail address if another user has one, and an unknown one if none has", () => {
		const other = { ...user, userId: "u2", userEmail: "b@b.example" };
		expect(users(other, user)).toMatchObject(known([{ id: "u1", email: known(null) }, { id: "u2" }]));
		expect(users(user)).toMatchObject(known([{ email: unknown("list_users does not show e-mail addresses") }]));
	});

	it.each([undefined, null, "t1", ["t1", 7]])("have unknown tags where the answer has %j", (userTags) => {
		expect(users({ ...user, userTags })).toMatchObject(
			known([{ tagIds: unknown("list_users does not show the tags of the user u1") }]),
		);
	});

	it.each([
		{ apiKeys: undefined },
		{ authenticators: undefined },
		{ apiKeys: ["key"] },
		{ authenticators: {} },
	])("have unknown credentials where the answer has %j", (parts) => {
		expect(users({ ...user, ...parts })).toMatchObject(
			known([{ credentials: unknown("list_users does not show the credentials of the user u1") }]),
		);
	});

	it("have their credentials sorted, each with what the answer says of it", () => {
		const apiKeys = [
			{ apiKeyId: "K2", credential: { publicKey: "02AB", type: "P256" }, publicKey: "ff", type: "OTHER" },
			{ apiKeyId: "K1", publicKey: "03CD", type: "P256" },
		];
		const authenticators = [
			{ authenticatorId: "A2", credential: { type: "WEBAUTHN" } },
			{ authenticatorId: "A1", credentialId: "Cred", credential: "odd" },
			{ authenticatorId: 7 },
		];
		const none = { id: null, type: null, credentialId: null, publicKey: null };
		expect(users({ ...user, apiKeys, authenticators })).toMatchObject(
			known([
				{
					credentials: known([
						{ ...none, id: "a1", credentialId: "Cred" },
						{ ...none, id: "a2", type: "WEBAUTHN" },
						{ ...none, id: "k1", type: "P256", publicKey: "03cd" },
						{ ...none, id: "k2", type: "P256", publicKey: "02ab" },
						none,
					]),
				},
			]),
		);
	});

	it.each([
		[undefined],
		[{}],
		[[user, { ...user, userId: "" }]],
		[[user, { ...user, userId: 7 }]],
		[[user, "user"]],
	])("are unknown in the form %j", (list) => {
		expect(toAccessUsers({ users: list })).toEqual(unknown("the answer to list_users has no list of users with ids"));
	});

	it("are unknown where two have the same id, in any case", () => {
		const others = ["u0", "u2"].map((userId) => ({ ...user, userId }));
		expect(users(user, ...others, { ...user, userId: "u1" })).toEqual(unknown("list_users shows u1 more than once"));
		expect(users(user, ...others)).toMatchObject(known([{ id: "u0" }, { id: "u1" }, { id: "u2" }]));
	});
});

describe("policies", () => {
	const policy = {
		policyId: "P1",
		policyName: "one",
		effect: "EFFECT_ALLOW",
		consensus: "true",
		condition: "c",
		time: "t",
	};
	const policies = (...records: readonly object[]) => toAccessPolicies({ policies: records });

	it("have their clauses, empty where the answer has none, sorted by id", () => {
		expect(policies({ policyId: "p2", consensus: null }, policy)).toEqual(
			known([
				{ id: "p1", name: "one", effect: "EFFECT_ALLOW", consensus: "true", condition: "c", time: "t" },
				{ id: "p2", name: "", effect: "", consensus: "", condition: "", time: "" },
			]),
		);
	});

	it.each(["consensus", "condition", "time"])("are unknown where %s is in an unknown form", (clause) => {
		expect(policies(policy, { ...policy, policyId: "P2", [clause]: {} })).toEqual(
			unknown(`list_policies shows ${clause} of the policy p2 in an unknown form`),
		);
	});

	it("are unknown where the answer has no list, or one policy twice", () => {
		for (const answer of [{}, { policies: ["policy"] }])
			expect(toAccessPolicies(answer)).toEqual(unknown("the answer to list_policies has no list of policies with ids"));
		expect(policies(policy, policy)).toEqual(unknown("list_policies shows p1 more than once"));
	});
});

describe("the root quorum", () => {
	const quorumOf = (quorum: unknown) => toRootQuorum({ configs: { quorum } });

	it("is a threshold and users, sorted, each once", () => {
		expect(quorumOf({ threshold: 1, userIds: ["B", "a", "b"] })).toEqual(known({ threshold: 1, userIds: ["a", "b"] }));
	});

	it.each([
		{ threshold: 0, userIds: [] },
		{ threshold: 1.5, userIds: [] },
		{ threshold: "1", userIds: [] },
		{ threshold: Number.NaN, userIds: [] },
		{ threshold: 1, userIds: "a" },
		{ threshold: 1, userIds: [7] },
		{ threshold: 1 },
	])("is unknown in the form %j", (quorum) => {
		expect(quorumOf(quorum)).toEqual(unknown("get_organization_configs shows the root quorum in an unknown form"));
	});

	it("is unknown where the answer has none", () => {
		const none = unknown("the service does not say who is in the root quorum");
		expect([toRootQuorum({}), toRootQuorum({ configs: "odd" }), quorumOf(null)]).toEqual([none, none, none]);
	});
});

describe("the service's word on times of policies", () => {
	const policyId = "00000000-0000-4000-8000-00000000000a";
	const policy = { id: policyId, name: "", effect: "EFFECT_ALLOW", consensus: "", condition: "" };
	const nowMs = Date.parse("2026-06-01T00:00:00Z");
	const [open, closed] = [">", "<"].map((sign) => ({
		...policy,
		time: `time.now ${sign} Timestamp('2026-01-01T00:00:00Z')`,
	})) as [AccessPolicy, AccessPolicy];
	const answer = (active: unknown) => ({
		statuses: [{ policyId: policyId.toUpperCase(), active }],
		evaluatedAtMs: String(nowMs),
	});
	const stated = (of: AccessPolicy, given: object) => toStatedTimes(given as never, [of])[0]?.stated?.isActive;

	it("is kept only where orgsync finds otherwise", () => {
		expect([stated(open, answer(true)), stated(closed, answer(false))]).toEqual([undefined, undefined]);
		expect([stated(open, answer(false)), stated(closed, answer(true))]).toEqual([false, true]);
		expect(stated({ ...policy, time: "" }, answer(false))).toBeUndefined();
	});

	it("says nothing in another form", () => {
		for (const given of [{}, { statuses: 1 }, answer("yes"), { ...answer(false), evaluatedAtMs: "soon" }])
			expect(stated(open, given)).toBeUndefined();
	});

	it("counts around its moment, and at no other", () => {
		const [told] = toStatedTimes(answer(false), [open]) as [AccessPolicy];
		const at = (ms: number) => judgeTime(told, nowMs + ms);
		expect([at(0), at(30_000), at(-30_000), at(61_000), at(-61_000)]).toEqual([
			...["closed", "closed", "closed", "open", "open"],
		]);
		expect(judgeTime({ ...told, time: "" }, nowMs)).toBe("open");
	});
});

describe("who can do what by the same answers", () => {
	it("is one object for all who share them, and another one once an answer is another one", async () => {
		const answers: Record<string, object> = {
			list_users: { users: [{ userId: "a" }] },
			list_policies: { policies: [] },
			get_organization_configs: { configs: { quorum: { threshold: 1, userIds: ["a"] } } },
		};
		const read = async () => (await readNamedAccess(async ({ name }) => (answers[name] ?? {}) as LiveRecord)).access;
		const first = await read();
		expect(await read()).toBe(first);
		for (const name of Object.keys(answers)) {
			const before = await read();
			answers[name] = structuredClone(answers[name] ?? {});
			const after = await read();
			expect([after === before, after]).toEqual([false, before]);
		}
	});
});
