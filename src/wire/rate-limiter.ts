/**
 * How fast one client may ask: a state and what each start and each end of an attempt makes of it. The rule: the service
 * decides. When it turns a request away (429) the whole client asks for less at once, and asks for more again only while
 * answers come; when it says how long to wait, nobody asks meanwhile. Pure: the clock is handed in.
 *
 * Less is half, more is one: the way networks share a line among those who do not know of each other. The service's rate
 * is per address and per organization (docs/service.md#rates-and-limits), so other programs may use it up as well.
 * One request at a time may still be too fast, for the smallest rate is one a second: then the time from start to start
 * grows, and shrinks again before more are allowed at once.
 */

/** What the user allows. */
export interface RateLimits {
	/** The most attempts in flight at once; a whole number, at least 1. */
	readonly concurrency: number;
	/** The least time from the start of one attempt to that of the next, in milliseconds; 0 is none. */
	readonly intervalMs: number;
}

/** The state of one client. Times are milliseconds of the clock that is handed in. */
export interface RateLimiter {
	readonly limits: RateLimits;
	/** At least 1 and at most `limits.concurrency`. */
	readonly maxInFlight: number;
	readonly inFlight: number;
	/** The time from start to start that is kept now; at least `limits.gapMs`. */
	readonly intervalMs: number;
	/** Attempts started so far: the number of the latest one. */
	readonly started: number;
	/** The latest attempt that had started when `allowed` last shrank; 0 before. */
	readonly reducedAt: number;
	/** Answers in a row since `allowed` or `gapMs` last changed. */
	readonly successes: number;
	/** When the latest answers came, at most `successesToGrow` of them, oldest first. */
	readonly answerTimesMs: readonly number[];
	readonly nextStartMs: number;
	readonly pausedUntilMs: number;
	/** The first and the latest 429 since the service last answered anything else; undefined when it did so last. */
	readonly throttledPeriod: { readonly firstMs: number; readonly latestMs: number } | undefined;
}

/** Why an attempt may not start now. A wait without `waitMs` ends when an attempt in flight ends. */
export type Delay =
	| { readonly reason: "none" }
	| { readonly reason: "pause" | "rate"; readonly waitMs: number }
	/** `reduced`: there would be room, had the service not turned requests away. */
	| { readonly reason: "busy" | "reduced" };

/** What came of an attempt, as far as the limiter of others is concerned. */
export type AttemptResult =
	/** A 429; with `pauseMs`, nobody may ask for so long. */
	| { readonly kind: "throttled"; readonly pauseMs?: number | undefined }
	/** Any other answer. Those that say that the service is not well (5xx) are no reason to ask for more. */
	| { readonly kind: "answered"; readonly healthy: boolean }
	| { readonly kind: "no-answer" };

/** Unverified, chosen: as many answers in a row let one more be in flight. */
export const successesToSpeedUp = 10;

/**
 * The first gap is what the latest answers were apart, but not longer than at one request a second, the smallest rate
 * (docs/service.md#rates-and-limits). Unverified, chosen: the longest of all, and the one too small to keep.
 */
export const intervalsMs = { maxFirst: 1000, max: 8000, min: 20 } as const;

/** Unverified, chosen: a longer pause is not believed, so that one strange header does not end a client for ever. */
export const maxPauseMs = 5 * 60 * 1000;

/** The state before the first attempt. */
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

/** Whether the next attempt may start at `nowMs`, or why not. */
export function findDelay(limiter: RateLimiter, nowMs: number): Delay {
	const pauseMs = limiter.pausedUntilMs - nowMs;
	const gapMs = limiter.nextStartMs - nowMs;
	if (pauseMs > 0 && pauseMs >= gapMs) return { reason: "pause", waitMs: pauseMs };
	if (gapMs > 0) return { reason: "rate", waitMs: gapMs };
	if (limiter.inFlight < limiter.maxInFlight) return { reason: "none" };
	return { reason: limiter.inFlight < limiter.limits.concurrency ? "reduced" : "busy" };
}

