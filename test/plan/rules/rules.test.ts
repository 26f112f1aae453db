/** Rules of a document: when they are broken, what a plan does to them, and the guards that block it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DesiredRule, DesiredUserTag, LiveOrganization } from "../../../src/plan/organization.ts";
import type { PlanContext } from "../../../src/plan/plan.ts";
import type { JudgedRule } from "../../../src/plan/rules/judge.ts";
import { checkSchema } from "../../check-schema.ts";
import type { WordedPlan } from "../../in-words.ts";
import { makePlan } from "../../policy/in-words.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "../support-organizations.ts";

const [alice, bob, carol, dave] = [1, 2, 3, 4].map((number) => id("user", number)) as [string, string, string, string];
const users = { alice, bob, carol, dave };

const exclusive: DesiredRule = { rule: "exclusive", tags: ["approvers", "signers"], at };
const members = (limits: { readonly min?: number; readonly max?: number }): DesiredRule => ({
	rule: "members",
	tag: "signers",
	...limits,
	at,
});

/** An organization with these members of `signers` and `approvers`. */
function liveWith(signers: readonly string[], approvers: readonly string[] = []): LiveOrganization {
	return liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known(signers) }),
			liveTag(2, "approvers", { members: known(approvers) }),
		]),
	});
}

const exactly = (name: string, ...userIds: readonly string[]): DesiredUserTag =>
	wantTag(name, { members: { mode: "exactly", exactly: [...userIds].sort() } });

function planOf(
	rules: readonly DesiredRule[],
	live: LiveOrganization,
	userTags: readonly DesiredUserTag[] = [],
	more: Partial<PlanContext> = {},
): WordedPlan {
	const plan = makePlan(desiredOf({ users, userTags, rules, digest: `sha256:${"0".repeat(64)}` }), live, {
		...context,
		...more,
	});
	expect(checkSchema("plan.json", plan)).toEqual([]);
	return plan;
}

/** The only rule, judged. */
function judged(...given: Parameters<typeof planOf>): JudgedRule {
	const { rules = [] } = planOf(...given);
	expect(rules).toHaveLength(1);
	return rules[0] as JudgedRule;
}

const guardsOf = ({ guards }: WordedPlan) => guards.filter(({ kind }) => kind === "rules" || kind === "newAccess");

describe("a plan of a document without rules", () => {
	it("has no rules, and no guard of rules", () => {
		const plan = makePlan(desiredOf(), liveWith([alice], [alice]), context);
		expect(plan).not.toHaveProperty("rules");
		expect(guardsOf(plan)).toEqual([]);
	});
});

describe("exclusive tags", () => {
	it("are kept while no user has two of them", () => {
		expect(judged([exclusive], liveWith([alice, bob], [carol]))).toEqual({
			address: "rule:exclusive.approvers+signers",
			rule: "exclusive",
			effect: "none",
			before: { state: "kept" },
			after: { state: "kept" },
		});
	});

	it("are broken by each user who has two of them, and name the users", () => {
		const { before } = judged([exclusive], liveWith([alice, bob, carol], [carol, alice]));
		expect(before).toEqual({
			state: "broken",
			userIds: [alice, carol],
			message: "alice and carol have `approvers` and `signers`",
		});
	});

	it("say of each user which of three tags it has", () => {
		const rule: DesiredRule = { rule: "exclusive", tags: ["admins", "approvers", "signers"], at };
		const tags = known([
			liveTag(1, "signers", { members: known([alice, bob]) }),
			liveTag(2, "approvers", { members: known([alice, bob]) }),
			liveTag(3, "admins", { members: known([bob]) }),
		]);
		expect(judged([rule], liveOf({ userTags: tags })).before).toMatchObject({
			message: "alice has `approvers` and `signers`; bob has `admins`, `approvers` and `signers`",
		});
	});

	it("cannot be checked where members are unknown, are not kept then, and say why", () => {
		const live = liveOf({ userTags: known([liveTag(1, "signers"), liveTag(2, "approvers", { members: unknown })]) });
		const plan = planOf([exclusive], live);
		const because = "the service does not show it";
		expect(plan.rules?.[0]).toMatchObject({ before: { state: "unknown", because }, after: { state: "unknown" } });
		const address = "rule:exclusive.approvers+signers";
		expect(plan.unread).toEqual([{ scope: "rule", address, because, standsIn: "nothing" }]);
	});

	it("are broken by users who surely have two, although the members of a third are unknown", () => {
		const rule: DesiredRule = { rule: "exclusive", tags: ["admins", "approvers", "signers"], at };
		const tags = [liveTag(1, "signers", { members: known([bob]) }), liveTag(2, "approvers", { members: known([bob]) })];
		const live = liveOf({ userTags: known([...tags, liveTag(3, "admins", { members: unknown })]) });
		expect(judged([rule], live).before).toMatchObject({ state: "broken", userIds: [bob] });
	});

	it("cannot be checked where there is no such tag, so that a typing error does not look kept", () => {
		const rule: DesiredRule = { rule: "exclusive", tags: ["aprovers", "signers"], at };
		const because = 'there is no live user tag "aprovers"';
		expect(judged([rule], liveWith([alice], [alice])).before).toEqual({ state: "unknown", because });
	});

	it("cannot be checked where two tags have the name", () => {
		const live = liveOf({ userTags: known([liveTag(1, "signers"), liveTag(2, "signers"), liveTag(3, "approvers")]) });
		const because = '2 live user tags have the name "signers"';
		expect(judged([exclusive], live).before).toEqual({ state: "unknown", because });
	});

	it("cannot be checked where tags were not read", () => {
		expect(judged([exclusive], liveOf({ userTags: unknown })).before).toMatchObject({ state: "unknown" });
	});
});

