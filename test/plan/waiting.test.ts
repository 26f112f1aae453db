/**
 * Steps compared with pending activities: a step joins an equal request, and conflicts with one that changes the same
 * object otherwise. Nothing is submitted twice or lost between the parts.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { earlierActivityOf, holdSteps, nameOf, type PendingActivity } from "../../src/plan/activities/pending.ts";
import { objectsOf } from "../../src/plan/activities/requests.ts";
import { makePlan } from "../../src/plan/plan.ts";
import { type CoveredObject, coveredAddresses, type Step } from "../../src/plan/step.ts";
import { sameValue } from "../../src/plan/value.ts";
import { renderPlan } from "../../src/render/result-text.ts";
import { plainStyle } from "../../src/render/style.ts";
import { context, desiredOf, id, liveOf, parametersOf } from "./support-organizations.ts";

const [signers, oncall] = [id("tag", 1), id("tag", 2)];
// Letters in them, so that their case can differ.
const [alice, bob] = [id("user", 0xab), id("user", 0xcd)];
const policy = (number: number): string => id("policy", number);
const provider = (number: number): string => id("provider", number);

const shared = {
	id: "step-1",
	covers: [],
	dependsOn: [],
	reason: { kind: "remove", of: "policy", count: 1 },
	earlierActivity: null,
} as const;

type TagStep = Extract<Step, { operation: "update_user_tag" }>;

function tagStep(parameters: Partial<TagStep["parameters"]> = {}, parts: Partial<Step> = {}): TagStep {
	const covers = [{ address: "userTag:signers", id: parameters.userTagId ?? signers }] as const;
	const { operation: _operation, parameters: _parameters, ...others } = parts;
	return {
		...shared,
		operation: "update_user_tag",
		parameters: { userTagId: signers, addUserIds: [alice, bob], removeUserIds: [], ...parameters },
		covers,
		...others,
	};
}

function policyStep(numbers: readonly number[]): Step {
	const policyIds = numbers.map(policy);
	const reason = { kind: "remove", of: "policy", count: numbers.length } as const;
	const covers = policyIds.map(coveredPolicy);
	return { ...shared, operation: "delete_policies", parameters: { policyIds }, covers, reason };
}

function coveredPolicy(policyId: string): CoveredObject {
	return { address: `policy:${policyId}`, id: policyId };
}

function providerStep(userId: string, numbers: readonly number[]): Step {
	const providerIds = numbers.map(provider);
	const covers = providerIds.map((one): CoveredObject => ({ address: `oauthProvider:someone/${one}`, id: one }));
	const reason = { kind: "remove", of: "oauthProvider", count: numbers.length } as const;
	return { ...shared, operation: "delete_oauth_providers", parameters: { userId, providerIds }, covers, reason };
}

let count = 0;
function waits(operation: Step["operation"], parameters: Readonly<Record<string, unknown>>): PendingActivity {
	count += 1;
	return {
		activityId: `activity-${String(count).padStart(4, "0")}`,
		fingerprint: `sha256:${count}`,
		state: "pending",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation,
		parameters,
		createdAt: null,
		approvedBy: null,
		saidBy: "service",
	};
}

function policiesWait(...numbers: readonly number[]): PendingActivity {
	return waits("delete_policies", { policyIds: numbers.map(policy) });
}

/** The same as our journal knows it when no answer came. */
function unanswered(activity: PendingActivity): PendingActivity {
	return { ...activity, activityId: null, state: "in-doubt", saidBy: "journal" };
}

/** Steps in short: id, what they list, what they wait for. */
function shortly(steps: readonly Step[]): readonly unknown[] {
	return steps.map(({ earlierActivity, ...step }) => [
		step.id,
		parametersOf(step).policyIds ?? parametersOf(step).providerIds ?? null,
		earlierActivity === null ? "sent" : `${earlierActivity.relation} ${nameOf(earlierActivity)}`,
	]);
}

