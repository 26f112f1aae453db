/**
 * One request with all its attempts: waits for its turn, sends, judges, tries again. The rule: a request is stamped once,
 * every attempt sends the same bytes with the same stamp, and whether an attempt may have left is known, not guessed.
 *
 * Time: `timeoutMs` is for the attempts of one operation and the waits between them, from the first attempt on. Waiting
 * for our own pace (a place, an even rate, a pause that another request brought about) is not part of it, so that asking
 * slowly makes nothing fail; pace.ts says when waiting ends all the same.
 */
import { ConfigurationError, OrgsyncError } from "../errors.ts";
import { type Answer, judge, type Unclear, unclear, type Verdict } from "./answer.ts";
import type { Gate } from "./gate.ts";
import type { Operation } from "./operations.ts";
import type { Ending } from "./pace.ts";
import { explainThrottle, nextDelayMs, pauseOf } from "./retry.ts";
import { explainSilence, type Silence } from "./silence.ts";
import type { Stamp, Stamper } from "./stamp.ts";

/** One attempt, told as it ends. It never holds a stamp or a body. */
export interface RequestEvent {
	readonly operation: string;
	readonly organizationId: string;
	/** Counts from 1. */
	readonly attempt: number;
	/** The HTTP status, or the word for why there is none (SilenceWord). */
	readonly outcome: number | string;
	/** Of the attempt alone, without the wait before it. */
	readonly durationMs: number;
	/** Of a 429 only: one line for a person, why, what comes next and what would avoid it. */
	readonly reason?: string;
	/** Of a 429 only: what the service says, and in how many milliseconds it is asked again; undefined when it is not. */
	readonly throttle?: { readonly because: string; readonly againMs: number | undefined };
}

/** Counted since the client was made: `queries` + `submits` + `retries` attempts were made in all. */
export interface ClientStats {
	readonly queries: number;
	readonly submits: number;
	/** Attempts after the first of their operation. */
	readonly retries: number;
	/**
	 * Time in which something waited because of limits: after a 429, in a pause that the service asked for, for
	 * `maxRequestsPerSecond`, or for a place while fewer are allowed than `concurrency`. By the clock: however many wait
	 * side by side, a second counts once.
	 */
	readonly throttledMs: number;
}

/** What an attempt is counted as. */
type Counted = Exclude<keyof ClientStats, "throttledMs">;

/** What asking needs. `url` and `proxy` are for messages: neither holds a password. */
export interface AskContext {
	readonly url: string;
	readonly proxy: string | undefined;
	readonly stamper: Stamper;
	readonly gate: Gate;
	readonly timeoutMs: number;
	readonly attemptTimeoutMs: number;
	readonly onRequest: (event: RequestEvent) => void;
	readonly sleep: (delayMs: number) => Promise<void>;
	readonly random: () => number;
	readonly now: () => number;
	/** Called once an attempt. */
	readonly count: (what: Counted) => void;
	/** One attempt. Never throws. */
	readonly send: (path: string, bytes: string, stamp: Stamp, timeoutMs: number) => Promise<Answer | Silence>;
}

export interface Outcome {
	readonly verdict: Verdict;
	/** 0 when the pace let none out in time. */
	readonly requests: number;
	/** Some attempt may have arrived, the last one included. A 429 counts. */
	readonly maybeSent: boolean;
	/** An attempt before the last may have arrived. The service's own 429 does not count: it was turned away at the door. */
	readonly maybeSentBefore: boolean;
}

