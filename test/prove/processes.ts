/** Processes of proofs: a server that prints its address, killed and started again, and what the system says of a process. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { variablesOfRun } from "../shared.ts";
import { endWithThis } from "./leftovers.ts";

/** A server in a process of its own. */
export interface ServerProcess {
	readonly pid: number;
	/** The first line that it printed. */
	readonly firstLine: string;
	/** What it printed on standard error so far. */
	stderr(): string;
	/** Resolves with the exit code once it has ended; null when a signal ended it. */
	readonly ended: Promise<number | null>;
	/** Collects garbage and returns what the process knows of itself. Rejects without `isObserved`. */
	observe(): Promise<InnerFigures>;
	/** Sends a signal, and resolves with the exit code once it has ended; null when the signal ended it. */
	end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

export interface ServerOptions {
	readonly cwd: string;
	readonly env?: Readonly<Record<string, string>>;
	/** Whether `observe` is called. */
	readonly isObserved?: boolean;
	/** Whether it prints nothing when it is ready: it is as soon as it has started. */
	readonly isSilent?: boolean;
}

const observer = fileURLToPath(new URL("observer.cjs", import.meta.url));

/** Starts Node with these arguments. Resolves when the process printed its first line; rejects when it ended before. */
export async function startServer(words: readonly string[], options: ServerOptions): Promise<ServerProcess> {
	const { cwd, isObserved = false, isSilent = false } = options;
	const env = { ...variablesOfRun(), PATH: process.env.PATH ?? "", HOME: cwd, ...options.env };
	const stdio = ["pipe", "pipe", "pipe", ...(isObserved ? ["ipc" as const] : [])] as StdioOptions;
	const child: ChildProcess = endWithThis(
		spawn(process.execPath, [...(isObserved ? ["--require", observer] : []), ...words], {
			cwd,
			env,
			stdio,
		}),
	);
	const exited = once(child, "exit") as Promise<[number | null]>;
	let stderr = "";
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	if (child.stdout === null) throw new Error("the server has no output");
	const line = isSilent ? [""] : (once(createInterface({ input: child.stdout }), "line") as Promise<[string]>);
	const first = await Promise.race([line, exited.then(() => undefined)]);
	if (first === undefined) throw new Error(`the server ended before it listened: ${stderr}`);
	child.stdout.resume();
	return {
		pid: child.pid ?? 0,
		ended: exited.then(([code]) => code),
		firstLine: first[0],
		stderr: () => stderr,
		async observe() {
			const answer = once(child, "message") as Promise<[InnerFigures]>;
			child.send("observe");
			return (await answer)[0];
		},
		async end(signal) {
			child.kill(signal);
			return (await exited)[0];
		},
	};
}

/** What a process knows of itself. */
export interface InnerFigures {
	/** Bytes in use in the heap of JavaScript, after the garbage was collected. */
	readonly heapBytes: number;
	/** Bytes of buffers and of other objects outside that heap. */
	readonly externalBytes: number;
	readonly timers: number;
	/** Handles and requests that keep the process alive, timers among them. */
	readonly activeResources: number;
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
