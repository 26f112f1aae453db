/** Chooses which bytes to send for a request, from what the journal has. Pure. The reasons are in submit-once.ts. */

import { rejectedBefore } from "../../plan/activities/pending.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { endOfPrecision } from "../../wire/activity.ts";
import { bodyLifetimeMs, writes } from "../../wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../wire/request-body.ts";
import { isOpen, type JournalEntry, type NewJournalEntry } from "../journal/journal.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { createdIdsOf, expiredResult, type SubmitResult, withoutSubmit } from "./outcomes.ts";

/** Timestamps are rounded down to this, so that equal requests have the same bytes for a while. */
const quarterHourMs = 15 * 60 * 1000;

/** Bytes this close to the end of their lifetime are too old: they could expire on the way. */
export const lifetimeMarginMs = 60 * 1000;

/** Unverified, chosen: an activity's times and `Date` differ by less. It decides only about failures, which changed nothing. */
const serviceClocksMarginMs = 60 * 1000;

/** What to do about a request. */
export type Decision =
	/** Send nothing: the result is known. */
	| { readonly kind: "skip"; readonly result: SubmitResult }
	| { readonly kind: "resend"; readonly entry: JournalEntry }
	| {
			/** Send bytes for the first time from here. */
			readonly kind: "send";
			readonly entry: NewJournalEntry;
			/** Whether another runner may have sent the same bytes. */
			readonly isShared: boolean;
			/** Whether an equal request was rejected before. */
			readonly isRetry: boolean;
	  };

/**
 * Returns what to do about a request. `entries` are the journal's entries of equal requests, the latest written first. An
 * open entry always comes first, whatever the clocks say. `superseded` are the fingerprints of bytes whose activities ended
 * before the organization was read: the request needs other bytes.
 */
export function chooseRequest(
	entries: readonly JournalEntry[],
	request: ActivityRequest,
	context: SubmitContext,
	superseded: readonly string[] = [],
): Decision {
	const open = entries.find((entry) => isOpen(entry) && entry.activityId !== null) ?? entries.find(isOpen);
	if (open !== undefined) return resendOrSkip(open, context);
	const [latest] = entries;
	if (latest?.outcome === "rejected" && context.retryRejected !== true) {
		return { kind: "skip", result: withoutSubmit(latest, "rejected", rejectedBefore) };
	}
	const completed = entries.find(
		(entry) => !superseded.includes(entry.body.fingerprint) && completedSinceRead(entry, context),
	);
	const mayResend = (entry: JournalEntry): boolean =>
		request.needsResult === true && !superseded.includes(entry.body.fingerprint) && !isExpired(entry, context);
	if (completed !== undefined) {
		// Other bytes would create it twice; the same ones are answered with what was created.
		if (mayResend(completed)) return { kind: "resend", entry: completed };
		const message = "it completed while the organization was read";
		return { kind: "skip", result: withoutSubmit(completed, "completed", message) };
	}
	const nowMs = serviceNowMs(context);
	const shared = encode(request, startOfQuarter(nowMs));
	const same = entries.find(({ body }) => body.fingerprint === shared.fingerprint);
	if (same?.outcome === "completed" && mayResend(same)) return { kind: "resend", entry: same };
	// A runner without this journal sends these too: it does not know of bytes of an earlier quarter of an hour.
	const isFree = same === undefined || same.outcome === "not-attempted";
	const isShared = isFree && !superseded.includes(shared.fingerprint);
	const body = isShared ? shared : encodeDifferently(request, nowMs, entries, superseded);
	const entry = { body, covers: coveredAddresses([request]), nowMs: context.now() };
	return { kind: "send", entry, isShared, isRetry: latest?.outcome === "rejected" };
}

/** Returns the decision to send the same bytes again, or the result if the service does not accept them any more. */
export function resendOrSkip(entry: JournalEntry, context: SubmitContext): Decision {
	return isExpired(entry, context) ? { kind: "skip", result: expiredResult(entry) } : { kind: "resend", entry };
}

function isExpired({ body }: JournalEntry, context: SubmitContext): boolean {
	return serviceNowMs(context) - body.timestampMs >= bodyLifetimeMs - lifetimeMarginMs;
}

/**
 * Whether the result is an activity that ended before the organization was read and does not count for this run: it failed,
 * or its effect was reverted since. Then the request needs an activity of its own.
 *
 * That it was reverted is known from its object, which was changed after the activity ended: both times are of one clock,
 * while `Date` may be another machine's. If nothing shows that, a completed activity counts: an object that was changed in the
 * very second in which the activity ended may be as the activity left it. An activity of bytes that only this journal can have sent
 * always counts.
 */
export function isSuperseded(
	{ outcome, activity }: SubmitResult,
	decision: Decision,
	request: ActivityRequest,
	{ serverTimeMs = Number.NEGATIVE_INFINITY, liveIds }: SubmitContext,
): boolean {
	if (decision.kind === "skip" || (decision.kind === "send" && !decision.isShared)) return false;
	const endedAtMs = activity?.updatedAtMs ?? activity?.createdAtMs;
	if (endedAtMs === undefined) return false;
	if (outcome === "completed") {
		const { isUnobservable, objectChangedAtMs = Number.NEGATIVE_INFINITY } = request;
		// What it created was gone or renamed when the organization was read: otherwise nothing would be created.
		if (request.needsResult === true) {
			return endOfPrecision(endedAtMs) < serverTimeMs || createdIdsOf(activity).some((id) => liveIds?.has(id));
		}
		return isUnobservable !== true && objectChangedAtMs > endOfPrecision(endedAtMs);
	}
	return outcome === "failed" && endedAtMs + serviceClocksMarginMs < serverTimeMs;
}

/** Whether the entry completed after the organization was read, so that its effect may not have been seen. */
function completedSinceRead(entry: JournalEntry, { readPosition = Number.POSITIVE_INFINITY }: SubmitContext): boolean {
	return entry.outcome === "completed" && entry.settledPosition > readPosition;
}

function serviceNowMs({ now, clockOffsetMs = 0 }: SubmitContext): number {
	return now() + clockOffsetMs;
}

/**
 * Returns bytes that no entry has, for a new activity. If the last effect was reverted, their timestamp is the time of that
 * change, otherwise the first one of this quarter of an hour that is free: after an activity that failed, runners without a
 * common journal make the same bytes too.
 */
function encodeDifferently(
	request: ActivityRequest,
	nowMs: number,
	entries: readonly JournalEntry[],
	superseded: readonly string[],
): RequestBody {
	const taken = new Set([...superseded, ...entries.map(({ body }) => body.fingerprint)]);
	const { objectChangedAtMs: revertedAtMs = Number.NaN } = request;
	const isRecent = revertedAtMs <= nowMs && revertedAtMs > nowMs - quarterHourMs;
	let timestampMs = isRecent ? revertedAtMs : startOfQuarter(nowMs);
	let body = encode(request, timestampMs);
	while (taken.has(body.fingerprint)) body = encode(request, ++timestampMs);
	return body;
}

function startOfQuarter(timeMs: number): number {
	return timeMs - (timeMs % quarterHourMs);
}

function encode({ operation, organizationId, parameters }: ActivityRequest, timestampMs: number): RequestBody {
	return encodeSubmit(writes[operation], organizationId, parameters, timestampMs);
}
