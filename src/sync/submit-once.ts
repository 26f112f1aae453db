/**
 * One wish to one activity, never two: which bytes to send.
 *
 * The rules it keeps: the same wish in the same quarter of an hour has the same bytes, so that a rerun, a second runner or
 * a crash meets the service's own idempotency; the bytes are in the journal before they are sent; while the outcome of
 * bytes is open, the same bytes follow and no others.
 */

import { ConfigurationError, StorageError } from "../errors.ts";
import type { LastApplied } from "../plan/organization.ts";
import type { CoveredObject } from "../plan/step.ts";
import type { SubmitAnswer, Submitter } from "../wire/client.ts";
import { bodyLifetimeMs, type SubmitName, submits } from "../wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../wire/request-body.ts";
import {
	type AppliedObject,
	type ClaimDecision,
	isOpen,
	type Journal,
	type JournalEntry,
	type NewJournalEntry,
	requestDigestOf,
} from "./journal.ts";
import {
	expiredResult,
	isProcessing,
	outcomeOfAnswer,
	outcomeOfResend,
	type SubmitResult,
	withoutSubmit,
} from "./outcomes.ts";

/** When something was completed. */
export interface CompletionTime {
	/** By our clock, ISO 8601 in UTC. */
	readonly appliedAt: string;
	/** The activity's last update by the service's clock, milliseconds since 1970; left out when the service does not say. */
	readonly completedAtMs?: number;
}

/** What is to be submitted: an operation of the five and its parameters. */
export interface ActivityRequest {
	readonly organizationId: string;
	readonly operation: SubmitName;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** Addresses that it touches, for whoever reads the journal. */
	readonly covers: readonly CoveredObject[];
	/**
	 * When the object that it changes was last changed, as it was read: by the service's clock, milliseconds since 1970. Left
	 * out where that is not known, and for removals, which nothing undoes: what is made again has another id.
	 */
	readonly objectChangedAtMs?: number | undefined;
	/** What it does could not be seen when the organization was read: that it is wished again does not mean it was undone. */
	readonly isUnobservable?: boolean;
	/** Its answer is wanted, not its effect: within the quarter of an hour the activity that gave it gives it again. */
	readonly needsResult?: boolean;
	/** What its completion adds to what is remembered; written together with the outcome. */
	readonly appliedObjects?: (
		covers: readonly string[],
		memory: LastApplied,
		at: CompletionTime,
	) => readonly AppliedObject[];
}

export interface SubmitContext {
	readonly submitter: Submitter;
	readonly journal: Pick<Journal, "claim" | "recordOutcome" | "entry">;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	/** How long an activity that is created or pending is asked for again, in milliseconds. */
	readonly waitMs: number;
	/** A time by the service's clock before which the organization was not yet read; see ReadResult in read.ts. */
	readonly serverTimeMs: number | undefined;
	/** Milliseconds to add to `now` to get the service's clock; 0 when left out. */
	readonly clockOffsetMs?: number;
	/**
	 * The journal's position before the organization was read: what was settled after it the reading may not have shown. Left
	 * out where nothing was read.
	 */
	readonly readPosition?: number | undefined;
	/** What `settle` heard a moment ago, by fingerprint: it is not asked for again. */
	readonly settled?: ReadonlyMap<string, SubmitResult>;
	/** Digest of the saved plan that is applied: the journal notes it with each request that is sent for it. */
	readonly planDigest?: string;
	/** Send again what was rejected before. */
	readonly retryRejected?: boolean;
}

/** Times are rounded down to this, so that the same wish has the same bytes for a while. */
const quarterHourMs = 15 * 60 * 1000;

/** Bytes this close to the end of their lifetime are too old: they could expire on the way. */
const lifetimeMarginMs = 60 * 1000;

/**
 * Unverified, chosen: by so much an activity's own times and the `Date` of the service's answers may differ; they may come
 * from different machines. Only the end of a failed activity is judged by it, which has done nothing.
 */
const serviceClocksMarginMs = 60 * 1000;

/** What is to be sent, or what is known without sending. */
type Decision =
	| { readonly known: SubmitResult }
	/** `again`: the entry of these bytes, which were sent before. */
	| { readonly body: RequestBody; readonly again: JournalEntry }
	/** `isShared`: another runner may have sent the same bytes. `isRetry`: the same was rejected before. */
	| {
			readonly body: RequestBody;
			readonly put: NewJournalEntry;
			readonly isShared: boolean;
			readonly isRetry: boolean;
	  };

/**
 * Submits a wish unless an earlier activity already stands for it, and says what became of it. `joined` is an open entry
 * that the plan took for the wish: its bytes are asked first. Never throws for an answer; throws StorageError when the
 * journal cannot take the bytes, and then nothing was sent.
 */
