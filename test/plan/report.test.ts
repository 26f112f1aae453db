/** The exit code of a report, and the groups of steps that it comes from. */

import { describe, expect, it } from "vitest";
import type { Change } from "../../src/plan/change.ts";
import { exitCodeOf, type Outcome, outcomesOf, type Report, type StepResult } from "../../src/plan/report.ts";
import { isWorse, joinFacts, type RuleFacts, withoutKnown } from "../../src/plan/rules/rules.ts";
import type { EarlierActivity, Step } from "../../src/plan/step.ts";
import { groupSteps, isHeldByRejection } from "../../src/plan/step-groups.ts";
import { notRead } from "../../src/policy/powers/reason.ts";

const earlier = (relation: EarlierActivity["relation"], state = "pending"): EarlierActivity =>
	({ relation, state, status: "", activityId: null, fingerprint: "f" }) as EarlierActivity;
const stepOf = (id: string, parts: Partial<Step> = {}): Step =>
	({
		id,
		operation: "delete_policies",
		parameters: {},
		covers: [],
		dependsOn: [],
		earlierActivity: null,
		...parts,
	}) as never;
const result = (outcome: Outcome, parts: Partial<StepResult> = {}): StepResult =>
	({ step: stepOf("step"), outcome, parts: [], keyNotAccepted: false, ...parts }) as never;
const codeOf = (steps: readonly StepResult[], parts: Partial<Report> = {}): number =>
	exitCodeOf({ steps, left: null, unverified: null, interrupted: false, ...parts } as Report);

describe("The exit code of a report", () => {
	it.each([
		["is 0 where nothing was to do", 0, []],
		["is 0 where all completed", 0, ["completed", "completed"]],
		["is 8 where something waits for approval", 8, ["completed", "awaiting-approval"]],
		["is 8 where something waits for an authenticator", 8, ["awaiting-authenticator"]],
		["is 8 where what was not attempted waits too", 8, ["awaiting-approval", "not-attempted"]],
		["is 1 where the run broke off", 1, ["not-attempted"]],
		["is 1 where a step failed", 1, ["failed"]],
		["is 1 where the outcome is unknown", 1, ["unknown"]],
		["is 9 where a step was rejected or denied", 9, ["rejected"]],
		["is 9 where a step was denied", 9, ["denied", "failed"]],
		["is 7 where only a part was applied", 7, ["completed", "failed"]],
		["is 7 where only a part was not rejected", 7, ["completed", "rejected"]],
		["is 1, not 8, where a step failed while another waits", 1, ["failed", "awaiting-approval"]],
	] as const)("%s", (_, code, outcomes) => {
		expect(codeOf(outcomes.map((outcome) => result(outcome)))).toBe(code);
	});

	it("is 8 where a step conflicts with a pending activity", () => {
		const step = stepOf("step", { earlierActivity: earlier("conflicting") });
		expect(codeOf([result("completed"), result("not-attempted", { step })])).toBe(8);
		expect(codeOf([result("not-attempted", { step: stepOf("step", { earlierActivity: earlier("same") }) })])).toBe(1);
	});

	it("is 1, or 7 beside what completed, where a request is in doubt", () => {
		const step = stepOf("step", { earlierActivity: earlier("conflicting", "in-doubt") });
		expect(codeOf([result("not-attempted", { step })])).toBe(1);
		expect(codeOf([result("completed"), result("not-attempted", { step })])).toBe(7);
	});

	it("is 4 where the key was not accepted, and 130 after a signal", () => {
		expect(codeOf([result("failed", { keyNotAccepted: true })])).toBe(4);
		expect(codeOf([result("failed", { keyNotAccepted: true })], { interrupted: true })).toBe(130);
		expect(codeOf([], { interrupted: true })).toBe(130);
	});

	it("is 1 where something still differs, or was not verified", () => {
		expect(codeOf([result("completed")], { left: [{} as Change] })).toBe(1);
		expect(codeOf([result("completed")], { left: [] })).toBe(0);
		expect(codeOf([result("completed")], { unverified: "the service cannot be reached" })).toBe(1);
	});

	it("follows from the parts of a removal that was submitted part by part", () => {
		const parts = [{ outcome: "completed" }, { outcome: "rejected" }] as never;
		expect(outcomesOf([result("failed", { parts }), result("denied")])).toEqual(["completed", "rejected", "denied"]);
		expect(codeOf([result("failed", { parts })])).toBe(7);
	});
});

describe("The groups of steps", () => {
	const ids = (steps: readonly Step[]): string => steps.map(({ id }) => id).join();

	it("are what is sent, pending, rejected, and behind what was rejected", () => {
		const groups = groupSteps([
			stepOf("sent"),
			stepOf("pending", { earlierActivity: earlier("same") }),
			stepOf("rejected", { earlierActivity: earlier("rejected") }),
			stepOf("behind", { dependsOn: ["rejected"] }),
			stepOf("further", { dependsOn: ["behind"] }),
			stepOf("joined", { dependsOn: ["rejected"], earlierActivity: earlier("same") }),
			stepOf("last", { dependsOn: ["joined"] }),
			stepOf("free", { dependsOn: ["sent", "pending"] }),
		]);
		expect([groups.sent, groups.pending, groups.rejected, groups.behind].map(ids)).toEqual([
			...["sent,free", "pending,joined", "rejected", "behind,further,last"],
		]);
	});

	it("hold an object where every step of it was rejected, or is behind one that was", () => {
		const covers = [{ address: "policy:one", id: "one" }] as const;
		const rejected = stepOf("rejected", { covers, earlierActivity: earlier("rejected") });
		const behind = stepOf("behind", { covers, dependsOn: ["rejected"] });
		expect(isHeldByRejection("policy:one", { steps: [rejected, behind] })).toBe(true);
		expect(isHeldByRejection("policy:one", { steps: [rejected, stepOf("sent", { covers })] })).toBe(false);
		expect(isHeldByRejection("policy:other", { steps: [rejected] })).toBe(false);
		expect(isHeldByRejection("policy:one", { steps: [] })).toBe(false);
	});
});

