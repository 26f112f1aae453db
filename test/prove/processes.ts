/** Processes of proofs: a server that prints its address, killed and started again, and what the system says of a process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface ServerProcess {
	readonly pid: number;
	/** The first line that it printed. */
	readonly firstLine: string;
	/** What it printed on standard error so far. */
	stderr(): string;
	/** Sends a signal, and resolves with the exit code once it has ended; null when the signal ended it. */
	end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

/** Starts Node with these arguments. Resolves when the process printed its first line; rejects when it ended before. */
export async function startServer(
	words: readonly string[],
	options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ServerProcess> {
	const env = { PATH: process.env.PATH ?? "", HOME: options.cwd, ...options.env };
	const child: ChildProcess = spawn(process.execPath, words, { cwd: options.cwd, env, stdio: "pipe" });
	const exited = once(child, "exit") as Promise<[number | null]>;
	let stderr = "";
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	if (child.stdout === null) throw new Error("the server has no output");
	const line = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
	const first = await Promise.race([line, exited.then(() => undefined)]);
	if (first === undefined) throw new Error(`the server ended before it listened: ${stderr}`);
	child.stdout.resume();
	return {
		pid: child.pid ?? 0,
		firstLine: first[0],
		stderr: () => stderr,
		async end(signal) {
			child.kill(signal);
			return (await exited)[0];
		},
	};
}

/** What the system says of a running process. */
export interface ProcessFigures {
	/** Resident memory in MB of a million bytes. */
	readonly residentMb: number;
	readonly openFiles: number;
	readonly sockets: number;
}

/** Returns the figures of a process; undefined where the system has no /proc, or the process has ended. */
export function figuresOf(pid: number): ProcessFigures | undefined {
	const folder = `/proc/${pid}`;
	if (!existsSync(`${folder}/fd`)) return undefined;
	const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, "utf8"))?.[1] ?? 0);
	const targets = readdirSync(`${folder}/fd`).map((name) => targetOf(`${folder}/fd/${name}`));
	return {
		residentMb: Math.round((kilobytes * 1024) / 1e6),
		openFiles: targets.length,
		sockets: targets.filter((target) => target.startsWith("socket:")).length,
	};
}

/** Returns what a link leads to; nothing if it is gone meanwhile. */
function targetOf(link: string): string {
	try {
		return readlinkSync(link);
	} catch {
		return "";
	}
}
