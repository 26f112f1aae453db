/**
 * What becomes of the exit code when standard output or standard error takes nothing: a full disk, a pipe that its reader
 * closed, a file that reached its limit. Real processes with such streams; a fake stream only for an error of a device.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { Outlet, settleStreams } from "../../../src/cli/output/streams.ts";
import { run } from "../../../src/cli/run.ts";
import { havePrograms } from "../../needs.ts";
import { compiled, orgsync, readOutput, runProcess, runProgram } from "../../run.ts";
import { bob, document, keys, makeWorld, policies, type World } from "../../world.ts";

const hasBash = havePrograms("the tests of what bash hands to a command", "bash");

const hasFull = existsSync("/dev/full");
const removal = document(`absent: { policies: [${policies[0]}] }`);
const full = "the disk is full";
const lostOutput = `error: standard output cannot be written: ${full}`;
const lostError = `error: standard error cannot be written: ${full}`;

interface Streams {
	readonly stdout?: string;
	readonly stderr?: string;
	/** How the files are opened. */
	readonly flags?: string;
}

function environmentOf(world: World): Readonly<Record<string, string | undefined>> {
	return {
		PATH: process.env.PATH,
		HOME: world.folder,
		NODE_COMPILE_CACHE: compiled,
		ORGSYNC_URL: world.url,
		ORGSYNC_API_PRIVATE_KEY: keys.alice.privateKey,
	};
}

/** Runs the command as a process, with each stream that is named going to that file. */
async function runInto(world: World, words: readonly string[], { stdout, stderr, flags = "w" }: Streams) {
	const opened = [stdout, stderr].map((path) => (path === undefined ? ("pipe" as const) : openSync(path, flags)));
	const [file = "", ...parameters] = [...orgsync, ...words];
	const options = { cwd: world.folder, env: environmentOf(world) };
	const child = spawn(file, parameters, { ...options, stdio: ["ignore", ...opened] });
	const printed = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name]?.setEncoding("utf8").on("data", (text: string) => {
			printed[name] += text;
		});
	}
	const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
	for (const one of opened) if (typeof one === "number") closeSync(one);
	return { code, ...printed };
}

/** Runs the command in this process as src/cli/main.ts does, with standard output going to the full device. */
async function runIntoFull(world: World, words: readonly string[]) {
	const device = openSync("/dev/full", "w");
	const said = join(world.folder, `stderr-${device}`);
	const file = openSync(said, "w");
	const outletTo = (fd: number) =>
		new Outlet({ fd, on: () => {} } as unknown as ConstructorParameters<typeof Outlet>[0]);
	const [stdout, stderr] = [outletTo(device), outletTo(file)];
	const ended = await run(words, {
		stdin: Readable.from([]),
		stdout,
		stderr,
		environment: environmentOf(world),
		directory: world.folder,
		now: Date.now,
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	});
	const code = await settleStreams(ended, stdout, stderr);
	for (const one of [device, file]) closeSync(one);
	return { code, stderr: readFileSync(said, "utf8") };
}

/** A call of every command that prints a result, and the formats that it has. */
const everyFormat = ["text", "json", "markdown", "html", "github"];
const calls: readonly (readonly [words: string, formats: readonly string[]])[] = [
	["init -f new.yaml", ["text"]],
	["init -f other.yaml", ["json"]],
	["validate", ["text", "json"]],
	["plan", everyFormat],
	["show plan.json", everyFormat],
	["drift", everyFormat],
	["apply --yes", everyFormat],
	["export", ["text", "json"]],
	["query list_user_tags", ["text", "json"]],
	["status", ["text", "json"]],
	["wait", ["text", "json"]],
	[`import-key --user ${bob}`, ["text", "json"]],
	["schema output", ["text", "json"]],
	["completion bash", ["text", "json"]],
	["plan --bogus", ["json", "markdown"]],
];