export async function submitOnce(
	wish: ActivityRequest,
	context: SubmitContext,
	joined?: JournalEntry,
): Promise<SubmitResult> {
	const key = requestDigestOf(wish.organizationId, wish.operation, wish.parameters);
	const first =
		joined === undefined
			? await context.journal.claim(key, (entries) => withPlan(decide(entries, wish, context), context))
			: resend(joined, context);
	const sent = await carryOut(first, wish, context);
	if (!isOver(sent, first, wish, context)) return sent;
	const over = sent.fingerprint ?? "";
	const again = await context.journal.claim(key, (entries) => withPlan(decide(entries, wish, context, over), context));
	const fresh = await carryOut(again, wish, context);
	const retry = sent.isRetry === true ? { isRetry: true as const } : {};
	return { ...fresh, ...retry, requests: fresh.requests + sent.requests };
}

function withPlan<D extends ClaimDecision>(decision: D, { planDigest }: SubmitContext): D {
	return planDigest === undefined ? decision : { ...decision, plan: planDigest };
}

/**
 * What to do about a wish, given the entries of the same wish, the latest written first. What is open is never bypassed,
 * whatever the clocks say of when it was made. `over`: bytes whose activity had ended before the organization was read.
 */
function decide(
	entries: readonly JournalEntry[],
	wish: ActivityRequest,
	context: SubmitContext,
	over?: string,
): Decision & ClaimDecision {
	const open = entries.find((entry) => isOpen(entry) && entry.activityId !== null) ?? entries.find(isOpen);
	if (open !== undefined) return resend(open, context);
	const [latest] = entries;
	if (latest?.outcome === "rejected" && context.retryRejected !== true) {
		const message = "it was rejected before, so it was not submitted again; --retry-rejected submits it";
		return { known: withoutSubmit(latest, "rejected", message) };
	}
	const { readPosition } = context;
	const meanwhile = entries.find(
		({ outcome, settledPosition, body }) =>
			outcome === "completed" &&
			body.fingerprint !== over &&
			readPosition !== undefined &&
			(settledPosition ?? 0) > readPosition,
	);
	if (meanwhile !== undefined && wish.needsResult !== true) {
		return { known: withoutSubmit(meanwhile, "completed", "it completed while the organization was read") };
	}
	const nowMs = serviceNowMs(context);
	const shared = encode(wish, nowMs - (nowMs % quarterHourMs));
	const before = entries.find(({ body }) => body.fingerprint === shared.fingerprint);
	if (before?.outcome === "completed" && wish.needsResult === true) return { body: shared, again: before };
	const isShared = over === undefined && (before === undefined || before.outcome === "not-attempted");
	const body = isShared ? shared : encodeFresh(wish, nowMs, entries, over);
	return {
		body,
		put: { body, covers: addressesOf(wish), nowMs: context.now() },
		isShared,
		isRetry: latest?.outcome === "rejected",
	};
}

/** The same bytes again, as long as the service accepts them. */
function resend(entry: JournalEntry, context: SubmitContext): Decision {
	return isWithinLifetime(entry, serviceNowMs(context))
		? { body: entry.body, again: entry }
		: { known: expiredResult(entry) };
}

/** The service's clock, as far as it is known. */
function serviceNowMs({ now, clockOffsetMs = 0 }: SubmitContext): number {
	return now() + clockOffsetMs;
}

/** Whether the service would still accept these bytes (docs/service.md#time-window). */
function isWithinLifetime({ body }: Pick<JournalEntry, "body">, serverTimeMs: number): boolean {
	return serverTimeMs - body.timestampMs < bodyLifetimeMs - lifetimeMarginMs;
}

/**
 * Bytes that no entry has: another activity, because the one that the earlier bytes made has ended. Where that was undone
 * their time is that of the change which undid it, so that runners without a common journal make the same bytes again.
 */
function encodeFresh(
	wish: ActivityRequest,
	nowMs: number,
	entries: readonly JournalEntry[],
	over: string | undefined,
): RequestBody {
	const taken = new Set(entries.map(({ body }) => body.fingerprint));
	if (over !== undefined) taken.add(over);
	const undoneAtMs = wish.objectChangedAtMs ?? nowMs;
	const isRecent = undoneAtMs <= nowMs && undoneAtMs > nowMs - quarterHourMs;
	let timestampMs = isRecent ? undoneAtMs : nowMs;
	let body = encode(wish, timestampMs);
	while (taken.has(body.fingerprint)) body = encode(wish, ++timestampMs);
	return body;
}

