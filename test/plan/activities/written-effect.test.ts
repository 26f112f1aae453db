/** What activities that write policies and tags do, and whether a document wants it. */
import { describe, expect, it } from "vitest";
import {
	isDone,
	type PlainActivity,
	planActivities,
	planActivity,
} from "../../../src/plan/activities/activity-effect.ts";
import { findDisagreements, findNamesTaken } from "../../../src/plan/activities/agreement.ts";
import { createdPolicies } from "../../../src/plan/activities/written-effect.ts";
import type { DesiredOrganization, DesiredPolicy } from "../../../src/plan/organization.ts";
import { standInFor } from "../../../src/plan/stand-in.ts";
import type { Step } from "../../../src/plan/step.ts";
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

const [alice, bob] = [id("user", 1), id("user", 2)];
const [tagId, policyId] = [id("tag", 1), id("policy", 1)];
const consensus = `approvers.any(user, user.tags.contains('${tagId}'))`;
const [exporting, anything] = ["activity.action == 'EXPORT'", "true"];
const text = { effect: "EFFECT_ALLOW", consensus, condition: exporting, notes: "", time: "" };
const livePolicy = { id: policyId, name: "exports", ...text };
const live = {
	...liveOf({
		userTags: known([liveTag(1, "admins", { members: known([alice]) })]),
		policies: known([{ id: policyId, name: "exports" }]),
	}),
	policies: known([livePolicy]),
};

const widening = { policyId, policyCondition: anything };
const creating = {
	policies: [{ policyName: "new", effect: "EFFECT_ALLOW", consensus, condition: exporting, notes: "" }],
};

function activityOf(operation: PlainActivity["operation"], parameters: object): PlainActivity {
	return {
		...{ activityId: id("other", 1), organizationId, fingerprint: "sha256:1", type: "", status: "PENDING", operation },
		...{ parameters: { ...parameters }, mistakes: [], submittedBy: null, createdAt: null, votes: [], voterNames: {} },
	};
}
const effectOf = (operation: PlainActivity["operation"], parameters: object) =>
	planActivity(activityOf(operation, parameters), { live, context })?.changes;

