/** The progress line: it takes one row of the terminal, however narrow, and is erased completely. */
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Output, type OutputOptions, type Terminal } from "../../../src/cli/output/output.ts";
import { countColumns, truncateToColumns } from "../../../src/cli/output/terminal.ts";
import { havePrograms } from "../../needs.ts";
import { orgsync, runProgram } from "../../run.ts";
import { agreeing, document, keys, makeWorld, organizationId } from "../../world.ts";

/** `script` of util-linux runs a command on a terminal of its own. */
const hasTerminal = havePrograms("the tests on a terminal", "script");

/** Escape sequences, and characters. */
const words = new RegExp(`${"\u001b"}\\[[\\d;]*[A-Za-z]|[\\s\\S]`, "gu");

/** What a terminal of so many columns shows after this was written to it: rows that wrap, and lines that are erased. */
function showOn(columns: number, written: string): readonly string[] {
	const rows: string[][] = [[]];
	let column = 0;
	const row = (): string[] => rows.at(-1) ?? [];
	for (const [word] of written.matchAll(words)) {
		if (word === "\r") column = 0;
		else if (word === "\u001b[K") row().length = Math.min(row().length, column);
		else if (word === "\n") {
			rows.push([]);
			column = 0;
		} else if (!word.startsWith("\u001b")) {
			const width = (word.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
			if (column + width > columns) {
				rows.push([]);
				column = 0;
			}
			row()[column] = word;
			column += width;
		}
	}
	return rows.map((cells) => Array.from(cells, (cell) => cell ?? "").join(""));
}

/** An output on a terminal of so many columns, and what it wrote there. */
function outputOn(columns: number | undefined, environment: Readonly<Record<string, string>> = {}) {
	const stream = () => Object.assign(new PassThrough(), { isTTY: true, ...(columns === undefined ? {} : { columns }) });
	const stderr = stream();
	const terminal: Terminal = {
		...{ stdin: stream(), stdout: stream(), stderr, environment, directory: "." },
		...{ now: () => 0, steadyNow: () => 0, sleep: async () => undefined },
	};
	const options: OutputOptions = {
		...{ command: "plan", format: "text", color: true, quiet: false, verbose: false, output: undefined },
		...{ markdown: {}, commands: {}, metrics: { version: "0.0.0", file: undefined, labels: {} }, keys: [] },
	};
	return { output: new Output(terminal, options), written: () => String(stderr.read() ?? "") };
}

describe("a line of progress", () => {
	const long = "reading organization 0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11 (7 of 1000)";

	test.each([10, 20, 40, 60, 80, 200])("takes one row of %i columns, and is erased before other output", (columns) => {
		const { output, written } = outputOn(columns);
		for (let number = 1; number <= 3; number += 1) output.progress(`${long}, ${number}`);
		const shown = written();
		expect(showOn(columns, shown)).toHaveLength(1);
		expect(showOn(columns, shown)[0]).not.toBe("");
		output.note("done");
		expect(showOn(columns, shown + written())).toEqual(["done", ""]);
	});

	test("counts wide characters as two columns", () => {
		const { output, written } = outputOn(20);
		output.progress(`reading ${"組織".repeat(20)}`);
		expect(showOn(20, written())).toEqual(["reading 組織組織…"]);
		expect(countColumns("組織a🙂")).toBe(7);
		expect(truncateToColumns("組織", 3)).toBe("");
	});

	test.each([undefined, 0])("is cut to 80 columns where the terminal says that it has %s", (columns) => {
		const { output, written } = outputOn(columns);
		output.progress("x".repeat(200));
		expect(showOn(80, written())).toEqual([`${"x".repeat(77)}…`]);
	});

	test("is not shown on a terminal that cannot erase it", () => {
		const { output, written } = outputOn(80, { TERM: "dumb" });
		output.progress(long);
		expect(written()).toBe("");
	});

	test.runIf(hasTerminal)("leaves nothing on a real terminal of 30 columns", async () => {
		const world = await makeWorld(document(agreeing.userTags));
		const line = `stty cols 30; ${orgsync.map((word) => `'${word}'`).join(" ")} plan --no-color`;
		const { code, stdout } = await runProgram(["script", "--quiet", "--return", "--command", line, "/dev/null"], {
			cwd: world.folder,
			env: { ORGSYNC_URL: world.url, ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey, TERM: "xterm" },
		});
		expect(code).toBe(0);
		expect(stdout).toContain("reading organization 000000");
		expect(showOn(30, stdout).join("").replaceAll("\r", "")).toBe(
			`Organization ${organizationId}No changes. The organization is in sync.`,
		);
	});
});
