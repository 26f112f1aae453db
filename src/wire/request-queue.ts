/**
 * The queue in which the attempts of one client wait for a slot, first come, first served. A slot is held for one attempt
 * only, never while its operation waits to retry, so waiters cannot deadlock. rate-limiter.ts decides who may start; this file
 * keeps the queue and the time.
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

export type Admission =
	/** The attempt may start. Pass `number` to `release`. */
	| { readonly kind: "admitted"; readonly number: number }
	/** No attempt may start in time; `answer` is the 429 that says so. */
	| { readonly kind: "timed-out"; readonly answer: InconclusiveAnswer };

interface RequestQueueOptions extends RateLimits {
	/** How long one operation may take; longer pauses are not waited for. */
	readonly timeoutMs: number;
	readonly now: () => number;
	readonly sleep: (delayMs: number) => Promise<void>;
}

interface Waiter {
	readonly sinceMs: number;
	readonly resolve: (admission: Admission) => void;
}

export class RequestQueue {
	readonly #options: RequestQueueOptions;
	readonly #stopwatch: ReturnType<typeof makeStopwatch>;
	#limiter: RateLimiter;
	#waiters: Waiter[] = [];
	#latest429: InconclusiveAnswer | undefined;
	#isSleeping = false;
	#isOpen = false;
	#isThrottled = false;

	constructor(options: RequestQueueOptions) {
		this.#options = options;
		this.#stopwatch = makeStopwatch(options.now);
		this.#limiter = makeRateLimiter({ concurrency: options.concurrency, intervalMs: options.intervalMs });
	}

	/** Waits for a slot. `sinceMs` is when the operation first joined the queue: its share of a time of 429 answers. */
	waitForSlot(sinceMs: number): Promise<Admission> {
		return new Promise((resolve) => {
			this.#waiters.push({ sinceMs, resolve });
			this.#admit(this.#options.now());
		});
	}

	/** Frees the slot of an attempt. Call it once for every admission; `answer` is the 429 of a throttled attempt. */
	release(number: number, result: AttemptResult, answer?: InconclusiveAnswer): void {
		if (answer !== undefined) this.#latest429 = answer;
		this.#limiter = endAttempt(this.#limiter, number, result, this.#options.now());
		this.#admit(this.#options.now());
	}

	/** Returns how many attempts may be in flight now, and the least time between two starts. */
	currentRate(): Pick<RateLimiter, "maxInFlight" | "intervalMs"> {
		return this.#limiter;
	}

	/** Returns for how long no attempt may start, because the service asked for a pause; 0 without one. */
	pauseMs(): number {
		return Math.max(0, this.#limiter.pausedUntilMs - this.#options.now());
	}

	/** Runs `wait` and counts it as time that the service's limits cost. */
	async timeThrottled(wait: () => Promise<void>): Promise<void> {
		this.#stopwatch.start();
		await wait().finally(this.#stopwatch.stop);
	}

	/** Returns how long attempts waited because of limits so far. Attempts that wait at the same time count once. */
	throttledMs(): number {
		return this.#stopwatch.totalMs();
	}

	/** Admits everything that waits and all that comes: the connections are closed, so every attempt fails at once. */
	admitAll(): void {
		this.#isOpen = true;
		this.#admit(this.#options.now());
	}

	/** Admits whatever may start. `atLeastMs` is the end of a sleep: a timer may fire a little before the clock reaches it. */
	#admit(atLeastMs: number): void {
		const nowMs = Math.max(this.#options.now(), atLeastMs);
		this.#expireWaiters(nowMs);
		for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
			const delay = findDelay(this.#limiter, nowMs);
			if (delay !== undefined && !this.#isOpen) {
				this.#setThrottled(delay.isThrottled);
				if (delay.waitMs !== undefined) this.#admitAfter(delay.waitMs, nowMs);
				return;
			}
			this.#limiter = startAttempt(this.#limiter, nowMs);
			this.#waiters.shift();
			next.resolve({ kind: "admitted", number: this.#limiter.started });
		}
		this.#setThrottled(false);
	}

	#admitAfter(waitMs: number, nowMs: number): void {
		if (this.#isSleeping) return;
		this.#isSleeping = true;
		void this.#options.sleep(waitMs).then(() => {
			this.#isSleeping = false;
			this.#admit(nowMs + waitMs);
		});
	}

	#expireWaiters(nowMs: number): void {
		const answer = this.#latest429;
		if (answer === undefined) return;
		this.#waiters = this.#waiters.filter(({ sinceMs, resolve }) => {
			const why = findQueueTimeout(this.#limiter, sinceMs, this.#options.timeoutMs, nowMs);
			if (why === undefined) return true;
			resolve({ kind: "timed-out", answer: { ...answer, message: `${answer.message}; ${why}` } });
			return false;
		});
	}

	#setThrottled(isThrottled: boolean): void {
		if (isThrottled === this.#isThrottled) return;
		this.#isThrottled = isThrottled;
		if (isThrottled) this.#stopwatch.start();
		else this.#stopwatch.stop();
	}
}

/** Returns a stopwatch that runs while it was started more often than stopped. */
function makeStopwatch(now: () => number) {
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
