/**
 * What is outdated in a saved plan: each way an object can change, in words with before and after; and all that may
 * change without a touched object changing.
 */

import { describe, expect, it } from "vitest";
import type { OutdatedObject } from "../../src/common/errors.ts";
import { StalePlanError } from "../../src/common/errors.ts";
import { refuseStale } from "../../src/document/saved/refuse-stale.ts";
import { makeSavedPlan, matchDocuments } from "../../src/document/saved/saved-plan.ts";
import type { PendingActivity } from "../../src/plan/activities/pending.ts";
import type { Change } from "../../src/plan/change.ts";
import type { DesiredOrganization, LiveOrganization, LiveUserTag } from "../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import { findOutdated, type Revisited } from "../../src/plan/stale.ts";
import { outdatedObject } from "../../src/say/stale.ts";
import {
	context,
	desiredOf,
	id,
	known,
	type LiveParts,
	liveOf,
	liveTag,
	organizationId,
	parametersOf,
	unknown,
	wantTag,
	withLive,
} from "./support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const many = Array.from({ length: 12 }, (_, number) => id("user", 20 + number));
const policies = [id("policy", 1), id("policy", 2)] as const;
const address = "userTag:signers";

const desired = desiredOf({
	users: { alice, bob, carol },
	userTags: [
		wantTag("oncall"),
		wantTag("signers", { previously: ["approvers"], members: { mode: "exactly", exactly: [alice] } }),
	],
	absent: {
		policyIds: policies,
		oauthProviders: [{ userId: bob, providerIds: [id("provider", 1)] }],
		tvcAppIds: [id("app", 1)],
	},
});

const signers = (parts: Partial<LiveUserTag> = {}): LiveUserTag =>
	liveTag(1, "signers", { members: known([bob, carol]), ...parts });

const before = liveOf({
	userTags: known([signers(), liveTag(2, "oncall")]),
	policies: known([{ id: policies[0], name: "one" }]),
	oauthProviders: known([{ userId: bob, id: id("provider", 1), name: "old login" }]),
	tvcApps: known([{ id: id("app", 1), name: "retired" }]),
});

interface Options {
	readonly wanted?: DesiredOrganization;
	readonly was?: LiveOrganization;
	readonly waiting?: { readonly was?: readonly PendingActivity[]; readonly now?: readonly PendingActivity[] };
}

/** The plan that was saved, and what it meets now. */
function revisit(now: LiveOrganization, { wanted = desired, was = before, waiting = {} }: Options = {}): Revisited {
	const saved = makePlan(wanted, was, { ...context, waiting: waiting.was ?? [] });
	expect(saved.problems).toEqual([]);
	const [planned] = matchDocuments(makeSavedPlan({ plans: [saved] }, "orgsync"), [wanted]);
	const fresh = makePlan(planned?.desired ?? wanted, now, { ...context, waiting: waiting.now ?? [] });
	return { saved, fresh, live: now };
}

function moved(now: LiveOrganization, options?: Options): readonly OutdatedObject[] {
	return findOutdated(revisit(now, options)).map(outdatedObject);
}

it("does not count the overrides that a plan uses: they say nothing of an object", () => {
	const { saved, fresh, live } = revisit(before);
	const abandon = { flag: "abandon", activity: "activity-1" } as const;
	expect(findOutdated({ saved: { ...saved, overrides: [abandon] }, fresh, live })).toEqual([]);
	expect(findOutdated({ saved, fresh: { ...fresh, overrides: [abandon] }, live })).toEqual([]);
});

const withTag = (tag: LiveUserTag | undefined, ...others: readonly LiveUserTag[]): LiveOrganization =>
	withLive(before, { userTags: known([...(tag === undefined ? [] : [tag]), liveTag(2, "oncall"), ...others]) });