describe("the effect of an activity", () => {
	it("that updates a policy is the live policy with the fields that it has", () => {
		expect(effectOf("update_policy", widening)).toMatchObject([
			{
				...{ kind: "policy", action: "update", address: "policy:exports", id: policyId },
				before: { condition: exporting, consensus },
				after: { condition: anything, consensus, name: "exports" },
			},
		]);
	});

	it("that creates policies or a tag, or removes tags, is that", () => {
		expect(effectOf("create_policies", creating)).toMatchObject([
			{ kind: "policy", action: "create", address: "policy:new", before: null, after: { condition: exporting } },
		]);
		expect(effectOf("create_user_tag", { userTagName: "payers", userIds: [bob] })).toMatchObject([
			{ kind: "userTag", action: "create", address: "userTag:payers", addUserIds: [bob] },
		]);
		expect(effectOf("delete_user_tags", { userTagIds: [tagId] })).toMatchObject([
			{ kind: "userTag", action: "remove", address: "userTag:admins", removeUserIds: [alice] },
		]);
	});

	it("names a tag by its only live name, or as the document does, and by its id where that could be another", () => {
		const shown = (names: readonly string[], desired?: DesiredOrganization) => {
			const userTags = known(names.map((name, index) => ({ ...liveTag(index + 1, name), members: known([]) })));
			const given = { desired, live: { ...live, userTags }, context };
			const [change] = planActivity(activityOf("create_policies", creating), given)?.changes ?? [];
			const consensus = change !== undefined && "written" in change ? change.written.consensus : "";
			return /contains\('(.*)'\)/.exec(consensus)?.[1];
		};
		expect(shown(["admins", "others"])).toBe("${userTags.admins}");
		expect(shown(["admins", "admins"])).toBe(tagId);
		expect(shown(["others"], desiredOf({ userTags: [wantTag("admins", { id: tagId })] }))).toBe("${userTags.admins}");
		expect(shown(["admins"], desiredOf({ userTags: [wantTag("admins", { id: id("tag", 2) })] }))).toBe(tagId);
	});

	it("is nothing together where live has it", () => {
		const together = (operation: PlainActivity["operation"], parameters: object) =>
			planActivities(organizationId, [activityOf(operation, parameters)], { live, context })?.changes.length ?? 0;
		expect(together("update_policy", widening)).toBe(1);
		expect(together("update_policy", { policyId, policyCondition: exporting })).toBe(0);
		expect(together("create_policies", creating)).toBe(1);
		expect(together("create_user_tag", { userTagName: "admins", userIds: [] })).toBe(0);
		expect(together("delete_user_tags", { userTagIds: [id("tag", 2)] })).toBe(0);
		const step = {
			operation: "create_policies",
			parameters: { policies: [{ ...creating.policies[0], policyName: "exports" }] },
		};
		expect(isDone(step as unknown as Step, { live, desired: undefined })).toBe(true);
		const two = { ...step, parameters: { policies: [...step.parameters.policies, ...creating.policies] } };
		expect(isDone(two as unknown as Step, { live, desired: undefined })).toBe(false);
	});

	it("is real where live does not show it, where another tag has the name, and where a text differs", () => {
		const together = (operation: PlainActivity["operation"], parameters: object, of = live) =>
			planActivities(organizationId, [activityOf(operation, parameters)], { live: of, context })?.changes.length ?? 0;
		const others = { ...live, userTags: known([liveTag(2, "others"), liveTag(1, "admins")]) };
		expect(together("create_user_tag", { userTagName: "payers", userIds: [] }, others)).toBe(1);
		expect(together("create_user_tag", { userTagName: "admins", userIds: [] }, others)).toBe(0);
		expect(together("delete_user_tags", { userTagIds: [tagId] }, others)).toBe(1);
		expect(together("create_user_tag", { userTagName: "admins", userIds: [] }, { ...live, userTags: unknown })).toBe(1);
		expect(together("delete_user_tags", { userTagIds: [id("tag", 2)] }, { ...live, userTags: unknown })).toBe(1);
		const differs = { policies: [{ ...creating.policies[0], policyName: "exports", condition: "x" }] };
		expect(together("create_policies", differs)).toBe(1);
	});

	it("goes by the tag, the policy and the ids as far as they are known", () => {
		const [removal] = effectOf("delete_user_tags", { userTagIds: [tagId.toUpperCase(), id("tag", 2)] }) ?? [];
		expect(removal).toMatchObject({ address: "userTag:admins", before: { name: "admins", members: [alice] } });
		const hidden = { ...live, userTags: known([liveTag(2, "others"), liveTag(1, "admins", { members: unknown })]) };
		const removed = activityOf("delete_user_tags", { userTagIds: [tagId] });
		expect(planActivity(removed, { live: hidden, context })?.changes).toMatchObject([
			{ address: "userTag:admins", before: { name: "admins", members: null }, removeUserIds: [] },
		]);
		expect(planActivity(removed, { live: { ...live, userTags: unknown }, context })?.changes).toMatchObject([
			{ address: `userTag:${tagId}`, before: { name: tagId, members: null } },
		]);
		const { policies: _, ...unasked } = live;
		const changesIn = (of: typeof live, operation: PlainActivity["operation"], parameters: object) =>
			planActivity(activityOf(operation, parameters), { live: of, context })?.changes[0];
		expect(changesIn(live, "create_policies", creating)).toMatchObject({
			...{ basis: "live", id: standInFor(organizationId, "policy", "new"), reason: "not-there", writtenBefore: null },
		});
		expect(changesIn(unasked as typeof live, "create_policies", creating)).toMatchObject({ basis: "unknown" });
		expect(changesIn({ ...live, policies: unknown } as never, "update_policy", widening)).toMatchObject({
			...{ basis: "unknown", id: policyId, reason: "not-there" },
		});
		expect(effectOf("update_policy", { ...widening, policyId: policyId.toUpperCase() })).toMatchObject([
			{ id: policyId, reason: "differs", writtenBefore: { condition: exporting } },
		]);
		expect(effectOf("create_policies", { policies: "none" })).toBeUndefined();
	});

	it("of a request that creates policies has all that they say", () => {
		expect(createdPolicies(creating)).toMatchObject([
			{ address: "policy:new", basis: "unknown", after: { consensus } },
		]);
		expect(createdPolicies({})).toEqual([]);
	});

	it("has the activity itself as the one that is pending, also where an update leaves fields out", () => {
		const plan = planActivity(activityOf("update_policy", widening), { live, context });
		expect(plan?.steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["same"]);
	});
});

