/** The command line in this process, with streams of its own: what it prints is what a person reads. */
import { Readable, Writable } from "node:stream";
import { makeOutput } from "../../../src/cli/flags/output-flags.ts";
import type { Terminal } from "../../../src/cli/output/output.ts";
import { run } from "../../../src/cli/run.ts";
import { OrgsyncError } from "../../../src/common/errors.ts";
import { makeFolder } from "../leftovers.ts";
import type { Outcome } from "./input.ts";
import { secrets } from "./judge.ts";

/** The folder that commands run in, new for each process. */
export const folder = makeFolder("fuzz");

export interface Call {
	readonly stdin?: string | Uint8Array;
	readonly environment?: Readonly<Record<string, string>>;
	/** False where `--format json` does not promise an object: with `--help`, `--output` and others. */
	readonly isJson?: boolean;
}

export interface Ended extends Outcome {
	readonly code: number;
	readonly stdout: string;
}

/** Runs a command to its end. Exit code 0 accepts the input. Throws if it promised JSON and printed none. */
export async function runCommand(words: readonly string[], call: Call = {}): Promise<Ended> {
	const printed: Printed = { stdout: "", stderr: "" };
	const code = await run(words, makeTerminal(printed, call));
	const { stdout, stderr } = printed;
	if (words.at(-1) === "json" && call.isJson !== false) readWhole(stdout);
	const markup = /^<!(?:doctype html|-- )/.test(stdout);
	// Standard error beside a page is not read as markup.
	const said = markup ? stderr.replaceAll("<", "‹") : stderr;
	return { accepted: code === 0, printed: stdout + said, code, stdout, markup };
}

function readWhole(stdout: string): void {
	try {
		JSON.parse(stdout);
	} catch {
		throw new Error(`standard output is not one JSON object: ${stdout.slice(0, 300)}`);
	}
}

/** Returns what the command prints for this error. */
export async function printError(command: string, error: unknown): Promise<Outcome> {
	if (!(error instanceof OrgsyncError)) throw error;
	const printed: Printed = { stdout: "", stderr: "" };
	await makeOutput(command, {}, makeTerminal(printed, {}), []).failure(error);
	return { accepted: false, printed: printed.stdout + printed.stderr };
}

interface Printed {
	stdout: string;
	stderr: string;
}

/** The time at which all commands begin: that of the recorded answers. */
const startMs = Date.parse("2026-11-22T22:00:05Z");

function makeTerminal(printed: Printed, { stdin = "", environment = {} }: Call): Terminal {
	const collect = (stream: keyof Printed): Writable =>
		new Writable({
			decodeStrings: false,
			write(text: string | Buffer, _encoding, done) {
				printed[stream] += String(text);
				done();
			},
		});
	let pausedMs = 0;
	return {
		stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
		stdout: collect("stdout"),
		stderr: collect("stderr"),
		environment: { HOME: folder, PATH: "/nonexistent", ORGSYNC_VAR_SECRET: secrets[0] ?? "", ...environment },
		directory: folder,
		now: () => startMs + pausedMs,
		steadyNow: () => performance.now() + pausedMs,
		sleep: async (ms) => {
			pausedMs += ms;
		},
	};
}