describe("nothing changed", () => {
	it("when all is as it was", () => {
		expect(moved(before)).toEqual([]);
	});

	it.each<[string, Partial<LiveParts>]>([
		["another tag of the document is called otherwise", { userTags: known([signers(), liveTag(2, "renamed")]) }],
		[
			"another tag of the document has other members",
			{ userTags: known([signers(), liveTag(2, "oncall", { members: known([bob]) })]) },
		],
		["there are tags that nobody speaks of", { userTags: known([signers(), liveTag(2, "oncall"), liveTag(3, "new")]) }],
		[
			"a policy that was gone is back, to be removed by another plan",
			{ policies: known(policies.map((one) => ({ id: one, name: "one" }))) },
		],
		[
			"users have other providers",
			{
				oauthProviders: known([
					{ userId: bob, id: id("provider", 1), name: "old login" },
					{ userId: alice, id: id("provider", 9), name: "new" },
				]),
			},
		],
		[
			"somebody touched the tag and put it back",
			{ userTags: known([signers({ updatedAt: "9.9" }), liveTag(2, "oncall")]) },
		],
	])("when %s", (_what, more) => {
		expect(moved(withLive(before, more))).toEqual([]);
	});

	it("when a temporary name that was taken is free by now: the plan keeps its own", () => {
		const wanted = desiredOf({ userTags: [wantTag("a", { id: id("tag", 2) }), wantTag("b", { id: id("tag", 1) })] });
		const tags = [liveTag(1, "a"), liveTag(2, "b")];
		const taken = liveTag(3, `orgsync-temporary-${id("tag", 2).slice(0, 8)}`);
		const was = liveOf({ userTags: known([...tags, taken]) });
		const { saved, fresh, live } = revisit(liveOf({ userTags: known(tags) }), { wanted, was });
		expect(saved.steps.map(parametersOf)[0]?.newUserTagName).toBe(`${taken.name}-2`);
		expect(fresh.steps).toEqual(saved.steps);
		expect(findOutdated({ saved, fresh, live })).toEqual([]);
	});
});

describe("a plan that misrepresents its changes, with digests and steps that fit", () => {
	it.each<[string, (change: Change) => Change]>([
		[
			"hides a member",
			(change) => (change.kind === "userTag" ? { ...change, removeUserIds: [], addUserIds: [] } : change),
		],
		[
			"gives another name",
			(change) =>
				change.action === "remove" && change.kind !== "userTag" ? { ...change, before: { name: "unused" } } : change,
		],
		["says that live was read", (change) => ({ ...change, basis: "last-applied" })],
	])("is found out when it %s", (_what, rewrite) => {
		const { saved, fresh, live } = revisit(before);
		const changes = saved.changes.map(rewrite);
		expect(changes).not.toEqual(saved.changes);
		const found = findOutdated({ saved: { ...saved, changes }, fresh, live }).map(outdatedObject);
		expect(found[0]).toMatchObject({ reason: "step-differs" });
		expect(found[0]?.because).toContain("describes the change differently");
	});
});

describe("an activity that waits", () => {
	const activity = (policyIds: readonly string[]): PendingActivity => ({
		activityId: id("other", 1),
		fingerprint: `sha256:${"a".repeat(64)}`,
		state: "pending",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation: "delete_policies",
		parameters: { policyIds },
		createdAt: null,
		approvedBy: null,
		saidBy: "service",
	});
	const both = withLive(before, { policies: known(policies.map((one) => ({ id: one, name: "one" }))) });

	it.each([
		["for a step", policies],
		["for a part of a step", [policies[0]]],
		["for the last part of a step", [policies[1]]],
	])("%s moves nothing when it began since", (_what, ids) => {
		const waiting = { now: [activity(ids)] };
		const { saved, fresh } = revisit(both, { was: both, waiting });
		expect(saved.steps).not.toEqual(fresh.steps);
		expect(moved(both, { was: both, waiting })).toEqual([]);
	});

	it.each([
		["for a step", policies],
		["for a part of a step", [policies[0]]],
		["for the last part of a step", [policies[1]]],
	])("%s and ended without having done it keeps the plan from submitting what was reviewed as waiting", (_what, ids) => {
		const found = moved(both, { was: both, waiting: { was: [activity(ids)] } });
		expect(found.map(({ address, reason }) => [address, reason])).toEqual(
			ids.map((one) => [`policy:${one}`, "step-differs"]),
		);
		expect(found[0]?.because).toContain("states that an activity was pending for");
	});
});

