import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Calls between two looks at the size of the young generation, and at the memory of the process. */
const callsBetween = { young: 16, process: 64 } as const;

/** Bytes that the process may grow by before the garbage is collected. */
const maxGrowthBytes = 16 * 1024 * 1024;

/** The young generation grows no more from here: in a smaller one, V8 copies what lives for a request; a larger one is waste. */
const youngBytes = 8 * 1024 * 1024;

let calls = 0;
let limitBytes = Number.POSITIVE_INFINITY;
let growth = 0;
let collect: (() => void) | undefined;

/** Collects garbage if the process grew much: V8 lets a heap of 20 MB grow to hundreds of MB. Call it between parts of work. */
export function collectGarbage(): void {
	calls += 1;
	if (calls % callsBetween.young !== 0) return;
	if (calls >= callsBetween.process) limitYoung();
	if (calls % callsBetween.process !== 0) return;
	const bytes = process.memoryUsage.rss();
	if (calls === callsBetween.process) limitBytes = bytes + maxGrowthBytes;
	if (bytes < limitBytes) return;
	collect ??= findCollector();
	collect();
	// The young generation is at its smallest after it.
	limitYoung();
	limitBytes = process.memoryUsage.rss() + maxGrowthBytes;
}

/** Lets the young generation grow in one step to its limit, and no more. */
function limitYoung(): void {
	const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
	const factor = (young?.space_size ?? 0) < youngBytes ? 4 : 1;
	if (factor !== growth) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
	growth = factor;
}

/** Returns V8's own collector, which Node shows only when asked. */
function findCollector(): () => void {
	setFlagsFromString("--expose-gc");
	const gc = runInNewContext("gc") as ((options: object) => void) | undefined;
	return () => gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
