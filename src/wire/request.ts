/**
 * One request with all its attempts: waits for a slot, sends, classifies the answer, retries. A request is stamped once, every
 * attempt sends the same bytes with the same stamp, and whether an attempt may have left is known, not guessed.
 *
 * `timeoutMs` covers the attempts of one operation and the delays between them, from the first attempt on. Waiting in the
 * queue (for a slot, for the rate, for a pause that another request caused) does not count, so a low rate makes nothing fail.
 * rate-limiter.ts says when waiting in the queue ends.
 */
import { ConfigurationError, OrgsyncError } from "../common/errors.ts";
import { attemptChannel, requestChannel } from "../common/tracing.ts";
import { type Answer, type AnswerContext, type ClassifiedAnswer, classifyAnswer, inconclusive } from "./answer.ts";
import { extendedReads, type Operation } from "./operations.ts";
import type { AttemptResult } from "./rate-limiter.ts";
import type { RequestQueue } from "./request-queue.ts";
import { describeThrottle, retryDelayMs, sharedPauseMs } from "./retry.ts";
import type { Stamp, Stamper } from "./stamp.ts";
import { describeFailure, type TransportFailure } from "./transport-failure.ts";

/** One attempt, emitted when it ends. It never holds a stamp or a body. */
export interface AttemptEvent {
	readonly operation: string;
	readonly organizationId: string;
	readonly attempt: number;
	/** The HTTP status, or the reason for having none (`FailureReason`). */
	readonly result: number | string;
	/** Of the attempt alone, without the wait before it. */
	readonly durationMs: number;
	/** Of a 429 only: one line with the cause, what happens next and what would avoid it. */
	readonly reason?: string;
	/** Of a 429 only: the service's message, and in how many milliseconds the request is retried; undefined for never. */
	readonly throttle?: { readonly because: string; readonly againMs: number | undefined };
}

/** Counted since the client was made: `queries` + `submits` + `retries` attempts were made in all. */
export interface ClientStats {
	readonly queries: number;
	readonly submits: number;
	/** Attempts after the first of their operation. */
	readonly retries: number;
	/** Time in which an attempt waited because of limits. Waits at the same time count once. */
	readonly throttledMs: number;
}

type RequestCounter = Exclude<keyof ClientStats, "throttledMs">;

/** What sending a request needs. `url` and `proxy` are for messages: neither holds a password or a path. */
export interface RequestContext {
	readonly url: string;
	/** The path of the service's base address, which may hold a token: no message shows it; left out without one. */
	readonly servicePath?: string;
	readonly proxy: string | undefined;
	/** What the proxy gets as `Proxy-Authorization`: no message shows it; left out without one. */
	readonly proxyAuthorization?: string | undefined;
	readonly stamper: Stamper;
	/** Stamps submits and `whoami`; `stamper` when left out. */
	readonly submitStamper?: Stamper | undefined;
	readonly queue: RequestQueue;
	readonly timeoutMs: number;
	readonly attemptTimeoutMs: number;
	readonly onAttempt: (event: AttemptEvent) => void;
	readonly sleep: (delayMs: number) => Promise<void>;
	readonly random: () => number;
	readonly now: () => number;
	readonly count: (counter: RequestCounter) => void;
	/** Makes one attempt. Never throws. */
	readonly send: (path: string, bytes: string, stamp: Stamp, timeoutMs: number) => Promise<Exchange>;
}

type Exchange = Answer | TransportFailure;

interface RequestResult {
	readonly answer: ClassifiedAnswer;
	/** 0 when the queue let no attempt start in time. */
	readonly requests: number;
	/** Some attempt may have arrived, the last one included. A 429 counts. */
	readonly mayHaveArrived: boolean;
	/** An attempt before the last may have arrived. The service's own 429 does not count: it had no effect. */
	readonly earlierMayHaveArrived: boolean;
}

/** Sends one request, with as many attempts as the answers, the rate limiter and the timeout allow. */
export function sendRequest(
	context: RequestContext,
	operation: Operation,
	organizationId: string,
	bytes: string,
): Promise<RequestResult> {
	const { name, family } = operation;
	const about = { operation: name, family, organizationId, url: context.url };
	return requestChannel.tracePromise(() => sendAttempts(context, operation, organizationId, bytes), about);
}

