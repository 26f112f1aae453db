/** The plan of one step alone, for a person who signs only this one. */
import { describe, expect, it } from "vitest";
import { effectOfStep } from "../../../src/plan/impact/step-effect.ts";
import type { DesiredObject, DesiredPolicy } from "../../../src/plan/organization.ts";
import { makePlan, type Plan, type PlanContext } from "../../../src/plan/plan.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	condition,
	desiredFor,
	liveFor,
	type Organization,
	pendingFor,
	policyOf,
	signers,
	twoOf,
	type Wish,
} from "../support-access.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

const organization: Organization = {
	members: { signers: ["alice", "bob"], approvers: ["alice"] },
	policies: [
		policyOf(1, { consensus: twoOf(signers), condition: condition.sign }),
		policyOf(2, { consensus: anyOf(approvers), condition: condition.tags }),
		policyOf(3, { consensus: anyOf(approvers), condition: condition.export }),
	],
};
/** The first step takes the tag of the signers from bob, the second one that of the approvers from alice. */
const wish: Wish = { members: { approvers: ["bob"], signers: ["alice"] } };
const live = liveFor(organization);
const whole: PlanContext = {
	...context,
	access: accessOf(organization.members, organization.policies),
	submitter: known({ userId: alice, publicKey: null }),
};

function effects(desired = desiredFor(wish), of = live, given: PlanContext = whole): readonly [Plan, ...Plan[]] {
	const plan = makePlan(desired, of, given);
	const alone = plan.steps.map((step) => effectOfStep(step, plan, { context: given, live: of }));
	return [plan, ...alone];
}
const impactOf = ({ impact }: Plan) => impact?.map(({ change, group }) => [change, "action" in group && group.action]);

describe("the effect of one step", () => {
	const [plan, second, first] = effects() as [Plan, Plan, Plan];

	it("has its changes and no others", () => {
		expect(plan.changes.map(({ address }) => address)).toEqual(["userTag:approvers", "userTag:signers"]);
		expect(first.changes).toEqual([plan.changes[0]]);
		expect(second.changes).toEqual([plan.changes[1]]);
	});

	it("has what it means alone", () => {
		expect(impactOf(second)).toEqual([["nobody", "SIGN"]]);
		expect(impactOf(first)).not.toContainEqual(["nobody", "SIGN"]);
		expect(impactOf(first)).not.toEqual([]);
		expect(impactOf(plan)).toEqual(expect.arrayContaining([...(impactOf(first) ?? []), ["nobody", "SIGN"]]));
		expect([second.impactVerdict, second.submitterId]).toEqual(["less-permissive", alice]);
	});

	it("says what becomes of the step alone, without those that complete first", () => {
		expect(plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], ["step-1"]]);
		expect(second.steps).toMatchObject([{ id: "step-1", dependsOn: [], approval: { verdict: "runs" } }]);
		expect(first.steps).toMatchObject([{ id: "step-2", dependsOn: [], approval: { verdict: "runs" } }]);
	});

	it("has everything else that the plan has", () => {
		const { changes: _changes, steps: _steps, impact: _impact, impactVerdict: _verdict, ...others } = plan;
		const { tagNames: _tags, policyNames: _policies, ...common } = others;
		expect(first).toMatchObject(common);
	});

	it("is judged after no other step, although it comes after one in the plan", () => {
		// The removal of a tag frees its name for another one, and takes alice, who may rename it, out of the approvers.
		const kept = desiredOf({ userTags: [wantTag("approvers", { id: signers })] });
		const gone: DesiredObject = { kind: "userTag", absent: true, name: approvers, at };
		const swap = { ...kept, objects: [...kept.objects, gone] };
		const swapped = liveOf({
			userTags: known([
				liveTag(1, "signers", { members: known([]) }),
				liveTag(2, "approvers", { members: known([alice]) }),
			]),
		});
		const [chain, ...alone] = effects(swap, swapped, {
			...whole,
			access: accessOf({ approvers: ["alice"] }, organization.policies),
		});
		expect(chain.steps.map(({ dependsOn }) => dependsOn.length)).toEqual([0, 1]);
		expect(chain.steps.at(-1)?.approval?.verdict).toBe("denied");
		expect(alone.map(({ steps }) => steps.map(({ dependsOn, approval }) => [dependsOn, approval?.verdict]))).toEqual([
			[[[], "denied"]],
			[[[], "runs"]],
		]);
	});

	it("gives what its policy gives to the members of a tag that is created before it", () => {
		const tag = wantTag("payers", { create: true, members: { mode: "exactly", exactly: [bob] } });
		const consensus = "approvers.any(user, user.tags.contains('${userTags.payers}'))";
		const clauses = { effect: "EFFECT_ALLOW", consensus, condition: condition.policies } as const;
		const policy: DesiredPolicy = { kind: "policy", name: "pay", previously: [], at, ...clauses };
		const desired = { ...desiredOf({ userTags: [tag] }), objects: [tag, policy] };
		const [created, ...alone] = effects(desired, { ...live, policies: known([]) });
		expect(created.steps.map(({ operation }) => operation)).toEqual(["create_user_tag", "create_policies"]);
		expect(alone.map((one) => one.impact?.map(({ change, userIds }) => [change, userIds]))).toEqual([
			[],
			[["alone", [bob]]],
		]);
	});

	it("has no impact of the plan where who can do what was not read", () => {
		const [stated, ...others] = effects(desiredFor(wish), live, context);
		expect(stated.steps).toHaveLength(2);
		for (const { impact, impactVerdict, steps } of others) {
			expect([impact, impactVerdict, steps.length]).toEqual([undefined, undefined, 1]);
		}
		const [, renamed] = effects(desiredFor({ names: { signers: "keyholders" } }));
		expect([renamed?.impact, renamed?.impactVerdict]).toEqual([[], "equivalent"]);
	});

	it("has no impact at other times that only another step has", () => {
		const policies = organization.policies.map((one) => ({ ...one, time: "CronSpan('0 1 * * *', '2h', 'UTC')" }));
		const access = accessOf(organization.members, policies);
		const [timed, one, other] = effects(desiredFor(wish), live, { ...whole, access }) as [Plan, Plan, Plan];
		expect(timed.impactAtOtherTimes?.map(({ change }) => change)).toContain("nobody");
		expect(other.impactAtOtherTimes?.map(({ change }) => change)).toEqual(["nobody"]);
		expect(one).not.toHaveProperty("impactAtOtherTimes");
		const unmoved = effectOfStep({ ...(timed.steps[0] as Plan["steps"][number]), covers: [] }, timed, {
			context,
			live,
		});
		expect(unmoved).not.toHaveProperty("impactTimed");
	});

	it("says who can still complete it where a pending activity does the same", () => {
		const organizationOfTwo: Organization = {
			members: { signers: ["alice", "bob", "carol"] },
			policies: [policyOf(1, { consensus: twoOf(signers), condition: condition.tags })],
		};
		const given = { ...whole, access: accessOf(organizationOfTwo.members, organizationOfTwo.policies) };
		const desired = desiredFor({ members: { treasury: ["dave"] } });
		const of = liveFor(organizationOfTwo);
		const waiting = [pendingFor(makePlan(desired, of, given), 0, { approvedBy: [bob] })];
		const [, alone] = effects(desired, of, { ...given, waiting });
		expect(alone?.steps[0]?.approval).toMatchObject({
			verdict: "pending",
			approverSets: [[alice], [id("user", 3)]],
		});
	});
});
