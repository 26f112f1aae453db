/**
 * What a person hears of a service that answers 429: one notice, another when something changes, and in the end how it went.
 * Pure: the clock is handed in.
 */
import type { AttemptEvent } from "./request.ts";

export interface ThrottleNotices {
	/** The notice on this attempt; undefined when it is no 429, or says nothing new. */
	onAttempt(event: Pick<AttemptEvent, "reason" | "throttle">): string | undefined;
	/** How it went, for the end of the run; undefined when no request was turned away. */
	summarize(): string | undefined;
}

/** After so long without a 429 the next one is told like the first. Unverified, chosen: one minute. */
const quietMs = 60_000;

/** Most different texts of one service that are told: it may put something new into each. */
const maxTexts = 5;

/** Longer waits are told again when they are at least this much longer than the longest one told. */
const muchLongerMs = 5_000;

/** Notices for one client. `now` is in milliseconds from any beginning, never set back. */
export function makeThrottleNotices(now: () => number): ThrottleNotices {
	let firstMs: number | undefined;
	let latestMs = 0;
	let turnedAway = 0;
	let givenUp = 0;
	let told = new Set<string>();
	let longestToldMs = 0;
	return {
		onAttempt({ reason, throttle }) {
			if (throttle === undefined || reason === undefined) return undefined;
			const nowMs = now();
			if (nowMs - latestMs > quietMs) {
				told = new Set();
				longestToldMs = 0;
			}
			firstMs ??= nowMs;
			latestMs = nowMs;
			turnedAway += 1;
			const { because, againMs } = throttle;
			if (againMs === undefined) givenUp += 1;
			// Numbers and ids in the text change from answer to answer and tell nothing new.
			const text = `${againMs === undefined}: ${because.replace(/[\da-f-]*\d[\da-f-]*/gi, "")}`;
			const isLonger = againMs !== undefined && againMs >= longestToldMs + muchLongerMs;
			const isNew = !told.has(text) && told.size < maxTexts;
			if (!isNew && !isLonger) return undefined;
			told.add(text);
			longestToldMs = Math.max(longestToldMs, againMs ?? 0);
			return reason;
		},
		summarize() {
			if (firstMs === undefined) return undefined;
			const seconds = Math.round((latestMs - firstMs) / 1000);
			const requests = turnedAway === 1 ? "1 request" : `${turnedAway} requests within ${seconds} s`;
			const ended =
				givenUp === 0
					? `orgsync retried ${turnedAway === 1 ? "it" : "all of them"}`
					: `orgsync gave up on ${turnedAway === 1 ? "it" : givenUp}`;
			return `rate limit: the service rejected ${requests} (429); ${ended}`;
		},
	};
}