describe("A breach of a rule", () => {
	const facts = (...breaches: readonly object[]): RuleFacts => ({ breaches: breaches as never, unknown: null });
	const worse = (old: object, now: object): boolean => isWorse(facts(old), facts(now));
	const sign = { resource: "PRIVATE_KEY", action: "SIGN" };
	const tags = (userIds: readonly string[], names: readonly string[]) => ({ what: "tags", userIds, tags: names });
	const members = (beyond: number) => ({ what: "members", userIds: [], count: 5 + beyond, beyond });
	const enough = (userIds: readonly string[], parts: object = {}) => {
		return { what: "enough", userIds, group: sign, condition: null, ...parts };
	};

	it("is no worse than the same before, and worse than none", () => {
		expect(worse(tags(["a"], ["A", "B"]), tags(["a"], ["A", "B"]))).toBe(false);
		expect(isWorse(facts(), facts(tags(["a"], ["A"])))).toBe(true);
		expect(isWorse(facts(tags(["a"], ["A"])), facts())).toBe(false);
		expect(withoutKnown([members(1), members(3)] as never, [members(2)] as never)).toEqual([members(3)]);
	});

	it("of tags is worse with another user or another tag", () => {
		expect(worse(tags(["a", "b"], ["A", "B"]), tags(["a"], ["A"]))).toBe(false);
		expect(worse(tags(["a"], ["A", "B"]), tags(["a", "b"], ["A"]))).toBe(true);
		expect(worse(tags(["a"], ["A"]), tags(["a"], ["A", "B"]))).toBe(true);
		expect(worse(tags(["a"], ["A"]), members(1))).toBe(true);
		expect(worse(members(1), tags(["a"], ["A"]))).toBe(true);
	});

	it("of members is worse further from the limit, or on its other side", () => {
		expect(worse(members(2), members(1))).toBe(false);
		expect(worse(members(1), members(2))).toBe(true);
		expect(worse(members(-2), members(-1))).toBe(false);
		expect(worse(members(-1), members(-2))).toBe(true);
		expect(worse(members(-2), members(1))).toBe(true);
	});

	it("of the root quorum is worse with a lower threshold", () => {
		const root = (threshold: number) => ({ what: "rootQuorum", userIds: ["a"], threshold });
		expect([worse(root(2), root(1)), worse(root(1), root(2))]).toEqual([true, false]);
		expect(worse(root(1), enough(["a"]))).toBe(true);
		expect(worse(enough(["a"]), root(1))).toBe(true);
	});

	it("of a power is worse with fewer users, in another group, or under another condition", () => {
		expect(worse(enough(["a"]), enough(["a", "b"]))).toBe(false);
		expect(worse(enough(["a", "b"]), enough(["a"]))).toBe(true);
		expect(worse(enough(["a"]), enough(["a", "b"], { group: { ...sign, action: "EXPORT" } }))).toBe(true);
		expect(worse(enough(["a"]), enough(["a", "b"], { condition: "x" }))).toBe(false);
		expect(worse(enough(["a"], { condition: "x" }), enough(["a", "b"], { condition: "x" }))).toBe(false);
		expect(worse(enough(["a"], { condition: "x" }), enough(["a", "b"]))).toBe(true);
		expect(worse(enough(["a"], { condition: "x" }), enough(["a", "b"], { condition: "y" }))).toBe(true);
		expect(worse(enough(["a"]), enough(["a", "b"], { what: "outsider" }))).toBe(true);
		expect(worse(enough(["a"], { what: "outsider" }), enough(["a", "b"], { what: "outsider" }))).toBe(false);
	});

	it("of new access is known only where it is the same", () => {
		const access = (userIds: readonly string[]) => enough(userIds, { what: "newAccess", change: "gains" });
		expect([worse(access(["a"]), access(["a"])), worse(access(["a"]), access(["a", "b"]))]).toEqual([false, true]);
	});

	it("is joined with others: all breaches, and the first reason why something is unknown", () => {
		const [one, other] = [members(1), members(2)];
		expect(
			joinFacts([
				facts(one),
				{ ...facts(other), unknown: notRead({ kind: "stated", text: "first" }) },
				{ ...facts(), unknown: notRead({ kind: "stated", text: "second" }) },
			]),
		).toEqual({
			breaches: [one, other],
			unknown: notRead({ kind: "stated", text: "first" }),
		});
		expect(joinFacts([])).toEqual({ breaches: [], unknown: null });
	});
});
