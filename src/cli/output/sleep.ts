import { setTimeout } from "node:timers/promises";

/** Resolves after so many milliseconds, or once the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
	return setTimeout(ms, undefined, signal && { signal }).catch(() => undefined);
}
