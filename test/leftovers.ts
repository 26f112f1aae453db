/** What a run of the tests left behind: files in the temporary folder, processes, and files in the clone that git does not ignore. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProcesses, killOne } from "./engine/processes.ts";

const project = fileURLToPath(new URL("..", import.meta.url));

/** The state of the clone, as git shows it; empty where there is no git or no repository. */
export function readClone(): readonly string[] {
	const { stdout, status } = spawnSync("git", ["status", "--porcelain", "--untracked-files=all"], {
		cwd: project,
		encoding: "utf8",
	});
	return status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
}

/** How long processes that got a signal to end may take, in milliseconds. */
const endMs = 5000;

/** Each thing that is left, in words. Processes are killed. */
export async function findLeftovers(folder: string, marker: string, before: readonly string[]): Promise<string[]> {
	const deadline = Date.now() + endMs;
	// The workers, which this process starts, end after it has looked.
	const find = () => findProcesses(marker).filter(({ pid }) => parentOf(pid) !== process.pid);
	while (find().length > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
	const processes = find();
	for (const { pid } of processes) killOne(pid);
	return [
		...readdirSync(folder).map((name) => `the folder or file ${name} in the temporary folder`),
		...processes.map(({ pid, command }) => `the process ${pid}: ${command}`),
		...readClone()
			.filter((line) => !before.includes(line))
			.map((line) => `in the clone: ${line}`),
	];
}

/** Kills the processes of a run now. One that is killed late may have started another, so this looks again. */
export function endProcesses(marker: string): void {
	for (let round = 0; round < 20; round += 1) {
		const found = findProcesses(marker);
		if (found.length === 0) return;
		for (const { pid } of found) killOne(pid);
	}
}

/** The parent of a process, as Linux shows it; undefined for one that has ended. */
function parentOf(pid: number): number | undefined {
	try {
		return Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1]);
	} catch {
		return undefined;
	}
}
