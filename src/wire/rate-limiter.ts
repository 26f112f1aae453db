/**
 * The rate limiter of one client: its state, and what each start and each end of an attempt makes of it. After a 429 the whole
 * client sends less at once, and sends more again only while answers come. During a pause that the service asks for, no
 * request is sent. Pure: the clock is an argument.
 *
 * Concurrency halves on a 429 and grows by one after a run of answers (additive increase, multiplicative decrease). The
 * service's rate is per address and per organization (docs/internals/service.md#rates-and-limits), so other programs use it up too. One
 * request at a time can still be too fast, because the smallest rate is one a second. Then the interval between starts
 * grows, and shrinks again before concurrency grows.
 */

/** The limits that the user sets. */
export interface RateLimits {
	/** Max attempts in flight; a whole number, at least 1. */
	readonly concurrency: number;
	/** Min milliseconds between the starts of two attempts; 0 for no limit. */
	readonly intervalMs: number;
}

/** The state of one client. Times are milliseconds of the clock that is passed in. */
export interface RateLimiter {
	readonly limits: RateLimits;
	/** At least 1 and at most `limits.concurrency`. */
	readonly maxInFlight: number;
	readonly inFlight: number;
	/** The interval between starts that applies now; at least `limits.intervalMs`. */
	readonly intervalMs: number;
	/** Attempts started so far: the number of the latest one. */
	readonly started: number;
	/** The latest attempt that had started when `maxInFlight` was last reduced; 0 before. */
	readonly reducedAt: number;
	/** Answers in a row since `maxInFlight` or `intervalMs` last changed. */
	readonly successes: number;
	/** When the latest answers came, at most `successesToSpeedUp` of them, oldest first. */
	readonly answerTimesMs: readonly number[];
	readonly nextStartMs: number;
	readonly pausedUntilMs: number;
	/** The first and the latest 429 since any other answer; undefined when the latest answer was no 429. */
	readonly throttledPeriod: { readonly firstMs: number; readonly latestMs: number } | undefined;
}

/** How an attempt has to wait. */
interface Delay {
	/** Left out for an attempt that waits until another in flight ends. */
	readonly waitMs?: number;
	/** Whether the rate, a pause or a max lowered by 429 answers makes it wait; false where `concurrency` alone does. */
	readonly isThrottled: boolean;
}

/** What an attempt came to, as far as it concerns the rate of others. */
export type AttemptResult =
	/** A 429. With `pauseMs`, no request may be sent for that long. */
	| { readonly kind: "throttled"; readonly pauseMs?: number | undefined }
	/** Any other answer. An unhealthy one (5xx) does not speed the client up. */
	| { readonly kind: "answered"; readonly healthy: boolean }
	| { readonly kind: "no-answer" };

/** Unverified, chosen: this many answers in a row allow one more attempt in flight. */
export const successesToSpeedUp = 10;

/**
 * The first interval is the time between the latest answers, but at most that of the smallest rate, one request a second
 * (docs/internals/service.md#rates-and-limits). Unverified, chosen: the longest interval, and the shortest one worth keeping.
 */
export const intervalsMs = { maxFirst: 1000, max: 8000, min: 20 } as const;

/** Unverified, chosen: a longer pause is cut to this, so that one strange header does not stop a client for ever. */
export const maxPauseMs = 5 * 60 * 1000;

export function makeRateLimiter(limits: RateLimits): RateLimiter {
	return {
		limits,
		maxInFlight: limits.concurrency,
		inFlight: 0,
		intervalMs: limits.intervalMs,
		started: 0,
		reducedAt: 0,
		successes: 0,
		answerTimesMs: [],
		nextStartMs: Number.NEGATIVE_INFINITY,
		pausedUntilMs: Number.NEGATIVE_INFINITY,
		throttledPeriod: undefined,
	};
}

/** Returns how the next attempt has to wait at `nowMs`; undefined if it may start. */
export function findDelay(limiter: RateLimiter, nowMs: number): Delay | undefined {
	const waitMs = Math.max(limiter.pausedUntilMs, limiter.nextStartMs) - nowMs;
	if (waitMs > 0) return { waitMs, isThrottled: true };
	if (limiter.inFlight < limiter.maxInFlight) return undefined;
	return { isThrottled: limiter.inFlight < limiter.limits.concurrency };
}

