/**
 * Where the attempts of one client wait until they may leave, first come, first served. The rule: a place is held for one
 * attempt only, never while its operation waits to try again, so that nobody waits for somebody who waits for him.
 * pace.ts decides; this file keeps the queue and the time.
 */
import type { Unclear } from "./answer.ts";
import {
	type Ending,
	endAttempt,
	findHopeless,
	makePace,
	type Pace,
	type PaceLimits,
	startAttempt,
	waitOf,
} from "./pace.ts";

/** What waiting came to. */
export type Pass =
	/** The attempt may leave; `number` is what `leave` wants to hear. */
	| { readonly kind: "go"; readonly number: number }
	/** Nothing may leave in time; the verdict is the 429 that says so. */
	| { readonly kind: "hopeless"; readonly verdict: Unclear };

export interface Gate {
	/** Waits for a place. `sinceMs` is when the operation first came here; it tells how long it has had no luck. */
	enter(sinceMs: number): Promise<Pass>;
	/** Gives the place of an attempt back; must follow every `go`, once. `verdict` is the 429 of a throttled one. */
	leave(number: number, ending: Ending, verdict?: Unclear): void;
	/** How many attempts may be in flight at once now, and the least time from the start of one to that of the next. */
	speed(): Pick<Pace, "allowed" | "gapMs">;
	/** How long nobody may leave, from now on, because the service asks for it; 0 when it does not. */
	pauseMs(): number;
	/** Resolves after the wait, which counts as time that the service's limits cost. */
	waitThrottled(wait: () => Promise<void>): Promise<void>;
	/** How long something has waited because of limits so far: time on the clock, however many waited side by side. */
	throttledMs(): number;
	/** Lets everybody through: what they want to use is closed. */
	open(): void;
}

export interface GateOptions extends PaceLimits {
	/** How long one operation may take; longer pauses are not waited for. */
	readonly timeoutMs: number;
	readonly now: () => number;
	readonly sleep: (delayMs: number) => Promise<void>;
}

interface Waiter {
	readonly sinceMs: number;
	readonly resolve: (pass: Pass) => void;
}

/** A gate that nobody has passed yet. */
export function makeGate(options: GateOptions): Gate {
	const { timeoutMs, now, sleep } = options;
	let pace = makePace({ concurrency: options.concurrency, gapMs: options.gapMs });
	let queue: Waiter[] = [];
	let latest: Unclear | undefined;
	let sleeping = false;
	let opened = false;
	const watch = makeStopwatch(now);
	let heldBack = false;

	const holdBack = (held: boolean): void => {
		if (held !== heldBack) held ? watch.start() : watch.stop();
		heldBack = held;
	};
	const turnAwayHopeless = (nowMs: number): void => {
		const verdict = latest;
		// Nothing is hopeless before the first 429.
		if (verdict === undefined) return;
		queue = queue.filter(({ sinceMs, resolve }) => {
			const hopeless = findHopeless(pace, sinceMs, timeoutMs, nowMs);
			if (hopeless === undefined) return true;
			resolve({ kind: "hopeless", verdict: sayHopeless(verdict, hopeless) });
			return false;
		});
	};
	/** `atLeastMs` is the time until which was slept: a timer may fire a little before the clock says so. */
	const pump = (atLeastMs: number): void => {
		const nowMs = Math.max(now(), atLeastMs);
		turnAwayHopeless(nowMs);
		for (let wait = waitOf(pace, nowMs); queue.length > 0; wait = waitOf(pace, nowMs)) {
			if (wait.because !== "nothing" && !opened) {
				holdBack(wait.because !== "busy");
				if (!("waitMs" in wait) || sleeping) return;
				const { waitMs } = wait;
				sleeping = true;
				void sleep(waitMs).then(() => {
					sleeping = false;
					pump(nowMs + waitMs);
				});
				return;
			}
			pace = startAttempt(pace, nowMs);
			queue.shift()?.resolve({ kind: "go", number: pace.started });
		}
		holdBack(false);
	};
	return {
		enter: (sinceMs) =>
			new Promise((resolve) => {
				queue.push({ sinceMs, resolve });
				pump(now());
			}),
		leave(number, ending, verdict) {
			if (verdict !== undefined) latest = verdict;
			pace = endAttempt(pace, number, ending, now());
			pump(now());
		},
		speed: () => pace,
		pauseMs: () => Math.max(0, pace.pausedUntilMs - now()),
		async waitThrottled(wait) {
			watch.start();
			await wait().finally(watch.stop);
		},
		throttledMs: watch.totalMs,
		open() {
			opened = true;
			pump(now());
		},
	};
}

/** The 429 in the words of somebody who was not let through because of it. */
function sayHopeless(verdict: Unclear, { because, forMs }: NonNullable<ReturnType<typeof findHopeless>>): Unclear {
	const seconds = Math.ceil(forMs / 1000);
	const why =
		because === "pause"
			? `the service asks to wait ${seconds} s, longer than --timeout allows`
			: `every request was turned away for ${seconds} s`;
	return { ...verdict, message: `${verdict.message}; ${why}` };
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
