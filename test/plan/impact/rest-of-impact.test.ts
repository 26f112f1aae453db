/** Whether the impact of a plan is what reviewers saw: of the whole plan, and of the rest of one that has begun. */
import { describe, expect, it } from "vitest";
import {
	accessAfter,
	changesUnknown,
	completing,
	coveredId,
	taggedUsers,
} from "../../../src/plan/impact/access-after.ts";
import { impactModel, type PlanImpact } from "../../../src/plan/impact/impact.ts";
import { ageOfImpact, findOtherImpact } from "../../../src/plan/impact/stale-impact.ts";
import type { Step } from "../../../src/plan/step.ts";
import { accessOf, alice, approvers, bob, carol, policyOf, signers } from "../support-access.ts";
import { id, known, unknown } from "../support-organizations.ts";

const side = (parts: object = {}) => ({ alone: [], together: [], thresholds: [], unknown: null, ...parts });
const threshold = (tagId: string | null) => ({ thresholds: [[{ count: 1, of: [alice], tagId }]] });
const finding = (parts: object = {}): PlanImpact =>
	({
		...{ group: { kind: "X" }, change: "alone", condition: null, unless: [], userIds: [alice], policyIds: [] },
		...{ before: side(), after: side(), because: null, isEscalation: false, ...parts },
	}) as unknown as PlanImpact;
const step = (parts: object = {}, covered = signers): Step =>
	({
		...{ id: "s", operation: "update_user_tag", earlierActivity: null, dependsOn: [] },
		...{ parameters: { userTagId: covered, addUserIds: [], removeUserIds: [] } },
		...{ covers: [{ address: "userTag:x", id: covered }], ...parts },
	}) as unknown as Step;
const planOf = (impact: readonly PlanImpact[] | undefined, parts: object = {}) =>
	({
		...(impact === undefined ? {} : { impact }),
		impactVerdict: "more-permissive",
		impactModel,
		steps: [step()],
		...parts,
	}) as never;
const names = { userNames: {} };

describe("The impact of a plan", () => {
	const differs = (saved: unknown, fresh: unknown) => findOtherImpact(saved as never, fresh as never, names) !== null;

	it("is the same where its findings mean the same, in whatever words the reasons are", () => {
		const one = finding({ at: "2026", example: {}, before: side({ unknown: { kind: "stated", text: "a" } }) });
		const other = finding({ at: "2027", before: side({ unknown: { kind: "stated", text: "a" } }) });
		expect(differs(planOf([one]), planOf([other]))).toBe(false);
		expect(differs(planOf([]), planOf([]))).toBe(false);
		expect(differs(planOf(undefined), planOf(undefined))).toBe(false);
	});

	it.each<[string, unknown, unknown]>([
		["its verdict differs", planOf([]), planOf([], { impactVerdict: "none" })],
		["one has none", planOf(undefined), planOf([])],
		["the other has none", planOf([]), planOf(undefined)],
		["there is one more", planOf([]), planOf([finding()])],
		["there is one less", planOf([finding()]), planOf([])],
		[
			"they have another order",
			planOf([finding(), finding({ userIds: [bob] })]),
			planOf([finding({ userIds: [bob] }), finding()]),
		],
		["it is about another user", planOf([finding()]), planOf([finding({ userIds: [bob] })])],
		["what they could do differs", planOf([finding()]), planOf([finding({ before: side({ alone: [bob] }) })])],
		["what they can do differs", planOf([finding()]), planOf([finding({ after: side({ alone: [bob] }) })])],
		["its reason differs", planOf([finding()]), planOf([finding({ because: { kind: "not-comparable" } })])],
		[
			"why it was unknown differs",
			planOf([finding()]),
			planOf([finding({ before: side({ unknown: { kind: "not-comparable" } }) })]),
		],
		[
			"why it is unknown differs",
			planOf([finding()]),
			planOf([finding({ after: side({ unknown: { kind: "not-comparable" } }) })]),
		],
	])("is another one where %s", (_what, saved, fresh) => {
		expect(differs(saved, fresh)).toBe(true);
	});

	it("names what only one of both states, and dangers at another time only where nothing else differs", () => {
		const [a, b, later] = [finding(), finding({ userIds: [bob] }), finding({ userIds: [carol] })];
		expect(findOtherImpact(planOf([a]), planOf([b]), names)).toMatchObject({ stated: [a], found: [b], later: [] });
		const withLater = planOf([a], { impactAtOtherTimes: [later] });
		expect(findOtherImpact(planOf([a]), withLater, names)).toMatchObject({
			stated: [],
			found: [],
			later: [later],
			names,
		});
		expect(findOtherImpact(withLater, planOf([a]), names)).toBeNull();
		expect(findOtherImpact(planOf([b]), withLater, names)).toMatchObject({ later: [] });
	});

	it("is not compared where nothing is submitted, or where another model found it", () => {
		const held = { steps: [step({ earlierActivity: { relation: "same" } })] };
		expect(differs(planOf([]), planOf([finding()], held))).toBe(false);
		expect(differs(planOf([], { impactModel: undefined }), planOf([finding()]))).toBe(false);
		const ages = [1, impactModel - 1, impactModel, impactModel + 1].map((model) =>
			ageOfImpact(planOf([], { impactModel: model })),
		);
		expect(ages).toEqual(["older", "older", "same", "newer"]);
		expect(ageOfImpact(planOf([], { impactModel: undefined }))).toBe("older");
		expect(ageOfImpact(planOf(undefined, { impactModel: 1 }))).toBe("same");
	});
});

