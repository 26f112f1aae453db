import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Calls between two looks at the memory. */
const callsBetween = 64;

/** Bytes that the process may grow by before the garbage is collected. */
const maxGrowthBytes = 16 * 1024 * 1024;

let calls = 0;
let limitBytes = Number.POSITIVE_INFINITY;
let collect: (() => void) | undefined;

/**
 * Collects garbage if the process grew much since the last time. Call it after each part of work that leaves little behind. V8
 * does so late: it lets a heap of 20 MB of values grow to hundreds of MB first.
 */
export function collectGarbage(): void {
	calls += 1;
	if (calls % callsBetween !== 0) return;
	const bytes = process.memoryUsage.rss();
	if (calls === callsBetween) limitBytes = bytes + maxGrowthBytes;
	if (bytes < limitBytes) return;
	collect ??= findCollector();
	collect();
	limitBytes = process.memoryUsage.rss() + maxGrowthBytes;
}

/** Returns V8's own collector, which Node shows only when asked. */
function findCollector(): () => void {
	setFlagsFromString("--expose-gc");
	const gc = runInNewContext("gc") as ((options: object) => void) | undefined;
	return () => gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
