/** What differs between the policies that a document writes and those that are live. */
import { describe, expect, it } from "vitest";
import { findUnreadPolicies, statesPolicies, writtenDifferences } from "../../src/plan/kinds/policy-changes.ts";
import type { DesiredOrganization, DesiredPolicy, LiveOrganization, LivePolicy } from "../../src/plan/organization.ts";
import { standInFor } from "../../src/plan/stand-in.ts";
import { at, desiredOf, id, known, liveOf, nothingAbsent, organizationId, unknown } from "./support-organizations.ts";

const texts = { effect: "EFFECT_ALLOW", consensus: "true", condition: "activity.action == 'SIGN'" } as const;
const want = (parts: Partial<DesiredPolicy> = {}): DesiredPolicy => ({
	...{ kind: "policy", name: "pay", previously: [], ...texts, at },
	...parts,
});
const pay: LivePolicy = { id: id("policy", 1), name: "pay", ...texts, time: "", notes: "why" };
const documentOf = (policies: readonly DesiredPolicy[], parts: Partial<DesiredOrganization> = {}) => {
	const { objects, ...others } = desiredOf(parts);
	return { ...others, objects: [...objects, ...policies] };
};
const liveWith = (...policies: readonly LivePolicy[]): LiveOrganization => ({ ...liveOf(), policies: known(policies) });
const compare = (wanted: Partial<DesiredPolicy>, live: Partial<LivePolicy> = {}) =>
	writtenDifferences(documentOf([want(wanted)]), liveWith({ ...pay, ...live })).changes;

describe("A written policy", () => {
	it.each<[string, Partial<DesiredPolicy>, Partial<LivePolicy>]>([
		["is as it is live", {}, {}],
		["says the same with other blanks", { condition: "activity.action=='SIGN'" }, {}],
		["leaves its notes to others", {}, { notes: "other" }],
		["has the notes that are live", { notes: "why" }, {}],
	])("needs no change where it %s", (_what, wanted, live) => {
		expect(compare(wanted, live)).toEqual([]);
	});

	it.each<[string, Partial<DesiredPolicy>, Partial<LivePolicy>]>([
		["effect", { effect: "EFFECT_DENY" }, {}],
		["consensus", { consensus: "false" }, {}],
		["condition", { condition: "activity.action == 'EXPORT'" }, {}],
		["notes", { notes: "" }, {}],
		["time", {}, { time: "time.now < Timestamp('2026-01-01T00:00:00Z')" }],
		["name", { id: pay.id, name: "paid" }, {}],
	])("is changed where its %s differs", (field, wanted, live) => {
		const [change, ...others] = compare(wanted, live);
		expect(others).toEqual([]);
		expect(change).toMatchObject({ kind: "policy", action: "update", reason: "differs", id: pay.id, basis: "live" });
		expect(change).toMatchObject({ before: { notes: "why" }, takesOver: field !== "name" });
	});

	it("is compared as exact text where its meaning is unknown", () => {
		const blanks = { condition: "activity.action=='SIGN'" };
		expect(compare({ ...blanks, unchecked: true })).toMatchObject([{ unchecked: true }]);
		expect(compare({ unchecked: true })).toEqual([]);
		const [change] = compare({ unchecked: true }, { consensus: "${x}" });
		expect(change).toMatchObject({ writtenBefore: { consensus: "$${x}" } });
	});

	it("takes over a live one that was never applied from here", () => {
		const live = liveWith({ ...pay, condition: "" });
		const { lastApplied } = live;
		const applied = { ...lastApplied, policies: { [pay.id]: { name: "pay", appliedAt: "" } } };
		const takes = (of: LiveOrganization) =>
			writtenDifferences(documentOf([want()]), of).changes.map((one) => "takesOver" in one && one.takesOver);
		expect(takes(live)).toEqual([true]);
		expect(takes({ ...live, lastApplied: applied })).toEqual([false]);
		expect(takes({ ...live, lastApplied: { ...lastApplied, policies: {} } })).toEqual([true]);
	});

	it("that is not there is created, or a problem where it has an id", () => {
		const { changes, problems } = writtenDifferences(
			documentOf([want(), want({ name: "x", id: id("policy", 9) })]),
			liveWith(),
		);
		expect(changes).toMatchObject([
			{
				...{ action: "create", reason: "not-there", before: null, writtenBefore: null, takesOver: false },
				...{ id: standInFor(organizationId, "policy", "pay"), after: { notes: "", time: "" } },
			},
		]);
		expect(problems).toMatchObject([{ code: "policy-not-there", path: "policy:x" }]);
	});

	it("that is under absent too, by its name or its id, is a problem", () => {
		const absent = (policyId: string) =>
			writtenDifferences(
				documentOf([want()], desiredOf({ absent: { ...nothingAbsent, policyIds: [policyId] } })),
				liveWith(pay),
			).problems.map(({ code }) => code);
		expect([absent("pay"), absent(pay.id), absent("other")]).toEqual([["policy-absent"], ["policy-absent"], []]);
	});
});