describe("a rule for the number of members", () => {
	it.each([
		[{ min: 2 }, 2, true],
		[{ min: 2 }, 1, "`signers` has 1 member, where the rule asks for at least 2"],
		[{ min: 1 }, 0, "`signers` has 0 members, where the rule asks for at least 1"],
		[{ max: 2 }, 2, true],
		[{ max: 2 }, 3, "`signers` has 3 members, where the rule asks for at most 2"],
		[{ min: 2, max: 3 }, 4, "`signers` has 4 members, where the rule asks for at most 3"],
		[{ max: 0 }, 1, "`signers` has 1 member, where the rule asks for at most 0"],
		[{ min: 0, max: 0 }, 0, true],
	])("%j with %d members", (limits, count, message) => {
		const { before } = judged([members(limits)], liveWith([alice, bob, carol, dave].slice(0, count)));
		expect(before).toMatchObject(message === true ? { state: "kept" } : { state: "broken", message });
	});

	it("goes by the name that the plan gives to a tag", () => {
		const renamed = wantTag("signers", { previously: ["keyholders"] });
		const live = liveOf({ userTags: known([liveTag(1, "keyholders", { members: known([alice]) })]) });
		const state = { state: "broken", userIds: [alice] };
		expect(judged([members({ min: 2 })], live, [renamed])).toMatchObject({
			effect: "none",
			before: state,
			after: state,
		});
	});

	it("goes by the live name while no tag gets that name", () => {
		const renamed = wantTag("keyholders", { previously: ["signers"] });
		const rule = judged([members({ min: 2 })], liveWith([alice]), [renamed]);
		expect(rule).toMatchObject({ before: { state: "broken" }, after: { state: "unknown" }, effect: "none" });
	});
});

