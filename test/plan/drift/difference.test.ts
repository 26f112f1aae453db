/** Which differences of a plan are known, and what of them a report compares with the next one. */
import { describe, expect, it } from "vitest";
import type { Expiry } from "../../../src/plan/access-window.ts";
import type { TagChange, Unread } from "../../../src/plan/change.ts";
import {
	type Difference,
	digestDifference,
	knownDifferences,
	unreadObjects,
} from "../../../src/plan/drift/difference.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import type { JudgedRule } from "../../../src/plan/rules/judge.ts";
import type { EarlierActivity, Step } from "../../../src/plan/step.ts";
import { context, desiredOf, id, known, liveOf, liveTag, wantTag } from "../support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)] as const;
const address = "userTag:signers";
const wanted = desiredOf({
	userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [] }, id: id("tag", 1) })],
});
const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known([bob, carol]) })]) });
const plan = makePlan(wanted, live, context);
const [step] = plan.steps as [Step];
const [change] = plan.changes as [TagChange];
const problem = { file: "a.yaml", line: 1, column: 1, code: "tag-name-taken", message: "" };
const whats = (parts: Partial<Plan>) => knownDifferences({ ...plan, ...parts }).map(({ what }) => what);

describe("A known difference", () => {
	it("is one where an object has a change and a problem, and none where a problem is of no object", () => {
		const problems = [
			{ ...problem, path: address },
			{ ...problem, path: "protect.users" },
			{ ...problem, path: "policy:p" },
		];
		const found = knownDifferences({ ...plan, problems });
		expect(found.map((one) => [one.address, one.what, one.change !== null])).toEqual([
			[address, "tag-name-taken", true],
			["policy:p", "tag-name-taken", false],
		]);
	});

	it("is the end of access only where the access of each user who loses the tag expired", () => {
		const expiry = (userId: string, parts: object = {}) => ({ address, userId, state: "expired", ...parts }) as Expiry;
		const expiries = [expiry(bob), expiry(carol)];
		expect(whats({ expiries })).toEqual(["access-expired"]);
		expect(whats({})).toEqual(["members-differ"]);
		expect(whats({ expiries: [expiry(bob)] })).toEqual(["members-differ"]);
		expect(whats({ expiries: [expiry(bob), expiry(carol, { state: "active" })] })).toEqual(["members-differ"]);
		expect(whats({ expiries: [expiry(bob), expiry(carol, { address: "userTag:x" })] })).toEqual(["members-differ"]);
		expect(whats({ expiries, changes: [{ ...change, addUserIds: [alice] }] })).toEqual(["members-differ"]);
		expect(whats({ expiries, changes: [{ ...change, reason: "name-differs" }] })).toEqual(["name-differs"]);
		const creation = { ...change, kind: "policy", reason: "members-differ" } as never;
		expect(whats({ expiries, changes: [creation] })).toEqual(["members-differ"]);
	});

	it("has of a change that is not known to be needed the name alone", () => {
		const unsure = { ...change, basis: "unknown", addUserIds: [alice] } as const;
		const renamed = { ...unsure, after: { ...change.after, name: "other" } };
		expect(knownDifferences({ ...plan, changes: [unsure] })).toEqual([]);
		expect(knownDifferences({ ...plan, changes: [{ ...renamed, kind: "policy" } as never] })).toEqual([]);
		const [found] = knownDifferences({ ...plan, changes: [renamed] });
		expect(found?.change).toEqual({ ...renamed, reason: "name-differs", addUserIds: [], removeUserIds: [] });
	});
});

