/** The command line in this process, with streams of its own: what it prints is what a person reads. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { Terminal } from "../../../src/cli/output.ts";
import { makeOutput } from "../../../src/cli/output-flags.ts";
import { run } from "../../../src/cli/run.ts";
import { OrgsyncError } from "../../../src/errors.ts";
import type { Outcome } from "./input.ts";
import { secrets } from "./judge.ts";

/** The folder that commands run in, new for each process. */
export const folder = mkdtempSync(join(tmpdir(), "orgsync-fuzz-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export interface Call {
	readonly stdin?: string | Uint8Array;
	readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a command to its end. Exit code 0 accepts the input. */
export async function runCommand(
	words: readonly string[],
	call: Call = {},
): Promise<Outcome & { readonly code: number }> {
	const printed: string[] = [];
	const code = await run(words, makeTerminal(printed, call));
	return { accepted: code === 0, printed: printed.join(""), code };
}

/** Returns what the command prints for this error. */
export async function printError(command: string, error: unknown): Promise<Outcome> {
	if (!(error instanceof OrgsyncError)) throw error;
	const printed: string[] = [];
	await makeOutput(command, {}, makeTerminal(printed, {}), []).failure(error);
	return { accepted: false, printed: printed.join("") };
}

function makeTerminal(printed: string[], { stdin = "", environment = {} }: Call): Terminal {
	const collect = (): Writable =>
		new Writable({
			decodeStrings: false,
			write(text: string | Buffer, _encoding, done) {
				printed.push(String(text));
				done();
			},
		});
	let pausedMs = 0;
	return {
		stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
		stdout: collect(),
		stderr: collect(),
		environment: { HOME: folder, PATH: "/nonexistent", ORGSYNC_VAR_SECRET: secrets[0] ?? "", ...environment },
		directory: folder,
		now: () => Date.now() + pausedMs,
		steadyNow: () => performance.now() + pausedMs,
		sleep: async (ms) => {
			pausedMs += ms;
		},
	};
}
