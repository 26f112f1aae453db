/** Whether what a plan forecast of a step happened. */
import { describe, expect, it } from "vitest";
import type { Step } from "../../src/plan/step.ts";
import type { ApprovalVerdict } from "../../src/policy/powers/forecast.ts";
import { notAttempted, outcomeOfActivity, outcomeOfAnswer, type SubmitResult } from "../../src/sync/submit/outcomes.ts";
import { checkForecast } from "../../src/sync/submit/run-step.ts";
import type { Activity } from "../../src/wire/activity.ts";

const earlier = { activityId: "a", fingerprint: "f", state: "pending", status: "s", relation: "same" } as const;

function stepOf(verdict: ApprovalVerdict | undefined, earlierActivity: Step["earlierActivity"] = null): Step {
	const approval =
		verdict === undefined
			? {}
			: { approval: { verdict, approverSets: [], thresholds: [], policyIds: [], because: null } };
	return {
		...{ id: "step-1", operation: "delete_policies", parameters: { policyIds: [] }, covers: [], dependsOn: [] },
		...{ reason: { kind: "remove", of: "policy", count: 1 }, earlierActivity },
		...approval,
	};
}

const sent = { fingerprint: "sha256:0", requests: 1 } as const;

function ended(status: string, ...approvers: readonly string[]): SubmitResult {
	const votes = approvers.map((userId) => ({
		...{ id: undefined, userId, userName: undefined, createdAtMs: undefined },
		selection: "VOTE_SELECTION_APPROVED",
	}));
	const activity: Activity = {
		...{ id: "a", organizationId: "o", status: `ACTIVITY_STATUS_${status}`, type: "t", fingerprint: "f" },
		...{ intent: null, result: null, failure: null, votes, createdAtMs: undefined, updatedAtMs: undefined },
	};
	return { ...outcomeOfActivity(activity), ...sent };
}

function refused(httpStatus: number, keyNotAccepted = false): SubmitResult {
	const answer = { kind: "refused", httpStatus, message: "no", policyEvaluations: [], keyNotAccepted, requests: 1 };
	return { ...outcomeOfAnswer(answer as never), ...sent };
}

const happened: readonly (readonly [string, SubmitResult, ApprovalVerdict | null])[] = [
	["completed", ended("COMPLETED", "alice"), "runs"],
	["completed after approvals of others", ended("COMPLETED", "alice", "bob"), "pending"],
	["pending approval", ended("CONSENSUS_NEEDED", "alice"), "pending"],
	["denied", refused(403), "denied"],
	["still processed", ended("PENDING"), null],
	["failed", ended("FAILED"), null],
	["rejected by a person", ended("REJECTED"), null],
	["waiting for an authenticator", ended("AUTHENTICATORS_NEEDED"), null],
	["refused as malformed", refused(400), null],
	["not authorized", refused(401, true), null],
	["refused for the key", refused(403, true), null],
	["not authorized by another's answer", refused(401), null],
	["not attempted", notAttempted("it was interrupted"), null],
];

describe("a forecast", () => {
	it.each(happened)("is right for a step that is %s exactly where it said so", (_what, result, what) => {
		for (const verdict of ["runs", "pending", "denied"] as const) {
			const wasRight = what === null ? null : verdict === what;
			expect(checkForecast(stepOf(verdict), [result])).toEqual({ verdict, wasRight });
		}
		expect(checkForecast(stepOf("unknown"), [result])).toEqual({ verdict: "unknown", wasRight: null });
	});

	it("is left out for a step without an approval", () => {
		expect(checkForecast(stepOf(undefined), [ended("COMPLETED")])).toBeUndefined();
	});

	it("is neither right nor wrong for a step that joins a pending activity", () => {
		expect(checkForecast(stepOf("pending", earlier), [ended("COMPLETED", "alice")])).toMatchObject({ wasRight: null });
	});

	it("is right for a step in parts only where it is for each of them", () => {
		const check = (...parts: readonly SubmitResult[]) => checkForecast(stepOf("runs"), parts)?.wasRight;
		expect(check(ended("COMPLETED"), ended("COMPLETED"))).toBe(true);
		expect(check(ended("COMPLETED"), ended("CONSENSUS_NEEDED"))).toBe(false);
		expect(check(ended("COMPLETED"), refused(400))).toBe(null);
	});
});
