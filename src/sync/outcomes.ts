/**
 * What an answer to a submit means for the step that wanted it. Pure.
 */
import type { Outcome, StepResult } from "../plan/report.ts";
import type { Activity } from "../wire/activity.ts";
import type { SubmitAnswer } from "../wire/client.ts";
import type { JournalEntry } from "./journal.ts";

/** What became of a wish. `activity` is there when the service answered with one. */
export interface SubmitResult extends Omit<StepResult, "step" | "tookMs" | "parts"> {
	readonly activity: Activity | null;
	/** Nothing can be sent at all: no connection, or the key is not accepted. Further wishes would meet the same. */
	readonly isFatal: boolean;
	/** Why the journal could not note the outcome; left out when it could. The bytes are open there still. */
	readonly journalError?: Error;
	/** Whether it was submitted although the same was rejected before; left out where it was not. */
	readonly isRetry?: true;
}

export type AnswerOutcome = Omit<SubmitResult, "fingerprint" | "requests">;

const nothing = {
	activity: null,
	activityId: null,
	refusedStatus: null,
	keyNotAccepted: false,
	policyEvaluations: [],
	isFatal: false,
} as const;

/** The outcome of an answer to bytes that were never sent before. */
export function outcomeOfAnswer(answer: SubmitAnswer): AnswerOutcome {
	switch (answer.kind) {
		case "activity":
			return outcomeOfActivity(answer.activity);
		case "refused":
			return {
				...nothing,
				outcome: answer.httpStatus === 401 || answer.httpStatus === 403 ? "denied" : "failed",
				message: answer.message,
				policyEvaluations: answer.policyEvaluations,
				refusedStatus: answer.httpStatus,
				keyNotAccepted: answer.keyNotAccepted,
				isFatal: answer.keyNotAccepted,
			};
		case "unknown": {
			const keyNotAccepted = answer.keyNotAccepted === true;
			return {
				...nothing,
				outcome: "unknown",
				message: `${answer.because}; only the same request may be sent again`,
				keyNotAccepted,
				isFatal: keyNotAccepted,
			};
		}
		case "not-sent":
			return { ...nothing, outcome: "not-attempted", message: answer.because, isFatal: true };
	}
}

/**
 * The outcome of an answer to bytes that were sent before. Only an activity tells what became of them; after anything else
 * they are what they were: pending when that was last heard of them, in doubt otherwise.
 */
export function outcomeOfResend(answer: SubmitAnswer, { outcome, activityId }: JournalEntry): AnswerOutcome {
	if (answer.kind === "activity") return outcomeOfActivity(answer.activity);
	const judged = outcomeOfAnswer(answer);
	const isPending = outcome === "awaiting-approval" || outcome === "awaiting-authenticator";
	const because = answer.kind === "refused" ? answer.message : answer.because;
	const message = isPending
		? `it was pending when it was last read, and asking again failed: ${because}`
		: `it was submitted before without an answer, and asking again failed: ${because}`;
	return { ...judged, outcome: isPending ? outcome : "unknown", activityId, message };
}

/** A Map, because a status can be any word, `constructor` too. */
const outcomes: ReadonlyMap<string, Outcome> = new Map([
	["ACTIVITY_STATUS_COMPLETED", "completed"],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", "awaiting-approval"],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", "awaiting-authenticator"],
	["ACTIVITY_STATUS_REJECTED", "rejected"],
	["ACTIVITY_STATUS_FAILED", "failed"],
	["ACTIVITY_STATUS_CREATED", "awaiting-approval"],
	["ACTIVITY_STATUS_PENDING", "awaiting-approval"],
]);

/** The outcome of an activity by its status; of one with a status that orgsync does not know, `unknown`. */
export function outcomeOfActivity(activity: Activity): AnswerOutcome {
	const outcome = outcomes.get(activity.status);
	if (outcome === undefined) {
		const message = `its status is \`${activity.status}\`, which orgsync does not know`;
		return { ...nothing, outcome: "unknown", activity, activityId: activity.id, message };
	}
	const messages: Readonly<Record<string, string>> = {
		ACTIVITY_STATUS_FAILED: activity.failure?.message ?? "the service says no more than that it failed",
		ACTIVITY_STATUS_CREATED: "the service has not begun with it yet",
		ACTIVITY_STATUS_PENDING: "the service is still working on it",
	};
	return { ...nothing, outcome, activity, activityId: activity.id, message: messages[activity.status] ?? null };
}

/** Whether the service is still working on the activity, so that asking again soon may show its end. */
export function isProcessing(answer: SubmitAnswer): boolean {
	return (
		answer.kind === "activity" &&
		(answer.activity.status === "ACTIVITY_STATUS_CREATED" || answer.activity.status === "ACTIVITY_STATUS_PENDING")
	);
}

/** An entry for which nothing was sent in this run. */
export function withoutSubmit({ activityId, body }: JournalEntry, outcome: Outcome, message: string): SubmitResult {
	return { ...nothing, outcome, message, activityId, fingerprint: body.fingerprint, requests: 0 };
}

/** An open entry whose bytes the service would not accept any more. */
export function expiredResult(entry: JournalEntry): SubmitResult {
	const { outcome, activityId, body } = entry;
	const isPending = outcome === "awaiting-approval" || outcome === "awaiting-authenticator";
	const said = isPending ? "it was pending when it was last read" : "it was submitted without an answer";
	const message = `${said}, and its request is too old to send again; once you know that it has ended, --abandon ${activityId ?? body.fingerprint} lets orgsync submit another`;
	return withoutSubmit(entry, isPending ? outcome : "unknown", message);
}
