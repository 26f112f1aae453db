/**
 * A process that runs command lines of the sources in a folder, one for each message: the file `run.ts` of those sources is its
 * argument. It answers with what a process of each command would print, and its exit code.
 */
import { Readable, Writable } from "node:stream";
import type { Terminal } from "../../src/cli/output/output.ts";

export interface Call {
	readonly number: number;
	readonly words: readonly string[];
	readonly directory: string;
	readonly environment: Readonly<Record<string, string>>;
}

const { run } = (await import(process.argv[2] ?? "")) as typeof import("../../src/cli/run.ts");

process.on("message", async ({ number, words, directory, environment }: Call) => {
	const texts = { stdout: "", stderr: "" };
	const collect = (name: keyof typeof texts): Writable =>
		new Writable({
			write(text: Buffer, _encoding, done) {
				texts[name] += text;
				done();
			},
		});
	const terminal: Terminal = {
		...{ stdin: Readable.from([]), stdout: collect("stdout"), stderr: collect("stderr"), directory, environment },
		...{ now: Date.now, steadyNow: () => performance.now(), sleep: async () => undefined },
	};
	process.send?.({ number, code: await run(words, terminal), ...texts });
});
