/** Powers, impact and approvals in the examples that people copy, and in the changes that lock out or escalate. */

import { describe, expect, it } from "vitest";
import type { AccessPolicy, AccessState, AccessUser, Known, RootQuorum } from "../../../src/policy/access.ts";
import { printGroup } from "../../../src/policy/powers/groups.ts";
import { fewestApprovers, type GroupPower } from "../../../src/policy/powers/powers.ts";
import { compareAccess, findPowers, forecastApproval } from "../in-words.ts";
import { abilityByPolicies } from "../support-access.ts";

const known = <T>(value: T): Known<T> => ({ known: true, value });
const atMs = Date.parse("2026-06-01T12:00:00Z");
const apiKey = "CREDENTIAL_TYPE_API_KEY_P256";

function user(id: string, tags: readonly string[] = [], types: readonly string[] = [apiKey]): AccessUser {
	const credentials = types.map((type, index) => ({ id: null, type, credentialId: null, publicKey: `${id}-${index}` }));
	return { id, tagIds: known(tags), email: known(null), credentials: known(credentials) };
}

let count = 0;
function policy(effect: "ALLOW" | "DENY", consensus: string, condition: string, time = ""): AccessPolicy {
	count += 1;
	return { id: `policy-${count}`, name: "", effect: `EFFECT_${effect}`, consensus, condition, time };
}

const quorum: RootQuorum = { threshold: 2, userIds: ["olga", "otto"] };

function accessOf(
	users: readonly AccessUser[],
	policies: readonly AccessPolicy[],
	root: RootQuorum = quorum,
): AccessState {
	return { users: known([...users, user("olga"), user("otto")]), policies: known(policies), rootQuorum: known(root) };
}

const anyOf = (tag: string): string => `approvers.any(user, user.tags.contains('${tag}'))`;
const twoOf = (tag: string): string => `approvers.filter(user, user.tags.contains('${tag}')).count() >= 2`;
const when = (resource: string, action: string): string =>
	`activity.resource == '${resource}' && activity.action == '${action}'`;
const signing = when("PRIVATE_KEY", "SIGN");
const exporting = when("WALLET", "EXPORT");

function powerOf(access: AccessState, printed: string, at = atMs): GroupPower {
	const power = findPowers(access, at).find(({ group }) => printGroup(group) === printed);
	if (power === undefined) throw new Error(`${printed} is not among the groups`);
	return power;
}

const findingsOf = (before: AccessState, after: AccessState): readonly unknown[] =>
	compareAccess(before, after, atMs).findings.map(({ group, change, userIds, condition, isEscalation }) => ({
		group: printGroup(group),
		change,
		userIds,
		...(condition === null ? {} : { condition }),
		...(isEscalation ? { isEscalation } : {}),
	}));

const ofUpdate = { type: "ACTIVITY_TYPE_UPDATE_USER_TAG", ownerId: null };
const forecast = (
	access: AccessState,
	userId: string,
	activity = ofUpdate as { type: string; ownerId: string | null },
) => forecastApproval(access, activity, { userId, publicKey: null }, atMs);