describe("a tag moved", () => {
	it.each<[string, LiveOrganization, Partial<OutdatedObject>]>([
		[
			"when others have it",
			withTag(signers({ members: known([alice, bob, carol]) })),
			{
				reason: "changed",
				because: "the plan file states that bob, carol had it, now alice, bob, carol have it",
				after: { name: "signers", members: [alice, bob, carol] },
			},
		],
		[
			"when nobody has it",
			withTag(signers({ members: known([]) })),
			{ because: "the plan file states that bob, carol had it, now no user has it" },
		],
		[
			"when its many members are others",
			withTag(signers({ members: known([bob, ...many]) })),
			{
				because: `the plan file states that 2 users had it, now 13; since then ${many.slice(0, 8).join(", ")} and 4 more got it, and carol lost it`,
			},
		],
		[
			"when it is called otherwise",
			withTag(signers({ name: "approvers" })),
			{
				reason: "changed",
				because: "the plan file states that it was called `signers`, now `approvers`",
				after: { name: "approvers", members: [bob, carol] },
			},
		],
		[
			"when it is as the plan wanted",
			withTag(signers({ members: known([alice]) })),
			{
				reason: "already-applied",
				because: "it is as the plan wanted already; the plan file states that bob, carol had it, now alice has it",
			},
		],
		[
			"when it is called as the document does not know",
			withTag(signers({ name: "signatories" })),
			{
				reason: "not-possible",
				because: expect.stringMatching(
					/^the plan file states that it was called `signers`, now `signatories`; no user tag is called `signers`;/,
				),
			},
		],
		[
			"when it is gone",
			withTag(undefined),
			{
				reason: "not-possible",
				after: null,
				because: expect.stringMatching(
					/^the plan file states that it was called `signers`, now it no longer exists; no user tag/,
				),
			},
		],
		[
			"when another tag has its name",
			withTag(signers({ name: "old" }), liveTag(4, "signers")),
			{
				reason: "changed",
				because: expect.stringContaining(
					`the document means another tag now, ${id("tag", 4)} in place of ${id("tag", 1)}; the plan file states that it was called \`signers\`, now \`old\``,
				),
			},
		],
		[
			"when it is gone and another one is as the plan wanted",
			withTag(undefined, liveTag(4, "signers", { members: known([alice]) })),
			{
				reason: "already-applied",
				after: null,
				because: "the tag no longer exists, and another tag is as the plan wanted",
			},
		],
		[
			"when nobody can read who has it",
			withTag(signers({ members: unknown })),
			{
				reason: "changed",
				because: "the plan file states that bob, carol had it, now that cannot be read any more",
				after: { name: "signers", members: null },
			},
		],
		[
			"when the user tags cannot be read",
			{ ...before, userTags: unknown },
			{ reason: "changed", because: "it cannot be read any more", after: null },
		],
	])("%s", (_what, now, expected) => {
		const planned = { name: "signers", members: [bob, carol] };
		expect(moved(now)).toEqual([expect.objectContaining({ organizationId, address, before: planned, ...expected })]);
	});

	it("when someone has it whom the plan would remove, and no user had it", () => {
		const was = withTag(signers({ members: known([]) }));
		expect(moved(before, { was })).toMatchObject([
			{ reason: "changed", because: "the plan file states that no user had it, now bob, carol have it" },
		]);
	});

	it("when who has it can be read, which it could not be", () => {
		expect(moved(before, { was: withTag(signers({ members: unknown })) })).toMatchObject([
			{ reason: "changed", because: "the plan file states that its members could not be read, now bob, carol have it" },
		]);
		const none = withTag(signers({ members: known([]) }));
		expect(moved(none, { was: withTag(signers({ members: unknown })) })).toMatchObject([
			{ reason: "changed", because: "the plan file states that its members could not be read, now no user has it" },
		]);
		const one = withTag(signers({ members: known([bob]) }));
		expect(moved(one, { was: withTag(signers({ members: unknown })) })).toMatchObject([
			{ because: "the plan file states that its members could not be read, now bob has it" },
		]);
	});

	it("when what was last applied to it is not known here", () => {
		const members = unknown;
		const lastApplied = {
			...before.lastApplied,
			userTags: {
				[id("tag", 1)]: {
					appliedAt: "2026-01-01T00:00:00.000Z",
					name: "signers",
					present: [bob],
					gone: [],
					updatedAt: "1.0",
				},
			},
		};
		const was = { ...withTag(signers({ members })), lastApplied };
		expect(moved(was, { was })).toEqual([]);
		expect(moved(withTag(signers({ members })), { was })).toMatchObject([
			{
				reason: "changed",
				because:
					"the plan file states that bob had it, as last applied; here that is unknown, or the tag was changed since",
			},
		]);
	});

	it("when only its members did, and the plan would only rename it", () => {
		const wanted = desiredOf({
			userTags: [
				wantTag("oncall", { members: { mode: "exactly", exactly: [] } }),
				wantTag("signers", { previously: ["approvers"] }),
			],
		});
		const was = withTag(signers({ name: "approvers" }));
		expect(moved(was, { wanted, was })).toEqual([]);
		const now = withTag(signers({ name: "approvers", members: known([alice]) }));
		expect(moved(now, { wanted, was })).toMatchObject([{ address, reason: "changed" }]);
	});
});

