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
export interface PaceLimits {
	/** The most attempts in flight at once; a whole number, at least 1. */
	readonly concurrency: number;
	/** The least time from the start of one attempt to that of the next, in milliseconds; 0 is none. */
	readonly gapMs: number;
}

/** The state of one client. Times are milliseconds of the clock that is handed in. */
export interface Pace {
	readonly limits: PaceLimits;
	/** At least 1 and at most `limits.concurrency`. */
	readonly allowed: number;
	readonly inFlight: number;
	/** The time from start to start that is kept now; at least `limits.gapMs`. */
	readonly gapMs: number;
	/** Attempts started so far: the number of the latest one. */
	readonly started: number;
	/** The latest attempt that had started when `allowed` last shrank; 0 before. */
	readonly shrunkAt: number;
	/** Answers in a row since `allowed` or `gapMs` last changed. */
	readonly successes: number;
	/** When the latest answers came, at most `successesToGrow` of them, oldest first. */
	readonly answeredMs: readonly number[];
	readonly nextStartMs: number;
	readonly pausedUntilMs: number;
	/** The first and the latest 429 since the service last answered anything else; undefined when it did so last. */
	readonly turnedAway: { readonly firstMs: number; readonly latestMs: number } | undefined;
}

/** Why an attempt may not start now. A wait without `waitMs` ends when an attempt in flight ends. */
export type Wait =
	| { readonly because: "nothing" }
	| { readonly because: "pause" | "rate"; readonly waitMs: number }
	/** `shrunk`: there would be room, had the service not turned requests away. */
	| { readonly because: "busy" | "shrunk" };

/** What came of an attempt, as far as the pace of others is concerned. */
export type Ending =
	/** A 429; with `pauseMs`, nobody may ask for so long. */
	| { readonly kind: "throttled"; readonly pauseMs?: number | undefined }
	/** Any other answer. Those that say that the service is not well (5xx) are no reason to ask for more. */
	| { readonly kind: "answered"; readonly well: boolean }
	| { readonly kind: "silence" };

/** Unverified, chosen: as many answers in a row let one more be in flight. */
export const successesToGrow = 10;

/**
 * The first gap is what the latest answers were apart, but not longer than at one request a second, the smallest rate
 * (docs/service.md#rates-and-limits). Unverified, chosen: the longest of all, and the one too small to keep.
 */
export const gapsMs = { longestFirst: 1000, longest: 8000, least: 20 } as const;

/** Unverified, chosen: a longer pause is not believed, so that one strange header does not end a client for ever. */
export const longestPauseMs = 5 * 60 * 1000;

/** The state before the first attempt. */
export function makePace(limits: PaceLimits): Pace {
	return {
		limits,
		allowed: limits.concurrency,
		inFlight: 0,
		gapMs: limits.gapMs,
		started: 0,
		shrunkAt: 0,
		successes: 0,
		answeredMs: [],
		nextStartMs: Number.NEGATIVE_INFINITY,
		pausedUntilMs: Number.NEGATIVE_INFINITY,
		turnedAway: undefined,
	};
}

/** Whether the next attempt may start at `nowMs`, or why not. */
export function waitOf(pace: Pace, nowMs: number): Wait {
	const pauseMs = pace.pausedUntilMs - nowMs;
	const gapMs = pace.nextStartMs - nowMs;
	if (pauseMs > 0 && pauseMs >= gapMs) return { because: "pause", waitMs: pauseMs };
	if (gapMs > 0) return { because: "rate", waitMs: gapMs };
	if (pace.inFlight < pace.allowed) return { because: "nothing" };
	return { because: pace.inFlight < pace.limits.concurrency ? "shrunk" : "busy" };
}

/** The state after an attempt started at `nowMs`; its number is `started`. */
export function startAttempt(pace: Pace, nowMs: number): Pace {
	return {
		...pace,
		inFlight: pace.inFlight + 1,
		started: pace.started + 1,
		nextStartMs: nowMs + pace.gapMs,
	};
}

/**
 * The state after the attempt `number` ended at `nowMs`. Of the attempts that were in flight together only the first 429
 * halves what is allowed: the others were sent before anybody could know.
 */
export function endAttempt(pace: Pace, number: number, ending: Ending, nowMs: number): Pace {
	const ended = { ...pace, inFlight: pace.inFlight - 1 };
	if (ending.kind === "silence") return ended;
	if (ending.kind === "answered") {
		const successes = ending.well ? pace.successes + 1 : 0;
		const grown = successes >= successesToGrow ? askForMore(pace) : undefined;
		const answeredMs = ending.well ? [...pace.answeredMs, nowMs].slice(-successesToGrow) : pace.answeredMs;
		return { ...ended, turnedAway: undefined, answeredMs, successes: grown === undefined ? successes : 0, ...grown };
	}
	return {
		...ended,
		...(number > pace.shrunkAt ? { ...askForLess(pace, nowMs), shrunkAt: pace.started } : {}),
		successes: 0,
		pausedUntilMs: Math.max(pace.pausedUntilMs, nowMs + Math.min(ending.pauseMs ?? 0, longestPauseMs)),
		turnedAway: { firstMs: pace.turnedAway?.firstMs ?? nowMs, latestMs: nowMs },
	};
}

/** Half of what is allowed; from one on, the gap that the answers had, and then half as much again. */
function askForLess({ allowed, gapMs, answeredMs }: Pace, nowMs: number): Partial<Pace> {
	if (allowed > 1) return { allowed: Math.floor(allowed / 2) };
	const apartMs = answeredMs[0] === undefined ? 0 : (nowMs - answeredMs[0]) / answeredMs.length;
	const leastMs = Math.min(Math.max(apartMs, gapsMs.least), gapsMs.longestFirst);
	return { gapMs: Math.min(Math.max(gapMs * 1.5, leastMs), Math.max(gapsMs.longest, gapMs)) };
}

/** Three quarters of the gap until none is left that the user does not want, then one more; undefined when all is had. */
function askForMore({ limits, allowed, gapMs }: Pace): Partial<Pace> | undefined {
	if (gapMs > limits.gapMs) {
		const smallerMs = gapMs * 0.75;
		return { gapMs: smallerMs < gapsMs.least ? limits.gapMs : Math.max(smallerMs, limits.gapMs) };
	}
	return allowed < limits.concurrency ? { allowed: allowed + 1 } : undefined;
}

/**
 * Why an operation that waits since `sinceMs` need not wait any longer; undefined while it should. Waiting for our own
 * pace ends nothing: only a pause of `timeoutMs` or more ahead does, or as long a time in which the service answered
 * nothing but 429, to whomever. An operation that comes later is not judged by what was before it.
 */
export function findHopeless(
	pace: Pace,
	sinceMs: number,
	timeoutMs: number,
	nowMs: number,
): { readonly because: "pause" | "turned-away"; readonly forMs: number } | undefined {
	const pauseMs = pace.pausedUntilMs - nowMs;
	if (pauseMs >= timeoutMs) return { because: "pause", forMs: pauseMs };
	if (pace.turnedAway === undefined) return undefined;
	const turnedAwayMs = pace.turnedAway.latestMs - Math.max(pace.turnedAway.firstMs, sinceMs);
	return turnedAwayMs >= timeoutMs ? { because: "turned-away", forMs: turnedAwayMs } : undefined;
}
