/**
 * Submits a request so that it becomes exactly one activity. docs/exactly-once.md has the whole; what the code here keeps:
 *
 * - The bytes are on disk before they are sent. While their outcome is open, an equal request sends the same bytes and no
 *   others. Deciding and writing is one transaction, so two processes cannot decide at once.
 * - After a lost answer only an activity with the same fingerprint ends the doubt: an error can come from a gateway, or be
 *   about the second attempt. Bytes that are too old to send again leave the request in doubt.
 * - An equal request gets a second activity for two reasons only. Its activity failed or was rejected, and the operator
 *   asks for it again. Or its effect was reverted: then the new bytes carry the time of that change.
 */
import { defined, nonEmpty } from "../../common/defined.ts";
import { ConfigurationError, InterruptedError, OrgsyncError, PasskeyError, StorageError } from "../../common/errors.ts";
import { say } from "../../common/said.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { endOfPrecision } from "../../wire/activity.ts";
import type { SubmitAnswer } from "../../wire/client.ts";
import type { RequestBody } from "../../wire/request-body.ts";
import { type FindLastAppliedTag, type Journal, type JournalEntry, requestDigestOf } from "../journal/journal.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { chooseRequest, type Decision, isSuperseded, resendOrSkip } from "./choose-request.ts";
import { createdIdsOf, isProcessing, outcomeOfAnswer, outcomeOfResend, type SubmitResult } from "./outcomes.ts";

/**
 * Submits a request unless an earlier activity does the same, and returns what became of it. `joined` is an open entry that
 * the plan found for it: its bytes are sent first. Errors of the service are results; throws StorageError if the journal
 * cannot record the bytes, and then nothing was submitted.
 */
export async function submitOnce(
	request: ActivityRequest,
	context: SubmitContext,
	joined?: JournalEntry,
): Promise<SubmitResult> {
	let decision = joined === undefined ? await claim(request, context, []) : resendOrSkip(joined, context);
	let result = await carryOut(decision, request, context);
	const superseded: string[] = [];
	while (isSuperseded(result, decision, request, context) && superseded.length < maxSuperseded) {
		superseded.push(result.fingerprint ?? "");
		decision = await claim(request, context, superseded);
		const fresh = await carryOut(decision, request, context);
		result = { ...fresh, isRetry: fresh.isRetry || result.isRetry, requests: fresh.requests + result.requests };
	}
	return result;
}

/** Bytes of the journal, those of this quarter of an hour, and those of the time at which the effect was reverted. */
const maxSuperseded = 3;

/** Decides which bytes to send. They are on disk when this returns. */
function claim(request: ActivityRequest, context: SubmitContext, superseded: readonly string[]): Promise<Decision> {
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
	if (settled !== undefined) return { ...settled, isEarlier: true };
	const { answer, requests, isOlder } = await submitAndPoll(body, context);
	const isEarlier = decision.kind === "resend" || isOlder;
	if (decision.kind === "resend" && answer.kind !== "activity") {
		return { ...outcomeOfResend(answer, decision.entry), fingerprint, requests };
	}
	const isRetry = decision.kind === "send" && decision.isRetry && answer.kind !== "not-sent";
	const result = { ...outcomeOfAnswer(answer), fingerprint, requests, isRetry, isEarlier };
	const isApplied = result.outcome === "completed" && !isSuperseded(result, decision, request, context);
	return recordResult(result, coveredAddresses([request]), isApplied ? request.appliedObjects : undefined, context);
}

/**
 * Submits, and submits the same bytes again while the service is processing their activity and there is time to wait. `isOlder`:
 * the activity can be older than the request that was answered.
 */
async function submitAndPoll(body: RequestBody, context: SubmitContext) {
	const startedAtMs = context.now();
	const untilMs = startedAtMs + context.waitMs;
	const submit = () => sendStamped(() => context.submitter.submit(body));
	let answer = await submit();
	let requests = answer.requests;
	const isOlder = requests > 1 || ageOf(answer) > context.now() - startedAtMs;
	const isOver = (): boolean => context.signal?.aborted === true || context.now() >= untilMs;
	const isOpen = () => answer.kind === "activity" && isProcessing(answer.activity) && !isOver();
	for (let pauseMs = 100; isOpen(); pauseMs = Math.min(pauseMs * 2, 2000)) {
		await context.sleep(Math.min(pauseMs, Math.max(0, untilMs - context.now())), context.signal);
		const next = await submit();
		requests += next.requests;
		// The activity exists, whatever becomes of the question about it.
		if (next.kind !== "activity") break;
		answer = next;
	}
	return { answer, requests, isOlder };
}

/** Returns for how long an activity was there by the service's clock, at least, in milliseconds; 0 where that is not known. */
function ageOf(answer: SubmitAnswer): number {
	if (answer.kind !== "activity") return 0;
	const {
		serverTimeMs,
		activity: { createdAtMs },
	} = answer;
	return serverTimeMs === undefined || createdAtMs === undefined ? 0 : serverTimeMs - endOfPrecision(createdAtMs);
}

/** Sends. A body that cannot be stamped is not sent, and no other could be stamped either. */
export async function sendStamped(send: () => Promise<SubmitAnswer>): Promise<SubmitAnswer> {
	try {
		return await send();
	} catch (error) {
		const isUnstamped = [ConfigurationError, PasskeyError, InterruptedError].some((one) => error instanceof one);
		if (!(isUnstamped && error instanceof OrgsyncError)) throw error;
		return { kind: "not-sent", because: error.message, hint: error.advice, requests: 0 };
	}
}

/** Records the outcome with what was applied. A journal that fails changes neither: the result has a `journalError`. */
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
		...defined({ completedAtMs, createdIds: nonEmpty(createdIdsOf(result.activity)) }),
	};
	const { fingerprint, outcome, activityId } = result;
	try {
		const applied = appliedObjects && ((findTag: FindLastAppliedTag) => appliedObjects(covers, findTag, at));
		const isRecorded = journal.recordOutcome(fingerprint ?? "", outcome, activityId, nowMs, applied);
		if (isRecorded || activityId !== null || outcome === "unknown") return result;
		const message = say`${result.message ?? outcome}; another process has sent the same request, so what became of it is unknown`;
		return { ...result, outcome: "unknown", message };
	} catch (error) {
		if (!(error instanceof StorageError)) throw error;
		return { ...result, journalError: error };
	}
}