describe.runIf(hasFull)("standard output on a full disk", () => {
	test("makes every command exit with 1 and one line on standard error, in every format", async () => {
		const world = await makeWorld(removal);
		await world.run(["plan", "--out", "plan.json"]);
		const expectLost = (call: readonly string[], { code, stderr }: { code: number | null; stderr: string }): void => {
			const lines = stderr.split("\n").filter((line) => line.startsWith(lostOutput));
			expect({ call, code, lines: lines.length }).toEqual({ call, code: 1, lines: 1 });
			expect(stderr).not.toMatch(/^\s+at /m);
		};
		for (const [words, formats] of calls) {
			for (const format of formats) {
				const call = [...words.split(" "), "--format", format];
				expectLost(call, await runIntoFull(world, call));
			}
		}
		for (const format of everyFormat) {
			const call = ["plan", "--format", format];
			expectLost(call, await runInto(world, call, { stdout: "/dev/full" }));
		}
	}, 120_000);

	test.each([
		"--help",
		"--version",
		"plan --help",
		"help plan",
		"",
	])("makes `orgsync %s` exit with 1", async (words) => {
		const world = await makeWorld();
		const call = words.split(" ").filter((word) => word !== "");
		expect(await runInto(world, call, { stdout: "/dev/full" })).toEqual({
			code: 1,
			stdout: "",
			stderr: `${lostOutput}\n`,
		});
	});

	test("is exit 1 in the metrics too, in every kind of format, beside what the command found", async () => {
		const world = await makeWorld(removal);
		for (const format of ["text", "json", "jsonl"]) {
			const metrics = await runIntoFull(world, ["drift", "--format", format, "--metrics", "drift.prom"]).then(() =>
				readFileSync(join(world.folder, "drift.prom"), "utf8"),
			);
			expect(metrics).toContain('orgsync_run_exit_code{command="drift"} 1\n');
			expect(metrics).toContain('orgsync_run_errors{command="drift",code="output"} 1\n');
			expect(metrics).toContain('orgsync_organizations{command="drift",state="drifted"} 1\n');
		}
	});

	test("stops no apply, and the error names the exit code that the apply had", async () => {
		const world = await makeWorld(removal);
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const { code, stderr } = await runInto(world, ["apply", "--yes", "--quiet"], { stdout: "/dev/full" });
		expect({ code, stderr }).toEqual({ code: 1, stderr: `${lostOutput}; the command ended with 8\n` });
		expect(world.activities().map(({ status }) => status)).toEqual(["ACTIVITY_STATUS_CONSENSUS_NEEDED"]);
	});

	test("ends the emulator, whose address is lost", async () => {
		const world = await makeWorld();
		expect(await runInto(world, ["emulator"], { stdout: "/dev/full" })).toMatchObject({
			code: 1,
			stderr: `${lostOutput}\n`,
		});
	});

	test("is exit 1 if standard error is full too", async () => {
		const world = await makeWorld(removal);
		expect((await runInto(world, ["plan"], { stdout: "/dev/full", stderr: "/dev/full" })).code).toBe(1);
	});
});