describe("Powers by the documented shapes", () => {
	const people = [user("alice", ["A"]), user("bob", ["A", "B"]), user("carol", ["B"]), user("dave", ["B"])];

	it("of one of A and two of B count a user with both tags for both", () => {
		const consensus = `approvers.any(user, user.tags.contains('A') || user.tags.contains('B')) && (approvers.filter(user, user.tags.contains('A')).count() >= 1 && ${twoOf("B")})`;
		const power = powerOf(accessOf(people, [policy("ALLOW", consensus, signing)]), "PRIVATE_KEY/SIGN");
		expect(power.together).toEqual([
			["bob", "carol"],
			["bob", "dave"],
			["olga", "otto"],
			["alice", "carol", "dave"],
		]);
	});

	it("are unknown where a policy is not understood, and certain where the root quorum decides", () => {
		const power = powerOf(accessOf(people, [policy("ALLOW", "approvers.count == 1", signing)]), "PRIVATE_KEY/SIGN");
		expect(power.unknown).toMatch(/^policy \S+: the consensus is not understood: /);
		expect(power.unknown).toContain(`policy ${power.policyIds[0]}: `);
		expect(power.together).toEqual([["olga", "otto"]]);
	});

	it("are those of the root quorum where policies were not read, and of policies where it was not", () => {
		const access = accessOf(people, [policy("ALLOW", anyOf("A"), signing)]);
		const unread = { known: false, because: { kind: "stated", text: "list_policies is not served" } } as const;
		const withoutPolicies = powerOf({ ...access, policies: unread }, "PRIVATE_KEY/SIGN");
		expect([withoutPolicies.together, withoutPolicies.unknown]).toEqual([[["olga", "otto"]], unread.because.text]);
		const withoutRoot = powerOf({ ...access, rootQuorum: unread }, "PRIVATE_KEY/SIGN");
		expect([withoutRoot.alone, withoutRoot.unknown]).toEqual([["alice", "bob"], unread.because.text]);
	});

	it("are unknown for what is not understood, also where the root quorum was not read", () => {
		const access = accessOf(people, [policy("ALLOW", "approvers.count == 1", signing)]);
		const power = powerOf(
			{ ...access, rootQuorum: { known: false, because: { kind: "stated", text: "not served" } } },
			"PRIVATE_KEY/SIGN",
		);
		expect(power.unknown).toContain("the consensus is not understood");
	});

	it("say a consensus of 10 of 100 users as one threshold", () => {
		const users = Array.from({ length: 100 }, (_, index) => user(`user-${String(index).padStart(3, "0")}`));
		const access = accessOf(users, [policy("ALLOW", "approvers.count() >= 10", signing)]);
		const ability = abilityByPolicies(access, { resource: "PRIVATE_KEY", action: "SIGN" }, atMs);
		expect([ability.isComplete, ability.together.length, fewestApprovers(ability)]).toEqual([false, 1_000, 10]);
		expect(ability.thresholds.map((alternative) => alternative.map(({ atLeast, of }) => [atLeast, of.length]))).toEqual(
			[[[10, 102]]],
		);
	});
});

describe("The impact of a change", () => {
	it("is that a user can export alone when the policy that denied it goes", () => {
		const allow = policy("ALLOW", anyOf("exporters"), exporting);
		const deny = policy("DENY", anyOf("contractors"), exporting);
		const users = [user("alice", ["contractors", "exporters"])];
		expect(findingsOf(accessOf(users, [allow, deny]), accessOf(users, [allow]))).toEqual([
			{ group: "WALLET/EXPORT", change: "alone", userIds: ["alice"], isEscalation: true },
		]);
	});

	it("is an escalation when the submitter joins the approvers of which one is enough", () => {
		const policies = [policy("ALLOW", `${anyOf("makers")} && ${anyOf("approvers")}`, signing)];
		const before = accessOf([user("alice", ["makers"]), user("bob", ["approvers"])], policies);
		const after = accessOf([user("alice", ["approvers", "makers"]), user("bob", ["approvers"])], policies);
		expect(findingsOf(before, after)).toContainEqual({
			group: "PRIVATE_KEY/SIGN",
			change: "alone",
			userIds: ["alice"],
			isEscalation: true,
		});
	});

	it("is nothing for a policy whose window has ended, and nothing when that policy goes", () => {
		const allow = policy("ALLOW", anyOf("signers"), signing);
		const ended = policy("DENY", anyOf("signers"), signing, "time.now < Timestamp('2026-05-01T00:00:00Z')");
		const users = [user("alice", ["signers"])];
		expect(powerOf(accessOf(users, [allow, ended]), "PRIVATE_KEY/SIGN").alone).toEqual(["alice"]);
		const during = powerOf(accessOf(users, [allow, ended]), "PRIVATE_KEY/SIGN", Date.parse("2026-04-01T00:00:00Z"));
		expect([during.alone, during.denied]).toEqual([[], ["alice"]]);
		expect(compareAccess(accessOf(users, [allow, ended]), accessOf(users, [allow]), atMs)).toEqual({
			verdict: "equivalent",
			findings: [],
		});
	});

	it("is unknown when a policy that is not understood goes", () => {
		const slip = policy("ALLOW", "approvers.count == 1", signing);
		const impact = compareAccess(accessOf([], [slip]), accessOf([], []), atMs);
		expect([impact.verdict, impact.findings[0]?.change]).toEqual(["unknown", "unknown"]);
	});

	it("is nothing for equal access that could not be read", () => {
		const access = (): AccessState => ({
			...accessOf([], []),
			policies: { known: false, because: { kind: "stated", text: "list_policies is not served" } },
		});
		expect(compareAccess(access(), access(), atMs)).toEqual({ verdict: "equivalent", findings: [] });
	});
});

