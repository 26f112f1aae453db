/**
 * One wish to one activity, never two: which bytes to send, and what the answer means.
 *
 * The rules it keeps (product.md section 4, "Never twice"): the same wish in the same quarter of an hour has the same
 * bytes, so that a rerun, a second runner or a crash meets the service's own idempotency; the bytes are in the journal
 * before they are sent; what is open is settled by the same bytes and by nothing else.
 */

import { ConfigurationError } from "../errors.ts";
import type { Outcome, StepResult } from "../plan/report.ts";
import type { Activity } from "../wire/activity.ts";
import { type Body, encodeSubmit } from "../wire/body.ts";
import type { SubmitAnswer, Submitter } from "../wire/client.ts";
import { bodyLifetimeMs, type SubmitName, submits } from "../wire/operations.ts";
import { type Journal, type JournalEntry, wishOf } from "./journal.ts";

/** What is to be submitted: an operation of the five and its parameters. */
export interface Wish {
	readonly organizationId: string;
	readonly operation: SubmitName;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** Addresses that it touches, for whoever reads the journal. */
	readonly covers: readonly string[];
	/** What it does could not be seen when the organization was read: that it is wished again does not mean it was undone. */
	readonly unseen?: boolean;
	/** Its answer is wanted, not its effect: within the quarter of an hour the activity that gave it gives it again. */
	readonly answerOnly?: boolean;
}

export interface SendContext {
	readonly submitter: Submitter;
	readonly journal: Journal;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	/** How long an activity that is created or pending is asked for again, in milliseconds. */
	readonly waitMs: number;
	/** A time by the service's clock before which the organization was not yet read; see ReadResult in read.ts. */
	readonly serverTimeMs: number | undefined;
	/** What `settle` heard a moment ago, by fingerprint: it is not asked for again. */
	readonly settled?: ReadonlyMap<string, Sent>;
	/** Send again what was rejected before. */
	readonly retryRejected?: boolean;
}

/** What became of a wish. `activity` is there when the service answered with one. */
export interface Sent extends Omit<StepResult, "step" | "tookMs"> {
	readonly activity: Activity | null;
	/** Nothing can be sent at all: no connection, or the key is not accepted. Further wishes would meet the same. */
	readonly hopeless: boolean;
}

/** Times are rounded down to this, so that the same wish has the same bytes for a while. */
const quarterHourMs = 15 * 60 * 1000;

/** Bytes this close to the end of their lifetime are too old: they could expire on the way. */
const lifetimeMarginMs = 60 * 1000;

/** From this age on, by our clock, a refusal may only mean that the bytes are stale by the service's. */
const doubtfulAgeMs = 45 * 60 * 1000;

/** Submits a wish unless an earlier activity already stands for it, and says what became of it. Never throws for an answer. */
export async function sendWish(wish: Wish, context: SendContext): Promise<Sent> {
	const key = wishOf(wish.organizationId, wish.operation, wish.parameters);
	const earlier = context.journal.latest(key);
	if (earlier?.outcome === "rejected" && context.retryRejected !== true) {
		return notSent(earlier, "rejected", "it was rejected before, so it was not sent again");
	}
	if (earlier !== undefined && isOpen(earlier)) {
		if (!isFresh(earlier.body, context.now())) return tooOld(earlier);
		const sent = context.settled?.get(earlier.body.fingerprint) ?? (await sendBody(earlier.body, context, earlier));
		return isOverForWish(sent, wish, context) ? sendFresh(wish, key, context, sent.requests) : sent;
	}
	const nowMs = context.now();
	const body = encode(wish, nowMs - (nowMs % quarterHourMs));
	const known = context.journal.entry(body.fingerprint);
	const again = known?.outcome === "not-attempted" || (wish.answerOnly === true && known?.outcome === "completed");
	if (known !== undefined && !again) return sendFresh(wish, key, context, 0);
	const sent = await sendNew(body, key, wish, context);
	return isOverForWish(sent, wish, context) ? sendFresh(wish, key, context, sent.requests) : sent;
}

/**
 * Notes what became of an activity that the journal holds open, as it was read. It was not sent again, so it cost no
 * submit.
 */
