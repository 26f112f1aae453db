/**
 * The clock of a test file: importing this sets `Date.now()` and `new Date()` one minute into a quarter of an hour, from
 * where it runs on.
 *
 * Where a service has no list_activities, orgsync recognizes a second runner by its bytes, and these are the same only
 * within a quarter of an hour. With the clock of the machine such a test would fail whenever a quarter ends in it.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const minuteMs = 60_000;
const script = fileURLToPath(new URL("clock.cjs", import.meta.url));
// The script is loaded once in a process that serves several test files.
const clock = createRequire(import.meta.url)(script) as { machineNow(): number; setAhead(ms: number): void };
const aheadMs = minuteMs - (clock.machineNow() % (15 * minuteMs));
process.env.TEST_CLOCK_AHEAD_MS = String(aheadMs);
clock.setAhead(aheadMs);

/** Gives a Node process the clock that `clockEnvironment` sets. */
export const clockOption = `--require=${script}`;

/** The environment of a process whose clock is that of the test file, or that much later. */
export function clockEnvironment(laterMs = 0): Readonly<Record<string, string>> {
	return { TEST_CLOCK_AHEAD_MS: String(aheadMs + laterMs) };
}