describe("The rest of an impact", () => {
	const isRest = (rest: readonly PlanImpact[], whole: readonly PlanImpact[], steps: readonly Step[] = [step()]) =>
		findOtherImpact(planOf(whole, { steps }), planOf(rest, { impactVerdict: "other" }), { ...names, isBegun: true }) ===
		null;
	const about = (parts: object) => finding({ userIds: [alice, bob], ...parts });

	it("has findings of the whole one, about some of their users, from whatever they could do before", () => {
		expect(isRest([finding({ before: side({ alone: [bob] }) })], [about({})])).toBe(true);
		expect(isRest([], [about({})])).toBe(true);
		expect(isRest([finding()], [])).toBe(false);
		expect(isRest([finding({ userIds: [alice, carol] })], [about({})])).toBe(false);
		const others = [
			{ change: "gains" },
			{ condition: "x" },
			{ unless: ["x"] },
			{ group: { kind: "Y" } },
			{ after: side({ alone: [bob] }) },
		];
		for (const parts of others) expect(isRest([finding(parts)], [about({})])).toBe(false);
		expect(isRest([finding({ because: { kind: "not-comparable" } })], [about({})])).toBe(false);
		expect(
			isRest(
				[finding({ after: side({ unknown: { kind: "a" } }) })],
				[about({ after: side({ unknown: { kind: "b" } }) })],
			),
		).toBe(true);
		expect(isRest([finding(), finding({ change: "gains" })], [about({})])).toBe(false);
	});

	it("has every finding that what is left still changes: of its policies, its tags or its users", () => {
		const tagged = [about({ before: side(threshold(signers)) }), about({ after: side(threshold(signers)) })];
		for (const whole of [...tagged, about({ policyIds: ["p", signers] })]) {
			expect(isRest([], [whole])).toBe(false);
			expect(isRest([], [whole], [step({}, approvers)])).toBe(true);
		}
		expect(isRest([], [about({ before: side(threshold(null)) })])).toBe(true);
		const moves = step({ parameters: { userTagId: approvers, addUserIds: [bob], removeUserIds: [] } }, approvers);
		expect(isRest([], [about({})], [moves])).toBe(false);
		expect(isRest([], [finding()], [moves])).toBe(true);
		const two = [tagged[0] as PlanImpact, about({ change: "gains", policyIds: [signers] })];
		expect(isRest([finding({ after: side() })], two)).toBe(false);
	});
});

