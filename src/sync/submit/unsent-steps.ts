/** The results of steps that are not submitted because of an earlier activity. */

import { quoteForShell } from "../../common/escape.ts";
import { flag, type Said, say } from "../../common/said.ts";
import { nameOf, rejectedBefore, settleOrAbandon } from "../../plan/activities/pending.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EarlierActivity, Step } from "../../plan/step.ts";
import { notAttempted, type SubmitResult } from "./outcomes.ts";

/** Returns the result of a step that has an earlier activity. */
export function resultOfEarlier(step: Step, earlier: EarlierActivity, plan: Plan): SubmitResult {
	const { activityId, fingerprint, relation } = earlier;
	if (relation === "conflicting") {
		return { ...notAttempted(describeConflict(step, earlier, plan)), activityId, fingerprint };
	}
	if (relation === "rejected") {
		return { ...notAttempted(rejectedBefore), outcome: "rejected", activityId, fingerprint };
	}
	const status = earlier.state === "in-doubt" ? undefined : earlier.status;
	const outcome = status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" ? "awaiting-authenticator" : "awaiting-approval";
	const message = "it was submitted before, and nothing was submitted now";
	return { ...notAttempted(message), outcome, activityId, fingerprint };
}

/** Returns why a step must not be submitted while this activity has not ended. */
function describeConflict({ operation }: Step, earlier: EarlierActivity, { waiting }: Plan): Said {
	const name = nameOf(earlier);
	if (earlier.state !== "in-doubt") {
		return say`it conflicts with pending activity ${name}: approve or reject that first, or abandon it with ${flag("abandon", quoteForShell(name))}`;
	}
	const activity = waiting.find(({ fingerprint }) => fingerprint === earlier.fingerprint);
	const answer = earlier.activityId === null ? "and is in doubt" : `as activity ${name}, which has an unknown status`;
	return say`another ${operation} was submitted for the same object ${activity?.createdAt ?? "before"} ${answer}: ${settleOrAbandon(name)}`;
}
