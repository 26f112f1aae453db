/**
 * Guards: what each limit lets through, what acknowledges it, and whose last way in is kept.
 */
import { describe, expect, it } from "vitest";
import {
	type GuardKind,
	guardKinds,
	isGuardKind,
	judgeUnlisted,
	needsCaller,
	refusingGuards,
} from "../../../src/plan/guards/guards.ts";
import { judgeReversals } from "../../../src/plan/guards/reversals.ts";
import { judgeStranded } from "../../../src/plan/guards/stranded.ts";
import type {
	DesiredOrganization,
	DesiredUserTag,
	Known,
	Limits,
	LiveOrganization,
} from "../../../src/plan/organization.ts";
import { judgeRules } from "../../../src/plan/rules/guards.ts";
import { describeRules, type FoundRule } from "../../../src/plan/rules/judge.ts";
import { keptFacts } from "../../../src/plan/rules/rules.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { WordedGuard } from "../../in-words.ts";
import { makePlan, wordGuard } from "../../in-words.ts";
import {
	at,
	context,
	type DesiredParts,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	unknown,
	wantTag,
} from "../support-organizations.ts";

const users = (...numbers: readonly number[]): readonly string[] => numbers.map((number) => id("user", number));
const upTo = (count: number): readonly string[] => users(...Array.from({ length: count }, (_, index) => index + 1));
const nobodyKnown = unknown;

function guardsOf(desired: DesiredOrganization, live: LiveOrganization, caller: Known<string> = nobodyKnown) {
	return makePlan(desired, live, { ...context, caller }).guards;
}

function guardOf(kind: GuardKind, guards: readonly WordedGuard[]): WordedGuard | undefined {
	return guards.find((guard) => guard.kind === kind);
}

function exactly(name: string, members: readonly string[], parts: Partial<DesiredUserTag> = {}): DesiredUserTag {
	return wantTag(name, { members: { mode: "exactly", exactly: [...members].sort() }, ...parts });
}

/** A tag of `before` members that loses `lost` of them, judged by these limits. */
function losing(before: number, lost: number, limits: Limits = {}): WordedGuard | undefined {
	const desired = desiredOf({ limits, userTags: [exactly("signers", upTo(before).slice(lost))] });
	const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known(upTo(before)) })]) });
	return guardOf("memberRemovals", guardsOf(desired, live));
}

/** Removes `count` things of a kind that all are there. */
function removing(
	kind: "policies" | "oauthProviders" | "tvcApps",
	count: number,
	limits: Limits,
): readonly WordedGuard[] {
	const numbers = Array.from({ length: count }, (_, index) => index + 1);
	const named = (of: "policy" | "app") => numbers.map((number) => ({ id: id(of, number), name: "x" }));
	// Providers of two users, so that they are two activities and still counted together.
	const ownerOf = (number: number): string => id("user", number % 2);
	const absent = nothingAbsent;
	const parts = {
		policies: { ...absent, policyIds: named("policy").map((one) => one.id) },
		tvcApps: { ...absent, tvcAppIds: named("app").map((one) => one.id) },
		oauthProviders: {
			...absent,
			oauthProviders: [0, 1].map((user) => ({
				userId: id("user", user),
				providerIds: numbers.filter((number) => number % 2 === user).map((number) => id("provider", number)),
			})),
		},
	};
	const live = liveOf({
		policies: known(named("policy")),
		tvcApps: known(named("app")),
		oauthProviders: known(
			numbers.map((number) => ({ userId: ownerOf(number), id: id("provider", number), name: "x" })),
		),
	});
	return guardsOf(desiredOf({ limits, absent: parts[kind] }), live);
}

