/** A clock on which waiting takes no time: it jumps to the end of the next sleep. */

export interface VirtualClock {
	readonly now: () => number;
	readonly sleep: (delayMs: number) => Promise<void>;
	/** Runs until no sleep is left, or, with a limit, until that time. */
	run(untilMs?: number): Promise<void>;
	/** Jumps to the end of the next sleep whenever `isIdle`, until `work` settles; returns what it resolves to. */
	runWhileIdle<Value>(isIdle: () => boolean, work: Promise<Value>): Promise<Value>;
}

export function makeVirtualClock(startMs = 0): VirtualClock {
	let nowMs = startMs;
	let sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	const nextMs = () => Math.min(...sleepers.map(({ atMs }) => atMs));
	const jump = (atMs: number) => {
		nowMs = Math.max(nowMs, atMs);
		const due = sleepers.filter((sleeper) => sleeper.atMs <= atMs);
		sleepers = sleepers.filter((sleeper) => sleeper.atMs > atMs);
		for (const { wake } of due) wake();
	};
	return {
		now: () => nowMs,
		sleep: (delayMs) => new Promise((wake) => sleepers.push({ atMs: nowMs + delayMs, wake })),
		async run(untilMs = Number.POSITIVE_INFINITY) {
			for (await settle(); sleepers.length > 0 && nextMs() <= untilMs; await settle()) jump(nextMs());
			if (untilMs !== Number.POSITIVE_INFINITY) nowMs = Math.max(nowMs, untilMs);
		},
		async runWhileIdle(isIdle, work) {
			let hasSettled = false;
			const end = () => {
				hasSettled = true;
			};
			work.then(end, end);
			for (await settle(); !hasSettled; await settle()) {
				if (isIdle() && sleepers.length > 0) jump(nextMs());
			}
			return work;
		},
	};
}
