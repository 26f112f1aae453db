/** What drift is, how it compares with the last report, and how it is described. */
import { describe, expect, it } from "vitest";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import type { AddedCredential } from "../../../src/plan/drift/credentials.ts";
import { digestDifference, knownDifferences } from "../../../src/plan/drift/difference.ts";
import { exitCodeOfDrift, keepDrift, type OrganizationDrift, reportDrift } from "../../../src/plan/drift/drift.ts";
import { lastAppliedTimes } from "../../../src/plan/drift/memory.ts";
import type { KindName } from "../../../src/plan/kinds/names.ts";
import {
	type DesiredOrganization,
	emptyLastApplied,
	type LastApplied,
	type LiveOrganization,
} from "../../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../../src/plan/plan.ts";
import { formatDuration } from "../../../src/render/duration.ts";
import { phraseText, verdictText } from "../../../src/render/print/text.ts";
import { publishDrift } from "../../../src/render/result/published.ts";
import { saySince, summarizeFindings } from "../../../src/render/sections/drift.ts";
import { plainStyle } from "../../../src/render/style.ts";
import { todoText } from "../../../src/say/todo.ts";
import { checkSchema } from "../../check-schema.ts";
import { inWords } from "../../policy/in-words.ts";
import { renderDrift } from "../../render/as-text.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	nothingExpected,
	sectionsOf,
	unknown,
	wantTag,
	withSections,
} from "../support-organizations.ts";

const [alice, bob] = [id("user", 1), id("user", 2)];
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const policy = id("policy", 1);

const signers = desiredOf({
	users: { alice, bob },
	userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
});
const policyAbsent = desiredOf({ absent: { policyIds: [policy], oauthProviders: [], tvcAppIds: [] } });
const profile = desiredOf({
	expect: { ...nothingExpected, sessionProfiles: [{ id: id("other", 1), fields: { name: "short" }, at }] },
});

const withMembers = (...members: string[]): LiveOrganization =>
	liveOf({ userTags: known([liveTag(1, "signers", { members: known(members) })]) });
const withPolicy = liveOf({ policies: known([{ id: policy, name: "rule" }]) });
const unseenMembers = liveOf({ userTags: known([liveTag(1, "signers", { members: unknown })]) });
const remembered = (updatedAt: string): LiveOrganization => ({
	...unseenMembers,
	lastApplied: {
		...emptyLastApplied,
		userTags: {
			[id("tag", 1)]: { appliedAt: "2025-12-01T00:00:00.000Z", name: "signers", present: [alice], gone: [], updatedAt },
		},
	},
});

const renaming: PendingActivity = {
	activityId: id("other", 7),
	fingerprint: "sha256:1",
	state: "pending",
	status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
	operation: "update_user_tag",
	parameters: { userTagId: id("tag", 1), addUserIds: [bob], removeUserIds: [] },
	createdAt: null,
	approvedBy: null,
	saidBy: "service",
};

/** The plan as it is so long after the first report. */
function planAt(
	afterMs: number,
	desired: DesiredOrganization,
	live: LiveOrganization,
	waiting: readonly PendingActivity[] = [],
): Plan {
	return makePlan(desired, live, { ...context, readAtMs: context.readAtMs + afterMs, waiting });
}

function report(...parts: Parameters<typeof planAt>): OrganizationDrift {
	const drift = reportDrift(planAt(...parts));
	expect(checkSchema("drift.json", inWords(publishDrift(drift)))).toEqual([]);
	return drift;
}

