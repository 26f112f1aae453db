/** What counts as the same request as a step: an update that leaves a field out is another one than an update that clears it. */
import { expect, test } from "vitest";
import { isSameRequest } from "../../../src/plan/activities/requests.ts";

const whole = {
	...{ policyId: "p", policyName: "pay", policyEffect: "EFFECT_ALLOW", policyNotes: "" },
	...{ policyCondition: "", policyConsensus: "true" },
};
const step = { operation: "update_policy", parameters: whole } as const;

test("an update of a policy is the same with all of its fields", () => {
	expect(isSameRequest(step, { ...whole })).toBe(true);
});

test("an update that leaves out a field that the step clears is another one", () => {
	const { policyCondition: _, ...partial } = whole;
	expect(isSameRequest(step, partial)).toBe(false);
});

test("a change of a tag is the same without its empty lists", () => {
	const parameters = { userTagId: "t", addUserIds: ["u"], removeUserIds: [] };
	expect(isSameRequest({ operation: "update_user_tag", parameters }, { userTagId: "T", addUserIds: ["U"] })).toBe(true);
});