/** The state after an attempt started at `nowMs`; its number is `started`. */
export function startAttempt(limiter: RateLimiter, nowMs: number): RateLimiter {
	return {
		...limiter,
		inFlight: limiter.inFlight + 1,
		started: limiter.started + 1,
		nextStartMs: nowMs + limiter.intervalMs,
	};
}

/**
 * The state after the attempt `number` ended at `nowMs`. Of the attempts that were in flight together only the first 429
 * halves what is allowed: the others were sent before anybody could know.
 */
export function endAttempt(limiter: RateLimiter, number: number, result: AttemptResult, nowMs: number): RateLimiter {
	const ended = { ...limiter, inFlight: limiter.inFlight - 1 };
	if (result.kind === "no-answer") return ended;
	if (result.kind === "answered") {
		const successes = result.healthy ? limiter.successes + 1 : 0;
		const grown = successes >= successesToSpeedUp ? speedUp(limiter) : undefined;
		const answeredMs = result.healthy
			? [...limiter.answerTimesMs, nowMs].slice(-successesToSpeedUp)
			: limiter.answerTimesMs;
		return {
			...ended,
			throttledPeriod: undefined,
			answerTimesMs: answeredMs,
			successes: grown === undefined ? successes : 0,
			...grown,
		};
	}
	return {
		...ended,
		...(number > limiter.reducedAt ? { ...slowDown(limiter, nowMs), reducedAt: limiter.started } : {}),
		successes: 0,
		pausedUntilMs: Math.max(limiter.pausedUntilMs, nowMs + Math.min(result.pauseMs ?? 0, maxPauseMs)),
		throttledPeriod: { firstMs: limiter.throttledPeriod?.firstMs ?? nowMs, latestMs: nowMs },
	};
}

/** Half of what is allowed; from one on, the gap that the answers had, and then half as much again. */
function slowDown(
	{ maxInFlight: allowed, intervalMs: gapMs, answerTimesMs: answeredMs }: RateLimiter,
	nowMs: number,
): Partial<RateLimiter> {
	if (allowed > 1) return { maxInFlight: Math.floor(allowed / 2) };
	const apartMs = answeredMs[0] === undefined ? 0 : (nowMs - answeredMs[0]) / answeredMs.length;
	const leastMs = Math.min(Math.max(apartMs, intervalsMs.min), intervalsMs.maxFirst);
	return { intervalMs: Math.min(Math.max(gapMs * 1.5, leastMs), Math.max(intervalsMs.max, gapMs)) };
}

/** Three quarters of the gap until none is left that the user does not want, then one more; undefined when all is had. */
function speedUp({ limits, maxInFlight: allowed, intervalMs: gapMs }: RateLimiter): Partial<RateLimiter> | undefined {
	if (gapMs > limits.intervalMs) {
		const smallerMs = gapMs * 0.75;
		return { intervalMs: smallerMs < intervalsMs.min ? limits.intervalMs : Math.max(smallerMs, limits.intervalMs) };
	}
	return allowed < limits.concurrency ? { maxInFlight: allowed + 1 } : undefined;
}

/**
 * Why an operation that waits since `sinceMs` need not wait any longer; undefined while it should. Waiting for our own
 * limiter ends nothing: only a pause of `timeoutMs` or more ahead does, or as long a time in which the service answered
 * nothing but 429, to whomever. An operation that comes later is not judged by what was before it.
 */
export function findQueueTimeout(
	limiter: RateLimiter,
	sinceMs: number,
	timeoutMs: number,
	nowMs: number,
): { readonly reason: "pause" | "throttled"; readonly forMs: number } | undefined {
	const pauseMs = limiter.pausedUntilMs - nowMs;
	if (pauseMs >= timeoutMs) return { reason: "pause", forMs: pauseMs };
	if (limiter.throttledPeriod === undefined) return undefined;
	const turnedAwayMs = limiter.throttledPeriod.latestMs - Math.max(limiter.throttledPeriod.firstMs, sinceMs);
	return turnedAwayMs >= timeoutMs ? { reason: "throttled", forMs: turnedAwayMs } : undefined;
}
