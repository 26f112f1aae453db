/** What an answer to a submit means for the request. Pure. */
import type { StorageError } from "../../common/errors.ts";
import { clipMiddle, quoteForShell } from "../../common/escape.ts";
import { flag, type Said, say } from "../../common/said.ts";
import type { Outcome, StepResult } from "../../plan/report.ts";
import type { Activity } from "../../wire/activity.ts";
import type { SubmitAnswer } from "../../wire/client.ts";
import { writes } from "../../wire/operations.ts";
import type { JournalEntry } from "../journal/journal.ts";

/** Max characters of an unknown status that a message repeats. */
const maxStatusLength = 100;

/** What became of a request. */
export interface SubmitResult extends Omit<StepResult, "step" | "tookMs" | "parts" | "forecast" | "events"> {
	/** Null if the service did not answer with one. */
	readonly activity: Activity | null;
	/** Whether every further request would fail too: there is no connection, or the key is not accepted. */
	readonly isFatal: boolean;
	/** Why the journal could not record the outcome, null if it could. If not, its entry is still open. */
	readonly journalError: StorageError | null;
	/** Whether it was submitted although an equal request was rejected before. */
	readonly isRetry: boolean;
	/** Whether the activity was there before this request, so that others can have changed what it made. */
	readonly isEarlier?: boolean;
	/** Set where the object is not what the saved plan saw, so that nothing was submitted. */
	readonly isStale?: true;
}

type AnswerOutcome = Omit<SubmitResult, "fingerprint" | "requests">;

const defaults = {
	activity: null,
	activityId: null,
	refusedStatus: null,
	keyNotAccepted: false,
	policyEvaluations: [],
	isFatal: false,
	journalError: null,
	isRetry: false,
} as const;

/** Returns the outcome of an answer to bytes that were sent for the first time. */
export function outcomeOfAnswer(answer: SubmitAnswer): AnswerOutcome {
	switch (answer.kind) {
		case "activity":
			return outcomeOfActivity(answer.activity);
		case "refused":
			return {
				...defaults,
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
				...defaults,
				outcome: "unknown",
				message: `${answer.because}; only the same request may be sent again`,
				keyNotAccepted,
				isFatal: keyNotAccepted,
			};
		}
		case "not-sent":
			return { ...defaults, outcome: "not-attempted", message: answer.because, isFatal: true };
	}
}

/** The outcome of an answer to bytes sent before. Only an activity shows it: otherwise it stays pending, or in doubt. */
export function outcomeOfResend(
	answer: SubmitAnswer,
	{ outcome, activityId }: Pick<JournalEntry, "outcome" | "activityId">,
): AnswerOutcome {
	if (answer.kind === "activity") return outcomeOfActivity(answer.activity);
	const because = answer.kind === "refused" ? answer.message : answer.because;
	const isPending = isPendingOutcome(outcome);
	const before = isPending ? "pending when it was last read" : "submitted before and is in doubt";
	const message = `it was ${before}, and asking again failed: ${because}`;
	return { ...outcomeOfAnswer(answer), outcome: isPending ? outcome : "unknown", activityId, message };
}

type PendingOutcome = "awaiting-approval" | "awaiting-authenticator";

export function isPendingOutcome(outcome: JournalEntry["outcome"]): outcome is PendingOutcome {
	return outcome === "awaiting-approval" || outcome === "awaiting-authenticator";
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

/** Returns the outcome that a status means: `unknown` for a status that orgsync does not know. */
export function outcomeOfStatus(status: string): Outcome {
	return outcomes.get(status) ?? "unknown";
}

export function outcomeOfActivity(activity: Activity): AnswerOutcome {
	const outcome = outcomes.get(activity.status);
	if (outcome === undefined) {
		const message = `its status is \`${clipMiddle(activity.status, maxStatusLength)}\`, which orgsync does not know`;
		return { ...defaults, outcome: "unknown", activity, activityId: activity.id, message };
	}
	const messages: Readonly<Record<string, string>> = {
		ACTIVITY_STATUS_FAILED: activity.failure?.message ?? "the service gives no reason",
		ACTIVITY_STATUS_CREATED: "the service has not started to process it",
		ACTIVITY_STATUS_PENDING: "the service is still processing it",
	};
	return { ...defaults, outcome, activity, activityId: activity.id, message: messages[activity.status] ?? null };
}

/** Returns the ids of what an activity created, in lower case and in the order of its request; none before it completed. */
export function createdIdsOf(activity: SubmitResult["activity"]): readonly string[] {
	const { policyIds, userTagId } = activity?.result ?? {};
	const ids = activity?.type === writes.create_user_tag.type ? [userTagId] : policyIds;
	return Array.isArray(ids) ? ids.map((id) => String(id).toLowerCase()) : [];
}

/** Whether the service is still processing the activity, so that asking again soon may show how it ended. */
export function isProcessing({ status }: { readonly status: string }): boolean {
	return status === "ACTIVITY_STATUS_CREATED" || status === "ACTIVITY_STATUS_PENDING";
}

export function notAttempted(message: Said): SubmitResult {
	return { ...defaults, outcome: "not-attempted", message, fingerprint: null, requests: 0 };
}

/** Returns the result of an entry for which nothing was submitted in this run. */
export function withoutSubmit({ activityId, body }: JournalEntry, outcome: Outcome, message: Said): SubmitResult {
	return { ...defaults, outcome, message, activityId, fingerprint: body.fingerprint, requests: 0 };
}

/** Returns the result of an open entry whose bytes the service does not accept any more. */
export function expiredResult(entry: JournalEntry): SubmitResult {
	const { outcome, activityId, body } = entry;
	const isPending = isPendingOutcome(outcome);
	const said = isPending ? "it was pending when it was last read" : "it is in doubt";
	const abandon = flag("abandon", quoteForShell(activityId ?? body.fingerprint));
	const message = say`${said}, and its request is too old to send again; once you know that it has ended, ${abandon} lets orgsync submit another`;
	return withoutSubmit(entry, isPending ? outcome : "unknown", message);
}
