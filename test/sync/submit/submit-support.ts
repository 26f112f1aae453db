import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { requestDigestOf } from "../../../src/sync/journal/journal.ts";
import type { ActivityRequest } from "../../../src/sync/submit/activity-request.ts";
import type { SubmitAnswer, Submitter } from "../../../src/wire/client.ts";
import { approvals, submits } from "../../../src/wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../../src/wire/request-body.ts";
import { organizationId } from "../../plan/support-organizations.ts";
import { acme, alice, approverStamper, Bench, bob, quarterHourMs, signers, wantSigners } from "../support.ts";

export let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());
export const addBob: ActivityRequest = {
	organizationId,
	operation: "update_user_tag",
	parameters: { userTagId: signers, addUserIds: [bob], removeUserIds: [] },
	covers: [{ address: "userTag:signers", id: signers }],
};
export const keyOfAddBob = requestDigestOf(organizationId, addBob.operation, addBob.parameters);
/** Where members cannot be read, everybody who is wanted is added. */
export const keyOfWithBob = requestDigestOf(organizationId, addBob.operation, {
	...addBob.parameters,
	addUserIds: [alice, bob],
});
export const withBob = wantSigners(alice, bob);
export const updates = { operation: "update_user_tag" } as const;
export const twoApprovals = { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } };
export const forEver = 0x7fff;
export function bodyOfAddBob(timestampMs: number): RequestBody {
	return encodeSubmit(submits.update_user_tag, organizationId, addBob.parameters, timestampMs);
}
/** The quarter of an hour in which the test's clock is. */
export function quarter(): number {
	return bench.nowMs - (bench.nowMs % quarterHourMs);
}
export function fingerprints(): readonly (string | null)[] {
	return bench.requests("submit").map(({ fingerprint }) => fingerprint);
}
/** A submitter that hears these answers, and the bodies that it was given. */
export function hears(...answers: readonly (SubmitAnswer | ((body: RequestBody) => SubmitAnswer))[]) {
	const bodies: RequestBody[] = [];
	const submitter: Submitter = {
		async submit(body) {
			const answer = answers[bodies.length] ?? answers.at(-1);
			bodies.push(body);
			if (answer === undefined) throw new Error("nothing was to be sent");
			return typeof answer === "function" ? answer(body) : answer;
		},
	};
	return { submitter, bodies };
}
export function activityOf(body: RequestBody, status: string): SubmitAnswer {
	const { fingerprint } = body;
	const activity = { id: "an activity", organizationId, status, type: body.operation.type, fingerprint };
	return {
		kind: "activity",
		activity: {
			...activity,
			intent: null,
			result: null,
			failure: null,
			votes: [],
			createdAtMs: undefined,
			updatedAtMs: undefined,
		},
		serverTimeMs: undefined,
		requests: 1,
	};
}
export function refused(httpStatus: number, grpcCode = 3): SubmitAnswer {
	return {
		kind: "refused",
		httpStatus,
		grpcCode,
		message: "the service does not want it",
		policyEvaluations: [],
		keyNotAccepted: grpcCode === 16,
		requests: 1,
	};
}
export async function approve(fingerprint: string | null): Promise<void> {
	const body = encodeSubmit(approvals.approve_activity, organizationId, { fingerprint }, bench.nowMs);
	const answer = await bench.client({ stamper: approverStamper }).voter.vote(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
}