describe("a guard that counts", () => {
	const kinds = ["policies", "oauthProviders", "tvcApps"] as const;
	it.each(kinds)("of %s lets its limit through and refuses one more", (kind) => {
		const limits = { [kind]: 3 };
		expect(guardOf(kind, removing(kind, 3, limits))).toMatchObject({ found: 3, refuses: false, limit: "at most 3" });
		const [over] = removing(kind, 4, limits);
		expect(over).toMatchObject({ kind, found: 4, refuses: true, limit: "at most 3" });
		expect(over?.where.length).toBe(4);
		expect(over?.message).toMatch(/^4 .* would be removed$/);
	});

	it.each(kinds)("of %s with a limit of none refuses the first, and says it in the singular", (kind) => {
		const words = { policies: "1 policy", oauthProviders: "1 OAuth provider", tvcApps: "1 TVC app" };
		const [guard] = removing(kind, 1, { [kind]: 0 });
		expect(guard).toMatchObject({ refuses: true, message: `${words[kind]} would be removed` });
	});

	it.each(kinds)("of %s is not there without a limit, or without a removal", (kind) => {
		expect(removing(kind, 9, {})).toEqual([]);
		expect(removing(kind, 0, { [kind]: 0 })).toEqual([]);
	});

	it("counts what is not known to be there too, because it is sent", () => {
		const policyIds = [1, 2].map((number) => id("policy", number));
		const desired = desiredOf({
			limits: { policies: 1 },
			absent: { policyIds, oauthProviders: [], tvcAppIds: [] },
		});
		expect(guardsOf(desired, liveOf({ policies: unknown }))).toMatchObject([{ found: 2, refuses: true }]);
	});
});

