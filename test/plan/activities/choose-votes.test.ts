/** On which pending activities to vote: the named ones, those of a saved plan, or those that the document wants. */
import { describe, expect, it } from "vitest";
import { findDisagreements } from "../../../src/plan/activities/agreement.ts";
import { chooseVotes, type VoteFacts, type VoteOrder } from "../../../src/plan/activities/choose-votes.ts";
import { matchSteps } from "../../../src/plan/activities/match-plan.ts";
import type { ReviewedActivity } from "../../../src/plan/activities/reviewed-activity.ts";
import type { DesiredMembers, LiveOrganization } from "../../../src/plan/organization.ts";
import { standInFor } from "../../../src/plan/stand-in.ts";
import type { Step, StepRequest } from "../../../src/plan/step.ts";
import {
	desiredOf,
	id,
	known,
	liveOf,
	liveTag,
	nothingAbsent,
	organizationId,
	unknown,
	wantTag,
} from "../support-organizations.ts";

const [alice, bob, carol] = [id("user", 1), id("user", 2), id("user", 3)];
const [admins, signers] = [id("tag", 1), id("tag", 2)];

function activityOf(number: number, parts: Partial<ReviewedActivity> = {}): ReviewedActivity {
	return {
		activityId: id("other", number),
		organizationId,
		fingerprint: `sha256:${number}A`,
		type: "ACTIVITY_TYPE_UPDATE_USER_TAG",
		status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
		operation: "update_user_tag",
		parameters: { userTagId: admins, addUserIds: [alice], removeUserIds: [] },
		mistakes: [],
		submittedBy: bob,
		createdAt: null,
		votes: [],
		voterNames: {},
		effect: null,
		...parts,
	};
}

const stepOf = (name: string, request: StepRequest): Step => {
	return {
		id: name,
		covers: [],
		dependsOn: [],
		reason: { kind: "remove", of: "policy", count: 1 },
		earlierActivity: null,
		...request,
	};
};
const tagStep = (name: string, userTagId: string, addUserIds: readonly string[]): Step =>
	stepOf(name, { operation: "update_user_tag", parameters: { userTagId, addUserIds, removeUserIds: [] } });

const live: LiveOrganization = liveOf({
	userTags: known([liveTag(1, "admins", { members: known([bob]) }), liveTag(2, "signers")]),
});
const facts: VoteFacts = { live, isVotable: () => true, hasVoted: () => false, createdIds: () => [] };
const all: VoteOrder = { names: new Set(), steps: null, desired: undefined };

const decide = (
	activities: readonly ReviewedActivity[],
	order: Partial<VoteOrder> = {},
	more: Partial<VoteFacts> = {},
) =>
	chooseVotes(activities, { ...all, ...order }, { ...facts, ...more }).chosen.map(
		({ activity, isNamed, decision, stepId, disagreements }) =>
			[
				activity.activityId.slice(0, 8),
				isNamed ? "named" : "",
				decision,
				stepId,
				disagreements.map(({ code }) => code).join(),
			] as const,
	);

const tagOf = (members: DesiredMembers | undefined, name = "admins") =>
	desiredOf({ userTags: [wantTag(name, { id: admins, ...(members === undefined ? {} : { members }) })] });

