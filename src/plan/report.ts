/** Outcomes and exit codes. Pending approval is not an error; an unknown status is never success. */
import { combineExitCodes, type ExitCode, exitCodes } from "../common/errors.ts";
import type { Said } from "../common/said.ts";
import type { ApprovalVerdict } from "../policy/powers/forecast.ts";
import type { ActivityEvent } from "./activities/activity-events.ts";
import type { Change } from "./change.ts";
import type { Override } from "./guards/overrides.ts";
import type { Step } from "./step.ts";

/** What became of a step (docs/commands.md#apply). */
export type Outcome =
	| "completed"
	| "awaiting-approval"
	| "awaiting-authenticator"
	| "rejected"
	| "denied"
	| "failed"
	| "unknown"
	| "not-attempted";

export interface StepResult {
	readonly step: Step;
	readonly outcome: Outcome;
	readonly activityId: string | null;
	/** The service's, of the body that was sent last; null when none was. */
	readonly fingerprint: string | null;
	/** Requests under /submit/ that this run sent for the step. */
	readonly requests: number;
	readonly tookMs: number;
	/** Why, for a person; null when there is nothing to add. */
	readonly message: Said | null;
	/** HTTP status of a refusal; null when there was none. 401: the key was not accepted. */
	readonly refusedStatus: number | null;
	/** Whether the service does not accept the key at all. */
	readonly keyNotAccepted: boolean;
	/** Set where its object is not what the saved plan saw, so that nothing was submitted. */
	readonly isStale?: true;
	/** Policies that judged a denied step. */
	readonly policyEvaluations: readonly { readonly policyId?: string; readonly outcome?: string }[];
	/** Each part of a removal that was submitted part by part; empty for a step that was submitted at once. */
	readonly parts: readonly PartResult[];
	/** What was forecast of it, and whether that was right; left out where its plan does not forecast. */
	readonly forecast?: StepForecast;
	/** Votes and new statuses that were read while the step waited for its activity; left out where there was none. */
	readonly events?: readonly ActivityEvent[];
}

export interface StepForecast {
	readonly verdict: ApprovalVerdict;
	/** Null where unknown was forecast, nothing was submitted, or what happened does not show what the policies decided. */
	readonly wasRight: boolean | null;
}

export interface PartResult
	extends Pick<StepResult, "outcome" | "activityId" | "fingerprint" | "message" | "refusedStatus"> {
	readonly address: string;
}

/** How many requests an apply has made, and how long it was held back by the service. */
export interface Stats {
	readonly queries: number;
	readonly submits: number;
	readonly retries: number;
	readonly throttledMs: number;
}

/** What apply returns; schemas/report.json describes it. */
export interface Report {
	readonly formatVersion: 1;
	readonly organizationId: string;
	/** Digest of the plan that was applied; of a saved plan the digest by which it is known. */
	readonly planDigest: string;
	readonly startedAt: string;
	readonly finishedAt: string;
	readonly steps: readonly StepResult[];
	/** What still differs after the last step, of what this apply completed; null when it was not verified. */
	readonly left: readonly Change[] | null;
	/** Why the result could not be verified, although that was asked for; null when it was verified, or not asked for. */
	readonly unverified: string | null;
	/** Whether everything that can be changed now is as the document says. */
	readonly inSync: boolean;
	/** Whether a signal ended it before every step had ended, or before the result was read. */
	readonly interrupted: boolean;
	/** Overrides that were used for this organization. */
	readonly overrides: readonly Override[];
	readonly stats: Stats;
}

/** Returns the outcomes of these steps; of a removal that was submitted part by part those of its parts, for it can be applied in part. */
export function outcomesOf(steps: readonly StepResult[]): readonly Outcome[] {
	return steps.flatMap(({ outcome, parts }) => (parts.length === 0 ? [outcome] : parts.map((part) => part.outcome)));
}

/** Returns the exit code of a report: the most important of those that apply. */
export function exitCodeOf(report: Report): ExitCode {
	const reached = outcomesOf(report.steps);
	const has = (...outcomes: Outcome[]): boolean => reached.some((outcome) => outcomes.includes(outcome));
	// A step that conflicts with a pending activity waits too, for that activity.
	const waits =
		has("awaiting-approval", "awaiting-authenticator") ||
		report.steps.some(({ step }) => step.earlierActivity?.relation === "conflicting");
	// A request in doubt has to be settled first: it is unknown whether there is an activity to approve.
	const inDoubt = report.steps.some(({ step }) => step.earlierActivity?.state === "in-doubt");
	// What was not attempted waits too, where something waits; where nothing does, the run broke off before it.
	const stopped = has("failed", "unknown", "rejected", "denied") || inDoubt || (has("not-attempted") && !waits);
	const applying: readonly (readonly [applies: boolean, code: ExitCode])[] = [
		[report.interrupted, exitCodes.interrupted],
		[stopped && has("completed"), exitCodes.partlyApplied],
		[report.steps.some(({ keyNotAccepted }) => keyNotAccepted), exitCodes.notAuthorized],
		[has("rejected", "denied"), exitCodes.rejectedOrDenied],
		[report.steps.some(({ isStale }) => isStale === true), exitCodes.stalePlan],
		[stopped || (report.left ?? []).length > 0 || report.unverified !== null, exitCodes.error],
		[waits, exitCodes.pendingApproval],
	];
	return combineExitCodes(applying.flatMap(([applies, code]) => (applies ? [code] : [])));
}

/** Returns the result of each part of a step that was submitted part by part, or the step's own. */
function splitParts(result: StepResult): readonly StepResult[] {
	const { step, parts } = result;
	if (parts.length === 0) return [result];
	return parts.map(({ address, ...part }) => {
		const covers = step.covers.filter((one) => one.address === address);
		return { ...result, ...part, step: { ...step, covers }, policyEvaluations: [], parts: [] };
	});
}

/** Returns the result of the step that makes a change, by its address; of several, the first that did not complete. */
export function resultsByAddress(results: readonly StepResult[] | null): ReadonlyMap<string, StepResult> {
	const byAddress = new Map<string, StepResult>();
	for (const result of (results ?? []).flatMap(splitParts)) {
		for (const { address } of result.step.covers) {
			const earlier = byAddress.get(address);
			if (earlier === undefined || earlier.outcome === "completed") byAddress.set(address, result);
		}
	}
	return byAddress;
}
