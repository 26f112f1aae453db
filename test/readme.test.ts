/**
 * What README.md shows is what happens: its tour is run in a copy of the quickstart, and its tables are held against the
 * code. `ORGSYNC_WRITE_README=1` puts the real outputs into the file.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCodes } from "../src/errors.ts";
import { parseDocuments } from "../src/plan/document.ts";
import { playScene, readScenes, writeScenes } from "./transcript.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readmeFile = join(root, "README.md");
const readme = readFileSync(readmeFile, "utf8");
const scenes = readScenes(readme);

describe("the tour of README.md", () => {
	let folder: string;
	const outputs: string[] = [];

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "orgsync-tour-"));
		cpSync(join(root, "examples/quickstart"), folder, { recursive: true });
		for (const { command } of scenes) outputs.push(playScene(command, folder));
		if (process.env.ORGSYNC_WRITE_README === "1") writeFileSync(readmeFile, writeScenes(readme, outputs));
	}, 60_000);

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it("has commands", () => expect(scenes.length).toBeGreaterThan(6));

	it.each(scenes.map((scene, index) => ({ ...scene, index })))("line $line: $command", ({ output, index }) => {
		expect(outputs[index]?.trimEnd()).toBe(output.trimEnd());
	});
});

describe("README.md", () => {
	it("shows a document that is valid", () => {
		const content = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		expect(parseDocuments([{ file: "README.md", content }], {}).problems).toEqual([]);
	});

	it("lists only exit codes that there are", () => {
		const listed = [...readme.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
		expect(listed.length).toBeGreaterThan(6);
		expect(Object.values(exitCodes)).toEqual(expect.arrayContaining(listed));
	});
});

describe("the quickstart", () => {
	it("has the document that init --local writes", () => {
		const folder = mkdtempSync(join(tmpdir(), "orgsync-init-"));
		playScene("npx orgsync init --local", folder);
		const withoutModeline = (text: string): string => text.replace(/^# yaml-language-server.*\n/, "");
		expect(withoutModeline(readFileSync(join(folder, "orgsync.yaml"), "utf8"))).toBe(
			withoutModeline(readFileSync(join(root, "examples/quickstart/document.yaml"), "utf8")),
		);
		rmSync(folder, { recursive: true, force: true });
	});
});