describe("Votes without a document or a saved plan", () => {
	it("are for all pending activities, each once", () => {
		const other = activityOf(2, { parameters: { userTagId: signers, addUserIds: [alice], removeUserIds: [] } });
		expect(decide([activityOf(1), other])).toEqual([
			["60000001", "", "vote", null, ""],
			["60000002", "", "vote", null, ""],
		]);
	});

	it("leave out what is not pending, unless it is named", () => {
		const ended = { isVotable: () => false };
		expect(decide([activityOf(1)], {}, ended)).toEqual([]);
		expect(decide([activityOf(1)], { names: new Set([id("other", 1)]) }, ended)).toEqual([
			["60000001", "named", "ended", null, ""],
		]);
	});

	it("are for the named activities only, by id or fingerprint, in any case", () => {
		const activities = [activityOf(1), activityOf(2), activityOf(3, { activityId: id("other", 0xab).toUpperCase() })];
		const names = new Set([id("other", 1), "sha256:2a", id("other", 0xab)]);
		expect(decide(activities, { names }).map(([, isNamed, decision]) => [isNamed, decision])).toEqual([
			["named", "vote"],
			["named", "vote"],
			["named", "vote"],
		]);
		expect(decide(activities, { names: new Set(["sha256:2a"]) })).toEqual([["60000002", "named", "vote", null, ""]]);
	});

	it("are not cast twice", () => {
		expect(decide([activityOf(1)], {}, { hasVoted: () => true })).toEqual([["60000001", "", "voted", null, ""]]);
	});

	it("are refused for what cannot be reviewed", () => {
		const mistakes = [{ code: "no-request", message: "the service does not return what was signed" }] as const;
		expect(decide([activityOf(1, { mistakes })], { desired: tagOf(undefined) })).toEqual([
			["60000001", "", "refused", null, ""],
		]);
		expect(decide([activityOf(1, { mistakes })], { names: new Set([id("other", 1)]) })).toEqual([
			["60000001", "named", "refused", null, ""],
		]);
	});
});

describe("A second activity that does what an older one does", () => {
	const repeat = activityOf(2, { parameters: { userTagId: admins, addUserIds: [alice.toUpperCase()] } });

	it("is refused, and names the older one", () => {
		const { chosen } = chooseVotes([activityOf(1), repeat], all, facts);
		expect(chosen.map(({ decision }) => decision)).toEqual(["vote", "refused"]);
		expect(chosen[1]?.disagreements).toEqual([{ code: "duplicate", stepId: null, activityId: id("other", 1) }]);
	});

	it("is refused after one that this user voted for before", () => {
		const hasVoted = ({ activityId }: ReviewedActivity) => activityId === id("other", 1);
		expect(decide([activityOf(1), repeat], {}, { hasVoted }).map(([, , decision]) => decision)).toEqual([
			"voted",
			"refused",
		]);
	});

	it("is voted for after one that is refused, and where it is named", () => {
		const mistakes = [{ code: "no-request", message: "" }] as const;
		expect(decide([activityOf(1, { mistakes }), repeat]).map(([, , decision]) => decision)).toEqual([
			"refused",
			"vote",
		]);
		const names = new Set([id("other", 1), id("other", 2)]);
		expect(decide([activityOf(1), repeat], { names }).map(([, , decision]) => decision)).toEqual(["vote", "vote"]);
	});

	it("is another one if its operation or its parameters are others", () => {
		const parameters = { userTagId: admins, addUserIds: [alice], removeUserIds: [bob] };
		expect(decide([activityOf(1), activityOf(2, { parameters })]).map(([, , decision]) => decision)).toEqual([
			"vote",
			"vote",
		]);
		const policies = activityOf(2, { operation: "delete_policies" });
		expect(decide([activityOf(1), policies]).map(([, , decision]) => decision)).toEqual(["vote", "vote"]);
	});
});

describe("Votes for a document", () => {
	it("are for what it wants, and refused with the difference for what it does not", () => {
		const wants = tagOf({ mode: "atLeast", atLeast: [alice], never: [] });
		const never = tagOf({ mode: "atLeast", atLeast: [], never: [alice] });
		expect(decide([activityOf(1)], { desired: wants })).toEqual([["60000001", "", "vote", null, ""]]);
		expect(decide([activityOf(1)], { desired: never })).toEqual([["60000001", "", "refused", null, "adds-unwanted"]]);
	});

	it("are cast for a named activity that it does not want, which is shown with the difference", () => {
		const desired = tagOf({ mode: "atLeast", atLeast: [], never: [alice] });
		expect(decide([activityOf(1)], { desired, names: new Set([id("other", 1)]) })).toEqual([
			["60000001", "named", "vote", null, "adds-unwanted"],
		]);
	});
});