describe("the guard of member removals", () => {
	it.each<[string, number, number, Limits, boolean]>([
		["a quarter at 25%", 4, 1, { memberRemovals: { percent: 25 } }, false],
		["one more than a quarter at 25%", 8, 3, { memberRemovals: { percent: 25 } }, true],
		["exactly a third at 33%, which is more", 6, 2, { memberRemovals: { percent: 33 } }, true],
		["half by default", 4, 2, {}, false],
		["more than half by default", 4, 3, {}, true],
		["more than half of five by default", 5, 3, {}, true],
		["all of three: too few for a percentage", 3, 3, { memberRemovals: { percent: 1 } }, false],
		["one of four at 0%", 4, 1, { memberRemovals: { percent: 0 } }, true],
		["one of a single member at 0%, which allows no removal", 1, 1, { memberRemovals: { percent: 0 } }, true],
		["exactly 9.12% of 625", 625, 57, { memberRemovals: { percent: 9.12 } }, false],
		["all at 100%", 9, 9, { memberRemovals: { percent: 100 } }, false],
		["as many as the number", 3, 2, { memberRemovals: { count: 2 } }, false],
		["one more than the number, of a tag however small", 3, 3, { memberRemovals: { count: 2 } }, true],
		["one where the number is none", 1, 1, { memberRemovals: { count: 0 } }, true],
	])("judges %s", (_what, before, lost, limits, refuses) => {
		expect(losing(before, lost, limits)).toMatchObject({ found: lost, refuses, where: ["userTag:signers"] });
	});

	it("says what it allows and what it found", () => {
		expect(losing(4, 3)).toMatchObject({
			limit: "at most 50% of a tag's known members",
			message: "userTag:signers would lose 3 of 4; 3 in all",
		});
		expect(losing(4, 1)?.message).toBe("1 member would be removed");
		expect(losing(4, 2, { memberRemovals: { count: 1 } })).toMatchObject({
			limit: "at most 1",
			message: "2 members would be removed",
		});
	});

	it("is met by a document without members: `exactly: []`", () => {
		expect(losing(4, 4)).toMatchObject({ found: 4, refuses: true });
		expect(losing(40, 40, { memberRemovals: { percent: 99 } })).toMatchObject({ found: 40, refuses: true });
	});

	it("does not exist when no user is removed", () => {
		expect(losing(4, 0, { memberRemovals: { count: 0 } })).toBeUndefined();
		const added = desiredOf({ limits: { memberRemovals: { percent: 0 } }, userTags: [exactly("signers", upTo(6))] });
		const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known(upTo(4)) })]) });
		expect(guardsOf(added, live)).toEqual([]);
	});

	const never = { mode: "atLeast", atLeast: [], never: upTo(5) } as const;
	const unreadable = liveOf({ userTags: known([liveTag(1, "signers", { members: unknown })]) });

	it("refuses by percentage to remove four or more whose tag is not known, because no share of it can be computed", () => {
		const percent = desiredOf({
			limits: { memberRemovals: { percent: 0 } },
			userTags: [wantTag("signers", { members: never })],
		});
		expect(guardsOf(percent, unreadable)).toMatchObject([{ kind: "memberRemovals", found: 5, refuses: true }]);
		const count = { ...percent, limits: { memberRemovals: { count: 4 } } };
		expect(guardsOf(count, unreadable)).toMatchObject([{ kind: "memberRemovals", found: 5, refuses: true }]);
	});

	it.each([
		[3, false],
		[4, true],
	])("of %i whose tag is unknown: refuses is %s", (count, refuses) => {
		const members = { mode: "atLeast", atLeast: [], never: upTo(count) } as const;
		const desired = desiredOf({ userTags: [wantTag("signers", { members })] });
		expect(guardsOf(desired, unreadable)).toMatchObject([{ kind: "memberRemovals", found: count, refuses }]);
	});

	it.each([1, 5])("lets 100% through for %i removals of members that are not known: all is no excess", (removals) => {
		const members = { ...never, never: upTo(removals) };
		const desired = desiredOf({
			limits: { memberRemovals: { percent: 100 } },
			userTags: [wantTag("signers", { members })],
		});
		expect(guardsOf(desired, unreadable)).toMatchObject([{ found: removals, refuses: false }]);
	});

	it("lets 100% through where more are removed than the last-applied state holds", () => {
		const remembered = { appliedAt: "2026-01-01T00:00:00.000Z", name: "signers", gone: [], updatedAt: "" };
		const lastApplied = {
			...unreadable.lastApplied,
			userTags: { [id("tag", 1)]: { ...remembered, present: upTo(4) } },
		};
		const desired = desiredOf({
			limits: { memberRemovals: { percent: 100 } },
			userTags: [wantTag("signers", { members: { ...never, never: upTo(6) } })],
		});
		expect(guardsOf(desired, { ...unreadable, lastApplied })).toMatchObject([{ found: 6, refuses: false }]);
	});

	it("refuses at 0% to remove a single member who is not known to be one", () => {
		const desired = desiredOf({
			limits: { memberRemovals: { percent: 0 } },
			userTags: [wantTag("signers", { members: { ...never, never: upTo(1) } })],
		});
		expect(guardsOf(desired, unreadable)).toMatchObject([{ found: 1, refuses: true }]);
	});

	it.each([
		["none of them", 1, 4, true],
		["others, however many", 40, 4, true],
		["others, and three are removed", 40, 3, false],
	])("counts members as unknown where what was last applied holds %s", (_what, held, removed, refuses) => {
		const remembered = { appliedAt: "2026-01-01T00:00:00.000Z", name: "signers", gone: [], updatedAt: "" };
		const present = Array.from({ length: held }, (_, index) => id("user", 100 + index));
		const lastApplied = { ...unreadable.lastApplied, userTags: { [id("tag", 1)]: { ...remembered, present } } };
		const members = { ...never, never: upTo(removed) };
		const desired = desiredOf({ userTags: [wantTag("signers", { members })] });
		const guards = guardsOf(desired, { ...unreadable, lastApplied });
		expect(guards).toMatchObject([{ kind: "memberRemovals", found: removed, refuses }]);
		if (refuses) expect(guards[0]?.message).toContain("of an unknown number");
	});

	it("takes the percentage of last-applied state where that replaces live state", () => {
		const remembered = { appliedAt: "2026-01-01T00:00:00.000Z", name: "signers", gone: [], updatedAt: "" };
		const lastApplied = {
			...unreadable.lastApplied,
			userTags: { [id("tag", 1)]: { ...remembered, present: upTo(4) } },
		};
		const desired = desiredOf({ userTags: [exactly("signers", upTo(1))] });
		expect(guardsOf(desired, { ...unreadable, lastApplied })).toMatchObject([{ found: 3, refuses: true }]);
	});

	const twoTags = liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known(upTo(4)) }),
			liveTag(2, "oncall", { members: known(upTo(10)) }),
		]),
	});

	it("judges each tag by its own percentage, and counts all who are removed", () => {
		// Two of fourteen: a small share of all, and every member of neither tag.
		const desired = desiredOf({
			limits: { memberRemovals: { percent: 20 } },
			userTags: [exactly("oncall", upTo(9)), exactly("signers", upTo(3))],
		});
		expect(guardsOf(desired, twoTags)).toMatchObject([
			{
				found: 2,
				refuses: true,
				where: ["userTag:signers"],
				message: "userTag:signers would lose 1 of 4; 2 in all",
			},
		]);
	});

	it("holds a number against the whole plan, not against each tag", () => {
		const userTags = [exactly("oncall", upTo(8)), exactly("signers", upTo(2))];
		const guards = guardsOf(desiredOf({ limits: { memberRemovals: { count: 3 } }, userTags }), twoTags);
		expect(guards).toMatchObject([{ found: 4, refuses: true, where: ["userTag:oncall", "userTag:signers"] }]);
	});
});

