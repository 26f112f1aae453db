/** Runs `orgsync` for proofs: in this process with the clock of the proof, or as a process of its own. */
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../scripts/manifest.ts";
import { run } from "../../src/cli/run.ts";
import { endWithThis } from "./leftovers.ts";

/** Where a command runs, and with which clock. */
export interface Place {
	readonly directory: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** What a pause of the command is. A command in this process only. */
	readonly sleep: (ms: number) => Promise<void>;
}

/** What a command printed, and how it ended. */
export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a command in this process: everything but argv, streams and exit is that of a real one. */
export async function runHere(words: readonly string[], place: Place): Promise<Ended> {
	const texts = { stdout: "", stderr: "" };
	const collect = (name: keyof typeof texts): Writable =>
		new Writable({
			decodeStrings: false,
			write(text: string | Buffer, _encoding, done) {
				texts[name] += text;
				done();
			},
		});
	const code = await run(words, {
		...place,
		stdin: Readable.from([]),
		stdout: collect("stdout"),
		stderr: collect("stderr"),
		steadyNow: () => performance.now(),
	});
	return { code, ...texts };
}

const clockScript = fileURLToPath(new URL("../clock.cjs", import.meta.url));

/** Runs the command as it was built, as a process. Its clock goes with the machine's, from what `now` says at the beginning. */
export function runAsProcess(words: readonly string[], { directory, environment, now }: Place): Promise<Ended> {
	const clock = { NODE_OPTIONS: `--require=${clockScript}`, TEST_CLOCK_AHEAD_MS: String(now() - Date.now()) };
	const child = endWithThis(
		spawn(process.execPath, [commandFile, ...words], {
			cwd: directory,
			env: { PATH: process.env.PATH, HOME: directory, ...clock, ...environment },
			stdio: ["ignore", "pipe", "pipe"],
		}),
	);
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	return new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code) => resolve({ code, ...texts }));
	});
}
