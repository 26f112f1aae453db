/**
 * The command line as its users have it: in this process from the sources, or as a real process with its own arguments,
 * environment, folder and input, which runs the bundle of test/command.ts. With ORGSYNC_TEST_DIST set, all are processes.
 *
 * Everything that was printed is kept, and no secret is in it or in a file, at the end of each file of tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { afterAll, expect } from "vitest";
import { commandFile } from "../scripts/manifest.ts";
import type { Terminal } from "../src/cli/output/output.ts";
import { run as runWords } from "../src/cli/run.ts";
import { checkSchema } from "./check-schema.ts";
import { clockEnvironment, clockOption } from "./clock.ts";
import { compiledFolder, variablesOfRun } from "./shared.ts";

export interface Answer {
	/** Null when a signal ended it. */
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface RunOptions {
	/** The working folder; a new one when left out. */
	readonly cwd?: string;
	/** Added to an environment that has only what a process needs to start. */
	readonly env?: Readonly<Record<string, string>>;
	readonly stdin?: string;
	/** On a terminal of its own. */
	readonly terminal?: boolean;
	/** How much later than the clock of the test file it is for the command; nothing when left out. */
	readonly laterMs?: number;
	/** Called in place of each pause of the command, in this process only: its time passes on the command's clock alone. */
	readonly onPause?: (count: number, ms: number) => unknown;
}

export interface Started {
	readonly child: ChildProcess;
	/** What was printed on standard output so far. */
	stdout(): string;
	/** What was printed on standard error so far. */
	stderr(): string;
	readonly ended: Promise<Answer>;
}

/** The command that is `orgsync`. */
export const orgsync: readonly string[] = [process.execPath, commandFile];

let root: string | undefined;

/** Everything that this test file makes on disk; gone at its end. It is made at first use: a file whose tests are all skipped has no end. */
function rootFolder(): string {
	root ??= mkdtempSync(join(tmpdir(), "orgsync-cli-"));
	return root;
}

afterAll(() => {
	if (root === undefined) return;
	try {
		if (secrets.length > 0) expectNoSecret();
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
});

/** What Node compiled, for all processes of all runs. */
export const compiled = compiledFolder;

/** A home without the key files of the user who runs the tests. */
function homeFolder(): string {
	const home = join(rootFolder(), "home");
	mkdirSync(home, { recursive: true });
	return home;
}

/** A folder that is named in normalized output as FOLDER. */
export function makeFolder(): string {
	return mkdtempSync(join(rootFolder(), "folder-"));
}

const printed: string[] = [];

/**
 * Runs `orgsync` with these arguments to its end, in this process: everything but argv, streams and the exit of a real one.
 * With ORGSYNC_TEST_DIST set it is a process of its own.
 */
export async function run(words: readonly string[], options: RunOptions = {}): Promise<Answer> {
	if (process.env.ORGSYNC_TEST_DIST) return runProcess(words, options);
	return runHere((terminal) => runWords(words, terminal), options);
}

/** Runs a program that has its streams, environment and folder from this terminal, in this process. */
export async function runHere(program: (terminal: Terminal) => Promise<number>, options: RunOptions): Promise<Answer> {
	const texts = { stdout: "", stderr: "" };
	const collect = (name: keyof typeof texts): Writable =>
		new Writable({
			decodeStrings: false,
			write(text: string | Buffer, _encoding, done) {
				texts[name] += text;
				done();
			},
		});
	const { onPause } = options;
	let pauses = 0;
	let pausedMs = 0;
	const code = await program({
		stdin: Readable.from([Buffer.from(options.stdin ?? "")], { objectMode: false }),
		stdout: collect("stdout"),
		stderr: collect("stderr"),
		environment: environmentOf(options),
		directory: options.cwd ?? makeFolder(),
		now: () => Date.now() + (options.laterMs ?? 0) + pausedMs,
		steadyNow: () => performance.now(),
		sleep: async (ms) => {
			if (onPause === undefined) return new Promise((resolve) => setTimeout(resolve, ms));
			pausedMs += ms;
			pauses += 1;
			await onPause(pauses, ms);
		},
	});
	printed.push(texts.stdout, texts.stderr);
	return { code, ...texts };
}

/** Runs `orgsync` with these arguments to its end, as a process of its own. */
export function runProcess(words: readonly string[], options: RunOptions = {}): Promise<Answer> {
	return runProgram([...orgsync, ...words], options);
}

function environmentOf({ env, laterMs }: RunOptions): Readonly<Record<string, string | undefined>> {
	const node = { NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: clockOption, ...clockEnvironment(laterMs) };
	return { PATH: process.env.PATH, HOME: homeFolder(), ...variablesOfRun(), ...node, ...env };
}

/** Starts `orgsync` and leaves it running; its input is open. */
export function start(words: readonly string[], options: RunOptions = {}): Started {
	return startProgram([...orgsync, ...words], options);
}

/** Runs any program to its end, as `run` does with `orgsync`. */
export function runProgram(command: readonly string[], options: RunOptions = {}): Promise<Answer> {
	const { child, ended } = startProgram(command, options);
	child.stdin?.end(options.stdin ?? "");
	return ended;
}

/** Starts any program, as `start` does with `orgsync`. */
export function startProgram(command: readonly string[], options: RunOptions = {}): Started {
	const [file = "", ...parameters] =
		options.terminal === true
			? ["script", "--quiet", "--return", "--command", command.map((word) => `'${word}'`).join(" "), "/dev/null"]
			: command;
	const child = spawn(file, parameters, {
		cwd: options.cwd ?? makeFolder(),
		env: environmentOf(options),
		stdio: "pipe",
	});
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	// A command that ends without reading its input closes the pipe; that is no error of the test.
	child.stdin.on("error", () => undefined);
	const ended = new Promise<Answer>((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code) => {
			printed.push(texts.stdout, texts.stderr);
			resolve({ code, ...texts });
		});
	});
	return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended };
}