describe("the verdict", () => {
	it.each<[string, OrganizationDrift["verdict"], number, DesiredOrganization, LiveOrganization, PendingActivity[]?]>([
		["as documented", "as-documented", 0, signers, withMembers(alice, bob)],
		["a member gone", "drifted", 2, signers, withMembers(alice)],
		["a policy that is there", "drifted", 2, policyAbsent, withPolicy],
		["an expectation not met", "drifted", 2, profile, liveOf({ sessionProfiles: { [id("other", 1)]: known(null) } })],
		["a tag that is not there", "drifted", 2, signers, liveOf()],
		["another member by what was last applied", "drifted", 2, signers, remembered("1.0")],
		["members that cannot be read", "could-not-look", 1, signers, unseenMembers],
		["a tag changed by somebody since, members not to be read", "could-not-look", 1, signers, remembered("0.5")],
		[
			"nobody wanted, members not to be read",
			"could-not-look",
			1,
			desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [] } })] }),
			unseenMembers,
		],
		["policies that cannot be read", "could-not-look", 1, policyAbsent, liveOf({ policies: unknown })],
		["user tags that cannot be read", "could-not-look", 1, signers, liveOf({ userTags: unknown })],
		["a profile that cannot be read", "could-not-look", 1, profile, liveOf({ sessionProfiles: {} })],
		["an activity that makes it so", "waiting", 8, signers, withMembers(alice), [renaming]],
		[
			"an activity that would change it otherwise",
			"drifted",
			2,
			signers,
			withMembers(alice),
			[{ ...renaming, parameters: { ...renaming.parameters, addUserIds: [] } }],
		],
		[
			"the same wish, sent and never answered",
			"drifted",
			2,
			signers,
			withMembers(alice),
			[{ ...renaming, activityId: null, state: "in-doubt" }],
		],
		[
			"one of two waits",
			"drifted",
			2,
			withSections(signers, { absent: sectionsOf(policyAbsent).absent }),
			liveOf({ userTags: withMembers(alice).userTags, policies: withPolicy.removables.policy }),
			[renaming],
		],
		[
			"one waits, another cannot be read",
			"could-not-look",
			1,
			withSections(signers, { absent: sectionsOf(policyAbsent).absent }),
			liveOf({ userTags: withMembers(alice).userTags, policies: unknown }),
			[renaming],
		],
	])("%s: %s, exit %i", (_what, verdict, code, desired, live, waiting) => {
		const drift = report(0, desired, live, waiting);
		expect(drift.verdict).toBe(verdict);
		expect(exitCodeOfDrift([drift])).toBe(code);
		expect(drift.findings.length > 0).toBe(verdict === "drifted");
	});

	it("of a renamed tag whose members cannot be read: the name is drift, the members are not known", () => {
		const desired = desiredOf({
			userTags: [wantTag("signers", { id: id("tag", 1), members: { mode: "exactly", exactly: [alice] } })],
		});
		const drift = report(0, desired, liveOf({ userTags: known([liveTag(1, "x", { members: unknown })]) }));
		expect(drift).toMatchObject({ verdict: "drifted", findings: [{ what: "name-differs" }] });
		expect(drift.unread).toMatchObject([{ address: "userTag:signers", because: unknown.because }]);
	});

	it("does not depend on what only guards and waiting would have needed", () => {
		const unread = (["activities", "caller"] as const).map(
			(scope) => ({ scope, because: { kind: "activities-denied" }, standsIn: "nothing" }) as const,
		);
		const plan = makePlan(signers, withMembers(alice, bob), { ...context, unread });
		expect(reportDrift(plan)).toMatchObject({ verdict: "as-documented", unread: [] });
	});

	it("of several: not being able to look hides nothing, and waiting hides no drift", () => {
		const [calm, drifted, waiting, unseen] = [
			report(0, signers, withMembers(alice, bob)),
			report(0, signers, withMembers(alice)),
			report(0, signers, withMembers(alice), [renaming]),
			report(0, signers, unseenMembers),
		];
		expect(exitCodeOfDrift([calm, waiting])).toBe(8);
		expect(exitCodeOfDrift([waiting, drifted, calm])).toBe(2);
		expect(exitCodeOfDrift([waiting, drifted, unseen])).toBe(1);
		expect(exitCodeOfDrift([calm])).toBe(0);
		expect(exitCodeOfDrift([])).toBe(0);
	});
});

