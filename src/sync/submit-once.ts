/**
 * Submits a request so that it becomes exactly one activity.
 *
 * A duplicate activity is expensive. People approve it again, and when it completes it can revert what others did since.
 * Yet requests and answers get lost, processes are killed, two runners start at once, and clocks are wrong. Three
 * safeguards hold against that (docs/exactly-once.md):
 *
 * 1. The plan. What live state shows is not planned. What the service lists as pending is joined.
 * 2. The journal. The bytes are on disk before they are sent. While their outcome is open, an equal request sends the same
 *    bytes and no others. Deciding and writing is one transaction, so two processes cannot decide at once.
 * 3. The service. It returns the existing activity for bytes that it has seen
 *    (docs/service.md#fingerprint-and-idempotency). The timestamp of a request is rounded down to a quarter of an hour.
 *    Equal requests in that time have the same bytes, also from another machine without this journal.
 *
 * After a lost answer a request is in doubt. Only an activity with the same fingerprint ends the doubt: an error can come
 * from a gateway, or be about the second attempt. Bytes older than an hour are not accepted. If their outcome is not known
 * by then, and no list of activities shows that they never arrived, orgsync sends nothing and asks the operator.
 *
 * There are two reasons for a second activity of an equal request. Its activity failed or was rejected, and the operator
 * asks for it again. Or its effect was reverted: then the new bytes carry the time of that change.
 */
import { ConfigurationError, StorageError } from "../errors.ts";
import type { LastApplied } from "../plan/organization.ts";
import { coveredAddresses } from "../plan/step.ts";
import type { SubmitAnswer } from "../wire/client.ts";
import type { RequestBody } from "../wire/request-body.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { chooseRequest, type Decision, isSuperseded, resendOrSkip } from "./choose-request.ts";
import { type Journal, type JournalEntry, requestDigestOf } from "./journal.ts";
import { isProcessing, outcomeOfAnswer, outcomeOfResend, type SubmitResult } from "./outcomes.ts";

/**
 * Submits a request unless an earlier activity does the same, and returns what became of it. `joined` is an open entry that
 * the plan found for it: its bytes are sent first. Errors of the service are results; throws StorageError if the journal
 * cannot record the bytes, and then nothing was sent.
 */
export async function submitOnce(
	request: ActivityRequest,
	context: SubmitContext,
	joined?: JournalEntry,
): Promise<SubmitResult> {
	const first = joined === undefined ? await claim(request, context) : resendOrSkip(joined, context);
	const result = await carryOut(first, request, context);
	if (!isSuperseded(result, first, request, context)) return result;
	const fresh = await carryOut(await claim(request, context, result.fingerprint ?? ""), request, context);
	const isRetry = fresh.isRetry || result.isRetry;
	return { ...fresh, isRetry, requests: fresh.requests + result.requests };
}

/** Decides which bytes to send. They are on disk when this returns. */
function claim(request: ActivityRequest, context: SubmitContext, superseded?: string): Promise<Decision> {
	const digest = requestDigestOf(request.organizationId, request.operation, request.parameters);
	const choose = (entries: readonly JournalEntry[]) => chooseRequest(entries, request, context, superseded);
	return context.journal.claim(digest, choose, context.planDigest);
}

/** Sends what was decided and records the outcome. */
async function carryOut(decision: Decision, request: ActivityRequest, context: SubmitContext): Promise<SubmitResult> {
	if (decision.kind === "skip") return decision.result;
	const { body } = decision.entry;
	const { fingerprint } = body;
	const settled = decision.kind === "resend" ? context.settled?.get(fingerprint) : undefined;
	if (settled !== undefined) return settled;
	const { answer, requests } = await submitAndPoll(body, context);
	if (decision.kind === "resend" && answer.kind !== "activity") {
		return { ...outcomeOfResend(answer, decision.entry), fingerprint, requests };
	}
	const isRetry = decision.kind === "send" && decision.isRetry && answer.kind !== "not-sent";
	const result = { ...outcomeOfAnswer(answer), fingerprint, requests, isRetry };
	const isApplied = result.outcome === "completed" && !isSuperseded(result, decision, request, context);
	return recordResult(result, coveredAddresses([request]), isApplied ? request.appliedObjects : undefined, context);
}

/** Submits, and submits the same bytes again while the service is processing their activity and there is time to wait. */
async function submitAndPoll(body: RequestBody, context: SubmitContext) {
	const untilMs = context.now() + context.waitMs;
	let answer = await submit(body, context);
	let requests = answer.requests;
	for (let pauseMs = 100; isProcessing(answer) && context.now() < untilMs; pauseMs = Math.min(pauseMs * 2, 2000)) {
		await context.sleep(Math.min(pauseMs, Math.max(0, untilMs - context.now())));
		const next = await submit(body, context);
		requests += next.requests;
		// The activity exists, whatever becomes of the question about it.
		if (next.kind !== "activity") break;
		answer = next;
	}
	return { answer, requests };
}

/** Submits. A body that cannot be stamped is not sent, and no other could be stamped either. */
async function submit(body: RequestBody, { submitter }: SubmitContext): Promise<SubmitAnswer> {
	try {
		return await submitter.submit(body);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		return { kind: "not-sent", because: error.message, hint: error.hint, requests: 0 };
	}
}

/**
 * Records the outcome, and in the same transaction what was applied. A journal that cannot be written does not change what
 * the service did: the result keeps its outcome with a `journalError`, and the entry stays open.
 */
export function recordResult(
	result: SubmitResult,
	covers: readonly string[],
	appliedObjects: ActivityRequest["appliedObjects"],
	{ journal, now }: { readonly journal: Pick<Journal, "recordOutcome">; readonly now: () => number },
): SubmitResult {
	const nowMs = now();
	const completedAtMs = result.activity?.updatedAtMs;
	const at = {
		appliedAt: new Date(nowMs).toISOString(),
		...(completedAtMs === undefined ? {} : { completedAtMs }),
	};
	const { fingerprint, outcome, activityId } = result;
	try {
		const applied = appliedObjects && ((lastApplied: LastApplied) => appliedObjects(covers, lastApplied, at));
		const isRecorded = journal.recordOutcome(fingerprint ?? "", outcome, activityId, nowMs, applied);
		if (isRecorded || activityId !== null || outcome === "unknown") return result;
		const message = `${result.message ?? outcome}; another process has sent the same request, so what became of it is not known`;
		return { ...result, outcome: "unknown", message };
	} catch (error) {
		if (!(error instanceof StorageError)) throw error;
		return { ...result, journalError: error };
	}
}