describe("a plan that would break a rule", () => {
	const both = [exactly("signers", alice, bob), exactly("approvers", bob, carol)];

	it("is blocked by the guard `rules`, which names the rule, the users and the changes", () => {
		const plan = planOf([exclusive, members({ max: 1 })], liveWith([alice], [carol]), both);
		expect(guardsOf(plan)).toEqual([
			{
				kind: "rules",
				limit: "no rule of the document broken",
				found: 2,
				refuses: true,
				where: ["userTag:approvers", "userTag:signers"],
				message:
					"would break rule:exclusive.approvers+signers: bob has `approvers` and `signers`; would break rule:members.signers: `signers` has 2 members, where the rule asks for at most 1",
			},
		]);
		expect(plan.rules).toMatchObject([{ effect: "breaks", before: { state: "kept" } }, { effect: "breaks" }]);
	});

	it("is not blocked for a rule that stays as broken as it was", () => {
		const plan = planOf([exclusive], liveWith([alice], [alice]), [exactly("signers", alice, bob)]);
		expect(guardsOf(plan)).toEqual([]);
		expect(plan.rules).toMatchObject([{ effect: "none", before: { state: "broken" }, after: { state: "broken" } }]);
	});

	it("is not blocked where it repairs one user of several", () => {
		const plan = planOf([exclusive], liveWith([alice, bob], [alice, bob]), [exactly("approvers", alice)]);
		expect(guardsOf(plan)).toEqual([]);
	});

	it("is blocked where one more user breaks a broken rule", () => {
		const plan = planOf([exclusive], liveWith([alice], [alice]), [
			exactly("signers", alice, bob),
			exactly("approvers", alice, bob),
		]);
		expect(guardsOf(plan)).toMatchObject([{ found: 1, refuses: true }]);
		expect(guardsOf(plan)[0]?.message).toMatch(
			/^would break rule:exclusive.approvers\+signers further: alice and bob /,
		);
		expect(plan.rules).toMatchObject([{ effect: "worsens" }]);
	});

	it("is blocked where one user is repaired and another breaks the rule", () => {
		const plan = planOf([exclusive], liveWith([alice, bob], [alice]), [exactly("approvers", bob)]);
		expect(plan.rules).toMatchObject([{ effect: "worsens" }]);
	});

	it.each([
		[[alice], { min: 3 }, [alice, bob], "none"],
		[[alice, bob], { min: 3 }, [alice], "worsens"],
		[[alice, bob], { max: 1 }, [alice, carol], "none"],
		[[alice, bob], { max: 1 }, [alice, bob, carol], "worsens"],
		[[alice, bob], { max: 1 }, [alice], "repairs"],
		[[], { min: 1, max: 2 }, [alice, bob, carol], "worsens"],
	] as const)("of member counts: from %j by %j to %j it is %s", (before, limits, after, effect) => {
		expect(judged([members(limits)], liveWith(before), [exactly("signers", ...after)]).effect).toBe(effect);
	});

	it("says that it repairs a rule", () => {
		const rule = judged([exclusive], liveWith([alice], [alice]), [exactly("signers", bob)]);
		expect(rule).toMatchObject({ effect: "repairs", before: { state: "broken" }, after: { state: "kept" } });
	});

	it("is judged without steps that were rejected before", () => {
		const waiting = planOf([], liveWith([alice], [carol]), both).steps.map((step) => ({
			...({
				activityId: id("other", 1),
				fingerprint: `sha256:${step.id}`,
				state: "rejected",
				status: "REJECTED",
			} as const),
			...({
				operation: step.operation,
				parameters: step.parameters,
				createdAt: null,
				approvedBy: null,
				saidBy: "service",
			} as const),
		}));
		const plan = planOf([exclusive], liveWith([alice], [carol]), both, { rejected: waiting });
		expect(plan.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["rejected", "rejected"]);
		expect(plan.rules).toMatchObject([{ effect: "none", after: { state: "kept" } }]);
	});

	it("that cannot converge submits nothing, and breaks nothing", () => {
		const plan = planOf([exclusive], liveWith([alice], [carol]), [...both, exactly("missing", alice)]);
		expect(plan.steps).toEqual([]);
		expect(plan.rules).toMatchObject([{ effect: "none" }]);
	});
});

describe("a plan that keeps every rule in every random organization", () => {
	const someUsers = fc.subarray([alice, bob, carol, dave]);

	it("has no user with both tags and as many members as the rule says, and every other plan is blocked", () => {
		fc.assert(
			fc.property(someUsers, someUsers, someUsers, someUsers, fc.nat(4), fc.nat(4), (a, b, c, d, low, more) => {
				const [min, max] = [low, low + more];
				const rules = [exclusive, members({ min, max })];
				const plan = planOf(rules, liveWith(a, c), [exactly("signers", ...b), exactly("approvers", ...d)]);
				const breaks = (signers: readonly string[], approvers: readonly string[]) => [
					signers.some((user) => approvers.includes(user)),
					signers.length < min || signers.length > max,
				];
				const [before, after] = [breaks(a, c), breaks(b, d)];
				expect(plan.rules?.map((rule) => rule.before.state === "broken")).toEqual(before);
				expect(plan.rules?.map((rule) => rule.after.state === "broken")).toEqual(after);
				const isNew = after.filter((broken, index) => broken && !before[index]).length;
				const found = guardsOf(plan)[0]?.found ?? 0;
				expect(found).toBeGreaterThanOrEqual(isNew);
				expect(found).toBeLessThanOrEqual(after.filter(Boolean).length);
			}),
		);
	});
});
