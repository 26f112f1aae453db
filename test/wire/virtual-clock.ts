/** A clock on which waiting takes no time: it jumps to the next time that somebody sleeps until. */

export interface VirtualClock {
	readonly now: () => number;
	readonly sleep: (delayMs: number) => Promise<void>;
	/** Runs until nobody sleeps any more, or, with a limit, until the time comes. */
	run(untilMs?: number): Promise<void>;
}

export function makeVirtualClock(startMs = 0): VirtualClock {
	let nowMs = startMs;
	let sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	return {
		now: () => nowMs,
		sleep: (delayMs) => new Promise((wake) => sleepers.push({ atMs: nowMs + delayMs, wake })),
		async run(untilMs = Number.POSITIVE_INFINITY) {
			for (await settle(); sleepers.length > 0; await settle()) {
				const atMs = Math.min(...sleepers.map((sleeper) => sleeper.atMs));
				if (atMs > untilMs) break;
				nowMs = Math.max(nowMs, atMs);
				const due = sleepers.filter((sleeper) => sleeper.atMs <= atMs);
				sleepers = sleepers.filter((sleeper) => sleeper.atMs > atMs);
				for (const { wake } of due) wake();
			}
			if (untilMs !== Number.POSITIVE_INFINITY) nowMs = Math.max(nowMs, untilMs);
		},
	};
}