describe("Votes for a saved plan", () => {
	const steps = [tagStep("step-1", admins, [alice]), tagStep("step-2", signers, [bob])];

	it("are for activities that equal its steps; steps that no activity equals are named", () => {
		const choice = chooseVotes([activityOf(1)], { ...all, steps }, facts);
		expect(choice.chosen.map(({ decision, stepId }) => [decision, stepId])).toEqual([["vote", "step-1"]]);
		expect(choice.unmatched.map((step) => step.id)).toEqual(["step-2"]);
		expect(chooseVotes([activityOf(1)], all, facts).unmatched).toEqual([]);
	});

	it("are for policies that name a tag of the plan by the id that its activity created, and for no other id", () => {
		const standIn = standInFor(live.organizationId, "userTag", "auditors");
		const tag = { userTagName: "auditors", userIds: [alice] };
		const policies = (tagId: string) => ({
			policies: [
				{ ...{ policyName: "read", effect: "EFFECT_ALLOW", condition: "true", notes: "" }, consensus: `'${tagId}'` },
			],
		});
		const creation = stepOf("step-1", { operation: "create_user_tag", parameters: tag });
		const creating: readonly Step[] = [
			{ ...creation, covers: [{ address: "userTag:auditors", id: standIn }] },
			stepOf("step-2", { operation: "create_policies", parameters: policies(standIn) }),
		];
		const done = activityOf(1, { operation: "create_user_tag", parameters: tag, status: "ACTIVITY_STATUS_COMPLETED" });
		const naming = (tagId: string) => activityOf(2, { operation: "create_policies", parameters: policies(tagId) });
		const chooseWith = (tagId: string, createdIds: readonly string[]) =>
			chooseVotes([done, naming(tagId)], { ...all, steps: creating }, { ...facts, createdIds: () => createdIds })
				.chosen;
		expect(chooseWith(signers, [signers]).map(({ decision, stepId }) => [decision, stepId])).toEqual([
			["vote", "step-1"],
			["vote", "step-2"],
		]);
		for (const [, refused] of [
			chooseWith(admins, [signers]),
			chooseWith(signers, []),
			chooseWith(standIn, [signers]),
		]) {
			expect(refused?.decision).toBe("refused");
		}
		expect(chooseWith(admins, [signers])[1]?.disagreements).toEqual([
			{
				...{ code: "differs-from-step", stepId: "step-2" },
				differences: [{ parameter: "policies.read.consensus", is: `'${admins}'`, planned: `'${signers}'` }],
			},
		]);
	});

	it("are refused for others, named or not", () => {
		const other = activityOf(1, { parameters: { userTagId: admins, addUserIds: [carol], removeUserIds: [] } });
		expect(decide([other], { steps })).toEqual([["60000001", "", "refused", null, "differs-from-step"]]);
		const names = new Set([id("other", 1)]);
		expect(decide([other], { steps, names })).toEqual([["60000001", "named", "refused", null, "differs-from-step"]]);
	});

	it("are refused for what cannot be reviewed, which takes no step", () => {
		const mistakes = [{ code: "bad-signature", message: "" }] as const;
		const choice = chooseVotes([activityOf(1, { mistakes })], { ...all, steps }, facts);
		expect(choice.chosen.map(({ decision, stepId }) => [decision, stepId])).toEqual([["refused", null]]);
		expect(choice.unmatched).toHaveLength(2);
	});

	it("show an activity that has ended if it equals a step, and no other", () => {
		const ended = { isVotable: () => false };
		const other = activityOf(2, { parameters: { userTagId: admins, addUserIds: [carol], removeUserIds: [] } });
		expect(decide([activityOf(1), other], { steps }, ended)).toEqual([["60000001", "", "ended", "step-1", ""]]);
	});
});