describe("what the document protects", () => {
	const [alice = "", bob = ""] = upTo(2);
	const live = liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known([alice]) }),
			liveTag(2, "oncall", { members: known([bob]) }),
		]),
		oauthProviders: known([{ userId: alice, id: id("provider", 1), name: "x" }]),
		policies: known([{ id: id("policy", 1), name: "x" }]),
	});
	const absent = { policyIds: [], tvcAppIds: [] };
	const provider = { ...absent, oauthProviders: [{ userId: alice, providerIds: [id("provider", 1)] }] };

	it.each<[string, DesiredParts, readonly string[]]>([
		[
			"a tag by its live name, when it is renamed",
			{ protect: { userIds: [], userTags: ["signers"] }, userTags: [wantTag("officers", { previously: ["signers"] })] },
			["userTag:officers"],
		],
		[
			"a tag by the name it would get",
			{
				protect: { userIds: [], userTags: ["officers"] },
				userTags: [wantTag("officers", { previously: ["signers"] })],
			},
			["userTag:officers"],
		],
		[
			"a tag when somebody is only added to it",
			{ protect: { userIds: [], userTags: ["signers"] }, userTags: [exactly("signers", [alice, bob])] },
			["userTag:signers"],
		],
		[
			"a user from losing a tag",
			{ protect: { userIds: [alice], userTags: [] }, userTags: [exactly("signers", [bob])] },
			["userTag:signers"],
		],
		[
			"a user from losing an OAuth provider",
			{ protect: { userIds: [alice], userTags: [] }, absent: provider },
			[`oauthProvider:${alice}/${id("provider", 1)}`],
		],
	])("keeps %s", (_what, parts, where) => {
		const guard = guardOf("protected", guardsOf(desiredOf(parts), live));
		expect(guard).toMatchObject({ found: where.length, refuses: true, where });
		expect(guard?.message).toContain(where[0]);
	});

	it.each<[string, DesiredParts]>([
		["of a tag that does not change", { userTags: [exactly("signers", [alice])] }],
		["of another tag", { userTags: [exactly("oncall", [])] }],
		["of a policy", { absent: { ...absent, oauthProviders: [], policyIds: [id("policy", 1)] } }],
	])("says nothing %s", (_what, parts) => {
		const protect = { userIds: [alice], userTags: ["signers"] };
		expect(guardOf("protected", guardsOf(desiredOf({ protect, ...parts }), live))).toBeUndefined();
	});

	it("does not keep a protected user from being added", () => {
		const desired = desiredOf({
			protect: { userIds: [alice], userTags: [] },
			userTags: [exactly("oncall", [alice, bob])],
		});
		expect(guardsOf(desired, live)).toEqual([]);
	});
});

