/** An answer with our fingerprint and another organization, operation or change is not the result of the request. */
import { describe, expect, it } from "vitest";
import { type Activity, readActivity } from "../../src/wire/activity.ts";
import { findMismatch } from "../../src/wire/activity-mismatch.ts";
import { approvals, submits, writes } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";

const organizationId = "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11";
const tag = "91c0f5aa-6a77-4c07-8f0c-5f4f0e6f1001";
const [alice, bob] = ["3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001", "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002"];
const parameters = { userTagId: tag, newUserTagName: "Signers", addUserIds: [alice, bob], removeUserIds: [] };
const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, 1);

function activity(parts: Readonly<Record<string, unknown>> = {}, intent: object | null = parameters): Activity {
	return readActivity(submits.update_user_tag, {
		id: "01a1fe02-1455-712e-be80-c4ad5d3e1bce",
		organizationId,
		status: "ACTIVITY_STATUS_COMPLETED",
		type: submits.update_user_tag.type,
		fingerprint: body.fingerprint,
		intent: intent === null ? null : { updateUserTagIntent: intent },
		...parts,
	});
}

describe("an answer's activity", () => {
	it.each([
		["the same", parameters],
		["ids in another case and order", { ...parameters, userTagId: tag.toUpperCase(), addUserIds: [bob, alice] }],
		["empty lists left out", { userTagId: tag, newUserTagName: "Signers", addUserIds: [alice, bob] }],
		["null for what is empty", { ...parameters, removeUserIds: null }],
		["members that we do not know", { ...parameters, reason: "because" }],
		["no intent", null],
	])("with %s matches the request", (_what, intent) => {
		expect(findMismatch(body, activity({}, intent))).toBeNull();
	});

	it.each([
		["fingerprint", activity({ fingerprint: `sha256:${"0".repeat(64)}` }), "another fingerprint"],
		[
			"organization",
			activity({ organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a12" }),
			`the organization 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a12 in place of ${organizationId}`,
		],
		[
			"type",
			activity({ type: "ACTIVITY_TYPE_DELETE_POLICIES" }),
			"the type ACTIVITY_TYPE_DELETE_POLICIES in place of ACTIVITY_TYPE_UPDATE_USER_TAG",
		],
		["type that is no word", activity({ type: "a\u001b[31m" }), "the type (unreadable) in place of"],
		["tag", activity({}, { ...parameters, userTagId: alice }), "another userTagId in its intent"],
		["tag that is no text", activity({}, { ...parameters, userTagId: 7 }), "another userTagId in its intent"],
		["name", activity({}, { ...parameters, newUserTagName: "signers" }), "another newUserTagName in its intent"],
		["member", activity({}, { ...parameters, addUserIds: [alice] }), "another addUserIds in its intent"],
		["removal", activity({}, { ...parameters, removeUserIds: [alice] }), "another removeUserIds in its intent"],
		["operation's intent", activity({ intent: { deletePoliciesIntent: { policyIds: [] } } }), "another userTagId"],
	])("with another %s does not match the request", (_what, other, difference) => {
		expect(findMismatch(body, other)).toContain(difference);
	});

	it("with an empty name matches a request without one", () => {
		const { newUserTagName: _name, ...unnamed } = parameters;
		const request = encodeSubmit(submits.update_user_tag, organizationId, unnamed, 1);
		const answer = activity({ fingerprint: request.fingerprint }, { ...unnamed, newUserTagName: "" });
		expect(findMismatch(request, answer)).toBeNull();
	});

	it.each<[policy: object | string, matches: boolean]>([
		[{ policyName: "pay", effect: "EFFECT_ALLOW", consensus: "true" }, true],
		[
			{ consensus: "true", condition: null, notes: "", time: undefined, effect: "EFFECT_ALLOW", policyName: "pay" },
			true,
		],
		[{ policyName: "PAY", effect: "EFFECT_ALLOW", consensus: "true" }, false],
		[{ policyName: "pay", effect: "EFFECT_ALLOW" }, false],
		[{ policyName: "pay", effect: "EFFECT_ALLOW", consensus: "true", notes: "x" }, false],
		["pay", false],
	])("that creates policies matches by what each of them says: %j, %s", (policy, matches) => {
		const vote = { policyName: "vote", effect: "EFFECT_DENY", condition: "" };
		const wanted = [{ policyName: "pay", effect: "EFFECT_ALLOW", condition: "", consensus: "true", notes: "" }, vote];
		const request = encodeSubmit(writes.create_policies, organizationId, { policies: wanted }, 1);
		const answer = (...policies: readonly unknown[]) => ({
			...activity({ fingerprint: request.fingerprint, type: writes.create_policies.type }),
			intent: { policies },
		});
		expect(findMismatch(request, answer(policy, vote))).toBe(matches ? null : "another policies in its intent");
		expect(findMismatch(request, answer(vote, policy))).not.toBeNull();
	});

	it("that was voted on is the answer to a vote as well as the vote's own", () => {
		const operation = approvals.approve_activity as never;
		const vote = encodeSubmit(operation, organizationId, { fingerprint: body.fingerprint }, 2);
		expect(findMismatch(vote, activity())).toBeNull();
		expect(findMismatch(vote, activity({ organizationId: alice }))).toContain("organization");
		expect(findMismatch(vote, activity({ fingerprint: "sha256:1" }))).toBe("another fingerprint");
	});
});