describe("the document", () => {
	const policy = (name: string, condition: string): DesiredPolicy => ({
		...{ kind: "policy", name, previously: [], effect: "EFFECT_ALLOW", at },
		...{ consensus: consensus.replace(tagId, "${userTags.admins}"), condition },
	});
	const base = desiredOf({ userTags: [wantTag("admins")] });
	const desired: DesiredOrganization = {
		...base,
		objects: [...base.objects, policy("exports", anything), policy("new", exporting), policy("newer", exporting)],
	};
	const find = (operation: PlainActivity["operation"], parameters: object, other = desired, there = live) =>
		findDisagreements({ operation, parameters: { ...parameters } }, other, there);
	const disagreements = (...given: Parameters<typeof find>) => find(...given).map(({ code }) => code);
	const full = {
		...{ policyId, policyName: "exports", policyEffect: "EFFECT_ALLOW", policyConsensus: consensus, policyNotes: "" },
	};

	it("wants the update and the creation that it states, also a part of the policies", () => {
		expect(disagreements("update_policy", { ...full, policyCondition: anything })).toEqual([]);
		expect(disagreements("create_policies", creating)).toEqual([]);
	});

	it("wants no other text of its policies", () => {
		expect(disagreements("update_policy", { ...full, policyCondition: "activity.action == 'SIGN'" })).toEqual([
			"differs",
		]);
		expect(disagreements("update_policy", widening)).toEqual(["differs"]);
		const { policyNotes: _cleared, ...partial } = { ...full, policyCondition: anything };
		expect(disagreements("update_policy", partial)).toEqual(["differs"]);
		const wider = { policies: [{ ...creating.policies[0], condition: anything }] };
		expect(disagreements("create_policies", wider)).toEqual(["differs"]);
		const more = { policies: [...creating.policies, { ...creating.policies[0], policyName: "smuggled" }] };
		expect(disagreements("create_policies", more)).toEqual(["differs"]);
	});

	it("has nothing to say of policies and tags that it does not state", () => {
		const others = { ...creating.policies[0], policyName: "other" };
		expect(disagreements("create_policies", { policies: [others] })).toEqual(["unmanaged"]);
		const another = { ...full, policyId: id("policy", 2), policyName: "other" };
		expect(disagreements("update_policy", another)).toEqual(["unmanaged"]);
		expect(disagreements("create_user_tag", { userTagName: "payers", userIds: [] })).toEqual(["unmanaged"]);
		expect(disagreements("delete_user_tags", { userTagIds: [tagId] })).toEqual(["not-absent"]);
	});

	it("says which fields conflict, which policies it does not have, and that an update changes nothing", () => {
		const differs = (fields: readonly string[], unmanaged: readonly string[] = [], isPartial = false) => [
			{ code: "differs", fields, unmanaged, isPartial },
		];
		const narrow = { ...full, policyCondition: "activity.action == 'SIGN'", policyNotes: "others'" };
		expect(find("update_policy", narrow)).toEqual(differs(["condition", "notes"]));
		const { policyNotes: _cleared, ...partial } = { ...full, policyCondition: anything };
		expect(find("update_policy", partial)).toEqual(differs([], [], true));
		const wider = { ...creating.policies[0], condition: anything, notes: "why" };
		const smuggled = { ...creating.policies[0], policyName: "smuggled" };
		expect(find("create_policies", { policies: [wider, smuggled] })).toEqual(
			differs(["condition", "notes"], ["smuggled"]),
		);
		expect(
			find(
				"create_user_tag",
				{ userTagName: "new", userIds: [id("user", 1)] },
				{
					...base,
					objects: [wantTag("new", { create: true })],
				},
			),
		).toEqual(differs(["members"]));
		// In sync: the document has the policy, though no step is about it.
		const inSync = { ...desired, objects: [...base.objects, policy("exports", exporting)] };
		expect(find("update_policy", { ...full, policyCondition: anything }, inSync)).toEqual(differs(["condition"]));
		expect(find("update_policy", { policyId, policyNotes: "" }, inSync)).toEqual(differs([]));
	});

	it("says which live policies and tags have the names that an activity gives, and not of the object itself", () => {
		const taken = [{ id: policyId, name: "exports" }];
		const exports = { policies: [{ ...creating.policies[0], policyName: "exports" }, ...creating.policies] };
		expect(find("create_policies", exports)).toEqual([{ code: "name-taken", kind: "policy", taken }]);
		expect(find("update_policy", { ...full, policyId: id("policy", 2) })).toEqual([
			{ code: "name-taken", kind: "policy", taken },
		]);
		expect(find("create_user_tag", { userTagName: "admins", userIds: [] })).toEqual([
			{ code: "name-taken", kind: "userTag", taken: [{ id: tagId, name: "admins" }] },
		]);
		expect(findNamesTaken({ operation: "update_policy", parameters: full }, live)).toEqual([]);
		expect(findNamesTaken({ operation: null, parameters: {} }, live)).toEqual([]);
	});

	it.each([
		["its name", "admins"],
		["its id", tagId],
	])("wants the removal of a tag that it states to be absent by %s", (_what, name) => {
		const absent: DesiredOrganization = { ...base, objects: [{ kind: "userTag", absent: true, name, at }] };
		expect(disagreements("delete_user_tags", { userTagIds: [tagId] }, absent)).toEqual([]);
		expect(disagreements("delete_user_tags", { userTagIds: [tagId, id("tag", 7)] }, absent)).toEqual(["not-absent"]);
		expect(find("delete_user_tags", { userTagIds: [id("tag", 7)] }, absent)).toEqual([
			{ code: "not-absent", ids: [id("tag", 7)] },
		]);
	});

	it("wants the removal of what a complete list leaves out, and no other", () => {
		const complete: DesiredOrganization = { ...base, exactly: { policies: { except: [] }, userTags: { except: [] } } };
		expect(disagreements("delete_policies", { policyIds: [policyId] }, complete)).toEqual([]);
		expect(disagreements("delete_user_tags", { userTagIds: [tagId] }, complete)).toEqual(["not-absent"]);
		const empty = { ...complete, objects: [] };
		expect(disagreements("delete_user_tags", { userTagIds: [tagId] }, empty)).toEqual([]);
	});
});