describe("the caller's own way in", () => {
	const [caller = "", other = ""] = upTo(2);
	const providers = [1, 2].map((number) => ({ userId: caller, id: id("provider", number), name: "x" }));
	const live = liveOf({
		userTags: known([
			liveTag(1, "signers", { members: known([caller, other]) }),
			liveTag(2, "oncall", { members: known([]) }),
		]),
		oauthProviders: known([...providers, { userId: other, id: id("provider", 3), name: "x" }]),
	});
	const without = (userId: string, ...numbers: readonly number[]) => ({
		policyIds: [],
		oauthProviders: [{ userId, providerIds: numbers.map((number) => id("provider", number)) }],
		tvcAppIds: [],
	});

	it("is kept: not the last OAuth provider", () => {
		const desired = desiredOf({ users: { me: caller }, absent: without(caller, 1, 2) });
		const guards = guardsOf(desired, live, known(caller));
		expect(guards).toMatchObject([{ kind: "ownOauthProviders", found: 2, refuses: true }]);
		expect(guards[0]?.message).toBe("me applies this plan and would be left without any OAuth provider");
	});

	it("is kept: not the last user tag", () => {
		const desired = desiredOf({ userTags: [exactly("signers", [other])] });
		const guard = guardOf("ownUserTags", guardsOf(desired, live, known(caller)));
		expect(guard).toMatchObject({ found: 1, refuses: true, where: ["userTag:signers"] });
		expect(guard?.message).toBe(`${caller} applies this plan and would be left without any user tag`);
	});

	it.each<[string, DesiredParts, Known<string>]>([
		["one OAuth provider of two goes", { absent: without(caller, 1) }, known(caller)],
		["somebody else's last OAuth provider goes", { absent: without(other, 3) }, known(caller)],
		["somebody else's last user tag goes", { userTags: [exactly("signers", [caller])] }, known(caller)],
		[
			"the caller loses one tag and gets another in the same plan",
			{ userTags: [exactly("oncall", [caller]), exactly("signers", [other])] },
			known(caller),
		],
		[
			"nobody knows who the caller is",
			{ absent: without(caller, 1, 2), userTags: [exactly("signers", [other])] },
			unknown,
		],
	])("is not at stake when %s", (_what, parts, who) => {
		const kinds = guardsOf(desiredOf(parts), live, who).map(({ kind }) => kind);
		expect(kinds.filter((kind) => kind.startsWith("own"))).toEqual([]);
	});

	it("is not at stake when the caller keeps another tag that the document does not list", () => {
		const more = liveOf({
			userTags: known([
				liveTag(1, "signers", { members: known([caller, other]) }),
				liveTag(2, "oncall", { members: known([caller]) }),
			]),
		});
		const desired = desiredOf({ userTags: [exactly("signers", [other])] });
		expect(guardOf("ownUserTags", guardsOf(desired, more, known(caller)))).toBeUndefined();
	});

	it("is not at stake when the caller has no OAuth provider to lose", () => {
		const guards = guardsOf(desiredOf({ absent: without(other, 3) }), live, known(id("user", 9)));
		expect(guards).toEqual([]);
	});

	it("refuses where members or providers are not known: what goes could be the last", () => {
		const userTags = [wantTag("signers", { members: { mode: "atLeast", atLeast: [], never: [caller] } })];
		const dark = liveOf({
			userTags: known([liveTag(1, "signers", { members: unknown })]),
			oauthProviders: unknown,
		});
		const guards = guardsOf(desiredOf({ userTags, absent: without(caller, 1, 2) }), dark, known(caller));
		expect(guards.map(({ kind, found, refuses }) => [kind, found, refuses])).toEqual([
			["memberRemovals", 1, false],
			["ownOauthProviders", 2, true],
			["ownUserTags", 1, true],
		]);
		for (const { message } of guards.slice(1)) expect(message).toContain("whether this user has others is unknown");
	});

	it("matters only where a user loses something", () => {
		const changesOf = (parts: DesiredParts) => makePlan(desiredOf(parts), live, context).changes;
		expect(needsCaller(changesOf({ userTags: [exactly("oncall", [other])] }))).toBe(false);
		expect(needsCaller(changesOf({ userTags: [wantTag("officers", { id: id("tag", 1) })] }))).toBe(false);
		expect(needsCaller(changesOf({ userTags: [exactly("signers", [other])] }))).toBe(true);
		expect(needsCaller(changesOf({ absent: without(other, 3) }))).toBe(true);
	});
});

