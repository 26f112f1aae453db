/** What a saved plan has carried out: its own completed requests, whole or in parts, and nothing that only looks like one. */
import { expect, it } from "vitest";
import type { Step, StepOperation, StepParameters, StepRequest } from "../../src/plan/step.ts";
import { findCompletedSteps } from "../../src/sync/completed-steps.ts";
import { requestDigestOf, type SettledEntry } from "../../src/sync/journal/journal.ts";
import { writes } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { id, organizationId } from "../plan/support-organizations.ts";

function entryOf(operation: Step["operation"], parameters: Step["parameters"]): SettledEntry {
	const body = encodeSubmit(writes[operation], organizationId, parameters, 1_767_225_600_000);
	const requestDigest = requestDigestOf(organizationId, operation, parameters);
	const settled = { outcome: "completed", activityId: "activity", settledAtMs: 2, settledPosition: 2 } as const;
	return { body, requestDigest, covers: [], planDigests: [], sentAtMs: 1, ...settled };
}

function stepOf<O extends StepOperation>(operation: O, parameters: StepParameters[O]): Step {
	const request = { operation, parameters } as StepRequest;
	return {
		...request,
		id: "step-1",
		covers: [],
		dependsOn: [],
		reason: { kind: "remove", of: "policy", count: 1 },
		earlierActivity: null,
	};
}

const [one, two, three] = [1, 2, 3].map((number) => id("policy", number)) as [string, string, string];
const [alice, bob] = [id("user", 1), id("user", 2)];
const policies = (...policyIds: readonly string[]) => ["delete_policies", { policyIds }] as const;
const providers = (userId: string, ...providerIds: readonly string[]) =>
	["delete_oauth_providers", { userId, providerIds }] as const;
const rename = (newUserTagName: string) =>
	["update_user_tag", { userTagId: id("tag", 1), newUserTagName, addUserIds: [], removeUserIds: [] }] as const;

it.each<[string, ReturnType<typeof stepOf>, SettledEntry[], boolean]>([
	["a removal by the same request", stepOf(...policies(one, two)), [entryOf(...policies(one, two))], true],
	[
		"a removal part by part",
		stepOf(...policies(one, two)),
		[entryOf(...policies(one)), entryOf(...policies(two))],
		true,
	],
	["a removal by a larger one", stepOf(...policies(one)), [entryOf(...policies(one, two, three))], true],
	["a removal of which a part is left", stepOf(...policies(one, two)), [entryOf(...policies(one))], false],
	["a removal from another user", stepOf(...providers(bob, one)), [entryOf(...providers(alice, one))], false],
	["another operation for the same ids", stepOf(...policies(one)), [entryOf(...providers(alice, one))], false],
	["a rename", stepOf(...rename("new")), [entryOf(...rename("new"))], true],
	["a rename of which only the stepping aside is done", stepOf(...rename("new")), [entryOf(...rename("aside"))], false],
	["a step of which nothing was submitted", stepOf(...policies(one)), [], false],
])("a completed entry shows whether a step is done: %s", (_what, step, entries, isDone) => {
	expect(findCompletedSteps([step], entries).map((done) => done.step)).toEqual(isDone ? [step] : []);
});