describe("A complete list of policies", () => {
	const others = [2, 3, 4].map((number) => ({ ...pay, id: id("policy", number), name: `p${number}` }));
	const removedBy = (parts: object, wanted: readonly DesiredPolicy[] = [want()]) =>
		writtenDifferences(documentOf(wanted, desiredOf(parts)), liveWith(pay, ...others));

	it("removes what it does not list, but for its exceptions and what is removed already", () => {
		const exactly = { policies: { except: ["*3"] } };
		const names = (parts: object) => removedBy(parts).changes.map((one) => one.before?.name);
		expect(names({ exactly })).toEqual(["p2", "p4"]);
		expect(names({ exactly: { policies: { except: [] } } })).toEqual(["p2", "p3", "p4"]);
		expect(names({})).toEqual([]);
		const absent = { ...nothingAbsent, policyIds: ["p2", id("policy", 4)] };
		expect(names({ exactly, absent })).toEqual([]);
		expect(removedBy({ exactly }, []).changes).toHaveLength(3);
	});

	it("frees the names of what it removes", () => {
		const renamed = [want({ id: pay.id, name: "p2" })];
		expect(removedBy({ exactly: { policies: { except: [] } } }, renamed).problems).toEqual([]);
		const absent = { ...nothingAbsent, policyIds: [others[0]?.id ?? ""] };
		expect(removedBy({ absent }, renamed).problems).toEqual([]);
		expect(removedBy({}, renamed).problems).toMatchObject([{ code: "policy-name-taken" }]);
	});
});

describe("Policies that were not read", () => {
	const [plain, stating] = [documentOf([]), documentOf([want()])];
	const complete = documentOf([], { exactly: { policies: { except: [] } } });

	it("matter to a document that states some, or whose list is complete", () => {
		expect([plain, stating, complete].map(statesPolicies)).toEqual([false, true, true]);
		expect(statesPolicies(documentOf([], { exactly: { userTags: { except: [] } } }))).toBe(false);
		const unread = { scope: "kind", kind: "policy", because: unknown.because, standsIn: "nothing" } as const;
		const live = { ...liveOf(), policies: unknown };
		const found = [plain, stating, complete].map((document) => writtenDifferences(document, live));
		expect(found).toEqual([[], [unread], [unread]].map((some) => ({ changes: [], problems: [], unread: some })));
		expect(writtenDifferences(stating, liveOf()).unread).toMatchObject([{ because: { kind: "not-asked" } }]);
		const others = [{ ...unread, kind: "userTag" }, { scope: "caller" }, unread] as never;
		expect([plain, stating, complete].map((document) => findUnreadPolicies(document, others))).toEqual([
			...[undefined, unread, unread],
		]);
		expect(findUnreadPolicies(stating, [])).toBeUndefined();
	});
});
