/**
 * Runs the commands of README.md, the docs and the examples, each page in a copy of its folder.
 * `ORGSYNC_WRITE_README=1` writes the real outputs into the pages. clone-commands.test.ts runs what npm does in a clone.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyAsCloned } from "./clone.ts";
import { isForTheClone, tours } from "./tours.ts";
import { playScene, playSceneHere, readScenes, writeScenes } from "./transcript.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

describe.each(tours)("the commands of %s", (file, place) => {
	const path = join(root, file);
	const markdown = readFileSync(path, "utf8");
	const scenes = readScenes(markdown).filter((scene) => !isForTheClone(scene));
	const outputs: string[] = [];
	let folder: string;

	/** The README's commands are run by the program that was built, all others by the sources. */
	const playOne = async (command: string, here: string): Promise<string> =>
		file === "README.md" ? playScene(command, here) : playSceneHere(command, here);

	/** Plays the scenes one after the other; `cd` is where the next ones are. */
	const play = async (): Promise<void> => {
		let here = join(folder, place);
		for (const { block, command } of scenes) {
			const [, target] = (block === "sh" && /^cd (\S+)$/.exec(command)) || [];
			if (target === undefined) outputs.push(await playOne(command, here));
			else {
				here = join(here, target);
				if (!existsSync(here)) throw new Error(`${file}: there is no folder ${target}`);
				outputs.push("");
			}
		}
	};

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), "orgsync-tour-"));
		for (const name of ["docs", "examples"]) copyAsCloned(root, name, folder);
		await play();
		if (process.env.ORGSYNC_WRITE_README === "1") writeFileSync(path, writeScenes(markdown, shown(outputs)));
	}, 60_000);

	/** Those of the console blocks alone: a shell block shows no output. */
	const shown = (all: readonly string[]): readonly string[] =>
		all.filter((_, index) => scenes[index]?.block === "console");

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it("exist", () => expect(scenes.length).toBeGreaterThan(0));

	it.each(scenes.map((scene, index) => ({ ...scene, index })))("print what line $line shows: $command", ({
		output,
		index,
	}) => {
		expect(outputs[index]?.trimEnd()).toBe(output.trimEnd());
	});
});

describe("the tour of README.md in a clone that has the state of npm run up", () => {
	it("prints the same, after a line that names the state it uses", async () => {
		const clone = mkdtempSync(join(tmpdir(), "orgsync-later-tour-"));
		copyAsCloned(root, "examples", clone);
		// What npm run up leaves in the root.
		await playSceneHere("npx orgsync apply --local -f examples/quickstart/document.yaml --yes --quiet", clone);
		expect(existsSync(join(clone, ".orgsync"))).toBe(true);
		const scenes = readScenes(readFileSync(join(root, "README.md"), "utf8")).filter(({ block }) => block === "console");
		expect(scenes.length).toBeGreaterThan(3);
		for (const { command, output } of scenes) {
			const printed = await playSceneHere(command, join(clone, "examples/quickstart"));
			expect(printed.replace(/^Local service: .*\n/, "").trimEnd(), command).toBe(output.trimEnd());
		}
		rmSync(clone, { recursive: true, force: true });
	}, 60_000);
});

describe.each([
	"examples/break-glass/README.md",
	"examples/consensus/README.md",
	"examples/fleet/README.md",
	"examples/policies/README.md",
	"examples/powers/README.md",
])("%s", (page) => {
	it("shows what its program prints", () => {
		const path = join(root, page);
		const markdown = readFileSync(path, "utf8");
		const printed = execFileSync(process.execPath, [join(dirname(path), "run.ts")], { encoding: "utf8" });
		const story = printed
			.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…")
			.replaceAll(/\b0[0-9a-f]{7}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "01…")
			.replaceAll(/(since|at|,) \d{4}-\d\d-\d\dT[\d:.]+Z/g, "$1 …")
			.trim();
		const block = /```text\n([\s\S]*?)\n?```/;
		if (process.env.ORGSYNC_WRITE_README === "1") {
			writeFileSync(
				path,
				markdown.replace(block, () => `\`\`\`text\n${story}\n\`\`\``),
			);
		}
		expect(story).toBe(block.exec(markdown)?.[1]);
	}, 60_000);
});

