/** The CPU time of this process: what a limit on work is measured with, because other processes do not lengthen it. */

/** Runs this and returns how many milliseconds of CPU it took. */
export function cpuMsOf(run: () => void): number {
	const before = process.cpuUsage();
	run();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