function encode(wish: ActivityRequest, timestampMs: number): RequestBody {
	return encodeSubmit(submits[wish.operation], wish.organizationId, wish.parameters, timestampMs);
}

async function carryOut(decision: Decision, wish: ActivityRequest, context: SubmitContext): Promise<SubmitResult> {
	if ("known" in decision) return decision.known;
	const { body } = decision;
	const earlier = "again" in decision ? decision.again : undefined;
	const heard = earlier === undefined ? undefined : context.settled?.get(body.fingerprint);
	if (heard !== undefined) return heard;
	const { answer, requests } = await submitUntilDone(body, context);
	if (earlier !== undefined && answer.kind !== "activity") {
		return { ...outcomeOfResend(answer, earlier), fingerprint: body.fingerprint, requests };
	}
	const retry = "put" in decision && decision.isRetry && answer.kind !== "not-sent" ? { isRetry: true as const } : {};
	const sent: SubmitResult = { ...outcomeOfAnswer(answer), fingerprint: body.fingerprint, requests, ...retry };
	const isDone = sent.outcome === "completed" && !isOver(sent, decision, wish, context);
	return recordResult(sent, addressesOf(wish), isDone ? wish.appliedObjects : undefined, context);
}

/** Submits, and submits the same bytes again while the service works on their activity and there is time to wait. */
async function submitUntilDone(body: RequestBody, context: SubmitContext) {
	const untilMs = context.now() + context.waitMs;
	let answer = await submit(body, context);
	let requests = answer.requests;
	for (let pauseMs = 100; isProcessing(answer) && context.now() < untilMs; pauseMs = Math.min(pauseMs * 2, 2000)) {
		await context.sleep(Math.min(pauseMs, Math.max(0, untilMs - context.now())));
		const next = await submit(body, context);
		requests += next.requests;
		// The activity is there, whatever becomes of the question how it is.
		if (next.kind !== "activity") break;
		answer = next;
	}
	return { answer, requests };
}

/** The answer; a body that could not be stamped was not sent, and the next could not be stamped either. */
async function submit(body: RequestBody, context: SubmitContext): Promise<SubmitAnswer> {
	try {
		return await context.submitter.submit(body);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		return { kind: "not-sent", because: error.message, hint: error.hint, requests: 0 };
	}
}

/**
 * Notes the outcome, and with it what is remembered. A journal that cannot be written any more does not change what the
 * service did: the outcome is reported, and the bytes stay open.
 */
export function recordResult(
	sent: SubmitResult,
	covers: readonly string[],
	remember: ActivityRequest["appliedObjects"],
	{ journal, now }: { readonly journal: Pick<Journal, "recordOutcome">; readonly now: () => number },
): SubmitResult {
	const nowMs = now();
	const completedAtMs = sent.activity?.updatedAtMs;
	const at = {
		appliedAt: new Date(nowMs).toISOString(),
		...(completedAtMs === undefined ? {} : { completedAtMs }),
	};
	try {
		const applied = remember === undefined ? undefined : (memory: LastApplied) => remember(covers, memory, at);
		const isNoted = journal.recordOutcome(sent.fingerprint ?? "", sent.outcome, sent.activityId, nowMs, applied);
		if (isNoted || sent.activityId !== null || sent.outcome === "unknown") return sent;
		const message = `${sent.message ?? sent.outcome}; another process has sent the same request, so what became of it is not known`;
		return { ...sent, outcome: "unknown", message };
	} catch (error) {
		if (!(error instanceof StorageError)) throw error;
		return { ...sent, journalError: error };
	}
}

/**
 * Whether the answer is an activity that had ended before the organization was read, and no answer to this run: it failed,
 * or what it did has been undone since. Then the wish needs an activity of its own. That it was undone is shown by its
 * object, which was changed after its end: both times are of one clock, while `Date` may be another machine's. Where
 * nothing shows that, a completed activity fulfils the wish; bytes that nobody else can have sent before always do.
 */
function isOver(sent: SubmitResult, decision: Decision, wish: ActivityRequest, context: SubmitContext): boolean {
	if ("known" in decision || ("put" in decision && !decision.isShared)) return false;
	const endedAtMs = sent.activity?.updatedAtMs ?? sent.activity?.createdAtMs;
	if (endedAtMs === undefined) return false;
	if (sent.outcome === "completed") {
		return wish.isUnobservable !== true && wish.objectChangedAtMs !== undefined && wish.objectChangedAtMs > endedAtMs;
	}
	const { serverTimeMs } = context;
	return sent.outcome === "failed" && serverTimeMs !== undefined && endedAtMs + serviceClocksMarginMs < serverTimeMs;
}

function addressesOf({ covers }: ActivityRequest): readonly string[] {
	return covers.map(({ address }) => address);
}
