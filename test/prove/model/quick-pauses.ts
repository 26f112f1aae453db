/** Pauses between attempts take no time in this process. Timeouts of attempts, which are longer, stay as they are. */
const longestPauseMs = 9000;

/** Makes pauses quick. Returns what makes them as they were. */
export function makePausesQuick(): () => void {
	const { setTimeout: slow } = globalThis;
	const quick = (run: () => void, ms = 0, ...given: unknown[]) =>
		slow(run, ms >= 100 && ms <= longestPauseMs ? 0 : ms, ...given);
	globalThis.setTimeout = Object.assign(quick, slow) as typeof setTimeout;
	return () => {
		globalThis.setTimeout = slow;
	};
}
