/** Whether and when a request is retried, and what a 429 means for others. The service's delays count, then the timeout. Pure. */
import { textOf } from "../common/said.ts";
import type { InconclusiveAnswer, RefusedAnswer } from "./answer.ts";

const firstDelayMs = 250;
/** The free plan allows one request a second (docs/internals/service.md#rates-and-limits). */
const firstThrottledDelayMs = 1000;
const maxDelayMs = 8000;
/** Unverified, chosen: enough for a service that restarts, few enough that a mistyped address fails within seconds. */
const brieflyAttempts = 4;
/** Unverified, chosen: a shorter attempt would mostly be cut off, and hide the answer before it and leave a submit in doubt. */
const leastAttemptMs = 100;

/**
 * Returns the milliseconds before the next attempt. Returns undefined when none may follow: the answer forbids it, or the
 * timeout would leave no time for it. Without a `Retry-After` the delay doubles with every attempt, half of it fixed and half of
 * it random, so that many clients do not retry together. `attempt` counts from 1; `random` is at least 0 and below 1.
 */
export function retryDelayMs(
	answer: InconclusiveAnswer,
	attempt: number,
	remainingMs: number,
	random: number,
): number | undefined {
	if (answer.retry === "no") return undefined;
	if (answer.retry === "briefly" && attempt >= brieflyAttempts) return undefined;
	const first = answer.throttled ? firstThrottledDelayMs : firstDelayMs;
	const ceilingMs = Math.min(maxDelayMs, first * 2 ** (attempt - 1));
	const backoffMs = Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
	const { waitMs = 0 } = answer;
	const delayMs = waitMs > 0 ? waitMs : backoffMs;
	return delayMs + leastAttemptMs < remainingMs ? delayMs : undefined;
}

/**
 * Returns for how many milliseconds no request may be sent after this 429; undefined when it concerns one request only.
 *
 * Unverified, chosen: `ratelimit-remaining: 0` concerns every request. Without a `Retry-After` the pause is one second, since
 * the service's rates are per second (docs/internals/service.md#rates-and-limits).
 */
export function sharedPauseMs(answer: InconclusiveAnswer): number | undefined {
	const { waitMs = 0 } = answer;
	if (waitMs > 0) return waitMs;
	return answer.exhausted ? firstThrottledDelayMs : undefined;
}

/** Returns one line about a 429: its cause, what happens next, and what would avoid it. `delayMs` undefined: no retry. */
export function describeThrottle(
	answer: InconclusiveAnswer | RefusedAnswer,
	delayMs: number | undefined,
	rate: { readonly maxInFlight: number; readonly intervalMs: number },
): string {
	const hint = answer.hint === undefined ? "" : `; ${textOf(answer.hint)}`;
	if (answer.kind === "refused") return `${answer.message}${hint}`;
	const next = delayMs === undefined ? "not retried, the timeout is reached" : `retried in ${toSeconds(delayMs)} s`;
	const interval = rate.intervalMs > 0 ? `, ${toSeconds(rate.intervalMs)} s apart` : "";
	return `${answer.message}; ${next}, now at most ${rate.maxInFlight} at once${interval}${hint}`;
}

/** Returns milliseconds as seconds with one decimal place. */
export function toSeconds(timeMs: number): number {
	return Number((timeMs / 1000).toFixed(1));
}
