/** Compares what a plan forecast of a step with what became of its requests. Pure. */

import type { StepForecast } from "../../plan/report.ts";
import type { Step } from "../../plan/step.ts";
import type { ApprovalVerdict } from "../../policy/powers/approval.ts";
import type { SubmitResult } from "./outcomes.ts";

/**
 * Returns what was forecast of the step, and whether that was right; undefined for a step without an approval. `requests` are
 * the results of what was submitted for it: one, or one for each part.
 */
export function checkForecast(
	{ approval, earlierActivity }: Step,
	requests: readonly SubmitResult[],
): StepForecast | undefined {
	if (approval === undefined) return undefined;
	const { verdict } = approval;
	// The approval of a step that joins a pending activity says who can still complete it, not what becomes of a request.
	const happened = earlierActivity === null ? requests.map(findHappened) : [];
	const isKnown = verdict !== "unknown" && happened.length > 0 && !happened.includes(null);
	return { verdict, wasRight: isKnown ? happened.every((one) => one === verdict) : null };
}

/** Returns what the policies decided; null where the result does not show it. */
function findHappened({
	requests,
	outcome,
	activity,
	refusedStatus,
	keyNotAccepted,
}: SubmitResult): ApprovalVerdict | null {
	if (requests === 0) return null;
	if (outcome === "denied") return refusedStatus === 403 && !keyNotAccepted ? "denied" : null;
	if (activity?.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") return "pending";
	if (activity?.status !== "ACTIVITY_STATUS_COMPLETED") return null;
	const approvers = activity.votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
	// An earlier run submitted it, and others have approved it since.
	return new Set(approvers.map(({ userId }) => userId)).size > 1 ? "pending" : "runs";
}
