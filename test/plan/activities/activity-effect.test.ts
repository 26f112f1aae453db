/** What pending activities would do, each as it was signed, and several together. */
import { describe, expect, it } from "vitest";
import {
	type EffectContext,
	isDone,
	objectsToRead,
	type PlainActivity,
	planActivities,
	planActivity,
	withObjects,
} from "../../../src/plan/activities/activity-effect.ts";
import type { Change } from "../../../src/plan/change.ts";
import type { LiveOrganization } from "../../../src/plan/organization.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import { wordGuard } from "../../in-words.ts";
import {
	at,
	context,
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	organizationId,
	unknown,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const tagId = id("tag", 1);
const live = liveOf({
	userTags: known([liveTag(1, "admins", { members: known([alice, bob]) })]),
	policies: known([{ id: id("policy", 1), name: "old rule" }]),
	oauthProviders: known([{ userId: alice, id: id("provider", 1), name: "login" }]),
});

let count = 0;
function activityOf(
	operation: PlainActivity["operation"],
	parameters: Readonly<Record<string, unknown>>,
	more: Partial<PlainActivity> = {},
): PlainActivity {
	count += 1;
	return {
		...{ activityId: id("other", count), organizationId, fingerprint: `sha256:${count}`, type: "", status: "PENDING" },
		...{ operation, parameters, mistakes: [], submittedBy: null, createdAt: null, votes: [], voterNames: {} },
		...more,
	};
}
const change = (parameters: Readonly<Record<string, unknown>>, more: Partial<PlainActivity> = {}) =>
	activityOf("update_user_tag", { userTagId: tagId, ...parameters }, more);
const add = (...addUserIds: readonly string[]) => change({ addUserIds });
const remove = (...removeUserIds: readonly string[]) => change({ removeUserIds });

const contextOf = (found: LiveOrganization = live, desired?: EffectContext["desired"]): EffectContext => {
	return { live: found, context, ...(desired === undefined ? {} : { desired }) };
};
const effectOf = (activity: PlainActivity, more: EffectContext = contextOf()): Change | undefined =>
	planActivity(activity, more)?.changes[0];
const together = (activities: readonly PlainActivity[], more: EffectContext = contextOf()): Plan | null =>
	planActivities(organizationId, activities, more);

/** A tag of the document to which these users belong until a moment of the next days. */
const windowed = (name: string, ofTag: string, ...userIds: readonly string[]) => {
	const windows = userIds.map((userId) => ({ userId, untilMs: context.readAtMs + 1000, at }));
	return wantTag(name, { id: ofTag, members: { mode: "atLeast", atLeast: userIds, never: [], windows } });
};

describe("The effect of an activity", () => {
	it("is its change of the tag as it was signed, also where live has a part of it", () => {
		expect(effectOf(change({ addUserIds: [carol, alice], removeUserIds: [bob], newUserTagName: "owners" }))).toEqual({
			...{ kind: "userTag", action: "update", address: "userTag:admins", tagId, basis: "live", lastApplied: null },
			reason: "name-and-members-differ",
			...{ addUserIds: [alice, carol], removeUserIds: [bob] },
			before: { name: "admins", members: [alice, bob] },
			after: { name: "owners", members: [alice, carol] },
		});
	});

	it("says what differs: the name, the members, or both", () => {
		expect(effectOf(change({ newUserTagName: "owners" }))?.reason).toBe("name-differs");
		expect(effectOf(add(carol))?.reason).toBe("members-differ");
		expect(effectOf(change({ newUserTagName: "" }))).toMatchObject({ after: { name: "admins" } });
		expect(effectOf(change({ newUserTagName: 7 }))).toMatchObject({ after: { name: "admins" } });
	});

	it("is not known to be needed where members are not shown, unless it renames only", () => {
		const hidden = contextOf(liveOf({ userTags: known([liveTag(1, "admins", { members: unknown })]) }));
		expect(effectOf(add(carol), hidden)).toMatchObject({
			basis: "unknown",
			before: { members: null },
			after: { members: null },
		});
		expect(effectOf(change({ newUserTagName: "owners" }), hidden)).toMatchObject({ basis: "live" });
	});

	it("names the tag as live does, else as the document, else by its id", () => {
		const desired = desiredOf({ userTags: [wantTag("written", { id: tagId })] });
		expect(effectOf(add(carol), contextOf(live, desired))?.address).toBe("userTag:admins");
		const hidden = liveOf({ userTags: unknown });
		expect(effectOf(add(carol), contextOf(hidden, desired))?.address).toBe("userTag:written");
		expect(effectOf(add(carol), contextOf(hidden))?.address).toBe(`userTag:${tagId}`);
	});

	it("is a removal, by the name that live has", () => {
		expect(effectOf(activityOf("delete_policies", { policyIds: [id("policy", 1)] }))).toEqual({
			...{ kind: "policy", action: "remove", id: id("policy", 1), userId: null, after: null },
			...{ address: `policy:${id("policy", 1)}`, reason: "is-there", basis: "live", before: { name: "old rule" } },
		});
		expect(effectOf(activityOf("delete_policies", { policyIds: [id("policy", 2)] }))).toMatchObject({ before: null });
	});

	it("is a removal that is not known to be needed where objects are not shown", () => {
		const hidden = contextOf(liveOf({ policies: unknown }));
		expect(effectOf(activityOf("delete_policies", { policyIds: [id("policy", 1)] }), hidden)).toMatchObject({
			...{ reason: "not-known-to-be-absent", basis: "unknown", before: null },
		});
	});

	it("is of the provider of that user, with the alias of the document", () => {
		const removal = (userId: string) =>
			activityOf("delete_oauth_providers", { userId, providerIds: [id("provider", 1)] });
		const desired = desiredOf({ users: { ally: alice } });
		expect(effectOf(removal(alice), contextOf(live, desired))).toMatchObject({
			...{ address: `oauthProvider:ally/${id("provider", 1)}`, before: { name: "login" } },
		});
		expect(effectOf(removal(alice))?.address).toBe(`oauthProvider:${alice}/${id("provider", 1)}`);
		expect(effectOf(removal(bob))).toMatchObject({ before: null });
	});

	it("is null for what is no step, and for what cannot be reviewed", () => {
		expect(planActivity(activityOf("init_import_private_key", { userId: alice }), contextOf())).toBe(null);
		expect(planActivity(activityOf(null, {}), contextOf())).toBe(null);
		const mistakes = [{ code: "not-json", message: "" }] as const;
		expect(planActivity(change({ addUserIds: [carol] }, { mistakes }), contextOf())).toBe(null);
		expect(planActivity(activityOf("delete_policies", { policyIds: [] }), contextOf())).toBe(null);
	});

	it("is one step, which the activity is pending for, with who approved it", () => {
		const vote = { at: null, counts: true, selection: "approved" } as const;
		const votes = [
			{ ...vote, userId: alice },
			{ ...vote, userId: bob, counts: false },
			{ ...vote, userId: alice, counts: false },
			{ ...vote, userId: carol, selection: "rejected" as const },
			{ ...vote, userId: null },
		];
		const activity = change({ addUserIds: [carol] }, { votes, voterNames: { [alice]: "Alice" } });
		const plan = planActivity(activity, contextOf());
		expect(plan?.steps.map(({ operation, earlierActivity }) => [operation, earlierActivity?.relation])).toEqual([
			["update_user_tag", "same"],
		]);
		expect(plan?.waiting).toMatchObject([
			{ activityId: activity.activityId, status: "PENDING", state: "pending", saidBy: "service" },
		]);
		expect(plan?.waiting[0]).toMatchObject({ approvedBy: [alice, bob, alice], lapsed: [bob] });
		expect(plan?.waiting[0]?.liveNames).toEqual({ [alice]: "Alice" });
	});

	it("is pending for its step although it repeats the name that the tag has", () => {
		const plan = planActivity(change({ addUserIds: [carol], newUserTagName: "admins" }), contextOf());
		expect(plan?.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["same"]);
		expect(plan?.waiting.map(({ parameters }) => parameters)).toEqual([{ userTagId: tagId, addUserIds: [carol] }]);
	});

	it("is pending for its step where it renames the tag, alone or with other members", () => {
		for (const parameters of [
			{ newUserTagName: "owners" },
			{ newUserTagName: "owners", addUserIds: [carol], removeUserIds: [bob] },
		]) {
			const plan = planActivity(change(parameters), contextOf());
			expect(plan?.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["same"]);
			expect(plan?.waiting.map((one) => one.parameters)).toEqual([{ userTagId: tagId, ...parameters }]);
		}
	});

	it("has the windows of the users whom it moves, and no others", () => {
		const desired = desiredOf({
			userTags: [windowed("admins", tagId, alice, bob, carol), windowed("others", id("tag", 2), alice, carol)],
		});
		const users = (activity: PlainActivity) =>
			planActivity(activity, contextOf(live, desired))?.expiries?.map(({ address, userId }) => [address, userId]);
		expect(users(add(carol))).toEqual([["userTag:admins", carol]]);
		expect(users(change({ addUserIds: [carol], removeUserIds: [bob] }))).toEqual([
			["userTag:admins", bob],
			["userTag:admins", carol],
		]);
		expect(users(change({ newUserTagName: "owners" }))).toBe(undefined);
		expect(users(activityOf("delete_policies", { policyIds: [id("policy", 1)] }))).toBe(undefined);
	});
});

describe("The effect of several activities together", () => {
	const tagIn = (plan: Plan | null) => plan?.changes[0];

	it("is what they really change, without what live has", () => {
		expect(tagIn(together([add(alice, carol)]))).toMatchObject({ addUserIds: [carol], removeUserIds: [] });
		expect(tagIn(together([remove(alice, carol)]))).toMatchObject({ addUserIds: [], removeUserIds: [alice] });
	});

	it("is null where they change nothing", () => {
		expect(together([add(alice)])).toBe(null);
		expect(together([remove(carol)])).toBe(null);
		expect(together([change({ newUserTagName: "admins" })])).toBe(null);
		expect(together([])).toBe(null);
		expect(together([activityOf("init_import_private_key", {})])).toBe(null);
		expect(together([activityOf("delete_policies", { policyIds: [id("policy", 9)] })])).toBe(null);
	});

	it("is of the later one where one adds whom the other removes", () => {
		expect(tagIn(together([add(carol), remove(carol, alice)]))).toMatchObject({
			addUserIds: [],
			removeUserIds: [alice],
		});
		expect(tagIn(together([remove(alice), add(alice, carol)]))).toMatchObject({
			addUserIds: [carol],
			removeUserIds: [],
		});
	});

	it("has the members of all, sorted and each once", () => {
		const dave = id("user", 4);
		expect(tagIn(together([add(dave), add(carol, dave), remove(bob), remove(alice, bob)]))).toMatchObject({
			addUserIds: [carol, dave],
			removeUserIds: [alice, bob],
			after: { members: [carol, dave] },
		});
	});

	it("has the last name that one of them gives", () => {
		const [first, second] = [change({ newUserTagName: "one" }), change({ newUserTagName: "two" })];
		expect(tagIn(together([first, second]))).toMatchObject({ before: { name: "admins" }, after: { name: "two" } });
		expect(tagIn(together([first, add(carol)]))).toMatchObject({ after: { name: "one" }, addUserIds: [carol] });
	});

	it("has removals of what live has, and of what it does not show", () => {
		const removal = activityOf("delete_policies", { policyIds: [id("policy", 1), id("policy", 2)] });
		expect(together([removal])?.changes.map(({ address }) => address)).toEqual([`policy:${id("policy", 1)}`]);
		expect(together([removal], contextOf(liveOf({ policies: unknown })))?.changes).toHaveLength(2);
	});

	it("is sorted by address, and each activity that changes something is pending for it", () => {
		const plan = together([
			add(carol),
			activityOf("delete_policies", { policyIds: [id("policy", 1)] }),
			activityOf(null, {}),
		]);
		expect(plan?.changes.map(({ kind }) => kind)).toEqual(["policy", "userTag"]);
		expect(plan?.waiting).toHaveLength(2);
	});

	it("has nothing of an activity that cannot be reviewed, although it names the same tag", () => {
		const mistakes = [{ code: "not-json", message: "" }] as const;
		const plan = together([add(carol), change({ addUserIds: [id("user", 4)] }, { mistakes })]);
		expect(plan?.changes).toMatchObject([{ addUserIds: [carol] }]);
		expect(plan?.waiting).toHaveLength(1);
		expect(plan?.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["same"]);
	});

	it("counts a removal against the limits although the access of another user, whom it adds, has expired", () => {
		const windows = [{ userId: carol, untilMs: context.readAtMs, at }];
		const members = { mode: "atLeast", atLeast: [carol], never: [], windows } as const;
		const desired = desiredOf({
			limits: { memberRemovals: { count: 0 }, expiries: "any" },
			userTags: [wantTag("admins", { id: tagId, members })],
		});
		const plan = together([change({ addUserIds: [carol], removeUserIds: [bob] })], contextOf(live, desired));
		expect(plan?.expiries).toMatchObject([{ userId: carol, state: "expired" }]);
		expect(plan?.guards.map(wordGuard)).toMatchObject([
			{ kind: "memberRemovals", found: 1, refuses: true, message: "1 member would be removed" },
		]);
	});
});

describe("A step", () => {
	const step = (parameters: object): Step =>
		({
			id: "step-1",
			operation: "update_user_tag",
			parameters: { userTagId: tagId, ...parameters },
			covers: [],
		}) as never;

	it("is done where live has all that it changes", () => {
		expect(isDone(step({ addUserIds: [alice], removeUserIds: [carol] }), { live })).toBe(true);
		expect(isDone(step({ addUserIds: [alice, carol] }), { live })).toBe(false);
		expect(isDone(step({ newUserTagName: "owners" }), { live })).toBe(false);
		const removal = (...policyIds: readonly string[]): Step => {
			return { ...step({}), operation: "delete_policies", parameters: { policyIds } } as never;
		};
		expect(isDone(removal(id("policy", 2)), { live })).toBe(true);
		expect(isDone(removal(id("policy", 1), id("policy", 2)), { live })).toBe(false);
	});
});

describe("The document that stands for activities", () => {
	it("has these objects and nothing else of its own to manage", () => {
		const objects = [wantTag("admins")];
		expect(withObjects(organizationId, undefined, objects)).toMatchObject({
			...{ organizationId, users: {}, limits: {}, files: [], narrowed: true, objects },
			protect: { userIds: [], userTags: [] },
		});
		const desired = desiredOf({ users: { ally: alice }, userTags: [wantTag("others")] });
		expect(withObjects(organizationId, desired, objects)).toMatchObject({ users: { ally: alice }, objects });
	});

	it("has what must be read to plan them", () => {
		const members = { mode: "atLeast", atLeast: [], never: [] };
		expect(
			objectsToRead([
				add(carol),
				activityOf("delete_oauth_providers", { userId: alice, providerIds: [id("provider", 1)] }),
				activityOf("init_import_private_key", {}),
				activityOf(null, {}),
			]),
		).toEqual([
			{ kind: "userTag", id: tagId, name: tagId, previously: [], members, at: { file: "", line: 1, column: 1 } },
			{ kind: "oauthProvider", id: id("provider", 1), userId: alice },
		]);
		const policy = { kind: "policy", previously: [], effect: "EFFECT_DENY", consensus: "", condition: "" };
		const at = { file: "", line: 1, column: 1 };
		const policyId = id("policy", 1);
		expect(
			objectsToRead([
				activityOf("update_policy", { policyId }),
				activityOf("create_policies", { policies: [{ policyName: "new" }] }),
				activityOf("delete_policies", { policyIds: [policyId] }),
			]),
		).toEqual([
			{ ...policy, name: policyId, at },
			{ ...policy, name: "new", at },
			{ kind: "policy", id: policyId, userId: null },
		]);
	});
});
