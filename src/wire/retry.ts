/**
 * Whether and when the same request goes out again. The rule: what the service asks for comes first, the time limit
 * ends everything. Pure: randomness and the time that is left are handed in.
 */
import type { Unclear } from "./answer.ts";

const firstDelayMs = 250;
/** The free plan allows one request a second (service-facts.md, "Rates and limits"). */
const firstThrottledDelayMs = 1000;
const longestDelayMs = 8000;
/** Unverified, chosen: enough for a service that restarts, few enough that a mistyped address is told in seconds. */
const brieflyAttempts = 4;

/**
 * Milliseconds to wait before the next attempt, or undefined when none may follow: the verdict forbids it, or the wait
 * would not end before the time limit, and then waiting would only delay the bad news. Without a `Retry-After` the wait
 * doubles with every attempt, half of it fixed and half of it random, so that many clients do not come back together.
 * `attempt` counts from 1; `random` is at least 0 and below 1.
 */
export function nextDelayMs(
	verdict: Unclear,
	attempt: number,
	remainingMs: number,
	random: number,
): number | undefined {
	if (verdict.again === "no") return undefined;
	if (verdict.again === "briefly" && attempt >= brieflyAttempts) return undefined;
	const first = verdict.throttled ? firstThrottledDelayMs : firstDelayMs;
	const ceilingMs = Math.min(longestDelayMs, first * 2 ** (attempt - 1));
	const backoffMs = Math.round(ceilingMs / 2 + (ceilingMs / 2) * random);
	const delayMs = verdict.waitMs !== undefined && verdict.waitMs > 0 ? verdict.waitMs : backoffMs;
	return delayMs < remainingMs ? delayMs : undefined;
}
