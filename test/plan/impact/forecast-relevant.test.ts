/** Which steps of a plan can change what becomes of another one. */
import { describe, expect, it } from "vitest";
import { tagsOfConsequences } from "../../../src/plan/impact/consequences.ts";
import { findPending, forecastStates } from "../../../src/plan/impact/forecast.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import {
	accessOf,
	alice,
	anyOf,
	approvers,
	bob,
	carol,
	condition,
	onlyUser,
	policyOf,
	signers,
	treasury,
	twoOf,
} from "../support-access.ts";
import { context, id, known } from "../support-organizations.ts";

const [newTag, app] = [id("tag", 9), id("app", 1)];
const step = (name: string, operation: Step["operation"], parameters: object, covered: string = name): Step =>
	({
		...{ id: name, operation, parameters, covers: [{ address: `userTag:${name}`, id: covered }] },
		...{ dependsOn: [], earlierActivity: null },
	}) as unknown as Step;
const update = (
	name: string,
	userTagId: string,
	addUserIds: readonly string[],
	removeUserIds: readonly string[] = [],
) => step(name, "update_user_tag", { userTagId, addUserIds, removeUserIds });

const ofTags = policyOf(1, { consensus: anyOf(signers), condition: condition.tags });
const ofPolicies = policyOf(2, { consensus: onlyUser(alice), condition: condition.policies });
const submitter = known({ userId: alice, publicKey: null });

const steps: readonly Step[] = [
	update("asked", treasury, [bob]),
	...[update("signers", signers, [bob]), update("signers-less", signers, [], [bob]), update("renamed", signers, [])],
	update("approvers", approvers, [bob]),
	step("new", "create_user_tag", { userTagName: "new", userIds: [bob] }, newTag),
	step("empty", "create_user_tag", { userTagName: "empty", userIds: [] }, newTag),
	step("other-new", "create_user_tag", { userTagName: "other-new", userIds: [bob] }, id("tag", 8)),
	step("gone", "delete_user_tags", { userTagIds: [approvers, signers] }),
	step("other-gone", "delete_user_tags", { userTagIds: [approvers] }),
	step("policy-gone", "delete_policies", { policyIds: [ofTags.id] }),
	step("other-policy-gone", "delete_policies", { policyIds: [ofPolicies.id] }),
	step(
		"policy-changed",
		"update_policy",
		{ policyId: ofPolicies.id, policyCondition: condition.tags, policyConsensus: "" },
		ofPolicies.id,
	),
	step("other-policy-changed", "update_policy", { policyId: id("policy", 9) }, id("policy", 9)),
	step("provider", "delete_oauth_providers", { userId: alice, providerIds: [id("provider", 1)] }),
	step("app", "delete_tvc_app_and_deployments", { appId: app }),
];

function relevantTo(name: string, policies: readonly AccessPolicy[], given: typeof submitter | undefined = submitter) {
	const access = accessOf({ signers: ["alice"] }, policies);
	const found = forecastStates(steps, {
		...{ access, submitter: given, atMs: context.readAtMs, activities: [], apart: new Set<string>() },
	});
	const asked = steps.find((one) => one.id === name) as Step;
	return found.relevantTo(asked).map((one) => one.id);
}

describe("A step can change what becomes of another one", () => {
	const ofSigners = ["signers", "signers-less", "gone", "policy-gone", "policy-changed"];

	it("where it moves users of a tag that policies about the other name, or changes such a policy", () => {
		expect(relevantTo("asked", [ofTags, { ...ofPolicies, condition: condition.tags }])).toEqual([
			...[...ofSigners.slice(0, 4), "other-policy-gone", "policy-changed"],
		]);
		expect(relevantTo("asked", [{ ...ofTags, consensus: anyOf(newTag.toUpperCase()) }])).toEqual([
			"new",
			"policy-gone",
		]);
		expect(relevantTo("app", [ofTags, ofPolicies])).toEqual([]);
	});

	it("where policies about the other compare the tags of users otherwise than by an id", () => {
		const counting = { ...ofTags, consensus: "approvers.any(user, user.tags.count() > 1)" };
		expect(relevantTo("asked", [counting])).toEqual([
			...["asked", "signers", "signers-less", "approvers", "new", "other-new", "gone", "other-gone", "policy-gone"],
		]);
		const named = { ...ofTags, condition: `${condition.tags} && activity.params.tags.contains( '${signers}')` };
		expect(relevantTo("asked", [{ ...named, consensus: "" }])).not.toContain("approvers");
	});

	it("where it removes a credential and policies about the other name credentials", () => {
		const credential = { ...ofTags, consensus: "approvers.any(user, credential.type == 'X')" };
		expect(relevantTo("asked", [credential])).toEqual(["policy-gone", "provider"]);
	});

	it("where it changes any policy and the other is about a user's own credentials", () => {
		expect(relevantTo("provider", [])).toEqual([
			...["policy-gone", "other-policy-gone", "policy-changed", "other-policy-changed"],
		]);
	});

	it("not at all where it is not known who submits them", () => {
		const unknown = { known: false, because: { kind: "not-asked" } } as never;
		expect(relevantTo("asked", [ofTags], unknown)).toEqual([]);
		const access = accessOf({ signers: ["alice"] }, [ofTags]);
		const found = forecastStates(steps, {
			...{ access, submitter: undefined, atMs: 0, activities: [], apart: new Set<string>() },
		});
		expect(found.verdictAfter(steps[0] as Step, [])).toBe("runs");
		expect(found.partsOf(steps[1] as Step)).toEqual([steps[1]]);
	});
});

describe("Steps that will be pending", () => {
	it("are those of these that need more approvals", () => {
		const policies = [
			policyOf(1, { consensus: twoOf(signers), condition: condition.tags }),
			policyOf(2, { consensus: onlyUser(alice), condition: condition.policies }),
		];
		const access = accessOf({ signers: ["alice", "carol"] }, policies);
		const asked = [steps[0], steps[11], steps[15]] as Step[];
		const pending = findPending(asked, asked, { access, submitter, atMs: context.readAtMs, waiting: [] });
		expect(pending.map((one) => one.id)).toEqual(["asked"]);
	});
});

describe("The tags that consequences name", () => {
	it("are those of the impact, at other times too, and of approvals", () => {
		const side = (...tagIds: readonly (string | null)[]) => ({
			thresholds: [tagIds.map((tagId) => ({ count: 1, of: [carol], tagId }))],
		});
		const impact = [{ before: side(signers, null), after: side(approvers) }] as never;
		const steps = [{ approval: side(treasury) }, {}] as never;
		expect(
			tagsOfConsequences({ impact, impactAtOtherTimes: [{ before: side(), after: side(newTag) }] as never, steps }),
		).toEqual([...[signers, approvers, newTag, treasury]]);
		expect(tagsOfConsequences({ steps: [] })).toEqual([]);
	});
});