/** The verdict on one request, after as many attempts as the verdicts, the pace and the time limit allow. */
export async function ask(
	context: AskContext,
	operation: Operation,
	organizationId: string,
	bytes: string,
): Promise<Outcome> {
	const { gate, now } = context;
	const stamp = await makeStamp(context.stamper, bytes);
	const judgeAnswer = makeJudge(context, operation, organizationId, stamp);
	const joinedMs = now();
	let deadlineMs = joinedMs + context.timeoutMs;
	let maybeSent = false;
	let maybeSentBefore = false;
	for (let attempt = 1; ; attempt += 1) {
		const queuedMs = now();
		const pass = await gate.enter(joinedMs);
		if (pass.kind === "hopeless") return { verdict: pass.verdict, requests: attempt - 1, maybeSent, maybeSentBefore };
		const startMs = now();
		deadlineMs += startMs - queuedMs;
		context.count(countedAs(operation, attempt));
		const timeoutMs = Math.min(context.attemptTimeoutMs, deadlineMs - startMs);
		const exchange = await context.send(operation.path, bytes, stamp, timeoutMs);
		const verdict = judgeAnswer(exchange, timeoutMs);
		const delayMs =
			verdict.kind === "unclear" ? nextDelayMs(verdict, attempt, deadlineMs - now(), context.random()) : undefined;
		leave(gate, pass.number, exchange, verdict);
		const event = { operation: operation.name, organizationId, attempt, durationMs: now() - startMs };
		tell(context, event, exchange, verdict, delayMs);
		if (verdict.kind !== "unclear") return { verdict, requests: attempt, maybeSent: true, maybeSentBefore };
		if (verdict.sent === "maybe") maybeSent = true;
		if (delayMs === undefined) return { verdict, requests: attempt, maybeSent, maybeSentBefore };
		const isTurnedAway = verdict.throttled && verdict.grpcCode !== undefined;
		if (verdict.sent === "maybe" && !isTurnedAway) maybeSentBefore = true;
		const wait = () => context.sleep(delayMs);
		await (verdict.throttled ? gate.waitThrottled(wait) : wait());
	}
}

function countedAs(operation: Operation, attempt: number): Counted {
	if (attempt > 1) return "retries";
	return operation.family === "query" ? "queries" : "submits";
}

function makeJudge(context: AskContext, operation: Operation, organizationId: string, stamp: Stamp) {
	const { url, proxy, now } = context;
	const { stampHeaderValue } = stamp;
	const publicKey = publicKeyOf(context.stamper);
	return (exchange: Answer | Silence, timeoutMs: number): Verdict => {
		if (exchange.kind === "silence") return judgeSilence(exchange, url, timeoutMs, proxy);
		return judge(operation, exchange, { url, organizationId, publicKey, stampHeaderValue, nowMs: now() });
	};
}

function judgeSilence(silence: Silence, url: string, timeoutMs: number, proxy: string | undefined): Unclear {
	// Too large an answer is the service's fault: it did answer, so it counts as one of its errors.
	const httpStatus = silence.word === "too-large" ? 200 : undefined;
	return unclear({ ...explainSilence(silence, url, timeoutMs, proxy), sent: silence.sent, httpStatus });
}

/** Gives the place back before any wait, and tells the pace what came of the attempt. */
function leave(gate: Gate, number: number, exchange: Answer | Silence, verdict: Verdict): void {
	if (verdict.kind === "unclear" && verdict.throttled) {
		gate.leave(number, { kind: "throttled", pauseMs: pauseOf(verdict) }, verdict);
		return;
	}
	const ending: Ending =
		exchange.kind === "silence" ? { kind: "silence" } : { kind: "answered", well: exchange.httpStatus < 500 };
	gate.leave(number, ending);
}

function tell(
	{ gate, onRequest }: AskContext,
	event: Omit<RequestEvent, "outcome" | "reason" | "throttle">,
	exchange: Answer | Silence,
	verdict: Verdict,
	delayMs: number | undefined,
): void {
	const outcome = exchange.kind === "answer" ? exchange.httpStatus : exchange.word;
	// Another 429 may have asked for a longer pause than this one.
	const againMs = delayMs === undefined ? undefined : Math.max(delayMs, gate.pauseMs());
	const told =
		outcome !== 429 || verdict.kind === "fits"
			? {}
			: {
					reason: explainThrottle(verdict, againMs, gate.speed()),
					throttle: { because: verdict.message, againMs },
				};
	try {
		onRequest({ ...event, outcome, ...told });
	} catch {
		// A listener that fails must not cost us the answer to something that was done.
	}
}

async function makeStamp(stamper: Stamper, bytes: string): Promise<Stamp> {
	try {
		return await stamper.stamp(bytes);
	} catch (error) {
		if (error instanceof OrgsyncError) throw error;
		// The text of a foreign stamper's error may hold its key, so neither it nor the error goes on.
		const name = error instanceof Error ? error.name : "no error object";
		throw new ConfigurationError(`the request could not be stamped: the stamper failed (${name})`);
	}
}

function publicKeyOf(stamper: Stamper): string | undefined {
	const { publicKey } = stamper as { publicKey?: unknown };
	return typeof publicKey === "string" ? publicKey : undefined;
}
