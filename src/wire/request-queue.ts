/**
 * Where the attempts of one client wait until they may leave, first come, first served. The rule: a place is held for one
 * attempt only, never while its operation waits to try again, so that nobody waits for somebody who waits for him.
 * rate-limiter.ts decides; this file keeps the waiting and the time.
 */
import type { InconclusiveAnswer } from "./answer.ts";
import {
	type AttemptResult,
	endAttempt,
	findDelay,
	findQueueTimeout,
	makeRateLimiter,
	type RateLimiter,
	type RateLimits,
	startAttempt,
} from "./rate-limiter.ts";

/** What waiting came to. */
export type Admission =
	/** The attempt may leave; `number` is what `leave` wants to hear. */
	| { readonly kind: "admitted"; readonly number: number }
	/** Nothing may leave in time; the answer is the 429 that says so. */
	| { readonly kind: "timed-out"; readonly answer: InconclusiveAnswer };

export interface RequestQueue {
	/** Waits for a place. `sinceMs` is when the operation first came here; it tells how long it has had no luck. */
	waitForSlot(sinceMs: number): Promise<Admission>;
	/** Gives the place of an attempt back; must follow every `go`, once. `answer` is the 429 of a throttled one. */
	release(number: number, result: AttemptResult, answer?: InconclusiveAnswer): void;
	/** How many attempts may be in flight at once now, and the least time from the start of one to that of the next. */
	currentRate(): Pick<RateLimiter, "maxInFlight" | "intervalMs">;
	/** How long nobody may leave, from now on, because the service asks for it; 0 when it does not. */
	pauseMs(): number;
	/** Resolves after the wait, which counts as time that the service's limits cost. */
	timeThrottled(wait: () => Promise<void>): Promise<void>;
	/** How long something has waited because of limits so far: time on the clock, however many waited side by side. */
	throttledMs(): number;
	/** Lets everybody through: what they want to use is closed. */
	admitAll(): void;
}

export interface RequestQueueOptions extends RateLimits {
	/** How long one operation may take; longer pauses are not waited for. */
	readonly timeoutMs: number;
	readonly now: () => number;
	readonly sleep: (delayMs: number) => Promise<void>;
}

interface Waiter {
	readonly sinceMs: number;
	readonly resolve: (admission: Admission) => void;
}

/** A queue that nobody has passed yet. */
export function makeRequestQueue(options: RequestQueueOptions): RequestQueue {
	const { timeoutMs, now, sleep } = options;
	let limiter = makeRateLimiter({ concurrency: options.concurrency, intervalMs: options.intervalMs });
	let waiting: Waiter[] = [];
	let latest: InconclusiveAnswer | undefined;
	let sleeping = false;
	let opened = false;
	const watch = makeStopwatch(now);
	let isThrottled = false;

	const setThrottled = (held: boolean): void => {
		if (held !== isThrottled) held ? watch.start() : watch.stop();
		isThrottled = held;
	};
	const expireWaiters = (nowMs: number): void => {
		const answer = latest;
		// Nothing is timeout before the first 429.
		if (answer === undefined) return;
		waiting = waiting.filter(({ sinceMs, resolve }) => {
			const timeout = findQueueTimeout(limiter, sinceMs, timeoutMs, nowMs);
			if (timeout === undefined) return true;
			resolve({ kind: "timed-out", answer: describeQueueTimeout(answer, timeout) });
			return false;
		});
	};
	/** `atLeastMs` is the time until which was slept: a timer may fire a little before the clock says so. */
	const pump = (atLeastMs: number): void => {
		const nowMs = Math.max(now(), atLeastMs);
		expireWaiters(nowMs);
		for (let wait = findDelay(limiter, nowMs); waiting.length > 0; wait = findDelay(limiter, nowMs)) {
			if (wait.reason !== "none" && !opened) {
				setThrottled(wait.reason !== "busy");
				if (!("waitMs" in wait) || sleeping) return;
				const { waitMs } = wait;
				sleeping = true;
				void sleep(waitMs).then(() => {
					sleeping = false;
					pump(nowMs + waitMs);
				});
				return;
			}
			limiter = startAttempt(limiter, nowMs);
			waiting.shift()?.resolve({ kind: "admitted", number: limiter.started });
		}
		setThrottled(false);
	};
	return {
		waitForSlot: (sinceMs) =>
			new Promise((resolve) => {
				waiting.push({ sinceMs, resolve });
				pump(now());
			}),
		release(number, result, answer) {
			if (answer !== undefined) latest = answer;
			limiter = endAttempt(limiter, number, result, now());
			pump(now());
		},
		currentRate: () => limiter,
		pauseMs: () => Math.max(0, limiter.pausedUntilMs - now()),
		async timeThrottled(wait) {
			watch.start();
			await wait().finally(watch.stop);
		},
		throttledMs: watch.totalMs,
		admitAll() {
			opened = true;
			pump(now());
		},
	};
}

/** The 429 in the words of somebody who was not let through because of it. */
function describeQueueTimeout(
	answer: InconclusiveAnswer,
	{ reason, forMs }: NonNullable<ReturnType<typeof findQueueTimeout>>,
): InconclusiveAnswer {
	const seconds = Math.ceil(forMs / 1000);
	const why =
		reason === "pause"
			? `the service asks to wait ${seconds} s, longer than --timeout allows`
			: `every request was turned away for ${seconds} s`;
	return { ...answer, message: `${answer.message}; ${why}` };
}

interface Stopwatch {
	start(): void;
	stop(): void;
	totalMs(): number;
}

/** Runs while more was started than stopped. */
function makeStopwatch(now: () => number): Stopwatch {
	let running = 0;
	let startedMs = 0;
	let summedMs = 0;
	const lapMs = () => (running > 0 ? Math.max(0, now() - startedMs) : 0);
	return {
		start() {
			if (running === 0) startedMs = now();
			running += 1;
		},
		stop() {
			summedMs += running === 1 ? lapMs() : 0;
			running -= 1;
		},
		totalMs: () => summedMs + lapMs(),
	};
}