describe("a name", () => {
	const wanted = desiredOf({ userTags: [wantTag("oncall"), wantTag("signers", { id: id("tag", 1) })] });
	const was = withTag(signers({ name: "approvers" }));

	it("that the plan would give and another tag took makes it impossible, and says who has it", () => {
		const now = withTag(signers({ name: "approvers" }), liveTag(4, "signers"));
		expect(moved(now, { wanted, was })).toMatchObject([
			{
				address,
				reason: "not-possible",
				before: { name: "approvers" },
				after: { name: "approvers" },
				because: expect.stringContaining(`the tag ${id("tag", 4)} has that name and keeps it`),
			},
		]);
	});

	it("that a tag would step aside under and another took makes it another step", () => {
		const cycle = desiredOf({ userTags: [wantTag("a", { id: id("tag", 2) }), wantTag("b", { id: id("tag", 1) })] });
		const tags = [liveTag(1, "a"), liveTag(2, "b")];
		const name = `orgsync-temporary-${id("tag", 2).slice(0, 8)}`;
		const [one, ...others] = moved(liveOf({ userTags: known([...tags, liveTag(3, name)]) }), {
			wanted: cycle,
			was: liveOf({ userTags: known(tags) }),
		});
		expect(others).toEqual([]);
		const state = { name: "b", members: [] };
		expect(one).toMatchObject({ address: "userTag:a", reason: "step-differs", before: state, after: state });
		expect(one?.because).toContain(`"newUserTagName":"${name}"`);
		expect(one?.because).toContain(`"newUserTagName":"${name}-2"`);
	});

	it("that a tag would step aside under and another took leaves the names of the others to them", () => {
		const alike = (number: number) => `22222222-7a3f-4c9e-9d40-00000000000${number}`;
		const [a, b, c, d] = [alike(1), alike(2), alike(3), alike(4)];
		const cycles = desiredOf({
			userTags: [wantTag("a", { id: b }), wantTag("b", { id: a }), wantTag("c", { id: d }), wantTag("d", { id: c })],
		});
		const tags = [a, b, c, d].map((tagId, index) => liveTag(0, "abcd"[index] ?? "", { id: tagId }));
		const was = liveOf({ userTags: known(tags) });
		const now = liveOf({ userTags: known([...tags, liveTag(9, "orgsync-temporary-22222222")]) });
		expect(moved(was, { wanted: cycles, was })).toEqual([]);
		expect(moved(now, { wanted: cycles, was }).map((one) => one.address)).toEqual(["userTag:a"]);
	});

	it("that is no longer free because a touched tag changed is reported for that tag alone", () => {
		const chain = desiredOf({ userTags: [wantTag("b", { id: id("tag", 1) }), wantTag("c", { previously: ["b"] })] });
		const now = liveOf({ userTags: known([liveTag(1, "c"), liveTag(2, "b")]) });
		const found = moved(now, { wanted: chain, was: liveOf({ userTags: known([liveTag(1, "a"), liveTag(2, "b")]) }) });
		expect(found.map((one) => one.address)).toEqual(["userTag:b", "userTag:c"]);
	});
});

describe.each([
	["policy", `policy:${policies[0]}`, "policies", [{ id: policies[0], name: "other" }]],
	[
		"OAuth provider",
		`oauthProvider:bob/${id("provider", 1)}`,
		"oauthProviders",
		[{ userId: bob, id: id("provider", 1), name: "other" }],
	],
	["TVC app", `tvcApp:${id("app", 1)}`, "tvcApps", [{ id: id("app", 1), name: "other" }]],
] as const)("a %s moved", (_kind, where, member, renamed) => {
	it("when it is gone", () => {
		expect(moved(withLive(before, { [member]: known([]) }))).toMatchObject([
			{ address: where, reason: "already-applied", after: null, because: "it is gone already, as the plan wanted" },
		]);
	});

	it("when it is called otherwise", () => {
		expect(moved(withLive(before, { [member]: known(renamed) }))).toMatchObject([
			{
				address: where,
				reason: "changed",
				after: { name: "other" },
				because: expect.stringMatching(/^the plan file states that it was called `.*`, now `other`$/),
			},
		]);
	});

	it("when it cannot be read any more, or can be by now", () => {
		const hidden = withLive(before, { [member]: unknown });
		expect(moved(hidden)).toMatchObject([
			{
				address: where,
				reason: "changed",
				after: null,
				because: "the plan file states that it existed, now it cannot be read",
			},
		]);
		expect(moved(before, { was: hidden })).toContainEqual(
			expect.objectContaining({
				address: where,
				before: null,
				because: "the plan file states that it could not be read, now it is known to exist",
			}),
		);
	});
});