describe("against the last report", () => {
	const first = report(0, signers, withMembers(alice));
	const next = (live: LiveOrganization, parts: object = {}, waiting: PendingActivity[] = []): OrganizationDrift => {
		const drift = reportDrift(planAt(3 * dayMs, signers, live, waiting), { earlier: first, ...parts });
		expect(checkSchema("drift.json", inWords(publishDrift(drift)))).toEqual([]);
		return drift;
	};
	const firstSeenAt = "2026-01-01T00:00:00.000Z";
	const now = "2026-01-04T00:00:00.000Z";

	it("a difference is new without an earlier report, and its text claims nothing about its age", () => {
		expect(first.findings).toMatchObject([{ state: "new", firstSeenAt, lastSeenAt: firstSeenAt }]);
		expect(first.comparedWith).toBeNull();
		expect(renderDrift(planAt(0, signers, withMembers(alice)), first, plainStyle)).not.toContain("new since");
		expect(verdictText(summarizeFindings(first, planAt(0, signers, withMembers(alice))))).toBe(
			"Drift: 1 object drifted; apply would submit 1 activity.",
		);
	});

	it("the same difference is still there since it was first seen", () => {
		const drift = next(withMembers(alice));
		expect(drift.findings).toMatchObject([{ state: "still-there", firstSeenAt, lastSeenAt: now }]);
		expect(drift.findings.map((one) => phraseText(saySince(one, drift) ?? []))).toEqual([
			`drifted for 3 days (since ${firstSeenAt})`,
		]);
	});

	it("a report whose sentences another version wrote is compared by what they mean", () => {
		const desired = desiredOf({
			...{ users: { alice, bob }, rules: [{ rule: "exclusive", tags: ["approvers", "signers"], at }] },
			userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [bob] } }), wantTag("missing")],
		});
		const tags = ["signers", "approvers"].map((name, index) => liveTag(index + 1, name, { members: known([alice]) }));
		const live = liveOf({ userTags: known(tags) });
		const earlier = report(0, desired, live);
		expect(earlier.findings.map(({ what }) => what)).toEqual(["members-differ", "tag-not-there", "rule-broken"]);
		const reworded: OrganizationDrift = {
			...publishDrift(earlier),
			findings: earlier.findings.map((one) => ({ ...one, todo: "do it by hand", message: "too few" })),
		};
		const [plain, after] = [earlier, reworded].map((last) =>
			reportDrift(planAt(dayMs, desired, live), { earlier: last }),
		);
		expect(after).toEqual(plain);
		expect(after?.findings.map(({ state }) => state)).toEqual(["still-there", "still-there", "still-there"]);
		for (const difference of knownDifferences(planAt(0, desired, live))) {
			const { problem, rule } = difference;
			const other = {
				...difference,
				problem: problem && { ...problem, message: "another sentence" },
				rule: rule && {
					...rule,
					before: { ...rule.before, breach: { kind: "stated", text: "another" } } as typeof rule.before,
				},
			};
			expect(digestDifference(other)).toBe(digestDifference(difference));
		}
		const kept = keepDrift(earlier.organizationId, reworded, null);
		expect(kept.findings.map(({ todo }) => todoText(todo))).toEqual([
			"do it by hand",
			"do it by hand",
			"do it by hand",
		]);
	});

	it("another difference of the same object is said to be that, since the object first differed", () => {
		const drift = next(withMembers(bob));
		expect(drift.findings).toMatchObject([{ state: "changed", firstSeenAt, lastSeenAt: now }]);
		expect(drift.findings.map((one) => phraseText(saySince(one, drift) ?? []))[0]).toContain(
			"and changed since the last report",
		);
	});

	it("a difference stays the same when the tag gains members whom the document leaves alone", () => {
		const desired = desiredOf({
			userTags: [wantTag("signers", { members: { mode: "atLeast", atLeast: [bob], never: [] } })],
		});
		const [before, after] = [report(0, desired, withMembers()), report(0, desired, withMembers(alice))];
		expect(after.findings[0]?.digest).toBe(before.findings[0]?.digest);
	});

	it("what is as the document says now is gone, once", () => {
		const drift = next(withMembers(alice, bob));
		expect(drift).toMatchObject({
			verdict: "as-documented",
			comparedWith: firstSeenAt,
			findings: [],
			gone: [{ address: "userTag:signers", what: "members-differ", firstSeenAt, goneAt: now }],
		});
		expect(verdictText(summarizeFindings(drift, planAt(0, signers, withMembers(alice, bob))))).toBe(
			"No drift. The organization is in sync; 1 resolved since the last report.",
		);
		expect(reportDrift(planAt(4 * dayMs, signers, withMembers(alice, bob)), { earlier: drift }).gone).toEqual([]);
	});

	it("what cannot be read any more is neither there nor gone, and keeps since when", () => {
		const drift = next(unseenMembers);
		expect(drift).toMatchObject({
			verdict: "could-not-look",
			findings: [{ state: "not-looked-at", firstSeenAt, lastSeenAt: firstSeenAt }],
			gone: [],
		});
		expect(verdictText(summarizeFindings(drift, planAt(0, signers, unseenMembers)))).toBe(
			"Unknown: 1 object could not be read; no known drift; 1 finding of the last report not checked.",
		);
		const later = reportDrift(planAt(5 * dayMs, signers, withMembers(alice)), { earlier: drift });
		expect(later.findings).toMatchObject([{ state: "still-there", firstSeenAt }]);
	});

	it("what --only leaves out is kept, and does not make this run's verdict", () => {
		const drift = next(withMembers(alice, bob), { isSelected: () => false });
		expect(drift).toMatchObject({ verdict: "as-documented", findings: [{ state: "not-looked-at" }], gone: [] });
	});

	it("a pending fix is not gone, and keeps when its drift was first seen, also if it drifts again", () => {
		const drift = next(withMembers(alice), {}, [renaming]);
		expect(drift).toMatchObject({
			verdict: "waiting",
			findings: [],
			gone: [],
			waiting: [{ address: "userTag:signers", firstSeenAt, earlierActivity: { activityId: id("other", 7) } }],
		});
		const later = reportDrift(planAt(5 * dayMs, signers, withMembers(alice)), { earlier: drift });
		expect(later.findings).toMatchObject([{ state: "still-there", firstSeenAt }]);
	});

	it("an organization that could not be read keeps everything, as not looked at", () => {
		const error = { code: "transport", message: "no answer", hint: null };
		const kept = keepDrift(first.organizationId, first, error);
		expect(checkSchema("drift.json", publishDrift(kept))).toEqual([]);
		expect(kept).toMatchObject({
			verdict: "could-not-look",
			readAt: first.readAt,
			findings: [{ state: "not-looked-at", firstSeenAt }],
			error,
		});
		expect(checkSchema("drift.json", keepDrift(first.organizationId, undefined, error))).toEqual([]);
		const later = reportDrift(planAt(3 * dayMs, signers, withMembers(alice)), { earlier: kept });
		expect(later).toMatchObject({ comparedWith: first.readAt, findings: [{ state: "still-there", firstSeenAt }] });
	});

	it("who did it stays known while the difference is the same", () => {
		const by = { activityId: "a", type: "ACTIVITY_TYPE_UPDATE_USER_TAG", userId: bob, userName: "bob", at: null };
		const named = reportDrift(planAt(0, signers, withMembers(alice)), {
			attributions: new Map([["userTag:signers", by]]),
		});
		const later = (live: LiveOrganization) =>
			reportDrift(planAt(dayMs, signers, live), { earlier: named }).findings[0]?.by;
		expect(later(withMembers(alice))).toEqual(by);
		expect(later(withMembers(bob))).toBeNull();
	});

	it("the sentence counts what is new, what is still there and the oldest", () => {
		const two = withSections(signers, { absent: sectionsOf(policyAbsent).absent });
		const live = liveOf({ userTags: withMembers(alice).userTags, policies: withPolicy.removables.policy });
		const plan = planAt(3 * dayMs, two, live);
		const summary = (earlier: OrganizationDrift) =>
			verdictText(summarizeFindings(reportDrift(plan, { earlier }), plan));
		expect(summary(first)).toBe(
			"Drift: 2 objects drifted (1 new, 1 from before, for 3 days); apply would submit 2 activities.",
		);
		expect(summary(report(2 * dayMs, two, live))).toBe(
			"Drift: 2 objects drifted (2 from before, the oldest for 1 day); apply would submit 2 activities.",
		);
		expect(summary({ ...first, findings: [] })).toBe(
			"Drift: 2 objects drifted (2 new); apply would submit 2 activities.",
		);
	});
});