describe("Steps change access", () => {
	const policies = [policyOf(1), policyOf(2)];
	const access = accessOf({ signers: ["alice"] }, policies);
	const usersOf = (state: typeof access) =>
		(state.users.known ? state.users.value : []).map(({ tagIds }) => (tagIds.known ? tagIds.value.length : null));
	const request = (operation: string, parameters: object, covers?: readonly object[]) =>
		({ operation, parameters, ...(covers === undefined ? {} : { covers }) }) as never;
	const credentials = known([
		{ id: "c1", type: null, credentialId: null, publicKey: null },
		{ id: null, type: null, credentialId: null, publicKey: null },
	]);
	const users = access.users.known ? access.users.value.map((user) => ({ ...user, credentials })) : [];
	const withCredentials = { ...access, users: known(users) };

	it("of the tags of users, and return the same access where they change nothing", () => {
		expect(
			usersOf(
				accessAfter(access, [
					request("update_user_tag", { userTagId: approvers, addUserIds: [alice, bob], removeUserIds: [] }),
				]),
			),
		).toEqual([2, 1, 0, 0]);
		expect(
			usersOf(
				accessAfter(access, [
					request("update_user_tag", { userTagId: signers, addUserIds: [], removeUserIds: [alice] }),
				]),
			),
		).toEqual([0, 0, 0, 0]);
		expect(usersOf(accessAfter(access, [request("delete_user_tags", { userTagIds: [signers, approvers] })]))).toEqual([
			0, 0, 0, 0,
		]);
		const created = { userTagName: "new", userIds: [bob] };
		const after = accessAfter(access, [
			request("create_user_tag", created, [
				{ address: "userTag:other", id: "x" },
				{ address: "userTag:new", id: "made" },
			]),
		]);
		expect(after.users.known && after.users.value[1]?.tagIds).toEqual(known(["made"]));
		const idle = [
			request("update_user_tag", { userTagId: signers, addUserIds: [], removeUserIds: [] }),
			request("create_user_tag", { userTagName: "new", userIds: [] }),
			request("delete_policies", { policyIds: [id("policy", 9)] }),
			request("delete_oauth_providers", { userId: alice, providerIds: ["c1"] }),
			request("delete_tvc_app_and_deployments", { appId: "x" }),
		];
		for (const one of idle) expect(accessAfter(access, [one])).toBe(access);
		const stranger = accessAfter(access, [
			request("update_user_tag", { userTagId: signers, addUserIds: ["who"], removeUserIds: [] }),
		]);
		expect(stranger.users).toEqual({ known: false, because: { kind: "user-not-listed", userId: "who" } });
	});

	it("of the credentials of one user alone", () => {
		const after = accessAfter(withCredentials, [
			request("delete_oauth_providers", { userId: bob, providerIds: ["c1"] }),
		]);
		const counts = (after.users.known ? after.users.value : []).map(
			(user) => user.credentials.known && user.credentials.value.length,
		);
		expect(counts).toEqual([2, 1, 2, 2]);
		expect(
			accessAfter(withCredentials, [request("delete_oauth_providers", { userId: bob, providerIds: ["c2"] })]),
		).toBe(withCredentials);
		expect(
			accessAfter(withCredentials, [request("delete_oauth_providers", { userId: "who", providerIds: ["c1"] })]),
		).toBe(withCredentials);
		const hidden = { ...withCredentials, users: known(users.map((user) => ({ ...user, credentials: unknown }))) };
		expect(accessAfter(hidden, [request("delete_oauth_providers", { userId: bob, providerIds: ["c1"] })])).toBe(hidden);
	});

	it("of policies, sorted by id, each by its own", () => {
		const listed = (state: typeof access) =>
			(state.policies.known ? state.policies.value : []).map(
				(one) => `${one.id.slice(0, 8)} ${one.name} ${one.condition}`,
			);
		expect(listed(accessAfter(access, [request("delete_policies", { policyIds: [policies[0]?.id] })]))).toEqual([
			"30000002 policy 2 ",
		]);
		const made = { policyName: "new", effect: "EFFECT_ALLOW", condition: "c", consensus: "", notes: "" };
		expect(
			listed(
				accessAfter(access, [
					request("create_policies", { policies: [made] }, [{ address: "policy:new", id: "00000000" }]),
				]),
			),
		).toEqual([...["00000000 new c", "30000001 policy 1 ", "30000002 policy 2 "]]);
		expect(
			listed(accessAfter(access, [request("update_policy", { policyId: policies[1]?.id, policyCondition: "d" })])),
		).toEqual([...["30000001 policy 1 ", "30000002 policy 2 d"]]);
		const [policy] = listed(accessAfter(accessOf({}, []), [request("create_policies", { policies: [made] })]));
		expect(policy).toBe("new new c");
		expect(coveredId({ covers: [{ address: "policy:x", id: "1" }] } as never, "y")).toBe("y");
	});

	it("that is unknown where what they change was not read", () => {
		const hides = (of: object, ...parts: Parameters<typeof request>) =>
			changesUnknown({ ...access, ...of }, request(...parts));
		const noPolicies = { policies: unknown };
		for (const operation of ["delete_policies", "create_policies", "update_policy"]) {
			expect([hides(noPolicies, operation, {}), hides({}, operation, {})]).toEqual([true, false]);
		}
		const some = { users: known(users.map((user) => (user.id === bob ? { ...user, tagIds: unknown } : user))) };
		const update = (addUserIds: readonly string[], removeUserIds: readonly string[] = []) => ({
			userTagId: signers,
			addUserIds,
			removeUserIds,
		});
		expect(hides(some, "delete_user_tags", { userTagIds: [signers] })).toBe(true);
		expect(hides({}, "delete_user_tags", { userTagIds: [signers] })).toBe(false);
		expect(hides({ users: unknown }, "delete_user_tags", { userTagIds: [signers] })).toBe(true);
		expect([hides(some, "update_user_tag", update([bob])), hides(some, "update_user_tag", update([], [bob]))]).toEqual([
			true,
			true,
		]);
		expect([hides(some, "update_user_tag", update([alice])), hides(some, "update_user_tag", update([]))]).toEqual([
			false,
			false,
		]);
		expect(hides({ users: unknown }, "update_user_tag", update([alice]))).toBe(true);
		expect(hides({ users: unknown }, "update_user_tag", update([]))).toBe(false);
		expect(hides(some, "create_user_tag", { userTagName: "n", userIds: [bob] })).toBe(true);
		expect(hides({ users: unknown }, "delete_oauth_providers", { userId: bob, providerIds: [] })).toBe(false);
		expect(taggedUsers(request("delete_policies", { policyIds: [] }))).toEqual([]);
		const rejected = step({ earlierActivity: { relation: "rejected" } });
		expect(completing([step(), rejected])).toEqual([step()]);
	});
});
