#!/usr/bin/env node
/**
 * argv to exit code. The process is touched here and nowhere else in this room: streams, environment, clock and exit code.
 */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import type { Terminal } from "./voice.ts";

const terminal: Terminal = {
	stdin: process.stdin,
	stdout: process.stdout,
	stderr: process.stderr,
	environment: process.env,
	directory: process.cwd(),
	now: Date.now,
	steadyNow: () => performance.now(),
	sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

// node:sqlite is marked experimental in the oldest Node that orgsync runs on; nobody can act on that warning here.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
	if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning.name}: ${warning.message}\n`);
});

// Whoever reads us may stop reading, as `head` does; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
});

const words = process.argv.slice(2);

// Scripts ask for the version often: nothing else is loaded for it.
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
	const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
	process.stdout.write(`${version}\n`);
} else if (isTooOld(process.versions.node)) {
	process.stderr.write(`error: orgsync needs Node 22.18 or later, and this is ${process.versions.node}\n`);
	process.exitCode = 3;
} else {
	nodeModule.enableCompileCache();
	const { run } = await import("./run.ts");
	process.exitCode = await run(words, terminal);
}

/** What orgsync uses and older versions lack: node:sqlite without a flag. */
function isTooOld(version: string): boolean {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	return major < 22 || (major === 22 && minor < 18);
}