export function noteActivity(
	entry: JournalEntry,
	activity: Activity,
	context: Pick<SendContext, "journal" | "now">,
): Sent {
	const sent: Sent = { ...judgeActivity(activity), fingerprint: entry.body.fingerprint, requests: 0 };
	context.journal.settled(entry.body.fingerprint, sent.outcome, sent.activityId, context.now());
	return sent;
}

/** Whether the service would still accept the bytes of this entry. */
export function canSendAgain(entry: JournalEntry, nowMs: number): boolean {
	return isFresh(entry.body, nowMs);
}

/**
 * Asks what became of an activity that the journal holds open, by the same bytes. Undefined when they are too old, and
 * when it is not known that there is an activity: then these bytes could make one, which nobody may want any more.
 */
export async function settleEntry(entry: JournalEntry, context: SendContext): Promise<Sent | undefined> {
	if (entry.activityId === null || !isFresh(entry.body, context.now())) return undefined;
	return sendBody(entry.body, context, entry);
}

/** The wish with the present time: another activity, because the one that the earlier bytes made has ended. */
async function sendFresh(wish: Wish, key: string, context: SendContext, requestsBefore: number): Promise<Sent> {
	let timestampMs = context.now();
	let body = encode(wish, timestampMs);
	while (context.journal.entry(body.fingerprint) !== undefined) body = encode(wish, ++timestampMs);
	const sent = await sendNew(body, key, wish, context);
	return { ...sent, requests: sent.requests + requestsBefore };
}

/**
 * Puts bytes into the journal and sends them. Another process that shares the journal may have put down the same a moment
 * before: then an answer that says nothing of the bytes must not close what may be in flight there.
 */
async function sendNew(body: Body, key: string, wish: Wish, context: SendContext): Promise<Sent> {
	const isFirst = await context.journal.sending(body, key, wish.covers, context.now());
	const other = isFirst ? undefined : context.journal.entry(body.fingerprint);
	return sendBody(body, context, other !== undefined && isOpen(other) ? other : undefined);
}

function encode(wish: Wish, timestampMs: number): Body {
	return encodeSubmit(submits[wish.operation], wish.organizationId, wish.parameters, timestampMs);
}

/**
 * Sends bytes that the journal holds, asks again while the activity is under way, and notes what became of them. `earlier`
 * is their entry when they were sent before: then an answer that says nothing of the bytes leaves it as it is.
 */
async function sendBody(body: Body, context: SendContext, earlier?: JournalEntry): Promise<Sent> {
	const untilMs = context.now() + context.waitMs;
	let answer = await submit(body, context);
	let requests = answer.requests;
	for (let pauseMs = 100; isUnderWay(answer) && context.now() < untilMs; pauseMs = Math.min(pauseMs * 2, 2000)) {
		await context.sleep(Math.min(pauseMs, Math.max(0, untilMs - context.now())));
		const next = await submit(body, context);
		requests += next.requests;
		// The activity is there, whatever becomes of the question how it is.
		if (next.kind !== "activity") break;
		answer = next;
	}
	const saysNothing = earlier !== undefined && leavesOpen(answer, earlier, context.now());
	const judged = saysNothing && answer.kind === "refused" ? stillUnknown(answer, earlier) : judge(answer);
	const sent: Sent = { ...judged, fingerprint: body.fingerprint, requests };
	if (!saysNothing) context.journal.settled(body.fingerprint, sent.outcome, sent.activityId, context.now());
	return sent;
}

/**
 * Whether an answer to bytes that were sent before says nothing of what became of them: they did not leave, or the key
 * was refused and not they, or it denies an activity that the service has named itself, or it is not the service that
 * answers (a proxy, a redirect, a wrong address), or the bytes may only have grown too old.
 */
function leavesOpen(answer: SubmitAnswer, earlier: JournalEntry, nowMs: number): boolean {
	if (answer.kind === "not-sent") return true;
	if (answer.kind !== "refused") return false;
	if (earlier.activityId !== null || answer.grpcCode === undefined) return true;
	if (answer.httpStatus < 400 || [401, 403, 407].includes(answer.httpStatus)) return true;
	return nowMs - earlier.body.timestampMs > doubtfulAgeMs;
}