describe("acknowledging a guard", () => {
	const [caller = ""] = upTo(1);
	/** One plan in which every guard refuses. */
	const judged = guardsOf(
		desiredOf({
			limits: { policies: 1, oauthProviders: 0, tvcApps: 0, lockout: "strict", escalation: "strict" },
			protect: { userIds: [], userTags: ["signers"] },
			userTags: [exactly("signers", [])],
			absent: {
				policyIds: [id("policy", 1), id("policy", 2)],
				oauthProviders: [{ userId: caller, providerIds: [id("provider", 1)] }],
				tvcAppIds: [id("app", 1)],
			},
		}),
		liveOf({
			userTags: known([liveTag(1, "signers", { members: known(upTo(4)) })]),
			policies: known([1, 2].map((number) => ({ id: id("policy", number), name: "x" }))),
			oauthProviders: known([{ userId: caller, id: id("provider", 1), name: "x" }]),
			tvcApps: known([{ id: id("app", 1), name: "x" }]),
		}),
		known(caller),
	);
	const founds = new Map<GuardKind, number>([
		["memberRemovals", 4],
		["policies", 2],
		["oauthProviders", 1],
		["tvcApps", 1],
		["protected", 1],
		["ownOauthProviders", 1],
		["ownUserTags", 1],
		["lockout", 1],
		["escalation", 1],
		["unlisted", 2],
		["rules", 1],
		["newAccess", 2],
		["reversals", 1],
		["stranded", 1],
	]);
	const step = {
		operation: "delete_policies",
		parameters: { policyIds: [] },
		dependsOn: [],
		reason: { kind: "remove", of: "policy", count: 1 },
		earlierActivity: null,
	} as const;
	const joins = { activityId: "a", fingerprint: "f", state: "pending", status: "s", relation: "same" } as const;
	const gain = { what: "newAccess", userIds: [caller], group: null, condition: null, change: null } as const;
	const brokenRules: readonly FoundRule[] = [
		{
			rule: { rule: "members", tag: "signers", max: 0, at },
			before: keptFacts,
			after: { breaches: [{ what: "members", userIds: [caller], count: 1, beyond: 1 }], unknown: null },
		},
		{ rule: { rule: "noNewAccess", at }, before: keptFacts, after: { breaches: [gain, gain], unknown: null } },
	];
	const toAndFro = makePlan(
		desiredOf({ userTags: [exactly("signers", users(1))] }),
		liveOf({ userTags: known([liveTag(1, "signers", { members: known(users(1, 2)) })]) }),
		context,
	).changes.filter((change) => change.kind === "userTag");
	const completedBefore = (["addUserIds", "removeUserIds"] as const).map((list) => ({
		...{ activityId: list, fingerprint: list, parameters: { userTagId: liveTag(1, "").id, [list]: users(2) } },
		...{ completedAtMs: null, userId: null, userName: null, saidBy: "service" as const },
	}));
	const lastPolicy: Step = { ...step, id: "step-1", covers: [{ address: "policy:1", id: "1" }] };
	const everything = [
		...judged,
		...judgeUnlisted([
			{ ...step, id: "step-1", covers: [{ address: "policy:1", id: "1" }] },
			{ ...step, id: "step-2", covers: [{ address: "policy:2", id: "2" }] },
			{ ...step, id: "step-3", covers: [{ address: "policy:3", id: "3" }], earlierActivity: joins },
		]),
		...judgeRules(brokenRules, describeRules(brokenRules, { userNames: {} }), []),
		...judgeReversals(desiredOf(), { changes: toAndFro, completed: completedBefore, timeMs: context.readAtMs }),
		...judgeStranded({ stranded: [{ step: lastPolicy, by: null }], unsearched: [] }, [lastPolicy]),
	];

	it("is needed for each of them separately: the whole plan is checked at once", () => {
		expect(everything.map(({ kind, found, refuses }) => [kind, found, refuses])).toEqual(
			[...founds].map(([kind, found]) => [kind, found, true]),
		);
		// Guards of what a document writes are in written-policies.test.ts, and in order/moments.test.ts.
		const written = ["userTags", "policyUpdates", "takeovers", "danglingTags", "rebound"];
		expect([...founds.keys(), "unsafeMoments", "ownPowers", "accessCases", ...written]).toEqual([...guardKinds]);
		expect(refusingGuards(everything, new Map())).toEqual(everything);
		expect(refusingGuards(everything, new Map([...founds].map(([kind, found]) => [kind, new Set([found])])))).toEqual(
			[],
		);
	});

	it.each([...founds])("names what was found: %s=%i lets only that one go", (kind, found) => {
		const others = everything.filter((guard) => guard.kind !== kind);
		expect(refusingGuards(everything, new Map([[kind, new Set([0, found])]]))).toEqual(others);
		for (const wrong of [found - 1, found + 1, Number.POSITIVE_INFINITY]) {
			expect(refusingGuards(everything, new Map([[kind, new Set([wrong])]]))).toEqual(everything);
		}
	});

	it("is not needed for a guard that does not refuse, and a wrong value does it no harm", () => {
		const guards = removing("policies", 2, { policies: 2 });
		expect(guards.length).toBe(1);
		expect(refusingGuards(guards, new Map([["policies", new Set([1])]]))).toEqual([]);
	});

	it("is by the names of guards and no others", () => {
		expect(guardKinds.every(isGuardKind)).toBe(true);
		expect(["policy", "", "toString", "Policies", "force"].some(isGuardKind)).toBe(false);
	});
});

