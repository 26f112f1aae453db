/** Access with an end: what a document wants at a time, and the plan for it. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { decodeSavedPlan, encodeSavedPlan, makeSavedPlan } from "../../src/document/saved/saved-plan.ts";
import { desiredAt, type Expiry, nextChangeAfter } from "../../src/plan/access-window.ts";
import { type AccessWindow, type DesiredMembers, emptyLastApplied, tagsOf } from "../../src/plan/organization.ts";
import { makePlan, type Plan, type PlanContext } from "../../src/plan/plan.ts";
import { findOutdated } from "../../src/plan/stale.ts";
import { at, context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "./support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)] as const;
const untilMs = context.readAtMs;
const dayMs = 24 * 3_600_000;

const until: AccessWindow = { userId: bob, untilMs, until: "2026-01-01T00:00:00Z", reason: "migration", at };

const exactly: DesiredMembers = { mode: "exactly", exactly: [alice, bob], windows: [until] };
const atLeast: DesiredMembers = { mode: "atLeast", atLeast: [bob], never: [], windows: [until] };

const documentOf = (members: DesiredMembers) => desiredOf({ userTags: [wantTag("signers", { members })] });
const liveWith = (...members: readonly string[]) =>
	liveOf({ userTags: known([liveTag(1, "signers", { members: known(members) })]) });

function planAt(timeMs: number, members: DesiredMembers, live = liveWith(alice, bob, carol), more: object = {}) {
	const plan = makePlan(documentOf(members), live, { reads: "auto", readAtMs: timeMs, ...more } as PlanContext);
	const [change] = plan.changes;
	return { plan, remove: change?.kind === "userTag" ? change.removeUserIds : [] };
}

describe("a user with an end", () => {
	test.each([
		["a second before it", -1000, false],
		["a millisecond before it", -1, false],
		["at it", 0, true],
		["a second after it", 1000, true],
	])("%s loses the tag: %i ms, %s", (_, offset, isRemoved) => {
		expect(planAt(untilMs + offset, exactly, liveWith(alice, bob)).remove).toEqual(isRemoved ? [bob] : []);
		expect(planAt(untilMs + offset, atLeast).remove).toEqual(isRemoved ? [bob] : []);
	});

	it("is judged by the service's clock, whatever ours shows", () => {
		const behind = { serviceTimeMs: untilMs };
		const ahead = { serviceTimeMs: untilMs - 1 };
		expect(planAt(untilMs - 5 * 3_600_000, atLeast, undefined, behind).remove).toEqual([bob]);
		expect(planAt(untilMs + 5 * 3_600_000, atLeast, undefined, ahead).remove).toEqual([]);
	});

	it("is not added before it begins, and removed if the tag is there already", () => {
		const members: DesiredMembers = {
			...atLeast,
			windows: [{ userId: bob, fromMs: untilMs, untilMs: untilMs + dayMs, at }],
		};
		expect(planAt(untilMs - 1, members).remove).toEqual([bob]);
		expect(planAt(untilMs - 1, members, liveWith(carol)).plan.changes).toEqual([]);
		expect(planAt(untilMs, members, liveWith(carol)).plan.changes).toMatchObject([{ addUserIds: [bob] }]);
		expect(planAt(untilMs + dayMs, members).remove).toEqual([bob]);
	});

	it("is removed after it where members cannot be read, by name and as last applied", () => {
		const tag = liveTag(1, "signers", { members: unknown });
		const blind = liveOf({ userTags: known([tag]) });
		expect(planAt(untilMs, exactly, blind).remove).toEqual([bob]);
		const applied = { name: "signers", appliedAt: "2025-12-01T00:00:00Z", updatedAt: tag.updatedAt };
		const remembered = (present: readonly string[], gone: readonly string[]) => ({
			...blind,
			lastApplied: { ...emptyLastApplied, userTags: { [tag.id]: { ...applied, present, gone } } },
		});
		expect(planAt(untilMs, exactly, remembered([alice, bob], [])).remove).toEqual([bob]);
		expect(planAt(untilMs, exactly, remembered([alice], [bob])).plan.changes).toEqual([]);
	});
});

describe("a plan of a document with windows", () => {
	it("says until when it is valid, and which windows end soon, have not begun or have ended", () => {
		const windows: readonly AccessWindow[] = [
			until,
			{ userId: carol, fromMs: untilMs + dayMs, from: "2026-01-02 Africa/Accra", at },
			{ userId: alice, untilMs: untilMs + 20 * dayMs, at },
		].sort((left, right) => (left.userId < right.userId ? -1 : 1));
		const members: DesiredMembers = { mode: "atLeast", atLeast: [alice, bob, carol], never: [], windows };
		const before = planAt(untilMs - dayMs, members, liveWith(alice, bob)).plan;
		expect(before).toMatchObject({
			serviceTime: "2025-12-31T00:00:00.000Z",
			validUntil: "2026-01-01T00:00:00.000Z",
			changes: [],
			expiries: [
				{ userId: bob, until: "2026-01-01T00:00:00.000Z", reason: "migration", state: "ends-soon" },
				{ userId: carol, from: "2026-01-02T00:00:00.000Z", fromWritten: "2026-01-02 Africa/Accra", state: "not-begun" },
			],
		});
		const after = planAt(untilMs, members, liveWith(alice, bob), { horizonMs: 0 }).plan;
		expect(after.validUntil).toBe("2026-01-02T00:00:00.000Z");
		expect(after.expiries).toEqual([
			{
				address: "userTag:signers",
				userId: bob,
				until: "2026-01-01T00:00:00.000Z",
				reason: "migration",
				state: "expired",
			},
		]);
		// Once it is removed, nothing has expired any more.
		expect(planAt(untilMs, members, liveWith(alice), { horizonMs: 0 }).plan).not.toHaveProperty("expiries");
		const last = planAt(untilMs + 21 * dayMs, members, liveWith(carol)).plan;
		expect(last).not.toHaveProperty("validUntil");
	});

	it("says nothing of time where the document has no window", () => {
		const { plan } = planAt(untilMs, { mode: "exactly", exactly: [alice] });
		expect(Object.keys(plan)).not.toEqual(expect.arrayContaining(["serviceTime"]));
		expect(plan).not.toHaveProperty("validUntil");
	});
});

describe("a saved plan with windows", () => {
	const members: DesiredMembers = {
		mode: "exactly",
		exactly: [alice, bob, carol],
		windows: [until, { userId: carol, untilMs: untilMs + dayMs, at }],
	};
	const { plan } = planAt(untilMs, members, liveWith(alice, bob, carol));
	const digest = `sha256:${"0".repeat(64)}`;
	const findWrong = (parts: Partial<Plan>) => {
		const text = encodeSavedPlan(makeSavedPlan({ plans: [{ ...plan, documentDigest: digest, ...parts }] }, "orgsync"));
		try {
			decodeSavedPlan(text, "plan.json");
			return "";
		} catch (error) {
			return (error as Error).message;
		}
	};
	const [expired, soon] = (plan.expiries ?? []) as [Expiry, Expiry];

	it("is read back, and refused where it states of a window what cannot be", () => {
		expect(findWrong({})).toBe("");
		expect(plan.expiries).toMatchObject([{ state: "expired" }, { state: "ends-soon" }]);
		expect(findWrong({ serviceTime: undefined as never })).toContain("no serviceTime");
		expect(findWrong({ validUntil: "2026-01-01T00:00:00.000Z" })).toContain("validUntil is not after serviceTime");
		expect(findWrong({ validUntil: "2026-01-02T00:00:00Z" })).toContain("no time that orgsync writes");
		for (const wrong of [
			{ ...expired, userId: alice },
			{ ...expired, until: "2026-01-01T00:00:00.001Z" },
			{ ...expired, address: "userTag:others" },
			{ ...expired, state: "ends-soon" as const },
			{ ...soon, state: "expired" as const },
			{ ...soon, state: "not-begun" as const },
			{ ...soon, from: "2026-01-01T00:00:00.001Z" },
		]) {
			expect(findWrong({ expiries: [wrong] }), JSON.stringify(wrong)).toContain("expiries: the window of ");
		}
	});

	it("is stale where it states another end or reason for a removal than the document", () => {
		const live = liveWith(alice, bob, carol);
		const told = (one: Expiry) => findOutdated({ saved: { ...plan, expiries: [one, soon] }, fresh: plan, live });
		expect(told(expired)).toEqual([]);
		expect(told({ ...expired, reason: "left" })).toMatchObject([
			{ address: "userTag:signers", reason: "step-differs" },
		]);
		expect(told({ ...expired, until: "2025-12-01T00:00:00.000Z" })).toHaveLength(1);
	});
});

describe("time", () => {
	const users = [1, 2, 3, 4].map((number) => id("user", number));
	const moment = fc.integer({ min: 0, max: 6 });
	const windowed = fc.tuple(fc.option(moment), fc.option(moment)).filter(([from, end]) => (from ?? 0) < (end ?? 7));
	const entry = fc.oneof(fc.constant("always" as const), fc.constant("left out" as const), windowed);
	const worlds = fc.record({
		mode: fc.constantFrom("exactly" as const, "atLeast" as const),
		entries: fc.tuple(entry, entry, entry, entry),
		live: fc.subarray(users),
		isKnown: fc.boolean(),
		memory: fc.option(fc.record({ present: fc.subarray(users), updatedAt: fc.constantFrom("1.0", "0.5") })),
		times: fc.tuple(moment, moment).map(([one, other]) => (one < other ? [one, other] : [other, one])),
	});
	const membersOf = (mode: "exactly" | "atLeast", entries: readonly unknown[]): DesiredMembers => {
		const listed = users.filter((_, index) => entries[index] !== "left out");
		const windows = users.flatMap((userId, index): readonly AccessWindow[] => {
			const given = entries[index];
			if (!Array.isArray(given)) return [];
			const [fromMs, untilMs] = given as readonly (number | null)[];
			return [{ userId, ...(fromMs == null ? {} : { fromMs }), ...(untilMs == null ? {} : { untilMs }), at }];
		});
		const list = mode === "exactly" ? { mode, exactly: listed } : { mode, atLeast: listed, never: [] };
		return { ...list, windows };
	};

	const blind = liveTag(1, "signers", { members: unknown });
	const appliedOf = (memory: { readonly present: readonly string[]; readonly updatedAt: string } | null) => {
		if (memory === null) return {};
		const gone = users.filter((userId) => !memory.present.includes(userId));
		return { [blind.id]: { name: "signers", appliedAt: "2025-12-01T00:00:00Z", gone, ...memory } };
	};

	it("changes nothing of a plan but what a window between the two times says", () => {
		fc.assert(
			fc.property(worlds, ({ mode, entries, live, isKnown, memory, times: [first = 0, second = 0] }) => {
				const desired = documentOf(membersOf(mode, entries));
				expect(desiredAt(desiredAt(desired, first), second)).toEqual(desiredAt(desired, second));
				const organization = isKnown
					? liveWith(...live)
					: liveOf({ userTags: known([blind]), lastApplied: { ...emptyLastApplied, userTags: appliedOf(memory) } });
				const plans = [first, second].map((timeMs) => {
					const plan = makePlan(desired, organization, { ...context, serviceTimeMs: timeMs });
					expect(makePlan(desired, organization, { ...context, serviceTimeMs: timeMs })).toEqual(plan);
					return plan;
				});
				const windows = tagsOf(desired).flatMap(({ members }) => members?.windows ?? []);
				const isOpen = ({ fromMs = 0, untilMs: end = 7 }: AccessWindow, ms: number) => fromMs <= ms && ms < end;
				const crossed = windows.filter((window) => isOpen(window, first) !== isOpen(window, second));
				const next = nextChangeAfter(desired, first) ?? 7;
				const wish = ({ changes: [change] }: (typeof plans)[number], userId: string) =>
					change?.kind === "userTag" && [change.addUserIds.includes(userId), change.removeUserIds.includes(userId)];
				const [before, after] = plans.map((plan) => users.map((userId) => wish(plan, userId) || [false, false]));
				for (const [index, userId] of users.entries()) {
					if (!crossed.some((window) => window.userId === userId)) expect(after?.[index]).toEqual(before?.[index]);
				}
				if (second < next) expect(after).toEqual(before);
				for (const window of windows) {
					const [adds, removes] = after?.[users.indexOf(window.userId)] ?? [];
					if (isOpen(window, second)) expect(removes).toBe(false);
					else expect(adds).toBe(false);
				}
			}),
			{ numRuns: 300 },
		);
	});
});
