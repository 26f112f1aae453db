/**
 * The results of steps for which nothing is submitted.
 */
import type { Plan } from "../plan/plan.ts";
import type { StepResult } from "../plan/report.ts";
import type { EarlierActivity, Step } from "../plan/step.ts";
import { nameOf, settleOrAbandon } from "../plan/waiting.ts";

/** Returns the result of a step that is not attempted. */
export function notAttemptedStep(step: Step, message: string): StepResult {
	return {
		step,
		outcome: "not-attempted",
		activityId: null,
		fingerprint: null,
		requests: 0,
		tookMs: 0,
		message,
		refusedStatus: null,
		keyNotAccepted: false,
		policyEvaluations: [],
		parts: [],
	};
}

/** Returns the result of a step that has an earlier activity. */
export function resultOfEarlier(step: Step, earlier: EarlierActivity, plan: Plan): StepResult {
	const { activityId, fingerprint, relation } = earlier;
	if (relation === "conflicting") {
		return { ...notAttemptedStep(step, describeConflict(step, earlier, plan)), activityId, fingerprint };
	}
	if (relation === "rejected") {
		const message = "it was rejected before, so it was not submitted again; --retry-rejected submits it";
		return { ...notAttemptedStep(step, message), outcome: "rejected", activityId, fingerprint };
	}
	const status = earlier.state === "in-doubt" ? undefined : earlier.status;
	const outcome = status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" ? "awaiting-authenticator" : "awaiting-approval";
	const message = "it was submitted before, and nothing was submitted now";
	return { ...notAttemptedStep(step, message), outcome, activityId, fingerprint };
}

/** Returns why a step must not be submitted while this activity has not ended. */
function describeConflict({ operation }: Step, earlier: EarlierActivity, { waiting }: Plan): string {
	const name = nameOf(earlier);
	if (earlier.state !== "in-doubt") {
		return `it conflicts with pending activity ${name}: approve or reject that first, or abandon it with --abandon ${name}`;
	}
	const activity = waiting.find(({ fingerprint }) => fingerprint === earlier.fingerprint);
	const answer = earlier.activityId === null ? "no answer came" : `activity ${name} has an unknown status`;
	return `another ${operation} was submitted for the same object ${activity?.createdAt ?? "before"}, and ${answer}: ${settleOrAbandon(name)}`;
}
