/** Reasons as data: which are the same, and which are no one's mistake. */
import { describe, expect, it } from "vitest";
import {
	isSameReason,
	isUndocumented,
	joinAssumptions,
	type Reason,
	withoutPolicy,
} from "../../../src/policy/powers/reason.ts";

const ofPolicy = (policyId: string, because: Reason): Reason => ({ kind: "policy", policyId, because });
const disputed: Reason = { kind: "own-credentials-disputed" };
const notShown: Reason = { kind: "not-read", why: { kind: "stated", text: "not shown" } };
const evaluated = (message: string): Reason => ({ kind: "not-evaluated", clause: "condition", message });
const order = (...stepIds: readonly string[]): Reason => ({ kind: "order", stepIds, verdicts: ["runs", "pending"] });

describe("Two reasons", () => {
	it.each<[one: Reason | null, other: Reason | null, isSame: boolean]>([
		[null, null, true],
		[null, disputed, false],
		[disputed, null, false],
		[disputed, { kind: "own-credentials-disputed" }, true],
		[disputed, { kind: "undocumented-pair" }, false],
		[evaluated("one"), evaluated("other"), true],
		[evaluated("one"), { kind: "not-boolean", clause: "condition" }, false],
		[evaluated("one"), { kind: "not-evaluated", clause: "time", message: "one" }, false],
		[notShown, { kind: "not-read", why: { kind: "not-needed" } }, true],
		[ofPolicy("p", disputed), ofPolicy("p", disputed), true],
		[ofPolicy("p", disputed), ofPolicy("q", disputed), false],
		[ofPolicy("p", disputed), ofPolicy("p", { kind: "undocumented-pair" }), false],
		[ofPolicy("p", evaluated("one")), ofPolicy("p", evaluated("other")), true],
		[order("a", "b"), order("a", "b"), true],
		[order("a", "b"), order("b", "a"), false],
		[{ kind: "stated", text: "anything" }, disputed, true],
		[disputed, { kind: "stated", text: "anything" }, true],
	])("state the same facts or not: %j, %j", (one, other, isSame) => {
		expect(isSameReason(one, other)).toBe(isSame);
	});

	it("state the same facts in whichever order a file has them", () => {
		expect(isSameReason(ofPolicy("p", disputed), { because: disputed, policyId: "p", kind: "policy" })).toBe(true);
	});
});

describe("A reason", () => {
	it("is no one's mistake where no documentation says it, also within that of a policy", () => {
		const all: readonly (Reason | null)[] = [disputed, { kind: "undocumented-pair" }, ofPolicy("p", disputed)];
		expect(all.map(isUndocumented)).toEqual([true, true, true]);
		expect([null, notShown, ofPolicy("p", notShown)].map(isUndocumented)).toEqual([false, false, false]);
	});

	it("is without its policy where that is named beside it", () => {
		expect(withoutPolicy(ofPolicy("p", disputed), "p")).toEqual(disputed);
		expect(withoutPolicy(ofPolicy("p", disputed), "q")).toEqual(ofPolicy("p", disputed));
		expect(withoutPolicy(disputed, "p")).toEqual(disputed);
	});

	it("is assumed once of all its policies", () => {
		const assumed = (what: "bools" | "errors", ...policyIds: readonly string[]) =>
			({ kind: "assumed", what, policyIds }) as const;
		expect(
			joinAssumptions([assumed("bools", "q"), assumed("errors", "p"), assumed("bools", "p"), assumed("bools", "q")]),
		).toEqual([assumed("bools", "p", "q"), assumed("errors", "p")]);
	});
});