/**
 * Runs `orgsync` on a terminal. `reply` is typed when it asks for one. What a terminal shows is both streams together.
 */
export async function runOnTerminal(
	{ start: startThere }: { start: typeof start },
	words: readonly string[],
	reply?: string,
	env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; shown: string }> {
	const { child, stdout, ended } = startThere(words, { env: { TERM: "xterm", ...env }, terminal: true });
	if (reply !== undefined) {
		await expect.poll(stdout, { timeout: 20_000 }).toContain("is accepted: ");
		child.stdin?.write(`${reply}\n`);
	}
	const { code, stdout: shown } = await ended;
	return { code, shown };
}

/** The one JSON object on standard output, which fits schemas/output.json and names its own exit code. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the assertions of each test.
export function readOutput({ code, stdout, stderr }: Answer): any {
	const output = JSON.parse(stdout);
	expect(checkSchema("output.json", output)).toEqual([]);
	expect(output.exitCode).toBe(code);
	for (const line of stderr.split("\n")) expect(() => JSON.parse(line), `JSON on standard error: ${line}`).toThrow();
	return output;
}

/** The lines on standard output, each of which fits schemas/line.json: the first, those of organizations, and the last. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the assertions of each test.
export function readLines({ code, stdout }: Answer): { start: any; organizations: any[]; summary: any } {
	const lines = stdout
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
	for (const line of lines) expect(checkSchema("line.json", line)).toEqual([]);
	const [start, ...organizations] = lines;
	const summary = organizations.pop();
	expect([start.type, ...new Set(organizations.map(({ type }) => type)), summary.type]).toEqual([
		"start",
		...(organizations.length === 0 ? [] : ["organization"]),
		"summary",
	]);
	expect(summary.exitCode).toBe(code);
	return { start, organizations, summary };
}

/** What varies from run to run, replaced by its name. Nothing else is. */
export function normalize(text: string): string {
	return text
		.replaceAll(/\S*orgsync-cli-\w+[\\/]folder-\w+/g, "FOLDER")
		.replaceAll(/FOLDER\\\S+/g, (path) => path.replaceAll("\\", "/"))
		.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
		.replaceAll(/\b0[23][0-9a-f]{64}\b/g, "PUBLIC_KEY")
		.replaceAll(/\bsha256:[0-9a-f]{64}\b/g, "sha256:HEX")
		.replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "ACTIVITY_ID")
		.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
		.replaceAll(/\bread \d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC/g, "read TIME")
		.replaceAll(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, "RUN")
		.replaceAll(/\b\d+ ms\b/g, "N ms");
}

const secrets: Buffer[] = [];

/** At the end, `expectNoSecret` searches for this private key (64 hex characters) in every form it could take. */
export function keepSecret(privateKey: string): void {
	const raw = Buffer.from(privateKey, "hex");
	const texts = [
		privateKey,
		privateKey.toUpperCase(),
		raw.toString("base64").replace(/=+$/, ""),
		raw.toString("base64url"),
	];
	secrets.push(raw, Buffer.from(BigInt(`0x${privateKey}`).toString()));
	secrets.push(...texts.map((text) => Buffer.from(text)));
}

/** How every stamp of an API key begins: base64url of `{"publicKey":"`. */
const stampStart = Buffer.from(Buffer.from('{"publicKey":"').toString("base64url").slice(0, 18));

/** Every file below a folder, but for what its links name. */
function filesIn(folder: string): readonly string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
	});
}

/**
 * Neither what was printed nor what was written holds a private key or a stamp: standard output and error of every
 * process that ended, and every file of this run (journals, databases, results) but the key files themselves.
 */
export function expectNoSecret(): void {
	const written = filesIn(rootFolder()).filter((path) => !/\.(?:private|env)$/.test(path));
	const hasSecret = (content: Buffer): boolean => [...secrets, stampStart].some((secret) => content.includes(secret));
	const places = written.filter((path) => hasSecret(readFileSync(path)));
	if (hasSecret(Buffer.from(printed.join("\n")))) places.push("what was printed");
	expect(places, "what has a secret").toEqual([]);
}