describe("the refusal", () => {
	const refusal = (...revisited: readonly Revisited[]): StalePlanError => {
		try {
			refuseStale(revisited);
		} catch (error) {
			if (error instanceof StalePlanError) return error;
		}
		throw new Error("it was not refused");
	};

	it("does not come when nothing changed", () => {
		expect(() => refuseStale([revisit(before), revisit(before)])).not.toThrow();
	});

	it("names everything that moved, one a line, with what to do", () => {
		const error = refusal(revisit(withLive(withTag(signers({ members: known([]) })), { policies: known([]) })));
		expect(error).toMatchObject({
			code: "stale-plan",
			exitCode: 6,
			hint: "plan again, and have the new plan reviewed",
		});
		expect(error.message.split("\n")).toEqual([
			"the saved plan is stale, nothing was submitted:",
			"  userTag:signers: the plan file states that bob, carol had it, now no user has it",
			`  policy:${policies[0]}: it is gone already, as the plan wanted`,
		]);
	});

	it("says that nothing is left to do when all of it is done", () => {
		const done = { policies: known([]), oauthProviders: known([]), tvcApps: known([]) };
		const error = refusal(revisit(withLive(withTag(signers({ members: known([alice]) })), done)));
		expect(error.hint).toBe("every object is as the plan wanted already: there is nothing left to apply");
	});

	it("says to plan again where only a part is done, or something else changed too", () => {
		const again = "plan again, and have the new plan reviewed";
		const gone = { policies: known([]), oauthProviders: known([]), tvcApps: known([]) };
		expect(refusal(revisit(withLive(before, gone))).hint).toBe(again);
		expect(refusal(revisit(withLive(withTag(signers({ members: known([alice, carol]) })), gone))).hint).toBe(again);
		const done = withLive(withTag(signers({ members: known([alice]) })), gone);
		expect(refusal(revisit(done), revisit(before)).hint).toBe(again);
		expect(refusal(revisit(done), revisit(done)).hint).toMatch(/^every object is as the plan wanted already/);
	});

	it("names the organization where there are several", () => {
		const error = refusal(revisit(before), revisit(withLive(before, { tvcApps: known([]) })));
		expect(error.message).toContain(`\n  organization ${organizationId}: tvcApp:`);
	});

	it("is one line an object whatever a tag is called", () => {
		const name = "a\nb\u001b[31m\u202e";
		const wanted = desiredOf({ userTags: [wantTag("signers", { id: id("tag", 1) })] });
		const error = refusal(
			revisit(withTag(signers({ name })), { wanted, was: withTag(signers({ name: "approvers" })) }),
		);
		expect(error.message.split("\n").length).toBe(2);
		expect(error.message).toContain('now `"a\\u{a}b\\u{1b}[31m\\u{202e}"`');
		expect(error.outdated[0]?.after?.name).toBe(name);
	});
});

it("a step that waits for another one than was reviewed is another step", () => {
	const wanted = desiredOf({
		userTags: [wantTag("one", { id: id("tag", 2) }), wantTag("two", { id: id("tag", 1) })],
	});
	const was = liveOf({ userTags: known([liveTag(1, "one"), liveTag(2, "two")]) });
	const { saved, fresh, live } = revisit(was, { wanted, was });
	expect(findOutdated({ saved, fresh, live })).toEqual([]);
	const unordered = { ...saved, steps: saved.steps.map((step) => ({ ...step, dependsOn: [] })) };
	expect(findOutdated({ saved: unordered, fresh, live })).toMatchObject([{ reason: "step-differs" }, {}]);
});

it("every step of a plan is compared, also of one that was made up", () => {
	const { saved, fresh, live } = revisit(before);
	const [first, ...rest] = saved.steps;
	const without: Plan = { ...saved, steps: rest };
	expect(findOutdated({ saved: without, fresh, live })).toMatchObject([{ address, reason: "step-differs" }]);
	expect(
		findOutdated({
			saved: { ...saved, steps: [...saved.steps, { ...(first as Plan["steps"][number]), id: "step-9" }] },
			fresh,
			live,
		}),
	).toMatchObject([{ address, reason: "step-differs" }]);
});
