/** What the user sees of 429s: a notice, another when something changes, and a summary at the end. Pure. */
import type { AttemptEvent } from "./request.ts";

/** After this long without a 429, the next one is shown like the first. Unverified, chosen: one minute. */
const quietMs = 60_000;

/** Max different messages of one service that are shown: each answer may have new words. */
const maxMessages = 5;

/** A longer delay is shown again when it exceeds the longest one shown by this much. */
const muchLongerMs = 5_000;

/** Returns the notices of one client. `now` is in milliseconds from any start, never set back. */
export function makeThrottleNotices(now: () => number) {
	let firstMs: number | undefined;
	let latestMs = 0;
	let rejected = 0;
	let notRetried = 0;
	let shown = new Set<string>();
	let longestShownMs = 0;
	return {
		/** Returns the notice about an attempt; undefined when it is no 429 or nothing has changed. */
		onAttempt({ reason, throttle }: Pick<AttemptEvent, "reason" | "throttle">): string | undefined {
			if (throttle === undefined) return undefined;
			const nowMs = now();
			if (nowMs - latestMs > quietMs) {
				shown = new Set();
				longestShownMs = 0;
			}
			firstMs ??= nowMs;
			latestMs = nowMs;
			rejected += 1;
			const { because, againMs } = throttle;
			if (againMs === undefined) notRetried += 1;
			// Numbers and ids differ from answer to answer.
			const message = `${againMs === undefined}: ${because.replace(/[\da-f-]/gi, "")}`;
			const isLonger = (againMs ?? 0) >= longestShownMs + muchLongerMs;
			const isNew = !shown.has(message) && shown.size < maxMessages;
			if (!isNew && !isLonger) return undefined;
			shown.add(message);
			longestShownMs = Math.max(longestShownMs, againMs ?? 0);
			return reason;
		},
		/** Returns the summary for the end of the run; undefined when the service answered no request with 429. */
		summarize(): string | undefined {
			if (firstMs === undefined) return undefined;
			const seconds = Math.round((latestMs - firstMs) / 1000);
			const requests = rejected === 1 ? "1 request" : `${rejected} requests within ${seconds} s`;
			const ended =
				notRetried === 0
					? `orgsync retried ${rejected === 1 ? "it" : "all of them"}`
					: `orgsync did not retry ${rejected === 1 ? "it" : `${notRetried} of them`}`;
			return `rate limit: the service rejected ${requests} (429); ${ended}`;
		},
	};
}