/** Returns the state after an attempt started at `nowMs`. Its number is `started`. */
export function startAttempt(limiter: RateLimiter, nowMs: number): RateLimiter {
	return {
		...limiter,
		inFlight: limiter.inFlight + 1,
		started: limiter.started + 1,
		nextStartMs: nowMs + limiter.intervalMs,
	};
}

/** Returns the state after an attempt. Of those in flight together, only the first 429 slows the client down. */
export function endAttempt(limiter: RateLimiter, number: number, result: AttemptResult, nowMs: number): RateLimiter {
	const ended = { ...limiter, inFlight: limiter.inFlight - 1 };
	if (result.kind === "no-answer") return ended;
	if (result.kind === "throttled") {
		return {
			...ended,
			...(number > limiter.reducedAt ? { ...slowDown(limiter, nowMs), reducedAt: limiter.started } : {}),
			successes: 0,
			pausedUntilMs: Math.max(limiter.pausedUntilMs, nowMs + Math.min(result.pauseMs ?? 0, maxPauseMs)),
			throttledPeriod: { firstMs: limiter.throttledPeriod?.firstMs ?? nowMs, latestMs: nowMs },
		};
	}
	const answered = { ...ended, throttledPeriod: undefined };
	if (!result.healthy) return { ...answered, successes: 0 };
	const answerTimesMs = [...limiter.answerTimesMs, nowMs].slice(-successesToSpeedUp);
	const successes = limiter.successes + 1;
	const faster = successes >= successesToSpeedUp ? speedUp(limiter) : undefined;
	return { ...answered, answerTimesMs, successes: faster === undefined ? successes : 0, ...faster };
}

/** Halves the concurrency. At one, the interval becomes that of the latest answers, and then half as long again each time. */
function slowDown({ maxInFlight, intervalMs, answerTimesMs }: RateLimiter, nowMs: number): Partial<RateLimiter> {
	if (maxInFlight > 1) return { maxInFlight: Math.floor(maxInFlight / 2) };
	const answerIntervalMs = answerTimesMs[0] === undefined ? 0 : (nowMs - answerTimesMs[0]) / answerTimesMs.length;
	const firstMs = Math.min(Math.max(answerIntervalMs, intervalsMs.min), intervalsMs.maxFirst);
	return { intervalMs: Math.min(Math.max(intervalMs * 1.5, firstMs), Math.max(intervalsMs.max, intervalMs)) };
}

/** Shortens the interval by a quarter down to the user's own, then allows one more in flight; undefined at the limits. */
function speedUp({ limits, maxInFlight, intervalMs }: RateLimiter): Partial<RateLimiter> | undefined {
	if (intervalMs > limits.intervalMs) {
		const shorterMs = intervalMs * 0.75;
		return { intervalMs: shorterMs < intervalsMs.min ? limits.intervalMs : Math.max(shorterMs, limits.intervalMs) };
	}
	return maxInFlight < limits.concurrency ? { maxInFlight: maxInFlight + 1 } : undefined;
}

/**
 * Returns why an operation in the queue since `sinceMs` need not wait any longer, in words; undefined while it should. Waiting for our
 * own limits ends nothing. Only a pause of at least `timeoutMs` does, or `timeoutMs` in which the service answered every
 * request with 429. What was before an operation joined the queue does not count for it.
 */
export function findQueueTimeout(
	limiter: RateLimiter,
	sinceMs: number,
	timeoutMs: number,
	nowMs: number,
): string | undefined {
	const pauseMs = limiter.pausedUntilMs - nowMs;
	const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;
	if (pauseMs >= timeoutMs) return `the service asks for a pause of ${seconds(pauseMs)}, longer than the timeout`;
	if (limiter.throttledPeriod === undefined) return undefined;
	const throttledMs = limiter.throttledPeriod.latestMs - Math.max(limiter.throttledPeriod.firstMs, sinceMs);
	return throttledMs >= timeoutMs ? `the service rejected every request for ${seconds(throttledMs)}` : undefined;
}
