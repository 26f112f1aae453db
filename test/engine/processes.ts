/**
 * The processes of a stack, found and killed one by one.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface RunningProcess {
	readonly pid: number;
	readonly command: string;
}

/** By the marker in their environment, which Linux shows in /proc; elsewhere only what we started ourselves is killed. */
export function findProcesses(marker: string): RunningProcess[] {
	const found: RunningProcess[] = [];
	for (const name of existsSync("/proc/self/environ") ? readdirSync("/proc") : []) {
		const pid = Number(name);
		if (!Number.isInteger(pid) || pid === process.pid) continue;
		try {
			if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(marker)) continue;
			readlinkSync(`/proc/${pid}/exe`);
			found.push({ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() });
		} catch {
			// It ended meanwhile, is a zombie, or is another user's.
		}
	}
	return found;
}

export function killOne(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It ended meanwhile.
	}
}
