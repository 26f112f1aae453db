/** The pages about Pulumi as their tests read them: blocks of code, commands with their output, tables. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { commandFile } from "../../scripts/manifest.ts";
import { localOrganizationId, localSeed } from "../../src/cli/local-seed.ts";
import { type Emulator, parseSeed, startEmulator } from "../../src/emulator/server.ts";
import type { Answer } from "../engine/answer.ts";
import type { Stack } from "../engine/harness.ts";
import { keys } from "../world.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export const readText = (file: string): string => readFileSync(join(root, file), "utf8");

export interface Block {
	/** Counts from 1; that of the fence. */
	readonly line: number;
	readonly word: string;
	readonly content: string;
}

export function readBlocks(markdown: string): readonly Block[] {
	return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ index, 1: word = "", 2: content = "" }) => ({
		line: markdown.slice(0, index).split("\n").length,
		word,
		content,
	}));
}

/** The texts of docs/pulumi.md that show what is printed of pending activities. */
export function readTexts(): readonly string[] {
	const blocks = readBlocks(readText("docs/pulumi.md"));
	return blocks.filter(({ word }) => word === "text").map(({ content }) => content.trimEnd());
}

/** Returns what is printed as a page shows it: ids, fingerprints and times are cut, and alice has an alias. */
export function asOnPage(printed: string): string {
	return printed
		.replaceAll(/\b0[0-9a-f]{7}-[0-9a-f-]{27}/g, "01…")
		.replaceAll(/policy:[0-9a-f-]{36}/g, "policy:…")
		.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…")
		.replaceAll(/since \S+?([,;])/g, "since …$1")
		.replaceAll(/alice \(id [0-9a-f]{8}…\)/g, "alice");
}

/** Whether a block has commands with their output. */
export const isTour = ({ word }: Block): boolean => word === "console";

/** The name of the file that a block is, if its first line names one. */
export function fileOf(block: Block): string | undefined {
	return isTour(block) ? undefined : /^(?:\/\/|#) (\S+\.\w+)\n/.exec(block.content)?.[1];
}

/** A command, its output on the page, and what happens before it. */
export interface Scene {
	readonly line: number;
	readonly command: string;
	readonly shown: readonly string[];
	readonly before: readonly string[];
}

export function readScenes({ line, content }: Block): readonly Scene[] {
	const scenes: { line: number; command: string; shown: string[]; before: string[] }[] = [];
	let before: string[] = [];
	for (const [index, text] of content.trimEnd().split("\n").entries()) {
		const [, comment] = /^# (.*)/.exec(text) ?? [];
		if (comment !== undefined) before.push(comment);
		else if (!text.startsWith("$ ")) scenes.at(-1)?.shown.push(text);
		else {
			scenes.push({ line: line + 1 + index, command: text.slice(2), shown: [], before });
			before = [];
		}
	}
	return scenes;
}

/** Fails unless the command printed what the page shows, in this order, with the exit code that it shows. */
export function expectShown({ exitCode, stdout, stderr }: Answer, shown: readonly string[]): void {
	const printed = abridge(`${stdout}\n${stderr}${exitCode === 0 ? "" : `\n(exit code ${exitCode})`}`);
	expect(findMissing(shown, printed), printed).toBeUndefined();
	if (!shown.some((text) => text.startsWith("(exit code"))) expect(exitCode, printed).toBe(0);
}

/** What varies from run to run, as the page has it. */
function abridge(text: string): string {
	return text.replaceAll(/\b01[0-9a-f]{6}-[0-9a-f-]{27}\b/g, "01…").replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…");
}

/** The first of these lines that is not part of a line of the output, each after the one before it. */
function findMissing(shown: readonly string[], output: string): string | undefined {
	let rest = output;
	return shown.find((line) => {
		const at = rest.indexOf(line.trim());
		rest = rest.slice(at + line.trim().length);
		return at < 0;
	});
}

/** The organization of the local emulator, with bob's key, and a second one with a tag `oncall`. */
export async function startAcme(): Promise<Emulator> {
	const emulator = await startEmulator({ seed: parseSeed(localSeed(keys.alice.publicKey), "the seed") });
	const withKey = { userId: bob, userName: "bob", apiKeys: [{ publicKey: keys.bob.publicKey }] };
	await emulator.changeState({ organizationId: localOrganizationId, users: [withKey] });
	const userTags = [{ tagId: "10000000-0000-4000-8000-000000000002", tagName: "oncall" }];
	await emulator.changeState({ organizations: [{ organizationId: beta, users: [withKey], userTags }] });
	return emulator;
}

export const bob = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002";
export const beta = "10000000-0000-4000-8000-000000000001";

/** What a reader has on disk beside the page's own files, and the settings that a page asks for. */
export const keyFiles = { "alice.private": keys.alice.privateKey };
export function environmentOf({ url }: Emulator) {
	return { ORGSYNC_URL: url, ORGSYNC_KEY_FILE: "alice.private", ORGSYNC_ORGANIZATION_ID: localOrganizationId };
}

/** Runs a command of a page in a stack that the page itself makes. */
export function playCommand(command: string, stack: Stack, emulator: Emulator): Promise<Answer> {
	const [, variable, value = "", rest = command] = /^([A-Z_]+)="([^"]*)" (.*)/.exec(command) ?? [];
	const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = ""]) => quoted ?? plain);
	const given = variable === undefined ? {} : { [variable]: value };
	if (words[0] === "node") return run(words.slice(1), stack.folder, {});
	if (words[0] === "pulumi") return stack.pulumi(words.slice(1), { env: { PULUMI_STACK: undefined, ...given } });
	if (words[0] === "sha256sum") return run(words.slice(1), stack.folder, {}, "sha256sum");
	if (words[0] !== "npx" || words[1] !== "orgsync") throw new Error(`nothing runs this: ${command}`);
	return run([commandFile, ...words.slice(2)], stack.folder, environmentOf(emulator));
}

/** Runs a program, by default Node, with nothing of this environment. */
function run(
	words: readonly string[],
	cwd: string,
	env: Readonly<Record<string, string>>,
	program = process.execPath,
): Promise<Answer> {
	const child = spawn(program, words, { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
	const texts = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			texts[name] += text;
		});
	}
	child.stdin.end();
	return new Promise((resolve, reject) => {
		child.on("error", reject).on("close", (exitCode) => resolve({ exitCode, ...texts }));
	});
}
