/** What becomes of each step: after those that it depends on, and in every order of the others. */

import { describe, expect, it } from "vitest";
import type { Plan, PlanContext } from "../../../src/plan/plan.ts";
import type { Approval } from "../../../src/policy/powers/forecast.ts";
import { forecastPending, inWords, makePlan } from "../../policy/in-words.ts";
import { unknownAccess } from "../../policy/support-access.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	desiredFor,
	liveFor,
	type Organization,
	onlyUser,
	pendingFor,
	planFor as planAsData,
	planUnordered,
	policyOf,
	signers,
	twoOf,
} from "../support-access.ts";
import { context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "../support-organizations.ts";

const planFor: typeof planAsData = (...given) => inWords(planAsData(...given));

function approvals({ steps }: Plan): readonly (Approval | undefined)[] {
	return steps.map(({ approval }) => approval);
}
const verdicts = (plan: Plan) => approvals(plan).map((one) => one?.verdict);

/** Approvers may change tags, and anyone may remove policies. */
const byApprovers: Organization = {
	members: { approvers: ["alice"] },
	policies: [
		policyOf(1, { consensus: anyOf(approvers), condition: condition.tags }),
		policyOf(2, { consensus: onlyUser(alice), condition: condition.policies }),
	],
};

describe("a step", () => {
	it("runs, waits for the sets that complete it, or is denied, for the one who submits", () => {
		const organization: Organization = {
			members: { signers: ["alice", "bob", "carol"] },
			policies: [
				policyOf(1, { consensus: twoOf(signers), condition: condition.tags }),
				policyOf(2, { consensus: onlyUser(bob), condition: condition.policies }),
			],
		};
		const wish = { members: { treasury: ["dave"] }, absent: [id("policy", 2)] } as const;
		const plan = planFor(organization, wish);
		expect(verdicts(plan)).toEqual(["pending", "denied"]);
		expect(approvals(plan)[0]).toMatchObject({ approverSets: [[bob], [carol]], policyIds: [id("policy", 1)] });
		const other = planFor(organization, wish, { submitter: known({ userId: bob, publicKey: null }) });
		expect([other.submitterId, verdicts(other)]).toEqual([bob, ["runs", "pending"]]);
	});

	it("that is denied says from when a time window allows it", () => {
		const at = "2026-06-01T09:00:00.000Z";
		const timed = (consensus: string, time: string, effect = "EFFECT_ALLOW"): Organization => ({
			members: { signers: ["alice", "bob"] },
			policies: [
				policyOf(1, { consensus, condition: condition.tags, time, effect }),
				policyOf(2, { consensus: anyOf(signers), condition: effect === "EFFECT_DENY" ? "" : condition.policies }),
			],
		});
		const later = (organization: Organization) =>
			approvals(planFor(organization, { members: { treasury: ["dave"] } })).map((one) => [one?.verdict, one?.later]);
		const opening = `time.now >= Timestamp('${at}')`;
		expect(later(timed(anyOf(signers), opening))).toEqual([["denied", { at, verdict: "runs" }]]);
		expect(later(timed(twoOf(signers), opening))).toEqual([["denied", { at, verdict: "pending" }]]);
		// A deny that ends allows it too; what others may do, or what is over, does not.
		expect(later(timed(onlyUser(alice), `time.now < Timestamp('${at}')`, "EFFECT_DENY"))).toEqual([
			["denied", { at, verdict: "runs" }],
		]);
		expect(later(timed(onlyUser(bob), opening))).toEqual([["denied", undefined]]);
		expect(later(timed(anyOf(signers), "time.now < Timestamp('2020-01-01T00:00:00Z')"))).toEqual([
			["denied", undefined],
		]);
	});

	it("has no approval where access was not asked for, and an unknown one where the submitter is not known", () => {
		const wish = { members: { treasury: ["dave"] } } as const;
		const without = makePlan(desiredFor(wish), liveFor(byApprovers), context);
		expect([approvals(without), "submitterId" in without, "impact" in without]).toEqual([[undefined], false, false]);
		const nameless = planFor(byApprovers, wish, { submitter: unknown });
		expect(approvals(nameless)[0]).toMatchObject({
			verdict: "unknown",
			because: expect.stringMatching(/^it is unknown who submits it: /),
		});
		expect("submitterId" in nameless).toBe(false);
		const unread = planFor(byApprovers, wish, { access: unknownAccess("the service does not list policies") });
		expect([verdicts(unread), unread.impactVerdict]).toEqual([["unknown"], "unknown"]);
	});

	it("is judged after the steps that it depends on", () => {
		// Both tags exchange their names: the first takes a temporary one. Alice leaves the approvers, and submits all of it.
		const desired = desiredOf({
			users: { alice, bob },
			userTags: [
				wantTag("approvers", { id: signers }),
				wantTag("signers", { id: approvers, members: { mode: "exactly", exactly: [bob] } }),
			],
		});
		const live = liveOf({
			userTags: known([
				liveTag(1, "signers", { members: known([]) }),
				liveTag(2, "approvers", { members: known([alice]) }),
			]),
		});
		const access = accessOf(byApprovers.members, byApprovers.policies);
		const given = { ...context, access, submitter: known({ userId: alice, publicKey: null }) };
		const forecastOf = ({ steps }: Plan) =>
			steps.map(({ id: stepId, dependsOn, approval }) => [stepId, dependsOn, approval?.verdict]);
		expect(forecastOf(planUnordered(desired, live, given))).toEqual([
			["step-1", [], "runs"],
			["step-2", ["step-1"], "runs"],
			["step-3", ["step-1", "step-2"], "denied"],
		]);
		// With its name first, the tag loses alice last.
		expect(forecastOf(makePlan(desired, live, given)).map(([, , verdict]) => verdict)).toEqual([
			...["runs", "runs", "runs", "runs"],
		]);
	});

	it("is unknown where the answer depends on whether a concurrent step completes first, and names it", () => {
		const plan = planFor(byApprovers, { members: { approvers: ["bob"], signers: ["bob"] } }, {}, planUnordered);
		expect(plan.steps.map(({ covers }) => covers[0]?.address)).toEqual(["userTag:approvers", "userTag:signers"]);
		expect(verdicts(plan)).toEqual(["runs", "unknown"]);
		expect(approvals(plan)[1]).toMatchObject({
			because: "it depends on whether step-1 completes first: runs or denied",
			approverSets: [],
		});
	});

	it("is not unknown for concurrent steps that change nothing for it", () => {
		const plan = planFor(byApprovers, {
			members: { signers: ["bob"], treasury: ["carol"] },
			names: { treasury: "money" },
			absent: [id("policy", 2)],
		});
		expect(verdicts(plan)).toEqual(["runs", "runs", "runs"]);
	});

	it("is unknown where only those who can complete it depend on the order", () => {
		const organization: Organization = {
			members: { approvers: ["alice", "bob"] },
			policies: [policyOf(1, { consensus: twoOf(approvers), condition: condition.tags })],
		};
		const plan = planFor(organization, {
			members: { approvers: ["alice", "bob", "carol"], signers: ["dave"] },
		});
		expect(verdicts(plan)).toEqual(["pending", "unknown"]);
		expect(approvals(plan)[1]?.because).toBe("who can complete it depends on whether step-1 completes first");
	});

	it("is judged whatever is rejected or held by another activity: such a step never completes", () => {
		const wish = { members: { approvers: ["bob"], signers: ["bob"] } } as const;
		const planAsMade = (parts: Partial<PlanContext> = {}): Plan => planFor(byApprovers, wish, parts, planUnordered);
		const plan = planAsMade();
		const rejected = [pendingFor(plan, 0, { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" })];
		expect(verdicts(planAsMade({ rejected }))).toEqual(["runs", "runs"]);
		const other = { userTagId: approvers, addUserIds: [dave], removeUserIds: [] };
		const waiting = [pendingFor(plan, 0, { parameters: other })];
		const held = planAsMade({ waiting });
		expect(held.steps[0]?.earlierActivity?.relation).toBe("conflicting");
		expect(verdicts(held)).toEqual(["runs", "runs"]);
		const same = planAsMade({ waiting: [pendingFor(plan, 0, { approvedBy: [alice] })] });
		expect(verdicts(same)[1]).toBe("unknown");
	});

	const many = (count: number) => {
		const numbers = Array.from({ length: count }, (_, index) => index + 10);
		const consensus = [...numbers.map((number) => anyOf(id("tag", number))), onlyUser(alice)].join(" && ");
		const policies = [policyOf(1, { consensus, condition: condition.tags })];
		const desired = desiredOf({
			userTags: numbers.map((number) =>
				wantTag(`tag-${number}`, { id: id("tag", number), members: { mode: "exactly", exactly: [alice] } }),
			),
		});
		const live = liveOf({ userTags: known(numbers.map((number) => liveTag(number, `tag-${number}`))) });
		const plan = (quorum: readonly string[]) =>
			makePlan(desired, live, {
				...context,
				access: accessOf({}, policies, { threshold: 1, userIds: quorum }),
				submitter: known({ userId: alice, publicKey: null }),
			});
		return { plan };
	};

	it("is judged in every order of up to six others, and unknown with more unless the root quorum decides", () => {
		expect(new Set(verdicts(many(7).plan([dave])))).toEqual(new Set(["denied"]));
		const eight = many(8);
		expect(approvals(eight.plan([dave]))[0]).toMatchObject({
			verdict: "unknown",
			because: "7 other steps that change who can do it can complete first, in too many orders to judge",
		});
		expect(new Set(verdicts(eight.plan([alice])))).toEqual(new Set(["runs"]));
	});
});

describe("a step that a pending activity already does", () => {
	const organization: Organization = {
		members: { signers: ["alice", "bob", "carol"] },
		policies: [
			policyOf(1, {
				consensus: `approvers.filter(user, user.tags.contains('${signers}')).count() >= 3`,
				condition: condition.tags,
			}),
		],
	};
	const wish = { members: { treasury: ["dave"] } } as const;
	const plan = planFor(organization, wish);
	const waitingFor = (approvedBy: readonly string[] | null, lapsed: readonly string[] = []) =>
		approvals(planFor(organization, wish, { waiting: [pendingFor(plan, 0, { approvedBy, lapsed })] }))[0];

	it("says who can still complete that activity, by the approvals that it has", () => {
		// Carol and Dave are the root quorum.
		expect(waitingFor([bob])).toMatchObject({
			...{ verdict: "pending", approverSets: [alice, dave].map((one) => [one, carol].sort()) },
		});
		expect(waitingFor([bob.toUpperCase(), alice])).toMatchObject({
			...{ verdict: "pending", approverSets: [[carol]], thresholds: [] },
		});
	});

	it("is unknown where its approvals are not known, or are enough already", () => {
		expect(waitingFor(null)).toMatchObject({
			verdict: "unknown",
			because: expect.stringContaining("approved it so far"),
		});
		expect(waitingFor([])).toMatchObject({ verdict: "unknown" });
		expect(waitingFor([alice, bob, carol])).toMatchObject({ verdict: "unknown" });
	});

	it("does not count approvals that lapsed, and says so where none is left", () => {
		expect(waitingFor([alice, bob], [alice])).toEqual(waitingFor([bob]));
		expect(waitingFor([bob], [bob])).toMatchObject({
			verdict: "unknown",
			because: expect.stringContaining("all lapsed: its submitter too has to `approve` it again"),
		});
	});

	it("counts the root quorum", () => {
		expect(waitingFor([dave])).toMatchObject({ verdict: "pending", approverSets: [[carol]] });
	});

	it("says who can still complete it after more approvals, without a new plan", () => {
		const access = accessOf(organization.members, organization.policies);
		const submitter = known({ userId: alice, publicKey: null });
		const step = plan.steps[0] as Plan["steps"][number];
		const judged = (...approvedBy: readonly string[]) =>
			forecastPending(step, approvedBy, { access, submitter, atMs: context.readAtMs });
		expect(judged(bob)).toEqual({ ...step, approval: waitingFor([bob]) });
		expect(judged(alice, bob)).toEqual({ ...step, approval: waitingFor([alice, bob]) });
		expect(judged().approval?.verdict).toBe("unknown");
	});
});

describe("a plan with impact and approvals", () => {
	it("has the same bytes for the same input, whatever the order in which policies name users", () => {
		const wish = { members: { approvers: ["bob"], signers: ["bob"] }, absent: [id("policy", 2)] } as const;
		const [one, other] = [planFor(byApprovers, wish), planFor(structuredClone(byApprovers), structuredClone(wish))];
		expect(JSON.stringify(one)).toBe(JSON.stringify(other));
	});

	it("names the tags, policies and users that it mentions", () => {
		const plan = planFor(byApprovers, { members: { approvers: ["bob"] } });
		expect(plan.policyNames).toEqual({ [id("policy", 1)]: "policy 1" });
		expect(plan.tagNames).toEqual({ [approvers]: "approvers" });
		expect(Object.keys(plan.liveNames ?? {})).toEqual(expect.arrayContaining([alice, bob]));
	});

	it("names them in the order of their ids, whatever the order of the service", () => {
		const policies = [3, 1, 2].map((number) =>
			policyOf(number, { consensus: anyOf(signers), condition: condition.sign }),
		);
		const plan = planFor({ members: { signers: ["alice"] }, policies }, { members: { signers: [] } });
		expect(Object.keys(plan.policyNames ?? {})).toEqual([1, 2, 3].map((number) => id("policy", number)));
	});

	it("writes at most twenty sets for each power, and the whole in thresholds", () => {
		const users = Array.from({ length: 12 }, (_, number) => id("user", number + 1));
		const access = {
			users: known(
				users.map((userId) => ({ id: userId, tagIds: known([signers]), email: known(null), credentials: known([]) })),
			),
			policies: known([policyOf(1, { consensus: twoOf(signers), condition: condition.sign })]),
			rootQuorum: known({ threshold: 2, userIds: [carol, dave] }),
		};
		const desired = desiredOf({ absent: { policyIds: [id("policy", 1)], oauthProviders: [], tvcAppIds: [] } });
		const plan = makePlan(desired, liveOf({ policies: known([{ id: id("policy", 1), name: "one" }]) }), {
			...context,
			access,
		});
		const [finding] = plan.impact ?? [];
		expect(finding?.change).toBe("nobody");
		expect(finding?.before).toMatchObject({ isComplete: false, unknown: null });
		expect(finding?.before.together.length).toBe(20);
		expect(finding?.before.thresholds[0]).toMatchObject([{ atLeast: 2, of: users }]);
		expect(finding?.after.isComplete).toBe(true);
	});
});
