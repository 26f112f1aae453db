/**
 * Whether and when the same request goes out again, and what a 429 means for all others. The rule: what the service asks
 * for comes first, the time limit ends everything. Pure: randomness and the time that is left are handed in.
 */
import type { InconclusiveAnswer, RefusedAnswer } from "./answer.ts";

const firstDelayMs = 250;
/** The free plan allows one request a second (docs/service.md#rates-and-limits). */
const firstThrottledDelayMs = 1000;
const maxDelayMs = 8000;
/** Unverified, chosen: enough for a service that restarts, few enough that a mistyped address is told in seconds. */
const brieflyAttempts = 4;

/**
 * Milliseconds to wait before the next attempt, or undefined when none may follow: the answer forbids it, or the wait
 * would not end before the time limit, and then waiting would only delay the bad news. Without a `Retry-After` the wait
 * doubles with every attempt, half of it fixed and half of it random, so that many clients do not come back together.
 * `attempt` counts from 1; `random` is at least 0 and below 1.
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
	const delayMs = answer.waitMs !== undefined && answer.waitMs > 0 ? answer.waitMs : backoffMs;
	return delayMs < remainingMs ? delayMs : undefined;
}

/**
 * Milliseconds in which nobody may ask after this 429, or undefined when it speaks of one request only.
 *
 * Unverified, chosen: `ratelimit-remaining: 0` speaks of everybody, and without a `Retry-After` for a second, since the
 * service's rates are by the second (docs/service.md#rates-and-limits).
 */
export function sharedPauseMs(answer: InconclusiveAnswer): number | undefined {
	if (answer.waitMs !== undefined && answer.waitMs > 0) return answer.waitMs;
	return answer.exhausted ? firstThrottledDelayMs : undefined;
}

/**
 * One line for a person who watches: why a request was answered 429, what comes next, and what would avoid it. `delayMs`
 * is when it goes out again, undefined when it does not; `speed` is what the whole client allows itself from now on.
 */
export function describeThrottle(
	answer: InconclusiveAnswer | RefusedAnswer,
	delayMs: number | undefined,
	speed: { readonly maxInFlight: number; readonly intervalMs: number },
): string {
	const hint = answer.hint === undefined ? "" : `; ${answer.hint}`;
	if (answer.kind === "refused") return `${answer.message}${hint}`;
	const next = delayMs === undefined ? "not asked again, the time is up" : `asked again in ${seconds(delayMs)} s`;
	const apart = speed.intervalMs > 0 ? `, ${seconds(speed.intervalMs)} s apart` : "";
	return `${answer.message}; ${next}, now at most ${speed.maxInFlight} at once${apart}${hint}`;
}

function seconds(timeMs: number): number {
	return Number((timeMs / 1000).toFixed(1));
}
