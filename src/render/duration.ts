import { count } from "../say/count.ts";

const minuteMs = 60_000;
const units = [
	[24 * 60 * minuteMs, "day", "days"],
	[60 * minuteMs, "hour", "hours"],
	[minuteMs, "minute", "minutes"],
] as const;

/** Returns the time between two instants in the largest unit that fits, rounded down. */
export function formatDuration(from: string, to: string): string {
	const ms = Date.parse(to) - Date.parse(from);
	for (const [size, one, many] of units) if (ms >= size) return count(Math.floor(ms / size), one, many);
	return "less than a minute";
}
