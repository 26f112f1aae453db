/** How `npm run prove` and `npm run mutants` refuse wrong words: as processes, as people call them. */
import { describe, expect, it } from "vitest";
import { runProgram } from "./run.ts";

const call = (script: string, ...words: readonly string[]) =>
	runProgram([process.execPath, script, ...words], { cwd: process.cwd() });

describe.each([
	["test/prove/run.ts", "model", "proof"],
	["test/mutants/run.ts", "wire", "room"],
])("%s", (script, name, kind) => {
	it("prints its words with --help", async () => {
		const { code, stdout, stderr } = await call(script, "--help");
		expect([code, stderr]).toEqual([0, ""]);
		expect(stdout).toContain("[--cases N]");
	});

	it.each([
		[[], `the name of a ${kind} is missing`],
		[["constructor"], `there is no ${kind} "constructor"`],
		[[name, "more"], `one ${kind} at a time, got also "more"`],
		[[name, "--cases", "0"], '--cases must be a whole number from 1 to 999999999, got "0"'],
		[[name, "--seed", "9999999999"], '--seed must be a whole number from 0 to 999999999, got "9999999999"'],
		[[name, "--cases", "1e3"], '--cases must be a whole number from 1 to 999999999, got "1e3"'],
		[[name, "--case", "1"], "Unknown option '--case'"],
	])("refuses %j with what is wrong, and tries nothing", async (words, because) => {
		const { code, stdout, stderr } = await call(script, ...words);
		expect([code, stdout]).toEqual([2, ""]);
		expect(stderr).toContain(`error: ${because}`);
		expect(stderr).toContain("npm run ");
	});
});

it("a part of a path that no file of the room has is refused: nothing judged is no score", async () => {
	const { code, stderr } = await call("test/mutants/run.ts", "wire", "--file", "nowhere");
	expect(code).toBe(2);
	expect(stderr).toContain("error: --file nowhere: no file of these has that in its path");
});
