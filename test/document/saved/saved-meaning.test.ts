/** Saved plans with impact and approvals: what is kept, what only the file states, and which forgeries contradict themselves. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/common/errors.ts";
import {
	decodeSavedPlan,
	encodeSavedPlan,
	makeSavedPlan,
	statedFactsOf,
} from "../../../src/document/saved/saved-plan.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { digestOf } from "../../../src/plan/value.ts";
import { guardText, limitText } from "../../../src/say/guards.ts";
import { savePlan } from "../../../src/say/published.ts";
import { casesToTry } from "../../case-count.ts";
import {
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	dave,
	type Organization,
	type Person,
	planFor,
	policyOf,
	signers,
	twoOf,
	type Wish,
} from "../../plan/support-access.ts";
import { id } from "../../plan/support-organizations.ts";

const organization: Organization = {
	members: { signers: ["alice", "bob"], approvers: ["alice", "bob"], treasury: ["bob"] },
	policies: [
		policyOf(1, { consensus: twoOf(signers), condition: condition.sign }),
		policyOf(2, { consensus: twoOf(approvers), condition: condition.tags }),
		policyOf(3, { consensus: anyOf(approvers), condition: condition.export }),
		policyOf(4, { effect: "EFFECT_DENY", condition: condition.export }),
	],
};
/** No one can sign any more, alice and bob can export alone, and tags wait for bob. */
const wish: Wish = { members: { signers: ["alice"] }, absent: [id("policy", 4)] };
const digest = digestOf("a document");
const plan: Plan = { ...planFor(organization, wish), documentDigest: digest };

// biome-ignore lint/suspicious/noExplicitAny: a forger keeps to no type.
type Forged = any;

function decode(change: (forged: Forged) => void = () => {}): Plan | string {
	const { digest: _digest, ...content }: Forged = JSON.parse(
		encodeSavedPlan(makeSavedPlan({ plans: [plan] }, "orgsync 1.2.3")),
	);
	change(content.plans[0]);
	try {
		return decodeSavedPlan(JSON.stringify({ ...content, digest: digestOf(content) }), "plan.json").plans[0] as Plan;
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		return (error as Error).message;
	}
}

describe("a saved plan", () => {
	it("keeps impact and approvals", () => {
		expect(plan.impact?.map(({ change }) => change)).toEqual(["nobody", "alone"]);
		expect(plan.steps.map(({ approval }) => approval?.verdict)).toEqual(["pending", "denied"]);
		expect([plan.steps[0]?.approval?.approverSets, plan.submitterId]).toEqual([[[bob], [carol, dave]], alice]);
		expect(savePlan(decode() as Plan)).toEqual(savePlan(plan));
	});

	it("keeps why something was not read as data, and takes it in words from an older file", () => {
		const notRead = { kind: "no-answer", query: "list_users", httpStatus: 404 } as const;
		const unread = (because: unknown) => (forged: Forged) =>
			forged.unread.push({ scope: "caller", because, standsIn: "nothing" });
		const becauseOf = (because: unknown) => (decode(unread(because)) as Plan).unread.map((one) => one.because);
		expect(becauseOf(notRead)).toEqual([notRead]);
		expect(becauseOf("list_users is denied")).toEqual([{ kind: "stated", text: "list_users is denied" }]);
		expect(decode(unread({ ...notRead, query: 7 }))).toMatch(/was not made by this orgsync/);
	});

	it("has what its guards found in words, which come back as they were", () => {
		const wordsOf = ({ guards }: Plan) => guards.map((guard) => [guardText(guard), limitText(guard)]);
		expect(plan.guards.length).toBeGreaterThan(1);
		expect(wordsOf(decode() as Plan)).toEqual(wordsOf(plan));
		expect(
			wordsOf(decode((forged) => Object.assign(forged.guards[0], { message: "other words" })) as Plan)[0]?.[0],
		).toBe("other words");
	});

	it("names them among what only the file states", () => {
		const { statedByFile } = statedFactsOf(makeSavedPlan({ plans: [plan] }, "orgsync 1.2.3"));
		expect(statedByFile).toEqual(
			expect.arrayContaining([
				"plans[].impact",
				"plans[].impactVerdict",
				"plans[].submitterId",
				"plans[].steps[].approval",
			]),
		);
	});

	it("is taken whatever its tags, members and policies", () => {
		const people = fc.subarray<Person>(["alice", "bob", "carol", "dave"]);
		const members = fc.record({ signers: people, approvers: people, treasury: people });
		const consensus = fc.constantFrom(
			"",
			twoOf(signers),
			anyOf(approvers),
			"approvers.nothing()",
			"approvers.count() > 1",
		);
		const where = fc.constantFrom(
			...Object.values(condition),
			"",
			"wallet.id == 'w'",
			"activity.action == 'DELETE'",
			"?",
		);
		const policy = fc.record({
			consensus,
			condition: where,
			effect: fc.constantFrom("EFFECT_ALLOW", "EFFECT_DENY", "X"),
		});
		fc.assert(
			fc.property(members, members, fc.array(policy, { maxLength: 4 }), fc.nat(15), (before, after, policies, bits) => {
				const all = policies.map((one, index) => policyOf(index + 1, one));
				const absent = all.map((one) => one.id).filter((_, index) => (bits & (1 << index)) !== 0);
				const made = planFor({ members: before, policies: all }, { members: after, absent });
				const saved = makeSavedPlan({ plans: [{ ...made, documentDigest: digest }] }, "orgsync 1.2.3");
				const text = encodeSavedPlan(saved);
				expect(encodeSavedPlan(decodeSavedPlan(text, "plan.json"))).toBe(text);
			}),
			casesToTry(40),
		);
	});
});