describe("An approval", () => {
	const updating = when("USER", "UPDATE");
	const people = [user("alice", ["A"]), user("bob", ["A"]), user("carol", ["A"]), user("dave")];

	it("is pending for each set of further approvers that completes it", () => {
		const allow = policy("ALLOW", twoOf("A"), updating);
		expect(forecast(accessOf(people, [allow]), "alice")).toEqual({
			verdict: "pending",
			approverSets: [["bob"], ["carol"], ["olga", "otto"]],
			thresholds: [
				[{ atLeast: 1, of: ["bob", "carol"], tagId: "A", isRootQuorum: false }],
				[{ atLeast: 2, of: ["olga", "otto"], tagId: null, isRootQuorum: true }],
			],
			policyIds: [allow.id],
			because: null,
		});
		const two = [
			["alice", "bob"],
			["alice", "carol"],
			["bob", "carol"],
		];
		expect(forecast(accessOf(people, [allow]), "otto").approverSets).toEqual([["olga"], ...two]);
	});

	it("is completed by a user whom a policy lets act alone, though the submitter is not needed for that", () => {
		const allow = policy("ALLOW", "approvers.any(user, user.id == 'bob')", updating);
		expect(forecast(accessOf(people, [allow]), "otto")).toMatchObject({
			approverSets: [["bob"], ["olga"]],
			thresholds: [[{ atLeast: 1, of: ["bob"] }], [{ atLeast: 1, of: ["olga"], isRootQuorum: true }]],
			policyIds: [allow.id],
		});
	});

	it("is not completed by a user who acts alone, where a policy denies what the submitter approves", () => {
		const allow = policy("ALLOW", "approvers.any(user, user.id == 'bob')", updating);
		const deny = policy("DENY", "approvers.any(user, user.id == 'otto')", updating);
		expect(forecast(accessOf(people, [allow, deny]), "otto")).toMatchObject({
			...{ verdict: "pending", approverSets: [["olga"]], policyIds: [] },
		});
	});
});

describe("The impact beside what is not known on both sides", () => {
	const people = [user("alice", ["A"]), user("bob", ["A"]), user("carol", ["B"])];
	const open = policy("ALLOW", "approvers[0].id == 'dave'", signing);
	const closed = policy("DENY", "approvers[0].id == 'dave'", signing);
	const [two, one] = [policy("ALLOW", twoOf("A"), signing), policy("ALLOW", anyOf("A"), signing)];
	const changesOf = (before: AccessState, after: AccessState): readonly string[] =>
		compareAccess(before, after, atMs).findings.map(({ change }) => change);

	it("is not unknown where a policy that allows is not understood, and did not change", () => {
		expect(changesOf(accessOf(people, [open, two]), accessOf(people, [open, one]))).toEqual(["alone"]);
	});

	it("is unknown where a policy that denies is not understood", () => {
		expect(changesOf(accessOf(people, [closed, two]), accessOf(people, [closed, one]))).toEqual(["alone", "unknown"]);
	});

	it("is unknown where a policy that allows is not understood, and one that denies changes", () => {
		const deny = policy("DENY", anyOf("B"), signing);
		expect(changesOf(accessOf(people, [open, one]), accessOf(people, [open, one, deny]))).toContain("unknown");
	});

	it("is unknown, with the reason, where the root quorum is shown on one side only", () => {
		const before = accessOf(people, [two]);
		const after: AccessState = {
			...before,
			rootQuorum: { known: false, because: { kind: "stated", text: "the root quorum is not shown" } },
		};
		const { findings } = compareAccess(before, after, atMs);
		expect(findings.map(({ because }) => because)).toContain("the root quorum is not shown");
		expect(changesOf(after, { ...after, policies: known([one]) })).toEqual(["alone"]);
	});

	it("is an escalation for a kind of activity that signs, as for all that sign", () => {
		const kind = "activity.kind == 'SIGN_TRANSACTION'";
		const [before, after] = [twoOf("A"), anyOf("A")].map((consensus) =>
			accessOf(people, [policy("ALLOW", consensus, kind)]),
		);
		const { findings } = compareAccess(before as AccessState, after as AccessState, atMs);
		expect(findings.map(({ change, isEscalation }) => [change, isEscalation])).toEqual([["alone", true]]);
	});
});
