/**
 * Console and shell blocks of a Markdown file, run as they are written: in ```console `$ npx orgsync …` lines and the
 * output below each, in ```sh one command a line, whose output is not shown.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { commandFile } from "../scripts/manifest.ts";
import { run } from "../src/cli/run.ts";

/** One command. `line` counts from 1 and is that of the command. */
export interface Scene {
	readonly line: number;
	readonly block: "console" | "sh";
	readonly command: string;
	readonly output: string;
}

/** Every command of every ```console block, with the output that the file shows, and of every ```sh block. */
export function readScenes(markdown: string): readonly Scene[] {
	const scenes: { line: number; block: Scene["block"]; command: string; output: string }[] = [];
	let block = "";
	for (const [index, text] of markdown.split("\n").entries()) {
		const line = index + 1;
		if (text.startsWith("```")) block = text.slice(3);
		else if (block === "console" && text.startsWith("$ "))
			scenes.push({ line, block, command: text.slice(2), output: "" });
		else if (block === "console") {
			const scene = scenes.at(-1);
			if (scene !== undefined) scene.output += `${text}\n`;
		} else if (block === "sh") {
			const command = text.replace(/(^|\s)#.*/, "").trim();
			if (command !== "") scenes.push({ line, block, command, output: "" });
		}
	}
	return scenes;
}

/** Replaces the output below each command of a ```console block, and returns the Markdown. */
export function writeScenes(markdown: string, outputs: readonly string[]): string {
	let count = -1;
	let inside = false;
	const lines: string[] = [];
	for (const text of markdown.split("\n")) {
		if (text.startsWith("```")) inside = text === "```console";
		if (inside && text.startsWith("$ ")) {
			count += 1;
			lines.push(text, ...(outputs[count] ?? "").trimEnd().split("\n"));
		} else if (!inside || text.startsWith("```")) lines.push(text);
	}
	return lines.join("\n");
}

const shownTime = "2026-11-21T12:00:00.000Z";
const shownActivity = "activity 019aa660-9400-7c3a-8f21-5d0e6b7a4c11";

/** A saved plan holds the time when it was made, so its digest is another one in every run. */
const shownDigest = "sha256:8b1a9953c4611296a827abf8c47804d7f7d6a3c1b2e0944c0f2ad1b5e6c37a90";

/**
 * What a terminal would show of the command, both streams in their order; the exit code is added when it is not 0. The
 * program that was built runs as a process of its own.
 */
export function playScene(command: string, directory: string): string {
	const file = join(directory, "transcript.out");
	const stream = openSync(file, "w");
	try {
		const { status } = spawnSync(process.execPath, [commandFile, ...wordsOf(command)], {
			cwd: directory,
			stdio: ["ignore", stream, stream],
			env: { PATH: process.env.PATH, HOME: directory, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
		});
		return normalize(readFileSync(file, "utf8"), status);
	} finally {
		closeSync(stream);
		rmSync(file);
	}
}

/** The same by the sources, in this process: no start of Node for each command. */
export async function playSceneHere(
	command: string,
	directory: string,
	settings: Readonly<Record<string, string>> = {},
): Promise<string> {
	let text = "";
	const collect = (): Writable =>
		new Writable({
			decodeStrings: false,
			write(chunk: string | Buffer, _encoding, done) {
				text += chunk;
				done();
			},
		});
	const status = await run(wordsOf(command), {
		stdin: Readable.from([], { objectMode: false }),
		stdout: collect(),
		stderr: collect(),
		environment: { PATH: process.env.PATH, HOME: directory, ...settings },
		directory,
		now: Date.now,
		steadyNow: () => performance.now(),
		sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	});
	return normalize(text, status);
}

/** The arguments of a command as a shell would give them: without the quotes around a word. */
function wordsOf(command: string): readonly string[] {
	if (!command.startsWith("npx orgsync ")) throw new Error(`not a command of orgsync: ${command}`);
	const words = command.replace(/^npx orgsync /, "").split(" ");
	return words.map((word) => word.replace(/^'(.*)'$/, "$1"));
}

/** The text with the times, digests and activity ids that a page shows. Steps run concurrently, so their lines are sorted. */
function normalize(printed: string, status: number | null): string {
	const text = printed
		.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, shownTime)
		.replaceAll(/(?<=, since )\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC/g, "2026-11-21 12:00 UTC")
		.replaceAll(/(?<=\bsaved plan )sha256:[0-9a-f]{64}/gi, shownDigest)
		.replaceAll(/(?<=, )activity [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, shownActivity);
	return sortSteps(status === 0 ? text : `${text}(exit code ${status})\n`);
}

function sortSteps(text: string): string {
	const step = /^\[(\d+)\/(\d+)\] (.*)$/;
	const lines = text.split("\n");
	const sorted = lines
		.filter((line) => step.test(line))
		.map((line) => line.replace(step, "$3"))
		.sort();
	let count = 0;
	return lines.map((line) => (step.test(line) ? line.replace(step, `[$1/$2] ${sorted[count++]}`) : line)).join("\n");
}