const guardOf = (forged: Forged, kind: string): Forged => forged.guards.find((one: Forged) => one.kind === kind);

describe("a saved plan with a digest that fits", () => {
	it.each<[string, (forged: Forged) => void, RegExp]>([
		["a verdict without an impact", (one) => delete one.impact, /only some of impact, impactVerdict and approvals/],
		["an impact without a verdict", (one) => delete one.impactVerdict, /only some of impact/],
		["no approval of one step", (one) => delete one.steps[0].approval, /only some of its steps have an approval/],
		[
			"no approval at all",
			(one) => {
				for (const step of one.steps) delete step.approval;
			},
			/only some of impact/,
		],
		[
			"a submitter without an impact",
			(one) => {
				for (const member of ["impact", "impactVerdict"]) delete one[member];
				for (const step of one.steps) delete step.approval;
			},
			/names or a submitter without an impact/,
		],
		[
			"reads without policies",
			(one) => Object.assign(one, { reads: "documented" }),
			/policies are not among its reads/,
		],
		["a nicer verdict", (one) => Object.assign(one, { impactVerdict: "equivalent" }), /impactVerdict is equivalent/],
		[
			"a verdict of one side",
			(one) => Object.assign(one, { impactVerdict: "less-permissive" }),
			/impactVerdict is less/,
		],
		["a better finding first", (one) => one.impact.reverse(), /impact is not ordered, worst first/],
		[
			"no lockout in a guard, and one in its impact",
			(one) => one.guards.splice(one.guards.indexOf(guardOf(one, "lockout")), 1),
			/the guard lockout does not go with the impact/,
		],
		["a smaller lockout", (one) => Object.assign(guardOf(one, "lockout"), { found: 0 }), /the guard lockout does not/],
		["a smaller escalation", (one) => Object.assign(guardOf(one, "escalation"), { found: 1 }), /the guard escalation/],
		["a larger escalation", (one) => Object.assign(guardOf(one, "escalation"), { found: 9 }), /the guard escalation/],
		["one guard twice", (one) => one.guards.push(guardOf(one, "lockout")), /the guard lockout does not go/],
		["users out of order", (one) => one.impact[0].userIds.reverse(), /impact\[0\]: a list is not sorted/],
		[
			"a reason for what is known",
			(one) => Object.assign(one.impact[0], { because: "x" }),
			/impact\[0\]: because does not go with the change/,
		],
		[
			"an escalation that is none",
			(one) => Object.assign(one.impact[0], { isEscalation: true }),
			/impact\[0\]: isEscalation does not go/,
		],
		[
			"that a step runs and who approves it",
			(one) => Object.assign(one.steps[0].approval, { verdict: "runs" }),
			/steps\[0\]\.approval: its members do not go with its verdict/,
		],
		[
			"that a step is pending without an approver",
			(one) => Object.assign(one.steps[0].approval, { approverSets: [] }),
			/steps\[0\]\.approval/,
		],
		[
			"a denial without a reason",
			(one) => Object.assign(one.steps[1].approval, { because: null }),
			/steps\[1\]\.approval/,
		],
		[
			"a later verdict of a step that is not denied",
			(one) => Object.assign(one.steps[0].approval, { later: { at: "2026-12-01T09:00:00.000Z", verdict: "runs" } }),
			/steps\[0\]\.approval: its members do not go with its verdict/,
		],
		[
			"a later verdict from a time that orgsync does not write so",
			(one) => Object.assign(one.steps[1].approval, { later: { at: "2026-12-01T09:00:00Z", verdict: "runs" } }),
			/steps\[1\]\.approval: its members do not go with its verdict/,
		],
		["a change with a word of its own", (one) => Object.assign(one.impact[0], { change: "fine" }), /change/],
		[
			"a member of its own",
			(one) => Object.assign(one.impact[0], { note: "x" }),
			/must NOT have additional properties/,
		],
	])("is refused when it states %s", (_what, change, because) => {
		expect(decode(change)).toMatch(because);
	});

	it("is taken where it states no impact and agrees with itself: apply finds the impact again", () => {
		const nicer = decode((one) => {
			Object.assign(one, { impact: [], impactVerdict: "equivalent" });
			one.guards = one.guards.filter(({ kind }: Forged) => kind !== "lockout" && kind !== "escalation");
		});
		expect(nicer).toMatchObject({ impact: [], impactVerdict: "equivalent" });
	});
});
