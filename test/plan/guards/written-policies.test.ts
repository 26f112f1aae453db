/** Guards of policies and tags that a document writes. */
import { describe, expect, test } from "vitest";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import { diff } from "../../../src/plan/diff.ts";
import { judgeWrites } from "../../../src/plan/guards/written-policies.ts";
import type {
	DesiredOrganization,
	DesiredPolicy,
	LiveOrganization,
	LivePolicy,
} from "../../../src/plan/organization.ts";
import { makePlan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { policyRow } from "../../../src/render/sections/policy-changes.ts";
import { guardText } from "../../../src/say/guards.ts";
import { planWritten } from "../order/support-policies.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	onlyUser,
	pendingFor,
	policyOf,
} from "../support-access.ts";
import { at, context, desiredOf, id, known, liveOf } from "../support-organizations.ts";

const [signers, others] = [id("tag", 1), id("tag", 2)];

const documentOf = (...objects: DesiredOrganization["objects"]): DesiredOrganization => ({ ...desiredOf(), objects });

const want = (name: string, more: Partial<DesiredPolicy> = {}): DesiredPolicy => ({
	...{ kind: "policy", name, previously: [], effect: "EFFECT_ALLOW", consensus: "true", condition: "true", at },
	...more,
});

const livePolicy = (policyId: string, name: string, consensus = "true"): LivePolicy => ({
	...{ id: policyId, name, effect: "EFFECT_ALLOW", consensus, condition: "true", time: "", notes: "" },
});

function judge(desired: DesiredOrganization, live: LiveOrganization) {
	const { changes, problems } = diff(desired, live);
	expect(problems).toEqual([]);
	return judgeWrites(desired, live, { changes, steps: [], access: undefined }).map(
		({ kind, found, refuses }) => `${kind}=${found}${refuses ? " refuses" : ""}`,
	);
}

const liveWith = (policies: readonly LivePolicy[], more: Partial<LiveOrganization> = {}): LiveOrganization => ({
	...liveOf({
		userTags: known([{ id: signers, name: "signers", type: "TAG_TYPE_USER", updatedAt: "", members: known([]) }]),
	}),
	policies: known(policies),
	...more,
});

describe("a live policy that was never applied from here", () => {
	const live = liveWith([livePolicy(id("policy", 5), "a", "false")]);
	const desired = documentOf(want("a"));

	test("can be replaced in the first apply of an organization", () => {
		expect(judge(desired, live)).toEqual(["takeovers=1"]);
	});

	test("is not replaced where it only gets another name", () => {
		const same = livePolicy(id("policy", 5), "before", "true");
		const renamed = (condition: string) => documentOf(want("a", { previously: ["before"], condition }));
		expect(judge(renamed(same.condition), liveWith([same]))).toEqual([]);
		expect(judge(renamed("false"), liveWith([same]))).toEqual(["takeovers=1"]);
	});

	test("blocks once something was applied from here, unless the limit allows it", () => {
		const applied = { ...live.lastApplied, policies: { [id("policy", 6)]: { appliedAt: "", name: "b" } } };
		expect(judge(desired, { ...live, lastApplied: applied })).toEqual(["takeovers=1 refuses"]);
		const limited = { ...desired, limits: { takeovers: 1 } };
		expect(judge(limited, { ...live, lastApplied: applied })).toEqual(["takeovers=1"]);
	});

	test("does not block while the activity that replaces it is pending, though another one of the first apply completed", () => {
		const applied = { ...live.lastApplied, policies: { [id("policy", 6)]: { appliedAt: "", name: "b" } } };
		const later = { ...live, lastApplied: applied };
		const first = makePlan(desired, live, context);
		const kinds = (waiting: readonly PendingActivity[]) =>
			makePlan(desired, later, { ...context, waiting }).guards.map(({ kind, refuses }) => [kind, refuses]);
		expect(kinds([])).toContainEqual(["takeovers", true]);
		expect(kinds([pendingFor(first, 0)])).not.toContainEqual(["takeovers", true]);
		// Of a change that takes two activities, the second one still replaces the text.
		const [step] = first.steps;
		const steps = [
			{ ...step, earlierActivity: { relation: "same" } },
			{ ...step, id: "step-2", dependsOn: ["step-1"] },
		];
		const judged = (all: readonly object[]) =>
			judgeWrites(desired, later, { changes: first.changes, steps: all as Step[], access: undefined }).length;
		expect([judged(steps), judged(steps.slice(0, 1)), judged([])]).toEqual([1, 0, 1]);
	});
});

test("a complete list removes at most half of what is live, unless a limit says so", () => {
	const policies = [1, 2, 3].map((number) => livePolicy(id("policy", number + 4), `p${number}`));
	const live = {
		...liveWith(policies),
		removables: { ...liveWith([]).removables, policy: known(policies.map((one) => ({ ...one, userId: null }))) },
	};
	const desired = { ...documentOf(want("p1")), exactly: { policies: { except: [] } } };
	expect(judge(desired, live)).toEqual(["policies=2 refuses"]);
	expect(judge({ ...desired, exactly: { policies: { except: ["p2*"] } } }, live)).toEqual([]);
	expect(judge({ ...desired, limits: { policies: 2 } }, live)).toEqual([]);
});