describe.runIf(hasFull)("standard error on a full disk", () => {
	test("makes an apply exit with 1 after its work, with one line on standard output", async () => {
		const world = await makeWorld(removal);
		const { code, stdout } = await runInto(world, ["apply", "--yes"], { stderr: "/dev/full" });
		expect(code).toBe(1);
		expect(stdout).toMatch(new RegExp(`^Applied: 1 completed .*\\n${lostError}\\n$`, "s"));
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	test("is the error of the one JSON object, which has the exit code 1", async () => {
		const world = await makeWorld(removal);
		const answer = await runInto(world, ["apply", "--yes", "--format", "json"], { stderr: "/dev/full" });
		expect(readOutput(answer)).toMatchObject({
			exitCode: 1,
			error: { code: "output", message: `standard error cannot be written: ${full}` },
			reports: [{ inSync: true }],
		});
	});

	test("keeps the error of a JSON object and makes its exit code 1", async () => {
		const world = await makeWorld(removal);
		for (const words of [["plan", "-f", "missing.yaml"], ["plan", "--bogus"], ["nonsense"]]) {
			const answer = await runInto(world, [...words, "--format", "json"], { stderr: "/dev/full" });
			expect(readOutput(answer)).toMatchObject({ exitCode: 1, error: { code: "configuration" } });
		}
	});

	test("moves a lost error to standard output as one line", async () => {
		const world = await makeWorld();
		expect(await runInto(world, ["plan", "-f", "missing.yaml"], { stderr: "/dev/full" })).toEqual({
			code: 1,
			stdout: `${lostError}; the command ended with 3\n`,
			stderr: "",
		});
	});

	test("does not affect a command that prints nothing there", async () => {
		const world = await makeWorld(removal);
		expect(await runInto(world, ["validate"], { stderr: "/dev/full" })).toMatchObject({ code: 0 });
	});
});

describe("a reader that closes", () => {
	/** Closes these streams of the command at once. */
	async function unread(world: World, words: readonly string[], ...names: ("stdout" | "stderr")[]) {
		const { child, ended } = world.start(words);
		for (const name of names) child[name]?.destroy();
		return ended;
	}

	test("standard output stops no apply and changes no exit code", async () => {
		const world = await makeWorld(removal);
		expect(await unread(world, ["apply", "--yes", "--quiet"], "stdout")).toMatchObject({ code: 0, stderr: "" });
		expect(world.submits()).toEqual(["delete_policies"]);
		expect(await unread(world, ["plan", "-f", "missing.yaml"], "stdout")).toMatchObject({ code: 3 });
	});

	test("standard output leaves a pending apply its exit code 8", async () => {
		const world = await makeWorld(removal);
		await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		expect(await unread(world, ["apply", "--yes", "--quiet", "--format", "json"], "stdout")).toMatchObject({
			code: 8,
			stderr: "",
		});
		expect(await unread(world, ["status"], "stdout")).toMatchObject({ code: 8, stderr: "" });
	});

	test("standard error is reported on standard output with exit code 1 after the work", async () => {
		const world = await makeWorld(removal);
		const { code, stdout } = await unread(world, ["apply", "--yes"], "stderr");
		expect(code).toBe(1);
		expect(stdout).toContain("Applied: 1 completed");
		expect(stdout).toMatch(/\nerror: standard error cannot be written: the reader closed it\n$/);
		expect(world.submits()).toEqual(["delete_policies"]);
	});

	test("both streams at once, as `2>&1 | head` does, changes no exit code", async () => {
		const world = await makeWorld(removal);
		expect(await unread(world, ["apply", "--yes"], "stdout", "stderr")).toMatchObject({ code: 0 });
		expect(await unread(world, ["plan", "-f", "missing.yaml"], "stdout", "stderr")).toMatchObject({ code: 3 });
		expect(world.submits()).toEqual(["delete_policies"]);
	});
});

describe("a file that takes only a part of the result", () => {
	test.runIf(hasBash)("makes the command exit with 1", async () => {
		const world = await makeWorld();
		const command = `ulimit -f 1; ${orgsync.map((word) => `'${word}'`).join(" ")} schema output > part.json; exit $?`;
		const answer = await runProgram(["bash", "-c", command], { cwd: world.folder });
		expect(answer).toMatchObject({ code: 1 });
		expect(answer.stderr).toContain("error: standard output cannot be written: the file would be too large\n");
		expect(() => JSON.parse(readFileSync(join(world.folder, "part.json"), "utf8"))).toThrow();
	});

	test.runIf(hasBash)("makes the command exit with 1 if it is the file of --output", async () => {
		const world = await makeWorld(removal);
		const command = `ulimit -f 1; ${orgsync.map((word) => `'${word}'`).join(" ")} schema output --output part.json; exit $?`;
		const answer = await runProgram(["bash", "-c", command], { cwd: world.folder });
		expect(answer).toMatchObject({ code: 1, stdout: "" });
		expect(answer.stderr).toContain("error: the result cannot be written to part.json: the file would be too large\n");
	});
});

describe("--output", () => {
	test.runIf(hasFull)(
		"to a full disk is exit 1 after the work, with the error in the one JSON object on standard output",
		async () => {
			const world = await makeWorld(removal);
			await world.setRules({ approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
			const answer = await world.run(["apply", "--yes", "--output", "/dev/full", "--format", "json"]);
			expect(readOutput(answer)).toMatchObject({
				exitCode: 1,
				error: {
					code: "output",
					message: `the result cannot be written to /dev/full: ${full}`,
					hint: "the command ended with exit code 8",
				},
			});
			expect(world.submits()).toEqual(["delete_policies"]);
		},
	);
});

describe("standard output that is open for reading only", () => {
	test("is exit 1 with an error on standard error", async () => {
		const world = await makeWorld();
		expect(await runInto(world, ["schema"], { stdout: "/dev/null", flags: "r" })).toEqual({
			code: 1,
			stdout: "",
			stderr: "error: standard output cannot be written: it is not open for writing\n",
		});
	});
});

describe("a stream whose device fails", () => {
	/** A stream that keeps what it gets, until its device fails with this code. */
	function fake(code?: string) {
		const got: string[] = [];
		const write = (chunk: Buffer, done: (error?: Error) => void): void => {
			if (code === undefined) got.push(chunk.toString());
			setImmediate(done, code === undefined ? undefined : Object.assign(new Error(code), { code }));
		};
		const stream = { fd: -1, isTTY: true, columns: 80, on: () => stream, write };
		return { got, outlet: new Outlet(stream as unknown as ConstructorParameters<typeof Outlet>[0]) };
	}

	test("is awaited, and makes the exit code 1 with a line on the other stream", async () => {
		const [output, error] = [fake("EIO"), fake()];
		output.outlet.write("a result\n");
		expect(await settleStreams(0, output.outlet, error.outlet)).toBe(1);
		expect(error.got).toEqual(["error: standard output cannot be written: the device reports an error\n"]);
	});

	test("is reported once if the result already reports it", async () => {
		const [output, error] = [fake(), fake("EIO")];
		error.outlet.write("a note\n");
		error.outlet.isReported = true;
		expect(await settleStreams(0, output.outlet, error.outlet)).toBe(1);
		expect(output.got).toEqual([]);
	});

	test("changes no exit code if nothing is lost", async () => {
		const [output, error] = [fake(), fake()];
		output.outlet.write("a result\n");
		for (const code of [0, 2, 8, 130] as const)
			expect(await settleStreams(code, output.outlet, error.outlet)).toBe(code);
	});
});

describe("a defect that nothing caught", () => {
	test("is exit 1 and two lines, and its stack trace is shown with --verbose alone", async () => {
		const defect = "setTimeout(() => { throw new Error('boom\\u001b[2J'); }, 300)";
		const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}` };
		const lines =
			"error: unexpected error: boom\\u{1b}[2J\nhint: please report this; --verbose shows where it happened\n";
		expect(await runProcess(["emulator"], { env })).toMatchObject({ code: 1, stderr: lines });
		const { code, stderr } = await runProcess(["emulator", "--verbose"], { env });
		expect(code).toBe(1);
		expect(stderr).toMatch(/\n\s+at /);
	});
});
