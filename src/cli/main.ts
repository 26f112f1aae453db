/** Runs orgsync as a process. No other file here touches its streams, environment, clock and exit code. */
import { type ExitCode, exitCodes } from "../common/errors.ts";
import { showText } from "../common/escape.ts";
import type { Terminal } from "./output/output.ts";
import { sleep } from "./output/sleep.ts";
import { Outlet, settleStreams } from "./output/streams.ts";
import { findTraceTarget } from "./output/trace-target.ts";
import type { Traces } from "./output/traces.ts";

const stdout = new Outlet(process.stdout);
const stderr = new Outlet(process.stderr);
const words = process.argv.slice(2);
let traces: Traces | undefined;

// node:sqlite is marked experimental in the oldest Node that orgsync runs on; a user cannot act on that warning.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
	if (warning.name !== "ExperimentalWarning") stderr.write(`${warning.name}: ${warning.message}\n`);
});

// A defect of orgsync. Node would print its stack and exit with 1, too.
process.on("uncaughtException", async (error) => {
	const { hideKeys, hideSecrets } = await import("../common/hide-secrets.ts");
	const { findPrivateKeys } = await import("./flags/hide-keys.ts");
	const hide = (text: string): string => hideKeys(hideSecrets(text), findPrivateKeys(words));
	stderr.write(`error: unexpected error: ${hide(showText(error.message))}\n`);
	stderr.write("hint: please report this; --verbose shows where it happened\n");
	if (words.includes("--verbose")) stderr.write(`${hide(error.stack ?? "")}\n`);
	await traces?.end(exitCodes.error);
	process.exit(await settleStreams(exitCodes.error, stdout, stderr));
});

// Should the event loop run dry before the command has ended, that is a defect.
process.exitCode = exitCodes.error;
main()
	.then((code) => settleStreams(code, stdout, stderr))
	.then((code) => {
		process.exitCode = code;
		// Requests that an interruption cut off would keep the process.
		if (traces?.isUnfinished === true || code === exitCodes.interrupted) process.exit();
	});

async function main(): Promise<ExitCode> {
	if (isTooOld(process.versions.node)) {
		stderr.write(`error: orgsync needs Node 22.18 or later, and this is ${process.versions.node}\n`);
		return exitCodes.invalid;
	}
	const directory = findDirectory();
	if (directory === undefined) {
		stderr.write("error: the working folder does not exist any more\nhint: change to a folder that exists\n");
		return exitCodes.invalid;
	}
	const terminal: Terminal = {
		// Node opens it at first use, which most commands have none for.
		get stdin() {
			return process.stdin;
		},
		stdout,
		stderr,
		environment: process.env,
		directory,
		now: Date.now,
		// Not `performance`, which takes a millisecond to load.
		steadyNow: () => Number(process.hrtime.bigint()) / 1e6,
		sleep,
	};
	const { run } = await import("./run.ts");
	traces = await openTraces();
	return traces?.follow(commandName(), () => run(words, terminal)) ?? run(words, terminal);
}

/** Traces of this command, if the environment asks for them. */
async function openTraces(): Promise<Traces | undefined> {
	const target = findTraceTarget(process.env);
	if (target === undefined) return undefined;
	const warn = (text: string): void => {
		stderr.write(`warning: traces: ${text}\n`);
	};
	if (typeof target === "object") return (await import("./output/traces.ts")).startTraces(target, process.env, warn);
	warn(`${target}; no traces are sent`);
	return undefined;
}

/** The name of the command; any other argument could be a secret. */
function commandName(): string {
	const [word = ""] = words;
	return /^[a-z-]{1,16}$/.test(word) && !word.startsWith("-") ? word : "help";
}

/** The working folder; undefined when it was removed. */
function findDirectory(): string | undefined {
	try {
		return process.cwd();
	} catch {
		return undefined;
	}
}

/** What orgsync uses and older versions lack: node:sqlite without a flag. */
function isTooOld(version: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	return major < 22 || (major === 22 && minor < 18);
}