test("a name that means another tag than when it was applied blocks, where the tag of that time is gone", () => {
	const desired = documentOf(
		{ kind: "userTag", name: "signers", previously: [], at },
		want("a", { consensus: "approvers.any(u, u.tags.contains('${userTags.signers}'))" }),
	);
	const tag = { appliedAt: "", name: "signers", present: [], gone: [], updatedAt: "" };
	const live = liveWith([]);
	const rebound = { ...live, lastApplied: { ...live.lastApplied, userTags: { [others]: tag } } };
	expect(judge(desired, rebound)).toEqual(["rebound=1 refuses"]);
	const { changes } = diff(desired, rebound);
	const [guard = expect.unreachable()] = judgeWrites(desired, rebound, { changes, steps: [], access: undefined });
	expect(guardText(guard)).toBe(
		`\`signers\` is another user tag now, ${signers} in place of ${others}: policies that name it would be about its 0 members`,
	);
	expect(judge(desired, { ...live, lastApplied: { ...live.lastApplied, userTags: { [signers]: tag } } })).toEqual([]);
});

describe("a removed tag", () => {
	const absent = { kind: "userTag", absent: true, name: "signers", at } as const;
	const danglingIn = (parts: Partial<AccessPolicy>) => {
		const live = liveWith([]);
		const { changes } = diff(documentOf(absent), live);
		const policies = known([policyOf(1, parts)]);
		const access = { ...accessOf({}, []), policies };
		const guards = judgeWrites(documentOf(absent), live, { changes, steps: [], access });
		return guards.flatMap(({ kind, found }) => (kind === "danglingTags" ? [found] : []));
	};

	test.each(["consensus", "condition", "time"] as const)("blocks while the %s of a policy names it", (clause) => {
		expect(danglingIn({ [clause]: anyOf(signers) })).toEqual([1]);
		expect(danglingIn({ [clause]: anyOf(others) })).toEqual([]);
	});
});

describe("a policy", () => {
	const time = "CronSpan('0 1 * * *', '2h', 'UTC')";

	test("is in sync where its time is the same expression, whatever its spaces", () => {
		const live = liveWith([{ ...livePolicy(id("policy", 5), "a"), time }]);
		expect(diff(documentOf(want("a", { time: `( ${time.replace(", ", ",\n")} )` })), live).changes).toEqual([]);
		expect(diff(documentOf(want("a", { time: time.replace("2h", "3h") })), live).changes).toHaveLength(1);
	});

	test("that is marked as not understood says so on its row, and is compared as text", () => {
		const live = liveWith([livePolicy(id("policy", 5), "a", "x.y")]);
		const [change] = diff(documentOf(want("a", { consensus: "x . y", unchecked: true })), live).changes;
		if (change?.kind !== "policy" || change.action === "remove") throw new Error("no change");
		const row = policyRow(change, []);
		expect(JSON.stringify(row.notes)).toMatch(/unchecked.*: what it means is unknown/);
		const [other] = diff(documentOf(want("b")), live).changes;
		expect(other).not.toHaveProperty("unchecked");
	});
});

describe("a plan that writes policies", () => {
	const members = { approvers: ["alice", "bob"], signers: ["bob"] } as const;
	const writing = policyOf(9, { name: "p9", consensus: anyOf(approvers), condition: "activity.resource == 'POLICY'" });
	const organization = { members, policies: [writing], rootQuorum: { threshold: 2, userIds: [carol, dave] } };
	const signing = (consensus: string, more = ""): AccessPolicy =>
		policyOf(1, { name: "p1", consensus, condition: `${condition.sign}${more}` });
	const told = (policies: readonly AccessPolicy[]) =>
		planWritten(organization, { policies })
			.guards.filter(({ refuses }) => refuses)
			.map(({ kind, found, message }) => `${kind}=${found}: ${message}`);

	test("blocks where it gives its submitter more", () => {
		expect(told([signing(onlyUser(alice))])).toMatchInlineSnapshot(`
			[
			  "escalation=1: alice could sign with any wallet or key (PRIVATE_KEY/SIGN) alone, where two or more were needed",
			  "ownPowers=1: alice submits or approves this plan, and alice could sign with any wallet or key (PRIVATE_KEY/SIGN) alone",
			]
		`);
	});

	test("blocks where it takes from its submitter what it needs", () => {
		expect(told([{ ...writing, consensus: onlyUser(bob) }])).toMatchInlineSnapshot(`
			[
			  "ownPowers=1: alice submits or approves this plan, and alice could no longer change policies (POLICY/UPDATE)",
			]
		`);
	});

	test("may take from its submitter what it needs not, and give others more", () => {
		const plan = told([
			signing(onlyUser(bob)),
			{ ...writing, condition: `${writing.condition} && activity.action != 'DELETE'` },
		]);
		expect(plan.filter((one) => one.startsWith("ownPowers"))).toEqual([]);
	});

	test("blocks where a clause that it writes is not understood", () => {
		expect(told([signing("approvers.any(user, user.shoe_size == 44)")])).toMatchInlineSnapshot(`
			[
			  "lockout=1: who could still sign with any wallet or key (PRIVATE_KEY/SIGN) is unknown: policy p1: the consensus is not understood: \`User\` has no field \`shoe_size\`; there are \`id\`, \`tags\`, \`email\`, \`alias\`",
			  "escalation=1: whether one person could sign with any wallet or key (PRIVATE_KEY/SIGN) alone is unknown: policy p1: the consensus is not understood: \`User\` has no field \`shoe_size\`; there are \`id\`, \`tags\`, \`email\`, \`alias\`",
			]
		`);
	});
});
