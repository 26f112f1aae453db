/**
 * `npm run test:times`: runs all tests and prints the seconds that they took, by folder, and how often they started the Pulumi
 * engine. Given the report of an earlier run, of Vitest's JSON reporter, it prints its seconds. Tests run side by side, so that the
 * sum is more than the time of a run.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { findEngine } from "../test/engine/engine.ts";

interface Report {
	readonly testResults: readonly {
		readonly name: string;
		readonly assertionResults: readonly { readonly duration?: number | null }[];
	}[];
}

const project = fileURLToPath(new URL("..", import.meta.url));
const file = process.argv[2] ?? runTests();
const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Report;

const all = { seconds: 0, tests: 0, files: 0 };
const byFolder = new Map<string, typeof all>();
for (const { name, assertionResults } of testResults) {
	const folder = folderOf(dirname(relative(project, name)).replaceAll("\\", "/"));
	const sum = byFolder.get(folder) ?? { seconds: 0, tests: 0, files: 0 };
	const seconds = assertionResults.reduce((total, { duration }) => total + (duration ?? 0) / 1000, 0);
	for (const each of [sum, all]) {
		each.seconds += seconds;
		each.tests += assertionResults.length;
		each.files += 1;
	}
	byFolder.set(folder, sum);
}

console.log("| folder | seconds | tests | files |\n|---|---|---|---|");
const slowestFirst = [...byFolder].sort(([, one], [, other]) => other.seconds - one.seconds);
for (const [folder, sum] of slowestFirst) printRow(`\`${folder}\``, sum);
printRow("all", all);

function printRow(name: string, { seconds, tests, files }: typeof all): void {
	console.log(`| ${name} | ${Math.round(seconds)} | ${tests} | ${files} |`);
}

/** The folder of test/ that it is in, with all folders below it; `test` itself for its own files. */
function folderOf(path: string): string {
	return path.split("/").slice(0, 2).join("/");
}

/** Runs all tests; returns the file of their report. */
function runTests(): string {
	const report = fileURLToPath(new URL("../node_modules/.cache/test-times.json", import.meta.url));
	const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
	const words = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
	const counting = mkdtempSync(join(tmpdir(), "orgsync-times-"));
	const log = join(counting, "commands");
	writeFileSync(log, "");
	const found = findEngine();
	const env = found === undefined ? process.env : { ...process.env, PATH: countCommands(found.folder, counting, log) };
	const { status } = spawnSync(process.execPath, [vitest, ...words], { cwd: project, stdio: "inherit", env });
	process.exitCode = status ?? 1;
	console.log(`${readFileSync(log, "utf8").split("\n").length - 1} commands of the Pulumi engine`);
	rmSync(counting, { recursive: true });
	return report;
}

/** Makes an engine that writes the name of each command to a log; returns the path on which the tests find it first. */
function countCommands(engine: string, folder: string, log: string): string {
	for (const name of readdirSync(engine).filter((one) => one !== "pulumi" && one.startsWith("pulumi-"))) {
		symlinkSync(join(engine, name), join(folder, name));
	}
	const script = `#!/bin/sh\n[ "$1" = version ] || echo "$1" >> '${log}'\nexec '${engine}/pulumi' "$@"\n`;
	writeFileSync(join(folder, "pulumi"), script, { mode: 0o755 });
	return [folder, process.env.PATH].join(delimiter);
}