function stillUnknown(answer: SubmitAnswer & { kind: "refused" }, earlier: JournalEntry): Judged {
	const message = `${answer.message}; these bytes were sent before, and what became of them is not known`;
	return { ...judge(answer), outcome: "unknown", activityId: earlier.activityId, message };
}

/** The answer; a body that could not be stamped was not sent, and the next could not be stamped either. */
async function submit(body: Body, context: SendContext): Promise<SubmitAnswer> {
	try {
		return await context.submitter.submit(body);
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		return { kind: "not-sent", because: error.message, hint: error.hint, requests: 0 };
	}
}

type Judged = Omit<Sent, "fingerprint" | "requests">;

const nothing = {
	activity: null,
	activityId: null,
	refusedStatus: null,
	policyEvaluations: [],
	hopeless: false,
} as const;

/** The outcome of an answer, by the table of product.md section 4. */
function judge(answer: SubmitAnswer): Judged {
	switch (answer.kind) {
		case "activity":
			return judgeActivity(answer.activity);
		case "refused":
			return {
				...nothing,
				outcome: answer.httpStatus === 401 || answer.httpStatus === 403 ? "denied" : "failed",
				message: answer.message,
				policyEvaluations: answer.policyEvaluations,
				refusedStatus: answer.httpStatus,
				hopeless: answer.httpStatus === 401,
			};
		case "unknown":
			return { ...nothing, outcome: "unknown", message: `${answer.because}; only the same bytes may follow` };
		case "not-sent":
			return { ...nothing, outcome: "not-attempted", message: answer.because, hopeless: true };
	}
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

function judgeActivity(activity: Activity): Judged {
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

function isUnderWay(answer: SubmitAnswer): boolean {
	return (
		answer.kind === "activity" &&
		(answer.activity.status === "ACTIVITY_STATUS_CREATED" || answer.activity.status === "ACTIVITY_STATUS_PENDING")
	);
}

/**
 * Whether the answer is an activity that had ended before the organization was read. Then what it did has been undone
 * since, or it would fail for ever, and the wish needs an activity of its own. Where the reading could not have shown what
 * it did, a completed one fulfils the wish.
 */
function isOverForWish(sent: Sent, wish: Wish, context: SendContext): boolean {
	if (sent.outcome !== "failed" && (sent.outcome !== "completed" || wish.unseen === true)) return false;
	const namedMs = sent.activity?.updatedAtMs ?? sent.activity?.createdAtMs;
	if (namedMs === undefined || context.serverTimeMs === undefined) return false;
	// A whole second may be a time that was rounded down to it.
	const endedAtMs = namedMs % 1000 === 0 ? namedMs + 999 : namedMs;
	return endedAtMs < context.serverTimeMs;
}

function isOpen({ outcome }: JournalEntry): boolean {
	return (
		outcome === null || outcome === "unknown" || outcome === "awaiting-approval" || outcome === "awaiting-authenticator"
	);
}

/** Whether the service would still accept these bytes (service-facts.md, "Bytes": under an hour old). */
function isFresh(body: Body, nowMs: number): boolean {
	return nowMs - body.timestampMs < bodyLifetimeMs - lifetimeMarginMs;
}

function tooOld(entry: JournalEntry): Sent {
	const waiting = entry.outcome === "awaiting-approval" || entry.outcome === "awaiting-authenticator";
	return waiting
		? notSent(
				entry,
				entry.outcome,
				`it waited when it was last asked for, and its bytes are too old to ask again; ${giveUp(entry)}`,
			)
		: notSent(
				entry,
				"unknown",
				`it was sent and never answered, and its bytes are too old to ask again; ${giveUp(entry)}`,
			);
}

function giveUp({ activityId, body }: JournalEntry): string {
	return `when you know that it has ended, --abandon ${activityId ?? body.fingerprint} lets orgsync make another`;
}

function notSent(entry: JournalEntry, outcome: Outcome, message: string): Sent {
	return {
		...nothing,
		outcome,
		message,
		activityId: entry.activityId,
		fingerprint: entry.body.fingerprint,
		requests: 0,
	};
}