describe("The activity that makes a difference go", () => {
	const earlier = (relation: EarlierActivity["relation"]): EarlierActivity => {
		return { state: "pending", status: "", activityId: `activity-${relation}`, fingerprint: "f", relation };
	};
	const stepAfter = (relation?: EarlierActivity["relation"]): Step => {
		return { ...step, earlierActivity: relation === undefined ? null : earlier(relation) };
	};
	const relationIn = (...steps: Step[]) => knownDifferences({ ...plan, steps }).map((one) => one.earlierActivity);

	it("is the first of those that do what all steps of the object do", () => {
		expect(relationIn(stepAfter("same"), stepAfter("same"))).toEqual([earlier("same")]);
		expect(relationIn(stepAfter("same"), { ...stepAfter(), covers: [] })).toEqual([earlier("same")]);
		expect(relationIn(stepAfter("same"), stepAfter())).toEqual([null]);
		expect(relationIn(stepAfter("conflicting"))).toEqual([null]);
		expect(relationIn()).toEqual([null]);
	});

	it("repairs a rule where every step that is to complete has one", () => {
		const broken = { state: "broken", userIds: [bob], breach: { kind: "stated", text: "" } } as const;
		const relationOf = (effect: JudgedRule["effect"], ...steps: Step[]) => {
			const rule: JudgedRule = { address: "rule:r", rule: "exclusive", effect, before: broken, after: broken };
			return knownDifferences({ ...plan, changes: [], rules: [rule], steps }).map((one) => one.earlierActivity);
		};
		expect(relationOf("repairs", stepAfter("same"), stepAfter("rejected"))).toEqual([earlier("same")]);
		expect(relationOf("repairs", stepAfter("same"), stepAfter())).toEqual([null]);
		expect(relationOf("none", stepAfter("same"))).toEqual([null]);
		expect(relationOf("repairs")).toEqual([null]);
	});
});

describe("The digest of a difference", () => {
	const difference: Difference = {
		...{ address, kind: "userTag", what: "members-differ", rule: null, change, problem: null, earlierActivity: null },
	};
	const ruleOf = (credential: string | null, detail: string | null, userIds = [bob]) => {
		const breaches = [{ what: "credential", userIds, credential, detail }];
		const breach = { kind: "breaches", breaches };
		return { ...difference, change: null, rule: { before: { state: "broken", userIds, breach } } as never };
	};

	it("differs where address, kind of difference, values, members or broken credentials differ", () => {
		const policy = { ...change, kind: "policy", before: { name: "a" }, after: { name: "b" } } as never;
		const different: readonly Difference[] = [
			difference,
			{ ...difference, what: "access-expired" },
			{ ...difference, address: "userTag:x" },
			{ ...difference, change: { ...change, addUserIds: [alice] } },
			{ ...difference, change: { ...change, removeUserIds: [bob] } },
			{ ...difference, change: { ...change, after: { ...change.after, name: "x" } } },
			{ ...difference, change: { ...change, before: { ...change.before, name: "x" } } },
			{ ...difference, change: policy },
			{ ...difference, change: { ...(policy as TagChange), after: { name: "c" } } as never },
			{ ...difference, change: null },
			{ ...difference, change: null, address: "userTag:x" },
			{ ...difference, change: null, what: "tag-not-there" },
			...[ruleOf("key", "1"), ruleOf("key", "2"), ruleOf("other", "1"), ruleOf("key", "1", [carol])],
		];
		expect(new Set(different.map(digestDifference)).size).toBe(different.length);
	});

	it("stays the same whoever else has the tag", () => {
		const others = { ...change, before: { ...change.before, members: [alice] } };
		expect(digestDifference({ ...difference, change: others })).toBe(digestDifference(difference));
	});
});

describe("Objects that could not be read", () => {
	const because = { kind: "extended-reads-off" } as const;
	const of = (one: object): Unread => ({ because, standsIn: "nothing", ...one }) as Unread;
	const doubted = { ...change, basis: "unknown" } as const;

	it("are named, and their kind is not beside them", () => {
		const unread = [of({ scope: "kind", kind: "userTag" }), of({ scope: "kind", kind: "policy" })];
		expect(unreadObjects({ ...plan, changes: [doubted], unread })).toEqual([
			{ scope: "object", address, because },
			{ scope: "kind", kind: "policy", because },
		]);
	});

	it("are those without a stand-in, and rules that are unknown in live state", () => {
		const rule = (at: string, state: string) => ({ address: at, before: { state } }) as unknown as JudgedRule;
		const unread = [
			of({ scope: "object", address: "policy:a", standsIn: "last-applied" }),
			...[of({ scope: "rule", address: "rule:a" }), of({ scope: "rule", address: "rule:b" })],
			...[of({ scope: "activities" }), of({ scope: "caller" })],
		];
		const rules = [rule("rule:a", "kept"), rule("rule:b", "unknown")];
		expect(unreadObjects({ ...plan, changes: [], unread, rules })).toEqual([
			{ scope: "rule", address: "rule:b", because },
		]);
		expect(unreadObjects({ ...plan, changes: [], unread })).toEqual([]);
	});
});