async function sendAttempts(
	context: RequestContext,
	operation: Operation,
	organizationId: string,
	bytes: string,
): Promise<RequestResult> {
	const { queue, now } = context;
	const stamper = stamperOf(context, operation);
	const stamp = await makeStamp(stamper, bytes);
	const sent = { organizationId, publicKey: publicKeyOf(stamper), stampHeaderValue: stamp.stampHeaderValue };
	const classify = makeClassifier(context, operation, sent);
	const joinedMs = now();
	let deadlineMs = joinedMs + context.timeoutMs;
	let mayHaveArrived = false;
	let earlierMayHaveArrived = false;
	for (let attempt = 1; ; attempt += 1) {
		const queuedMs = now();
		const admission = await queue.waitForSlot(joinedMs);
		if (admission.kind === "timed-out") {
			return { answer: admission.answer, requests: attempt - 1, mayHaveArrived, earlierMayHaveArrived };
		}
		const startMs = now();
		deadlineMs += startMs - queuedMs;
		context.count(counterOf(operation, attempt));
		const timeoutMs = Math.min(context.attemptTimeoutMs, deadlineMs - startMs);
		const exchange = await context.send(operation.path, bytes, stamp, timeoutMs);
		const answer = classify(exchange, timeoutMs);
		const delayMs =
			answer.kind === "inconclusive" ? retryDelayMs(answer, attempt, deadlineMs - now(), context.random()) : undefined;
		releaseSlot(queue, admission.number, exchange, answer);
		const event = { operation: operation.name, organizationId, attempt, durationMs: now() - startMs };
		emitEvent(context, event, exchange, answer, delayMs);
		if (answer.kind !== "inconclusive") {
			return { answer, requests: attempt, mayHaveArrived: true, earlierMayHaveArrived };
		}
		if (answer.sent === "maybe") mayHaveArrived = true;
		if (delayMs === undefined) return { answer, requests: attempt, mayHaveArrived, earlierMayHaveArrived };
		const isServiceThrottle = answer.throttled && answer.grpcCode !== undefined;
		if (answer.sent === "maybe" && !isServiceThrottle) earlierMayHaveArrived = true;
		const wait = () => context.sleep(delayMs);
		await (answer.throttled ? queue.timeThrottled(wait) : wait());
	}
}

function counterOf(operation: Operation, attempt: number): RequestCounter {
	if (attempt > 1) return "retries";
	return operation.family === "query" ? "queries" : "submits";
}

/** Returns the stamper of an operation. `whoami` asks whose credential it is that submits. */
function stamperOf({ stamper, submitStamper = stamper }: RequestContext, { family, name }: Operation): Stamper {
	return family === "submit" || name === extendedReads.whoami.name ? submitStamper : stamper;
}

function makeClassifier(
	context: RequestContext,
	operation: Operation,
	sent: Pick<AnswerContext, "organizationId" | "publicKey" | "stampHeaderValue">,
) {
	return (exchange: Exchange, timeoutMs: number): ClassifiedAnswer => {
		if (exchange.kind === "answer") {
			return classifyAnswer(operation, exchange, { ...context, ...sent, nowMs: context.now() });
		}
		// The service did answer when the answer is too large, so it counts as one of its errors.
		const httpStatus = exchange.reason === "too-large" ? 200 : undefined;
		const failure = describeFailure(exchange, context.url, timeoutMs, context.proxy);
		return inconclusive({ ...failure, sent: exchange.sent, httpStatus });
	};
}

/** Frees the slot before any delay, and reports the result of the attempt to the rate limiter. */
function releaseSlot(queue: RequestQueue, number: number, exchange: Exchange, answer: ClassifiedAnswer): void {
	if (answer.kind === "inconclusive" && answer.throttled) {
		queue.release(number, { kind: "throttled", pauseMs: sharedPauseMs(answer) }, answer);
		return;
	}
	const result: AttemptResult =
		exchange.kind === "failure" ? { kind: "no-answer" } : { kind: "answered", healthy: exchange.httpStatus < 500 };
	queue.release(number, result);
}

function emitEvent(
	{ queue, onAttempt }: RequestContext,
	event: Omit<AttemptEvent, "result" | "reason" | "throttle">,
	exchange: Exchange,
	answer: ClassifiedAnswer,
	delayMs: number | undefined,
): void {
	const result = exchange.kind === "answer" ? exchange.httpStatus : exchange.reason;
	// Another 429 may have asked for a longer pause than this one.
	const againMs = delayMs === undefined ? undefined : Math.max(delayMs, queue.pauseMs());
	const throttle =
		result !== 429 || answer.kind === "valid"
			? {}
			: {
					reason: describeThrottle(answer, againMs, queue.currentRate()),
					throttle: { because: answer.message, againMs },
				};
	try {
		if (attemptChannel.hasSubscribers) attemptChannel.publish({ ...event, result });
		onAttempt({ ...event, result, ...throttle });
	} catch {
		// A listener that fails must not cost the answer to a request that had an effect.
	}
}

async function makeStamp(stamper: Stamper, bytes: string): Promise<Stamp> {
	try {
		return await stamper.stamp(bytes);
	} catch (error) {
		if (error instanceof OrgsyncError) throw error;
		// The message of a foreign stamper's error may hold its key, so neither it nor the error is passed on.
		const name = error instanceof Error ? error.name : "no error object";
		throw new ConfigurationError(`the request could not be stamped: the stamper failed (${name})`);
	}
}

/** Returns the public key of a stamper that has one, as it says; a command's is known once it has stamped a request. */
export function publicKeyOf(stamper: Stamper): string | undefined {
	const { publicKey } = stamper as { publicKey?: unknown };
	return typeof publicKey === "string" ? publicKey : undefined;
}