describe("live state that cannot be read while last-applied state replaces it", () => {
	const [provider, app] = [id("provider", 1), id("app", 1)];
	const memoryAt = (appliedAt: string): LastApplied => ({
		userTags: { [id("tag", 1)]: { appliedAt, name: "signers", present: [alice, bob], gone: [], updatedAt: "1.0" } },
		removed: {
			policy: { [policy]: { appliedAt } },
			oauthProvider: { [`${alice}/${provider}`]: { appliedAt } },
			tvcApp: { [app]: { appliedAt } },
		},
	});
	const absent = (parts: object) => desiredOf({ users: { alice }, absent: { ...nothingAbsent, ...parts } });
	const cases: readonly [string, DesiredOrganization, LiveOrganization, LiveOrganization][] = [
		["userTag:signers", signers, withMembers(alice), unseenMembers],
		[`policy:${policy}`, policyAbsent, withPolicy, liveOf({ policies: unknown })],
		[
			`oauthProvider:alice/${provider}`,
			absent({ oauthProviders: [{ userId: alice, providerIds: [provider] }] }),
			liveOf({ oauthProviders: known([{ userId: alice, id: provider, name: "x" }]) }),
			liveOf({ oauthProviders: unknown }),
		],
		[
			`tvcApp:${app}`,
			absent({ tvcAppIds: [app] }),
			liveOf({ tvcApps: known([{ id: app, name: "x" }]) }),
			liveOf({ tvcApps: unknown }),
		],
	];
	const look = (
		afterMs: number,
		desired: DesiredOrganization,
		seen: LiveOrganization,
		appliedAt: string,
		earlier?: OrganizationDrift,
	): OrganizationDrift => {
		const live = { ...seen, lastApplied: memoryAt(appliedAt) };
		const context = { earlier, appliedAt: lastAppliedTimes(desired, live) };
		const drift = reportDrift(planAt(afterMs, desired, live), context);
		expect(checkSchema("drift.json", inWords(publishDrift(drift)))).toEqual([]);
		return drift;
	};
	const [before, after] = ["2025-12-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];

	it.each(
		cases,
	)("%s, found before, is neither gone nor new again: memory is older", (address, desired, there, unseen) => {
		const first = look(0, desired, there, before);
		expect(first).toMatchObject({ verdict: "drifted", findings: [{ address, state: "new" }] });
		const second = look(2 * dayMs, desired, unseen, before, first);
		const { because } = unknown;
		expect(second).toMatchObject({ verdict: "could-not-look", gone: [], unread: [{ address, because }] });
		expect(second.findings).toMatchObject([{ address, state: "not-looked-at" }]);
		expect(exitCodeOfDrift([second])).toBe(1);
		const third = look(3 * dayMs, desired, there, before, second);
		expect(third.findings).toMatchObject([{ state: "still-there", firstSeenAt: "2026-01-01T00:00:00.000Z" }]);
	});

	it.each(cases)("%s is gone when orgsync changed it after it was found", (address, desired, there, unseen) => {
		const second = look(2 * dayMs, desired, unseen, after, look(0, desired, there, before));
		expect(second).toMatchObject({ verdict: "as-documented", findings: [], gone: [{ address }], unread: [] });
	});

	it.each(cases)("%s is as last applied where no drift was found before", (_address, desired, _there, unseen) => {
		expect(look(0, desired, unseen, before)).toMatchObject({ verdict: "as-documented", findings: [], unread: [] });
	});

	it("knows no time of what orgsync never changed, or others changed since, or the service does not show", () => {
		const desired = withSections(signers, { absent: { ...nothingAbsent, policyIds: [policy], tvcAppIds: [app] } });
		const timesOf = (live: LiveOrganization, lastApplied: LastApplied) =>
			[...lastAppliedTimes(desired, { ...live, lastApplied })].map(([address]) => address);
		const removals = [`policy:${policy}`, `tvcApp:${app}`];
		expect(timesOf(withMembers(alice), memoryAt(before))).toEqual(["userTag:signers", ...removals]);
		expect(timesOf(withMembers(alice), emptyLastApplied)).toEqual([]);
		expect(timesOf(withMembers(alice), { ...emptyLastApplied, removed: { policy: {} } })).toEqual([]);
		expect(timesOf(liveOf({ userTags: unknown }), memoryAt(before))).toEqual(removals);
		const tag = liveTag(1, "signers", { updatedAt: "2.0" });
		expect(timesOf(liveOf({ userTags: known([tag]) }), memoryAt(before))).toEqual(removals);
	});

	it("a tag that was changed after orgsync changed it is unknown, at any time", () => {
		const changed = liveOf({ userTags: known([liveTag(1, "signers", { members: unknown, updatedAt: "2.0" })]) });
		const second = look(2 * dayMs, signers, changed, after, look(0, signers, withMembers(alice), before));
		expect(second).toMatchObject({ verdict: "could-not-look", findings: [{ state: "not-looked-at" }], gone: [] });
	});

	it("what waited before and cannot be read now is kept as waiting, and is not known", () => {
		const live = { ...withMembers(alice), lastApplied: memoryAt(before) };
		const earlier = reportDrift(planAt(0, signers, live, [renaming]));
		expect(earlier.verdict).toBe("waiting");
		const second = look(dayMs, signers, unseenMembers, before, earlier);
		expect(second).toMatchObject({ verdict: "could-not-look", waiting: [{ state: "not-looked-at" }] });
	});
});

it.each([
	[0, "less than a minute"],
	[-dayMs, "less than a minute"],
	[59_999, "less than a minute"],
	[minuteMs, "1 minute"],
	[59 * minuteMs, "59 minutes"],
	[60 * minuteMs, "1 hour"],
	[dayMs - 1, "23 hours"],
	[6.9 * dayMs, "6 days"],
	[400 * dayMs, "400 days"],
])("%i milliseconds are %s", (ms, words) => {
	const from = "2026-01-01T00:00:00.000Z";
	expect(formatDuration(from, new Date(Date.parse(from) + ms).toISOString())).toBe(words);
});

describe("credentials", () => {
	const credential = (key: string, escalation: object | null): AddedCredential => {
		return { ...{ key, userId: alice, kind: "apiKey", id: key, name: key, by: null }, escalation } as AddedCredential;
	};
	const plan = planAt(0, signers, withMembers(alice, bob));
	const escalating = credential("k1", { alone: [], together: [] });

	it("that are new are drift where a protected user has one, and are in the report with who made them", () => {
		const by = { activityId: "a", type: "ACTIVITY_TYPE_X", userId: bob, userName: null, at: null };
		const added = [escalating, credential("k2", null)];
		const drift = reportDrift(plan, { credentials: { seen: ["k1"], added }, attributions: new Map([["k2", by]]) });
		expect(drift).toMatchObject({ verdict: "drifted", findings: [] });
		expect(drift.credentials).toEqual({ seen: ["k1"], added: [escalating, { ...credential("k2", null), by }] });
		const harmless = { seen: [], added: [credential("k2", null)] };
		expect(reportDrift(plan, { credentials: harmless })).toMatchObject({
			verdict: "as-documented",
			credentials: harmless,
		});
		expect(reportDrift(plan)).not.toHaveProperty("credentials");
	});

	it("stay seen where the organization could not be read, and are not new again", () => {
		const earlier = reportDrift(plan, { credentials: { seen: ["k1"], added: [escalating] } });
		expect(keepDrift(earlier.organizationId, earlier, null).credentials).toEqual({ seen: ["k1"], added: [] });
		expect(keepDrift(earlier.organizationId, reportDrift(plan), null)).not.toHaveProperty("credentials");
		expect(keepDrift(earlier.organizationId, undefined, null)).not.toHaveProperty("credentials");
	});
});

describe("what waited before", () => {
	const earlier = reportDrift(planAt(0, signers, withMembers(alice), [renaming]));
	const next = (live: LiveOrganization, parts: object = {}) =>
		reportDrift(planAt(dayMs, signers, live), { earlier, ...parts }).waiting;

	it("waits no more once it is done, and is kept where --only leaves it out", () => {
		expect(earlier.waiting).toHaveLength(1);
		expect(next(withMembers(alice, bob))).toEqual([]);
		expect(next(withMembers(alice, bob), { isSelected: () => false })).toMatchObject([{ state: "not-looked-at" }]);
		expect(next(withMembers(alice), { isSelected: () => false })).toEqual([]);
	});

	it("is kept where it was applied at the very moment at which it was last seen", () => {
		const [at, later] = [context.readAtMs, context.readAtMs + 1].map((ms) => new Date(ms).toISOString());
		const applied = (time: string | undefined) => new Map(time === undefined ? [] : [["userTag:signers", time]]);
		expect(next(unseenMembers, { appliedAt: applied(at) })).toHaveLength(1);
		expect(next(unseenMembers, { appliedAt: applied(later) })).toEqual([]);
		expect(next(unseenMembers, { appliedAt: applied(undefined) })).toHaveLength(1);
	});
});

describe("what to do", () => {
	const live = liveOf({
		userTags: withMembers(alice).userTags,
		policies: withPolicy.removables.policy,
		mfaPolicies: { [alice]: known([]) },
		bootProofs: { [id("app", 1)]: known(null) },
		supportedAssets: { "eip155:1": known([]) },
		sessionProfiles: { [id("other", 1)]: known(null) },
	});
	const everything = desiredOf(
		withSections(signers, {
			absent: sectionsOf(policyAbsent).absent,
			expect: {
				sessionProfiles: sectionsOf(profile).expect.sessionProfiles,
				mfaPolicies: [{ userId: alice, name: "passkey first", fields: { order: 1 }, at }],
				bootProofs: [{ appId: id("app", 1), fields: { deploymentLabel: "x" }, at }],
				supportedAssets: [{ caip2: "eip155:1", symbol: "USDC", fields: { decimals: 6 }, at }],
			},
		}),
	);
	const todos = new Map(report(0, everything, live).findings.map(({ kind, todo }) => [kind, todoText(todo)]));

	it.each<[KindName, string]>([
		[
			"userTag",
			"`orgsync apply` adds bob; `orgsync drift --accept userTag:signers` writes the live state into the document",
		],
		["policy", "`orgsync apply` removes the policy; to keep the policy, "],
		["sessionProfile", "cannot be changed once it exists: make another by hand"],
		[
			"mfaPolicy",
			"change it to what the document says by hand, or `orgsync drift --accept 'mfaPolicy:alice/passkey first'`",
		],
		["bootProof", "look at who deployed the app and verify what it attests to"],
		["supportedAsset", "the service decides this"],
	])("about a %s is said", (kind, words) => {
		expect(todos.get(kind)).toContain(words);
	});

	it("about a tag that is not there, and about others beside it, says what apply can do only then", () => {
		const desired = withSections(signers, { absent: sectionsOf(policyAbsent).absent });
		const found = report(0, desired, liveOf({ policies: withPolicy.removables.policy })).findings;
		expect(found.map(({ what, todo }) => [what, todoText(todo)])).toEqual([
			[
				"is-there",
				expect.stringContaining("removes the policy, once the other problems of this organization are solved"),
			],
			[
				"tag-not-there",
				expect.stringContaining(
					"create the tag `signers` (`create: true` in its entry), or remove it from the document",
				),
			],
		]);
	});

	it("about an activity in the way names it, and the command that says more", () => {
		const other = { ...renaming, parameters: { ...renaming.parameters, addUserIds: [] } };
		const todo = (activity: PendingActivity) => {
			const { findings, waiting } = report(0, signers, withMembers(alice), [activity]);
			return todoText([...findings, ...waiting][0]?.todo ?? "");
		};
		expect(todo(other)).toContain(`activity ${id("other", 7)} is pending and conflicts with the document`);
		expect(todo(renaming)).toContain(`\`orgsync explain ${id("other", 7)}\``);
		expect(todo({ ...other, activityId: null, state: "in-doubt" })).toContain("`orgsync apply --abandon sha256:1`");
	});
});

describe("as text", () => {
	it("unmanaged tags are counted and named, and are no drift", () => {
		const live = liveOf({
			userTags: known([
				liveTag(1, "signers", { members: known([alice, bob]) }),
				...Array.from({ length: 25 }, (_, index) => liveTag(index + 2, `other-${String(index).padStart(2, "0")}`)),
			]),
		});
		const drift = report(0, signers, live);
		expect(drift).toMatchObject({ verdict: "as-documented", unmanaged: { length: 25 } });
		const text = renderDrift(planAt(0, signers, live), drift, plainStyle);
		expect(text).toMatch(/^25 unmanaged user tags: other-00, .*other-19 and 5 more$/m);
	});

	it("the reason for missing actors is shown once, and not at each object", () => {
		const two = withSections(signers, { absent: sectionsOf(policyAbsent).absent });
		const plan = planAt(
			0,
			two,
			liveOf({ userTags: withMembers(alice).userTags, policies: withPolicy.removables.policy }),
		);
		const tell = (parts: object): string => renderDrift(plan, reportDrift(plan, parts), plainStyle);
		expect(tell({}).match(/It is unknown who changed it: no listed activity explains it/g)).toHaveLength(1);
		expect(tell({ unattributed: "denied" })).toContain("It is unknown who changed it: denied\n");
		const by = { activityId: "a", type: "ACTIVITY_TYPE_X", userId: bob, userName: null, at: null };
		const named = tell({ attributions: new Map([["userTag:signers", by]]) });
		expect(named).toContain("    last changed by x of bob, activity a\n");
		expect(named.match(/no listed activity explains it/g)).toHaveLength(1);
	});
});
