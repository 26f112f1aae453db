/**
 * Writes the man pages and the completion scripts of the package into dist/: dist/man, one page per command, and
 * dist/completions. The pages come from the table of commands, as `--help` does. `npm run build` runs it after the compiler.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { completion } from "../src/cli/commands/completion.ts";
import { makeProgram } from "../src/cli/flags/program.ts";
import type { Terminal } from "../src/cli/output/output.ts";
import { manPages } from "./man-pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The completion scripts by the names under which the shells look for them in their folders. */
function completionFiles(): Readonly<Record<string, string>> {
	const script = (shell: string): string => completion(shell).script;
	return {
		"orgsync.bash": script("bash"),
		_orgsync: `#compdef orgsync\n${script("zsh")}`,
		"orgsync.fish": script("fish"),
	};
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** Writes both folders below `dist`. */
export function writeShellFiles(dist: string): void {
	const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
	const program: Command = makeProgram({} as Terminal, () => {});
	write(join(dist, "man"), manPages(program, version));
	write(join(dist, "completions"), completionFiles());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeShellFiles(join(root, "dist"));