/** Blocks of code by the word behind their fence, of which these tests, or those of the Pulumi room, run or check each. */
const blockWords = ["console", "sh", "yaml"];
/** Words of single tours, each with the test that has the block. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
	// test/cli/commands/fleet.test.ts
	"docs/output.md": ["bash"],
	// test/document/format-version.test.ts
	"docs/document.md": ["text"],
	// test/render/sections/expiries.test.ts
	"docs/access.md": ["text"],
	// test/browser/passkey.test.ts
	"docs/approve.md": ["bash", "text"],
};
const pages: readonly (readonly [file: string, words: readonly string[]])[] = [
	["README.md", [...blockWords, "bash", "typescript"]],
	["docs/examples/README.md", blockWords],
	["docs/internals/architecture.md", ["text"]],
	// test/sync/journal/journal-versions.test.ts
	["docs/internals/journal.md", ["text"]],
	...[
		"internals/dependencies",
		"internals/emulator",
		"internals/json",
		"internals/performance",
		"internals/proofs",
		"internals/service",
	].map((name) => [`docs/${name}.md`, []] as const),
	...["coming-from", "connection", "README", "troubleshooting"].map((name) => [`docs/${name}.md`, []] as const),
	...tours.slice(3).map(([file]) => [file, [...blockWords, ...(otherWords[file] ?? [])]] as const),
	// test/first-pull-request.test.ts
	["docs/first-pull-request.md", ["sh", "bash", "console", "yaml", "diff"]],
	// test/cli/commands/resume.test.ts
	["docs/fleets.md", ["text"]],
	// test/cli/commands/journal-backup.test.ts
	["docs/journal.md", ["sh"]],
	// test/pipelines/page.test.ts
	["docs/pipelines.md", ["yaml"]],
	// test/cli/output/openmetrics.test.ts
	["docs/metrics.md", ["bash"]],
	// test/install.test.ts and test/container.test.ts
	["docs/install.md", ["sh"]],
	// test/emulator/docs.test.ts
	["docs/emulator.md", ["http", "json", "yaml"]],
	// test/policy/language/docs.test.ts
	["docs/internals/policies.md", ["condition", "consensus", "time"]],
	["docs/internals/policy-examples.md", []],
	// test/pulumi/docs.test.ts, and for the texts test/pulumi/pending-preview.test.ts and test/pulumi/pending-delete.test.ts
	["docs/pulumi.md", ["console", "yaml", "typescript", "text"]],
	// test/pulumi/docs-node.test.ts, and test/pulumi/dynamic/migration.test.ts: its program has the aliases, its preview is the text
	["docs/pulumi-node.md", ["console", "yaml", "typescript", "javascript", "json", "text"]],
	// test/pulumi/examples.test.ts
	["examples/pulumi-node/README.md", ["sh", "text"]],
	// test/sdk/policies-pulumi.test.ts
	["examples/policies-pulumi/README.md", ["console", "diff"]],
	// test/sdk/programs.test.ts
	...["yaml", "typescript", "python", "go"].map((name) => [`examples/pulumi-${name}/README.md`, ["console"]] as const),
];

it("every page of docs/ is in the list of pages", () => {
	const names = ["docs", "docs/internals"].flatMap((folder) =>
		readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
	);
	const found = names.filter((name) => name.endsWith(".md"));
	expect(pages.map(([file]) => file)).toEqual(expect.arrayContaining(found));
});

describe.each(pages)("%s", (file, known) => {
	it("has only blocks of code that tests run or check", () => {
		const markdown = readFileSync(join(root, file), "utf8");
		const fences = [...markdown.matchAll(/^```(.*)$/gm)].map(([, word = ""]) => word);
		const words = fences.filter((_, index) => index % 2 === 0);
		expect(words.filter((word) => !known.some((one) => one === word))).toEqual([]);
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