describe("a list of pending activities that is cut off", () => {
	const step = (number: number, policies: readonly number[], held = false): Step => ({
		...{
			id: `step-${number}`,
			operation: "delete_policies",
			parameters: { policyIds: [] },
			dependsOn: [],
			reason: { kind: "remove", of: "policy", count: 1 },
		},
		covers: policies.map((policy) => ({ address: `policy:${policy}`, id: String(policy) })),
		earlierActivity: held
			? { activityId: "a", fingerprint: "f", state: "pending", status: "s", relation: "same" }
			: null,
	});
	const message = (what: string) => `${what} could be pending already: the service did not list all pending activities`;

	it("blocks the activities that would be sent, and names what they change, sorted and each once", () => {
		expect(judgeUnlisted([step(1, [3, 1]), step(2, [2, 1]), step(3, [4], true)]).map(wordGuard)).toEqual([
			{
				kind: "unlisted",
				limit: "none until all pending activities are listed",
				...{ found: 2, refuses: true, where: ["policy:1", "policy:2", "policy:3"] },
				message: message("2 activities"),
			},
		]);
		expect(judgeUnlisted([step(1, [1])]).map(wordGuard)).toMatchObject([{ found: 1, message: message("1 activity") }]);
	});

	it("blocks nothing where nothing would be sent", () => {
		expect(judgeUnlisted([]).map(wordGuard)).toEqual([]);
		expect(judgeUnlisted([step(1, [1], true)]).map(wordGuard)).toEqual([]);
	});
});

describe("removals of members whose access expired", () => {
	const timeMs = context.readAtMs;
	/** A tag of `members` users, of whom the first `expired` have expired access and `others` more are not listed any more. */
	const judge = (
		members: number,
		expired: number,
		others: number,
		parts: DesiredParts = {},
		caller: Known<string> = nobodyKnown,
	) => {
		const windows = upTo(expired).map((userId) => ({ userId, untilMs: timeMs, at }));
		const listed = upTo(members).filter((_, index) => index < expired || index >= expired + others);
		const desired = desiredOf({
			userTags: [wantTag("signers", { members: { mode: "exactly", exactly: listed, windows } })],
			...parts,
		});
		return guardsOf(
			desired,
			liveOf({ userTags: known([liveTag(1, "signers", { members: known(upTo(members)) })]) }),
			caller,
		);
	};
	const any: Limits = { memberRemovals: { count: 0 }, expiries: "any" };

	it("count like any other", () => {
		expect(guardOf("memberRemovals", judge(6, 4, 0))).toMatchObject({ found: 4, refuses: true });
		expect(guardOf("memberRemovals", judge(6, 2, 0, { limits: { memberRemovals: { count: 1 } } }))?.refuses).toBe(true);
	});

	it("do not count with `expiries: any`, and other removals of the same tag do", () => {
		expect(judge(6, 6, 0, { limits: any })).toEqual([]);
		expect(guardOf("memberRemovals", judge(6, 3, 1, { limits: any }))).toMatchObject({
			found: 1,
			refuses: true,
			message: "1 member would be removed, besides 3 whose access expired",
		});
		const half: Limits = { memberRemovals: { percent: 50 }, expiries: "any" };
		expect(guardOf("memberRemovals", judge(8, 4, 4, { limits: half }))?.refuses).toBe(false);
		expect(guardOf("memberRemovals", judge(8, 3, 5, { limits: half }))).toMatchObject({
			found: 5,
			refuses: true,
			message: "userTag:signers would lose 5 of 8; 5 in all, besides 3 whose access expired",
		});
		expect(
			guardOf("memberRemovals", judge(2, 2, 0, { limits: { memberRemovals: { percent: 0 }, expiries: "any" } })),
		).toBe(undefined);
	});

	it("count with `expiries: any` too if the access has not begun: that is no expiry", () => {
		const windows = [{ userId: id("user", 1), fromMs: timeMs + 1, at }];
		const members = { mode: "atLeast", atLeast: users(1), never: [], windows } as const;
		const desired = desiredOf({ limits: any, userTags: [wantTag("signers", { members })] });
		const live = liveOf({ userTags: known([liveTag(1, "signers", { members: known(users(1)) })]) });
		expect(guardOf("memberRemovals", guardsOf(desired, live))).toMatchObject({ found: 1, refuses: true });
	});

	it("are blocked by `protect` and by the caller's last way in, whatever `expiries` says", () => {
		const protect = { userIds: users(1), userTags: [] };
		expect(guardOf("protected", judge(6, 1, 0, { limits: any, protect }))?.refuses).toBe(true);
		expect(guardOf("ownUserTags", judge(6, 1, 0, { limits: any }, known(id("user", 1))))?.refuses).toBe(true);
	});
});
