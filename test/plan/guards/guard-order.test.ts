/** Guards of the order of steps, of the submitter's own powers, and of names that mean another tag: what each finds and where. */
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/plan/change.ts";
import { needsCaller } from "../../../src/plan/guards/guards.ts";
import { judgeOldNames } from "../../../src/plan/guards/old-names.ts";
import { isFor } from "../../../src/plan/guards/overrides.ts";
import { judgeOwnPowers } from "../../../src/plan/guards/own-powers.ts";
import { judgeStranded } from "../../../src/plan/guards/stranded.ts";
import { judgeOrder } from "../../../src/plan/guards/unsafe-moments.ts";
import { judgeWrites } from "../../../src/plan/guards/written-policies.ts";
import type { PlanImpact } from "../../../src/plan/impact/impact.ts";
import type { DesiredOrganization, LiveOrganization } from "../../../src/plan/organization.ts";
import type { Step } from "../../../src/plan/step.ts";
import { accessOf, alice, bob, carol, policyOf, signers } from "../support-access.ts";
import { at, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "../support-organizations.ts";

const step = (name: string, parts: object = {}, covers: readonly string[] = [name]): Step =>
	({
		...{ id: name, operation: "update_user_tag", dependsOn: [], earlierActivity: null },
		covers: covers.map((label) => ({ address: `userTag:${label}`, id: label })),
		...parts,
	}) as unknown as Step;
const [a, b, c] = [step("a"), step("b"), step("c")];
const rejected = { earlierActivity: { relation: "rejected" } };
const addresses = (...names: readonly string[]) => names.map((name) => `userTag:${name}`);

describe("The guard of states between steps", () => {
	const moment = (completed: readonly Step[], open: readonly Step[]) => {
		return { completed, open, change: "alone", group: { kind: "X" }, condition: null, userIds: [alice] };
	};
	const judge = (parts: object, steps: readonly Step[] = [a, b, c]) =>
		judgeOrder(
			{ unsafe: [], unjudged: [], firstUnjudged: null, stranded: [], unsearched: [], ...parts } as never,
			steps,
			{
				userNames: {},
			},
		);

	it("refuses where one can be reached, at all steps of it, sorted and each once", () => {
		const unsafe = [moment([c, b], [a]), moment([b], [a])];
		expect(judge({ unsafe })).toMatchObject([
			{
				...{ kind: "unsafeMoments", found: 2, refuses: true, where: addresses("a", "b", "c") },
				finding: {
					what: "unsafe-moments",
					...{ unjudged: 0, firstUnjudged: null, names: { userNames: {} } },
					moments: [
						{
							completed: addresses("c", "b"),
							open: addresses("a"),
							change: "alone",
							userIds: [alice],
							condition: null,
						},
						{ completed: addresses("b"), open: addresses("a") },
					],
				},
			},
		]);
	});

	it("warns where some were not judged, at those steps, with the first", () => {
		const firstUnjudged = { completed: [c], open: [a], group: { kind: "X" } };
		expect(judge({ unjudged: [c, b, c], firstUnjudged })).toMatchObject([
			{
				...{ kind: "unsafeMoments", found: 0, refuses: false, where: addresses("b", "c") },
				finding: {
					...{ moments: [], unjudged: 3 },
					firstUnjudged: { completed: addresses("c"), open: addresses("a"), group: { kind: "X" } },
				},
			},
		]);
		expect(judge({ unjudged: [c], unsafe: [moment([b], [a])] })).toMatchObject([
			{ where: addresses("a", "b"), found: 1 },
		]);
	});

	it("is not there where none can be reached, or nothing is submitted", () => {
		expect(judge({})).toEqual([]);
		const after = step("b", { dependsOn: ["a"] });
		expect(judge({ unsafe: [moment([after], [a])] }, [a, after])).toEqual([]);
		const held = { ...b, ...rejected } as unknown as Step;
		expect(judge({ unsafe: [moment([held], [a])] }, [a, held])).toEqual([]);
		expect(judge({ unsafe: [moment([b], [a])] }, [{ ...a, ...rejected } as unknown as Step])).toEqual([]);
		// A pending activity completes whenever it is approved.
		const pending = step("b", { dependsOn: ["a"], earlierActivity: { relation: "same" } });
		expect(judge({ unsafe: [moment([pending], [a])] }, [a, pending])).toHaveLength(1);
		const two = moment([b], [a, c]);
		expect(judge({ unsafe: [two] }, [a, step("b", { dependsOn: ["c"] }), c])).toEqual([]);
	});
});

describe("The guard of steps that another one denies", () => {
	const denied = { approval: { verdict: "denied", because: "why" } };
	const judge = (stranded: readonly object[], steps: readonly Step[], unsearched: readonly Step[] = []) =>
		judgeStranded({ stranded, unsearched } as never, steps);

	it("refuses with the change, what comes before it, and why, at sorted addresses", () => {
		const [last, two] = [step("b", denied), step("z", denied, ["z", "y"])];
		const found = judge(
			[
				{ step: two, by: null },
				{ step: last, by: a },
			],
			[a, last, two],
		);
		expect(found).toEqual([
			{
				...{ kind: "stranded", found: 2, refuses: true, where: addresses("b", "y", "z") },
				finding: {
					...{ what: "stranded", unsearched: 0 },
					changes: [
						{ addresses: addresses("z", "y"), by: null, because: "why" },
						{ addresses: addresses("b"), by: addresses("a"), because: "why" },
					],
				},
			},
		]);
	});

	it("has no reason where the step is not denied as it is, and takes the last step of the object", () => {
		const pending = step("b", { approval: { verdict: "pending", because: "no" } });
		const changesOf = (...steps: readonly Step[]) => {
			const [guard] = judge([{ step: b, by: null }], steps);
			return guard?.finding.what === "stranded" ? guard.finding.changes.map(({ because }) => because) : [];
		};
		expect([changesOf(a, pending), changesOf(a, b)]).toEqual([[null], [null]]);
		expect(changesOf(step("b0", denied, ["b"]), pending)).toEqual([null]);
		expect(changesOf(pending, step("b0", denied, ["b", "x"]))).toEqual(["why"]);
	});

	it("warns where not every order was looked at, and is silent about what is not to come", () => {
		expect(judge([], [a], [b, a])).toMatchObject([
			{ found: 0, refuses: false, where: addresses("a", "b"), finding: { changes: [], unsearched: 2 } },
		]);
		expect(judge([{ step: b, by: null }], [a])).toEqual([]);
		expect(judge([{ step: b, by: c }], [a, b])).toEqual([]);
		expect(judge([{ step: b, by: null }], [{ ...a, ...rejected } as unknown as Step])).toEqual([]);
	});
});

describe("The guard of the submitter's own powers", () => {
	const side = (...alone: readonly string[]) => ({ alone, thresholds: [], together: [] });
	const finding = (change: PlanImpact["change"], parts: object = {}): PlanImpact =>
		({
			...{ change, userIds: [alice, bob], group: { resource: "POLICY", action: "UPDATE" } },
			...{ before: side(), after: side(), ...parts },
		}) as unknown as PlanImpact;
	const written = { kind: "policy", action: "update", address: "policy:p" } as never as Change;
	const judge = (impact: readonly PlanImpact[], parts: object = {}, changes: readonly Change[] = [written]) => {
		const update = step("p", { operation: "update_policy" });
		return judgeOwnPowers(changes, { impact, steps: [update], submitterId: alice, ...parts } as never, {
			userNames: {},
		});
	};
	const countOf = (...parts: Parameters<typeof judge>) => judge(...parts)[0]?.found ?? 0;

	it("refuses where the submitter gains, or loses what the plan needs", () => {
		const changes = ["alone", "fewer", "gains", "nobody", "loses", "more", "unknown"] as const;
		expect(changes.map((change) => countOf([finding(change as never)]))).toEqual([1, 1, 1, 1, 1, 0, 0]);
		expect(judge([finding("alone")])).toMatchObject([
			{ kind: "ownPowers", refuses: true, where: ["policy:p"], finding: { what: "own-powers", userId: alice } },
		]);
		const later = { impactAtOtherTimes: [finding("alone")] };
		expect(countOf([finding("gains")], later)).toBe(2);
	});

	it("is silent where it is about others, or the submitter could or can do it alone anyway", () => {
		expect(countOf([finding("alone", { userIds: [bob, carol] })])).toBe(0);
		expect(countOf([finding("gains", { before: side(bob, alice) })])).toBe(0);
		expect(countOf([finding("gains", { before: side(bob), after: side(alice) })])).toBe(1);
		expect(countOf([finding("loses", { after: side(alice) })])).toBe(0);
		expect(countOf([finding("loses", { before: side(alice), after: side(bob) })])).toBe(1);
		expect(countOf([finding("loses", { group: { resource: "WALLET", action: "EXPORT" } })])).toBe(0);
		expect(countOf([finding("alone")], { submitterId: undefined })).toBe(0);
		expect(countOf([finding("alone")], {}, [{ ...written, action: "remove" } as never])).toBe(0);
		expect(countOf([finding("alone")], {}, [])).toBe(0);
	});
});

describe("The guards of names", () => {
	const live = (parts: object = {}): LiveOrganization => ({
		...liveOf({ userTags: known([liveTag(2, "signers"), liveTag(3, "admins", { members: unknown })]) }),
		...parts,
	});
	const applied = (tags: Readonly<Record<string, string>>) => ({
		lastApplied: {
			removed: {},
			userTags: Object.fromEntries(
				Object.entries(tags).map(([tagId, name]) => {
					return [tagId, { name, appliedAt: "", present: [], gone: [], updatedAt: "" }];
				}),
			),
		},
	});
	const policy = (name: string, ...tags: readonly string[]) => {
		const consensus = tags.map((tag) => `'x' == '\${userTags.${tag}}'`).join(" || ");
		return { kind: "policy", name, previously: [], effect: "EFFECT_ALLOW", consensus, condition: "", at } as const;
	};
	const desired: DesiredOrganization = {
		...desiredOf(),
		objects: [wantTag("signers"), wantTag("admins"), policy("p", "signers", "admins")],
	};
	const judge = (of: LiveOrganization, changes: readonly Change[] = [], access?: ReturnType<typeof accessOf>) =>
		judgeWrites(desired, of, { changes, steps: [], access }).filter(({ kind }) => /rebound|dangling/.test(kind));

	it("refuse where each means another tag than when it was applied, and the tag of that time is gone", () => {
		const [one, nine] = [id("tag", 1), id("tag", 9)];
		expect(judge(live(applied({ [one]: "signers", [nine]: "admins" })))).toEqual([
			{
				...{ kind: "rebound", found: 2, refuses: true, where: ["userTag:admins", "userTag:signers"] },
				finding: {
					what: "rebound",
					tags: [
						{ name: "signers", before: [one], now: id("tag", 2), userIds: [] },
						{ name: "admins", before: [nine], now: id("tag", 3), userIds: null },
					],
				},
			},
		]);
		expect(judge(live())).toEqual([]);
		expect(judge(live(applied({ [one]: "other" })))).toEqual([]);
		expect(judge(live(applied({ [one]: "signers", [id("tag", 2)]: "signers" })))).toEqual([]);
		expect(judge(live(applied({ [id("tag", 3)]: "signers" })))).toEqual([]);
		expect(judge(live({ ...applied({ [one]: "signers" }), userTags: known([]) }))).toEqual([]);
		expect(judge(live({ ...applied({ [one]: "signers" }), userTags: unknown }))).toEqual([]);
	});

	it("refuse where policies still name a removed tag, by any of their texts, or were not read", () => {
		const removal = (tagId: string, name: string) =>
			({
				kind: "userTag",
				action: "remove",
				address: `userTag:${name}`,
				tagId,
				addUserIds: [],
				removeUserIds: [],
			}) as never;
		const removals = [removal(id("tag", 9), "z"), removal(signers, "a"), removal(id("tag", 8), "b")];
		const naming = policyOf(1, { consensus: `'${signers.toUpperCase()}'` });
		const timed = policyOf(2, { time: `'${id("tag", 9)}'` });
		expect(judge(live(), removals, accessOf({}, [naming, timed]))).toEqual([
			{
				...{ kind: "danglingTags", found: 2, refuses: true, where: ["userTag:a", "userTag:z"] },
				finding: {
					what: "dangling-tags",
					uses: [
						{ address: "userTag:z", policies: [timed] },
						{ address: "userTag:a", policies: [naming] },
					],
				},
			},
		]);
		expect(judge(live(), removals.slice(2), accessOf({}, [naming, timed]))).toEqual([]);
		expect(judge(live(), removals)).toMatchObject([{ found: 3, finding: { uses: [{ policies: null }, {}, {}] } }]);
		expect(judge(live(), [{ ...(removals[1] as unknown as object), action: "update" } as never])).toEqual([]);
	});

	it("warn of old names at sorted addresses", () => {
		const renamed = (from: string, to: string) =>
			({ kind: "userTag", address: `userTag:${to}`, before: { name: from }, after: { name: to } }) as never;
		const protect = { userIds: [], userTags: ["x", "y"] };
		expect(judgeOldNames({ protect }, [renamed("x", "q"), renamed("y", "p")], undefined)).toMatchObject([
			{ kind: "oldNames", found: 2, refuses: false, where: ["userTag:p", "userTag:q"] },
		]);
	});
});

it("The caller matters where one change of several takes something", () => {
	const tag = (removeUserIds: readonly string[]) => ({ kind: "userTag", removeUserIds }) as never as Change;
	const other = { kind: "policy" } as Change;
	expect(
		[[tag([]), tag([alice])], [tag([])], [other], [other, { kind: "oauthProvider" } as Change]].map(needsCaller),
	).toEqual([...[true, false, false, true]]);
});

it("An override is for the guard that it allows", () => {
	const guard = { kind: "policies", found: 2 } as never;
	expect(isFor({ flag: "allow", kind: "policies", number: 2 } as never, guard)).toBe(true);
	expect(isFor({ flag: "allow", kind: "policies", number: 3 } as never, guard)).toBe(false);
	expect(isFor({ flag: "abandon", kind: "policies", number: 2 } as never, guard)).toBe(false);
});