describe("The match of activities with the steps of a plan", () => {
	const steps = [tagStep("step-1", admins, [alice, bob]), tagStep("step-2", admins, [carol])];
	const matchOf = (
		parameters: Readonly<Record<string, unknown>>,
		operation: ReviewedActivity["operation"] = "update_user_tag",
	) => matchSteps(steps, [{ activityId: "one", operation, parameters }]).byActivity.get("one");

	it("is the oldest of several that equal a step; the others name it", () => {
		const parameters = { userTagId: admins, addUserIds: [carol] };
		const activities = ["old", "new"].map((activityId) => ({
			activityId,
			operation: "update_user_tag" as const,
			parameters,
		}));
		const { byActivity, unmatched } = matchSteps(steps, activities);
		expect([...byActivity]).toEqual([
			["old", { stepId: "step-2", disagreement: null }],
			["new", { stepId: null, disagreement: { code: "duplicate", stepId: "step-2", activityId: "old" } }],
		]);
		expect(unmatched.map((step) => step.id)).toEqual(["step-1"]);
	});

	it("is one activity for each of two steps that are equal", () => {
		const parameters = { userTagId: admins, addUserIds: [carol] };
		const twice = [tagStep("step-1", admins, [carol]), tagStep("step-2", admins, [carol])];
		const activities = ["old", "new"].map((activityId) => ({
			activityId,
			operation: "update_user_tag" as const,
			parameters,
		}));
		expect([...matchSteps(twice, activities).byActivity.values()].map(({ stepId }) => stepId)).toEqual([
			"step-1",
			"step-2",
		]);
	});

	it("is none for another object or operation", () => {
		expect(matchOf({ userTagId: signers, addUserIds: [carol] })).toEqual({
			stepId: null,
			disagreement: { code: "no-step" },
		});
		expect(matchOf({ policyIds: [admins] }, "delete_policies")).toEqual({
			stepId: null,
			disagreement: { code: "no-step" },
		});
		expect(matchOf({}, null)).toEqual({ stepId: null, disagreement: { code: "no-step" } });
	});

	it("names what differs from the step that it resembles most: lists user by user, other values as text", () => {
		expect(
			matchOf({ userTagId: admins, newUserTagName: "owners", addUserIds: [alice], removeUserIds: [carol] }),
		).toEqual({
			stepId: null,
			disagreement: {
				code: "differs-from-step",
				stepId: "step-1",
				differences: [
					{ parameter: "addUserIds", more: [], missing: [bob] },
					{ parameter: "removeUserIds", more: [carol], missing: [] },
					{ parameter: "newUserTagName", is: "owners", planned: null },
				],
			},
		});
		expect(matchOf({ userTagId: admins, addUserIds: [carol, bob] })).toMatchObject({
			disagreement: { stepId: "step-1", differences: [{ parameter: "addUserIds", more: [carol], missing: [alice] }] },
		});
		expect(matchOf({ userTagId: admins, addUserIds: [carol, id("user", 4)], newUserTagName: "" })).toMatchObject({
			disagreement: { stepId: "step-1" },
		});
	});

	it("compares policies by their places and names, and a list with one that is left out", () => {
		const policy = (policyName: string, parts: object = {}) => ({
			policyName,
			effect: "EFFECT_ALLOW",
			notes: "",
			...parts,
		});
		const creating = stepOf("step-1", {
			operation: "create_policies",
			parameters: { policies: [policy("one"), policy("two")] as never },
		});
		const differencesOf = (policies: unknown) => {
			const activity = { activityId: "one", operation: "create_policies", parameters: { policies } } as const;
			const match = matchSteps([creating], [activity]).byActivity.get("one")?.disagreement;
			return match?.code === "differs-from-step" ? match.differences : match?.code;
		};
		const of = (name: string, field: string, is: string | null, planned: string | null) => ({
			...{ parameter: `policies.${name}.${field}`, is, planned },
		});
		expect(differencesOf([policy("one"), policy("two", { notes: "n" })])).toEqual([of("two", "notes", "n", null)]);
		expect(differencesOf([policy("one")])).toEqual([
			of("two", "policyName", null, "two"),
			of("two", "effect", null, "EFFECT_ALLOW"),
		]);
		expect(differencesOf([policy("one"), policy("two"), policy("three")])).toEqual([
			of("three", "policyName", "three", null),
			of("three", "effect", "EFFECT_ALLOW", null),
		]);
		expect(differencesOf([policy("one"), "two"])).toEqual([
			of("two", "policyName", null, "two"),
			of("two", "effect", null, "EFFECT_ALLOW"),
		]);
		expect(differencesOf([])).toBe("no-step");
		expect(matchOf({ userTagId: admins, addUserIds: [alice, bob], removeUserIds: "x" })).toMatchObject({
			disagreement: { differences: [{ parameter: "removeUserIds", more: [], missing: [] }] },
		});
		expect(matchOf({ userTagId: admins, addUserIds: undefined })).toMatchObject({
			disagreement: { stepId: "step-1", differences: [{ parameter: "addUserIds", more: [], missing: [alice, bob] }] },
		});
	});

	it("has the planned value where the activity has none", () => {
		const named = stepOf("step-1", {
			operation: "update_user_tag",
			parameters: { userTagId: admins, newUserTagName: "owners", addUserIds: [], removeUserIds: [] },
		});
		const activity = { activityId: "one", operation: "update_user_tag", parameters: { userTagId: admins } } as const;
		expect(matchSteps([named], [activity]).byActivity.get("one")?.disagreement).toMatchObject({
			differences: [{ parameter: "newUserTagName", is: null, planned: "owners" }],
		});
		for (const newUserTagName of [null, "", undefined]) {
			const empty = { ...activity, parameters: { ...activity.parameters, newUserTagName } };
			expect(matchSteps([named], [empty]).byActivity.get("one")?.disagreement).toMatchObject({
				differences: [{ parameter: "newUserTagName", is: null, planned: "owners" }],
			});
		}
	});
});