describe("an pending activity for the same tag", () => {
	const wanted = { userTagId: signers, addUserIds: [alice, bob], removeUserIds: [] };
	it.each<[string, Readonly<Record<string, unknown>>]>([
		["in the same words", wanted],
		["with the users in another order", { ...wanted, addUserIds: [bob, alice] }],
		["with a user twice", { ...wanted, addUserIds: [bob, alice, bob] }],
		["in capitals", { ...wanted, userTagId: signers.toUpperCase(), addUserIds: [bob.toUpperCase(), alice] }],
		["with a name of null", { ...wanted, newUserTagName: null }],
		["with an empty name", { ...wanted, newUserTagName: "" }],
		["with an undefined name", { ...wanted, newUserTagName: undefined }],
		["without the list that is empty", { userTagId: signers, addUserIds: [alice, bob] }],
	])("is joined when it says the same %s", (_what, parameters) => {
		const activity = waits("update_user_tag", parameters);
		const { steps, waiting } = holdSteps([tagStep()], [activity]);
		const earlierActivity = earlierActivityOf(activity, "same");
		expect(earlierActivity).toMatchObject({ state: "pending", status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
		expect(steps).toEqual([{ ...tagStep(), earlierActivity }]);
		expect(waiting).toEqual([{ ...activity, relation: "same", covers: [{ address: "userTag:signers", id: signers }] }]);
	});

	it.each<[string, Readonly<Record<string, unknown>>]>([
		["adds fewer", { ...wanted, addUserIds: [alice] }],
		["adds more", { ...wanted, addUserIds: [alice, bob, id("user", 3)] }],
		["removes instead", { ...wanted, addUserIds: [], removeUserIds: [alice, bob] }],
		["removes beside it", { ...wanted, removeUserIds: [id("user", 3)] }],
		["renames too", { ...wanted, newUserTagName: "officers" }],
	])("conflicts when it %s", (_what, parameters) => {
		const activity = waits("update_user_tag", parameters);
		const { steps, waiting } = holdSteps([tagStep()], [activity]);
		expect(steps).toMatchObject([{ id: "step-1", earlierActivity: { relation: "conflicting" } }]);
		expect(waiting).toMatchObject([{ relation: "conflicting", covers: [{ address: "userTag:signers", id: signers }] }]);
	});

	it("conflicts when it gives a name in another case: names are not ids", () => {
		const step = tagStep({ newUserTagName: "Officers" });
		const relationOf = (newUserTagName: string) =>
			holdSteps([step], [waits("update_user_tag", { ...wanted, newUserTagName })]).steps[0]?.earlierActivity?.relation;
		expect(relationOf("officers")).toBe("conflicting");
		expect(relationOf("Officers")).toBe("same");
	});

	it("stands for the step beside one that contradicts, in whatever order they are listed, and both are shown", () => {
		const contradicts = waits("update_user_tag", { ...wanted, addUserIds: [] });
		const joins = waits("update_user_tag", wanted);
		const one = holdSteps([tagStep()], [contradicts, joins]);
		expect(shortly(one.steps)).toEqual([["step-1", null, `same ${joins.activityId}`]]);
		expect(one.waiting.map(({ relation, covers }) => [relation, covers])).toEqual([
			["conflicting", [{ address: "userTag:signers", id: signers }]],
			["same", [{ address: "userTag:signers", id: signers }]],
		]);
		expect(holdSteps([tagStep()], [joins, contradicts])).toEqual(one);
	});
});

describe("an pending activity for something else", () => {
	it.each<[string, Step, PendingActivity]>([
		["another tag", tagStep(), waits("update_user_tag", { userTagId: oncall, addUserIds: [alice, bob] })],
		["another operation", tagStep(), waits("delete_tvc_app_and_deployments", { appId: signers })],
		["other policies", policyStep([1, 2]), policiesWait(3)],
		["no policy at all", policyStep([1, 2]), policiesWait()],
		[
			"another operation that names the same ids",
			policyStep([1]),
			waits("update_user_tag", { policyIds: [policy(1)] }),
		],
		[
			"the same providers of another user",
			providerStep(alice, [1]),
			waits("delete_oauth_providers", { userId: bob, providerIds: [provider(1)] }),
		],
		["nothing that can be read", policyStep([1]), waits("delete_policies", {})],
		["an owner that is no text", tagStep(), waits("update_user_tag", { userTagId: 7 })],
	])("is ignored: %s", (_what, step, activity) => {
		expect(holdSteps([step], [activity])).toEqual({ steps: [step], waiting: [] });
	});

	it("is ignored also when there is no step", () => {
		expect(holdSteps([], [policiesWait(1)])).toEqual({ steps: [], waiting: [] });
	});
});

describe("an pending activity for an app", () => {
	it("is joined: there is nothing else to want of an app", () => {
		const parameters = { appId: id("app", 1) };
		const step: Step = { ...shared, operation: "delete_tvc_app_and_deployments", parameters };
		const activity = waits("delete_tvc_app_and_deployments", { appId: id("app", 1).toUpperCase() });
		expect(holdSteps([step], [activity]).steps).toMatchObject([
			{ id: "step-1", earlierActivity: { relation: "same" } },
		]);
	});
});

describe("an pending activity for some of what a step removes", () => {
	it("is joined for its part, and the rest is sent", () => {
		const activity = policiesWait(3, 1);
		const { steps, waiting } = holdSteps([policyStep([1, 2, 3, 4])], [activity]);
		expect(shortly(steps)).toEqual([
			["step-1", [policy(1), policy(3)], `same ${activity.activityId}`],
			["step-2", [policy(2), policy(4)], "sent"],
		]);
		expect(steps.map(({ covers }) => covers)).toEqual([
			[coveredPolicy(policy(1)), coveredPolicy(policy(3))],
			[coveredPolicy(policy(2)), coveredPolicy(policy(4))],
		]);
		expect(waiting).toMatchObject([{ relation: "same", covers: [coveredPolicy(policy(1)), coveredPolicy(policy(3))] }]);
	});

	it("is joined as a whole when it is all of it, in another order", () => {
		const activity = policiesWait(2, 1);
		expect(shortly(holdSteps([policyStep([1, 2])], [activity]).steps)).toEqual([
			["step-1", [policy(1), policy(2)], `same ${activity.activityId}`],
		]);
	});

	it("conflicts when it would remove an object that the document keeps, and only its part is left alone", () => {
		const activity = policiesWait(2, 9);
		const { steps, waiting } = holdSteps([policyStep([1, 2])], [activity]);
		expect(shortly(steps)).toEqual([
			["step-1", [policy(2)], `conflicting ${activity.activityId}`],
			["step-2", [policy(1)], "sent"],
		]);
		expect(waiting).toMatchObject([{ relation: "conflicting", covers: [coveredPolicy(policy(2))] }]);
	});

	it("splits the providers of a user as it does policies", () => {
		const activity = waits("delete_oauth_providers", { userId: alice.toUpperCase(), providerIds: [provider(2)] });
		const { steps } = holdSteps([providerStep(alice, [1, 2])], [activity]);
		expect(shortly(steps)).toEqual([
			["step-1", [provider(2)], `same ${activity.activityId}`],
			["step-2", [provider(1)], "sent"],
		]);
		expect(steps.map((step) => parametersOf(step).userId)).toEqual([alice, alice]);
		expect(steps[1]?.covers).toEqual([{ address: `oauthProvider:someone/${provider(1)}`, id: provider(1) }]);
	});

	it("is joined also where it overlaps with another that is joined", () => {
		const [older, newer] = [policiesWait(1, 2), policiesWait(2, 3)];
		const held = holdSteps([policyStep([1, 2, 3, 4])], [newer, older]);
		expect(shortly(held.steps)).toEqual([
			["step-1", [policy(1), policy(2)], `same ${older.activityId}`],
			["step-2", [policy(3)], `same ${newer.activityId}`],
			["step-3", [policy(4)], "sent"],
		]);
		expect(held.waiting.map(({ relation, covers }) => [relation, covers.length])).toEqual([
			["same", 2],
			["same", 2],
		]);
		expect(holdSteps([policyStep([1, 2, 3, 4])], [older, newer])).toEqual(held);
	});

	it("is shown also where another stands for all of it", () => {
		const [older, newer] = [policiesWait(1, 2), policiesWait(2)];
		const { steps, waiting } = holdSteps([policyStep([1, 2])], [older, newer]);
		expect(shortly(steps)).toEqual([["step-1", [policy(1), policy(2)], `same ${older.activityId}`]]);
		expect(waiting.map(({ activityId }) => activityId)).toEqual([older.activityId, newer.activityId]);
	});
});

describe("what was sent and never answered", () => {
	const wanted = tagStep().parameters;

	it("leaves the step that wants just that as it is, and is not shown", () => {
		for (const [step, activity] of [
			[tagStep(), waits("update_user_tag", wanted)],
			[policyStep([1, 2]), policiesWait(1, 2)],
		] as const) {
			expect(holdSteps([step], [unanswered(activity)])).toEqual({ steps: [step], waiting: [] });
		}
	});

	it.each<[string, Readonly<Record<string, unknown>>]>([
		["adds fewer", { ...wanted, addUserIds: [alice] }],
		["renames too", { ...wanted, newUserTagName: "officers" }],
		["says the same in other words, which has other bytes", { ...wanted, addUserIds: [bob, alice] }],
	])("conflicts with any other step for the same tag, by its fingerprint: %s", (_what, parameters) => {
		const activity = unanswered(waits("update_user_tag", parameters));
		const { fingerprint } = activity;
		const earlierActivity = { activityId: null, fingerprint, state: "in-doubt", relation: "conflicting" };
		expect(holdSteps([tagStep()], [activity])).toEqual({
			steps: [{ ...tagStep(), earlierActivity }],
			waiting: [{ ...activity, relation: "conflicting", covers: [{ address: "userTag:signers", id: signers }] }],
		});
	});

	it("is ignored where it touches something else", () => {
		const activity = unanswered(waits("update_user_tag", { ...wanted, userTagId: oncall }));
		expect(holdSteps([tagStep()], [activity])).toEqual({ steps: [tagStep()], waiting: [] });
	});

	it("is sent again on its own where a step removes more, and the rest beside it", () => {
		const { steps, waiting } = holdSteps([policyStep([1, 2, 3])], [unanswered(policiesWait(1, 3))]);
		expect(shortly(steps)).toEqual([
			["step-1", [policy(1), policy(3)], "sent"],
			["step-2", [policy(2)], "sent"],
		]);
		expect(waiting).toEqual([]);
	});

	it("keeps its part of a step back where it names an object that the document keeps", () => {
		const activity = unanswered(policiesWait(2, 9));
		const { steps, waiting } = holdSteps([policyStep([1, 2])], [activity]);
		expect(shortly(steps)).toEqual([
			["step-1", [policy(2)], `conflicting ${activity.fingerprint}`],
			["step-2", [policy(1)], "sent"],
		]);
		expect(waiting).toMatchObject([{ relation: "conflicting", covers: [coveredPolicy(policy(2))] }]);
	});

	it("is not sent again where an pending activity does the same, or contradicts it", () => {
		const [same, other] = [waits("update_user_tag", wanted), waits("update_user_tag", { ...wanted, addUserIds: [] })];
		const lost = unanswered(waits("update_user_tag", wanted));
		const joined = holdSteps([tagStep()], [lost, same]);
		expect(shortly(joined.steps)).toEqual([["step-1", null, `same ${same.activityId}`]]);
		expect(joined.waiting.map(nameOf)).toEqual([same.activityId]);
		const contradicted = holdSteps([tagStep()], [lost, other]);
		expect(shortly(contradicted.steps)).toEqual([["step-1", null, `conflicting ${other.activityId}`]]);
		expect(contradicted.waiting.map(nameOf)).toEqual([other.activityId]);
	});

	it("is not sent again in part where an pending activity stands for the other part", () => {
		const [waiting, lost] = [policiesWait(1), unanswered(policiesWait(1, 2))];
		expect(shortly(holdSteps([policyStep([1, 2])], [lost, waiting]).steps)).toEqual([
			["step-1", [policy(1)], `same ${waiting.activityId}`],
			["step-2", [policy(2)], `conflicting ${lost.fingerprint}`],
		]);
	});

	it("by which a tag steps aside keeps back neither that step nor the tag's second", () => {
		const aside = tagStep({ newUserTagName: "orgsync-temporary-2", addUserIds: [] });
		const last = tagStep({ newUserTagName: "oncall", addUserIds: [] }, { id: "step-2", dependsOn: ["step-1"] });
		const lost = unanswered(waits("update_user_tag", aside.parameters));
		expect(holdSteps([aside, last], [lost])).toEqual({ steps: [aside, last], waiting: [] });
	});

	it("and another of it are distinguished, although neither has an id", () => {
		const lost = [unanswered(policiesWait(1, 8)), unanswered(policiesWait(2, 9))];
		const { steps, waiting } = holdSteps([policyStep([1, 2])], lost);
		expect(shortly(steps)).toEqual(
			lost.map(({ fingerprint }, index) => [`step-${index + 1}`, [policy(index + 1)], `conflicting ${fingerprint}`]),
		);
		expect(waiting.map(nameOf)).toEqual(lost.map(nameOf));
	});
});

describe("what was sent and never answered, as text", () => {
	it("says what was sent, when, that no answer came, and what can be done about it, and no name in it does anything", () => {
		const fingerprint = `sha256:${"f".repeat(64)}`;
		const parameters = { userTagId: signers, newUserTagName: "a\u001b[2J", addUserIds: [alice], removeUserIds: [] };
		const lost = { ...unanswered(waits("update_user_tag", parameters)), fingerprint };
		const waiting = [
			{
				...lost,
				createdAt: "2026-01-01T00:00:00.000Z",
				relation: "conflicting",
				covers: [{ address: "userTag:signers", id: signers }],
			},
		] as const;
		const plan = { ...makePlan(desiredOf(), liveOf(), context), userNames: { [alice]: "alice" }, waiting };
		expect(renderPlan(plan, plainStyle)).toContain(`
Requests in doubt:
  update_user_tag (userTagId ${signers}; newUserTagName "a\\u{1b}[2J"; addUserIds alice): in doubt: submitted 2026-01-01T00:00:00.000Z, no answer; fingerprint ${fingerprint}
    it can still change userTag:signers: apply submits no other change of it
    if live state has not changed since, the document as it was then, applied within the hour, sends the same request and learns what became of it; otherwise --abandon ${fingerprint} abandons it

No changes.`);
		expect(renderPlan(plan, plainStyle)).not.toContain("Pending activities");
	});

	it("names the policies that a request would create", () => {
		const texts = { effect: "EFFECT_ALLOW", consensus: "true", condition: "", notes: "" } as const;
		const parameters = { policies: ["pay", "vote"].map((policyName) => ({ ...texts, policyName })) };
		const lost = unanswered(waits("create_policies", parameters));
		const waiting = [{ ...lost, relation: "conflicting", covers: [{ address: "policy:pay", id: "pay" }] }] as const;
		const plan = { ...makePlan(desiredOf(), liveOf(), context), waiting };
		expect(renderPlan(plan, plainStyle)).toContain("create_policies (policies pay, vote): in doubt");
	});
});

describe("the ids of steps", () => {
	it("follow the order again after a split, and those who depend follow them", () => {
		const rename = tagStep({ newUserTagName: "x" }, { id: "step-2" });
		const after = tagStep({ userTagId: oncall, newUserTagName: "y" }, { id: "step-3", dependsOn: ["step-2"] });
		const activity = policiesWait(2);
		const { steps } = holdSteps([policyStep([1, 2, 3]), rename, after], [activity]);
		expect(steps.map((step) => [step.id, step.operation, step.dependsOn])).toEqual([
			["step-1", "delete_policies", []],
			["step-2", "delete_policies", []],
			["step-3", "update_user_tag", []],
			["step-4", "update_user_tag", ["step-3"]],
		]);
	});

	it("are no dependency of a part that was submitted before", () => {
		const rename = tagStep({ newUserTagName: "x" });
		const policies = { ...policyStep([1, 2]), id: "step-2", dependsOn: ["step-1"] };
		const { steps } = holdSteps([rename, policies], [policiesWait(2)]);
		expect(steps.map(({ dependsOn, earlierActivity }) => [dependsOn, earlierActivity?.relation])).toEqual([
			[[], undefined],
			[[], "same"],
			[["step-1"], undefined],
		]);
	});

	it("of a step that waits as a whole stay what others depend on", () => {
		const rename = tagStep({ newUserTagName: "x" });
		const after = tagStep({ userTagId: oncall, newUserTagName: "signers" }, { id: "step-2", dependsOn: ["step-1"] });
		const { steps } = holdSteps([rename, after], [waits("update_user_tag", rename.parameters)]);
		expect(
			steps.map(({ id: stepId, dependsOn, earlierActivity }) => [stepId, dependsOn, earlierActivity?.relation]),
		).toEqual([
			["step-1", [], "same"],
			["step-2", ["step-1"], undefined],
		]);
	});
});

describe("a step that waits as a whole", () => {
	it("is still the one that others depend on when a split before it moved the ids", () => {
		const rename = tagStep({ newUserTagName: "x" }, { id: "step-2" });
		const after = tagStep({ userTagId: oncall, newUserTagName: "signers" }, { id: "step-3", dependsOn: ["step-2"] });
		const waiting = [policiesWait(1), waits("update_user_tag", rename.parameters)];
		const { steps } = holdSteps([policyStep([1, 2]), rename, after], waiting);
		expect(
			steps.map(({ id: stepId, dependsOn, earlierActivity }) => [stepId, dependsOn, earlierActivity?.relation]),
		).toEqual([
			["step-1", [], "same"],
			["step-2", [], undefined],
			["step-3", [], "same"],
			["step-4", ["step-3"], undefined],
		]);
	});
});

describe("an exchange of names of which the first tag already waits to step aside", () => {
	const aside = tagStep({ newUserTagName: "orgsync-temporary-2", addUserIds: [] });
	const last = tagStep({ newUserTagName: "oncall", addUserIds: [] }, { id: "step-2", dependsOn: ["step-1"] });

	it("joins that activity, which does not conflict with the tag's second step", () => {
		const activity = waits("update_user_tag", aside.parameters);
		const { steps, waiting } = holdSteps([aside, last], [activity]);
		expect(steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["same", undefined]);
		expect(waiting).toMatchObject([{ relation: "same", covers: [{ address: "userTag:signers", id: signers }] }]);
	});

	it("is left alone in both steps when the activity does something else", () => {
		const activity = waits("update_user_tag", { ...aside.parameters, newUserTagName: "elsewhere" });
		const { steps, waiting } = holdSteps([aside, last], [activity]);
		expect(steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["conflicting", "conflicting"]);
		expect(waiting).toMatchObject([{ relation: "conflicting", covers: [{ address: "userTag:signers", id: signers }] }]);
	});
});

describe("whatever waits", () => {
	const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
	const anyWaiting = fc.oneof(
		fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 4 }).map((list) => policiesWait(...list)),
		fc
			.tuple(fc.constantFrom(alice, bob), fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 4 }))
			.map(([userId, list]) => waits("delete_oauth_providers", { userId, providerIds: list.map(provider) })),
		fc
			.tuple(fc.constantFrom(signers, oncall), fc.subarray([alice, bob]))
			.map(([userTagId, addUserIds]) => waits("update_user_tag", { userTagId, addUserIds })),
	);
	const anyActivity = fc
		.tuple(anyWaiting, fc.boolean())
		.map(([activity, isAnswered]) => (isAnswered ? activity : unanswered(activity)));
	const anySteps = fc
		.record({ policies: numbers, providers: numbers, tag: fc.boolean() })
		.map(({ policies, providers, tag }): readonly Step[] =>
			[
				...(tag ? [tagStep(), tagStep({ userTagId: oncall }, { dependsOn: ["step-1"] })] : []),
				providerStep(alice, [...providers].sort()),
				policyStep([...policies].sort()),
			].map((step, index) => ({ ...step, id: `step-${index + 1}` })),
		);
	const idsOf = (steps: readonly Step[], operation: Step["operation"]): readonly string[] =>
		steps
			.filter((step) => step.operation === operation)
			.flatMap(objectsOf)
			.sort();

	it("two that were never answered and would change the same in other bytes keep both from being sent again", () => {
		const activities = [unanswered(policiesWait(1, 2)), unanswered(policiesWait(1))];
		const { steps, waiting } = holdSteps([policyStep([1, 2])], activities);
		expect(steps.map(({ earlierActivity }) => earlierActivity?.relation)).toEqual(["conflicting"]);
		expect(waiting.map(({ relation }) => relation)).toEqual(["conflicting", "conflicting"]);
	});

	it("every id is in exactly one part, no part is empty, and what is sent touches nothing that waits but in the same bytes", () => {
		let splits = 0;
		fc.assert(
			fc.property(anySteps, fc.array(anyActivity, { maxLength: 4 }), (before, activities) => {
				const { steps, waiting } = holdSteps(before, activities);
				if (steps.length > before.length) splits += 1;
				for (const operation of ["update_user_tag", "delete_oauth_providers", "delete_policies"] as const) {
					expect(idsOf(steps, operation)).toEqual(idsOf(before, operation));
				}
				expect([...coveredAddresses(steps)].sort()).toEqual([...coveredAddresses(before)].sort());
				expect(steps.map(({ id: stepId }) => stepId)).toEqual(steps.map((_, index) => `step-${index + 1}`));
				for (const { dependsOn, ...step } of steps) {
					expect(objectsOf(step).length).toBe(step.covers.length);
					expect(objectsOf(step)).not.toEqual([]);
					for (const other of dependsOn) expect(steps.map(({ id: stepId }) => stepId)).toContain(other);
				}
				const sent = steps.filter(({ earlierActivity }) => earlierActivity === null);
				const policiesOf = (from: readonly PendingActivity[]): readonly unknown[] =>
					from.flatMap(({ parameters }) => (parameters.policyIds as string[] | undefined) ?? []);
				for (const { operation, parameters } of sent.filter((step) => step.operation === "delete_policies")) {
					const others = activities.filter(
						(one) => one.state !== "in-doubt" || one.operation !== operation || !sameValue(one.parameters, parameters),
					);
					expect(idsOf(sent, operation).filter((one) => parameters.policyIds?.includes(one))).toEqual(
						parameters.policyIds,
					);
					expect(policiesOf(others).filter((one) => parameters.policyIds?.includes(String(one)))).toEqual([]);
				}
				const named = new Set(waiting.map(nameOf));
				expect(named.size).toBe(waiting.length);
				for (const { earlierActivity } of steps)
					if (earlierActivity !== null) expect(named).toContain(nameOf(earlierActivity));
				expect(holdSteps(before, [...activities].reverse())).toEqual({ steps, waiting });
			}),
			{ numRuns: 500 },
		);
		// The random activities really split steps.
		expect(splits).toBeGreaterThan(100);
	});
});