describe("What an activity does against the document", () => {
	const add = (...addUserIds: string[]) =>
		({ operation: "update_user_tag", parameters: { userTagId: admins, addUserIds } }) as const;
	const remove = (...removeUserIds: string[]) =>
		({ operation: "update_user_tag", parameters: { userTagId: admins, removeUserIds } }) as const;

	it("is to add who must not have the tag, or to remove who must", () => {
		const desired = tagOf({ mode: "atLeast", atLeast: [bob], never: [alice] });
		expect(findDisagreements(add(alice), desired, live)).toEqual([{ code: "adds-unwanted", userIds: [alice] }]);
		expect(findDisagreements(remove(bob), desired, live)).toEqual([{ code: "removes-wanted", userIds: [bob] }]);
		expect(findDisagreements(add(bob), desired, live)).toEqual([]);
		expect(findDisagreements(remove(alice), desired, live)).toEqual([]);
	});

	it("is to add or remove who is not in a complete list of members", () => {
		const desired = tagOf({ mode: "exactly", exactly: [bob] });
		expect(findDisagreements(add(alice), desired, live)).toEqual([{ code: "adds-unwanted", userIds: [alice] }]);
		expect(findDisagreements(remove(alice), desired, live)).toEqual([]);
		expect(findDisagreements(remove(bob), desired, live)).toEqual([{ code: "removes-wanted", userIds: [bob] }]);
	});

	it("is to change members about whom the document says nothing, sorted and each once", () => {
		const parameters = { userTagId: admins, addUserIds: [carol, alice], removeUserIds: [alice] };
		const activity = { operation: "update_user_tag", parameters } as const;
		const expected = [{ code: "members-unmanaged", userIds: [alice, carol] }];
		expect(findDisagreements(activity, tagOf(undefined), live)).toEqual(expected);
		expect(findDisagreements(activity, tagOf({ mode: "atLeast", atLeast: [], never: [] }), live)).toEqual(expected);
	});

	it("is to rename the tag to another name", () => {
		const rename = (newUserTagName: unknown) =>
			({ operation: "update_user_tag", parameters: { userTagId: admins, newUserTagName } }) as const;
		expect(findDisagreements(rename("root"), tagOf(undefined), live)).toEqual([
			{ code: "renames", name: "root", wanted: "admins" },
		]);
		for (const name of ["admins", "", undefined, null]) {
			expect(findDisagreements(rename(name), tagOf(undefined), live)).toEqual([]);
		}
	});

	it("is not to give the temporary name of an exchange of names, with the members that the step has", () => {
		const exchange = desiredOf({
			userTags: [wantTag("admins", { id: signers }), wantTag("signers", { id: admins })],
		});
		const give = (newUserTagName: string, more: object = {}) =>
			({ operation: "update_user_tag", parameters: { userTagId: signers, newUserTagName, ...more } }) as const;
		const temporary = `orgsync-temporary-${signers.slice(0, 8)}`;
		expect(findDisagreements(give(temporary), exchange, live)).toEqual([]);
		expect(findDisagreements(give("admins"), exchange, live)).toEqual([]);
		const other = [{ code: "renames", name: `${temporary}-2`, wanted: "admins" }];
		expect(findDisagreements(give(`${temporary}-2`), exchange, live)).toEqual(other);
		expect(findDisagreements(give(temporary, { addUserIds: [alice] }), exchange, live)).toMatchObject([
			...[{ code: "renames" }, { code: "members-unmanaged", userIds: [alice] }],
		]);
		// With problems, the document has no steps.
		const missing = { ...exchange, objects: [...exchange.objects, wantTag("missing")] };
		expect(findDisagreements(give(temporary), missing, live)).toMatchObject([{ code: "renames" }]);
	});

	it("is found for a tag by its id alone where live tags are not shown", () => {
		const hidden = liveOf({ userTags: unknown });
		const desired = tagOf({ mode: "exactly", exactly: [] });
		expect(findDisagreements(add(alice), desired, hidden)).toEqual([{ code: "adds-unwanted", userIds: [alice] }]);
		const other = { operation: "update_user_tag", parameters: { userTagId: signers } } as const;
		expect(findDisagreements(other, desired, hidden)).toEqual([{ code: "unmanaged" }]);
	});

	it("is unmanaged for another tag, and for what no document has", () => {
		const other = { operation: "update_user_tag", parameters: { userTagId: signers } } as const;
		expect(findDisagreements(other, tagOf(undefined), live)).toEqual([{ code: "unmanaged" }]);
		expect(findDisagreements({ operation: "init_import_private_key", parameters: {} }, tagOf(undefined), live)).toEqual(
			[{ code: "unmanaged" }],
		);
		expect(findDisagreements({ operation: null, parameters: {} }, tagOf(undefined), live)).toEqual([
			{ code: "unmanaged" },
		]);
	});

	it("is to remove an object that absent does not list, of the same user", () => {
		const [one, other] = [id("provider", 1), id("provider", 2)];
		const desired = desiredOf({
			absent: {
				...nothingAbsent,
				policyIds: [id("policy", 1)],
				oauthProviders: [{ userId: alice, providerIds: [one] }],
			},
		});
		const removal = (userId: string, ...providerIds: string[]) =>
			({ operation: "delete_oauth_providers", parameters: { userId, providerIds } }) as const;
		expect(findDisagreements(removal(alice, one), desired, live)).toEqual([]);
		expect(findDisagreements(removal(alice, one, other), desired, live)).toEqual([
			{ code: "not-absent", ids: [other] },
		]);
		expect(findDisagreements(removal(bob, one), desired, live)).toEqual([{ code: "not-absent", ids: [one] }]);
		const policies = { operation: "delete_policies", parameters: { policyIds: [id("policy", 1)] } } as const;
		expect(findDisagreements(policies, desired, live)).toEqual([]);
	});
});
