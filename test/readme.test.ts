/**
 * What README.md shows is what happens: its tour is run in a copy of the quickstart, and its tables are held against the
 * code. `ORGSYNC_WRITE_README=1` puts the real outputs into the file.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Terminal } from "../src/cli/output.ts";
import { makeProgram } from "../src/cli/program.ts";
import { parseDocuments } from "../src/document/parse.ts";
import { exitCodes } from "../src/errors.ts";
import { extendedReads, queries } from "../src/wire/operations.ts";
import { ensureEngine } from "./engine/engine.ts";
import { playScene, playSceneHere, readScenes, type Scene, writeScenes } from "./transcript.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** Markdown files whose commands are run, and the folder that a reader is in at first. */
const tours = [
	["README.md", "."],
	["examples/quickstart/README.md", "examples/quickstart"],
	["examples/team/README.md", "."],
	["docs/document.md", "."],
	["docs/commands.md", "."],
	["docs/output.md", "."],
	["docs/saved-plans.md", "."],
	["docs/drift.md", "."],
	["docs/base-comparison.md", "."],
	["docs/exactly-once.md", "."],
	["docs/guards.md", "."],
] as const;

const isForTheClone = ({ block, command }: Scene): boolean => block === "sh" && command.startsWith("npm ");

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
		for (const name of ["docs", "examples"]) cpSync(join(root, name), join(folder, name), { recursive: true });
		await play();
		if (process.env.ORGSYNC_WRITE_README === "1") writeFileSync(path, writeScenes(markdown, shown(outputs)));
	}, 60_000);

	/** Those of the console blocks alone: a shell block shows no output. */
	const shown = (all: readonly string[]): readonly string[] =>
		all.filter((_, index) => scenes[index]?.block === "console");

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it("are there", () => expect(scenes.length).toBeGreaterThan(0));

	it.each(scenes.map((scene, index) => ({ ...scene, index })))("line $line: $command", ({ output, index }) => {
		expect(outputs[index]?.trimEnd()).toBe(output.trimEnd());
	});
});

describe("the commands for a clone", () => {
	const pages = [...tours.map(([file]) => file), "examples/consensus/README.md", "docs/examples/README.md"];
	const commands = pages.flatMap((file) => {
		const scenes = readScenes(readFileSync(join(root, file), "utf8")).filter(isForTheClone);
		return scenes.map(({ line, command }) => [`${file}:${line}`, command] as const);
	});
	let clone: string;
	let engine: string;

	beforeAll(async () => {
		// Wherever it was found: the home of whoever runs the tests is not that of the clone.
		({ folder: engine } = await ensureEngine());
		clone = mkdtempSync(join(tmpdir(), "orgsync-clone-"));
		const whole = [
			"src",
			"schemas",
			"examples",
			"package.json",
			"package-lock.json",
			"Pulumi.yaml",
			"tsconfig.json",
			"vitest.config.ts",
		];
		// One test stands for all of them: this one would run itself.
		for (const name of [...whole, "test/escape.test.ts", "test/shared.ts", "test/engine"])
			cpSync(join(root, name), join(clone, name), { recursive: true });
		rmSync(join(clone, "test/engine/engine.test.ts"));
		// What is installed, and the engine, which was made before the tests.
		for (const name of ["node_modules", ".engine"]) symlinkSync(join(root, name), join(clone, name));
	}, 20 * 60_000);

	afterAll(() => rmSync(clone, { recursive: true, force: true }));

	it("are there", () => expect(commands.length).toBeGreaterThan(1));

	it.each(commands)(
		"%s: %s",
		(_place, command) => {
			// The packages are those that are there: installing them needs the network. What is tested is that it could be done.
			const played = command.replace(/^npm ci\b/, "npm ci --dry-run --offline --ignore-scripts");
			const env = { PATH: [engine, process.env.PATH].join(delimiter), HOME: clone };
			const { status, stdout, stderr } = spawnSync(played, { cwd: clone, shell: true, encoding: "utf8", env });
			expect(status, `${stdout}${stderr}`).toBe(0);
		},
		120_000,
	);

	it("make the embedded service what the quickstart's document says, with npm run up", () => {
		expect(commands.map(([, command]) => command)).toContain("npm ci && npm run up");
		const drift = playScene("npx orgsync drift --local -f examples/quickstart/document.yaml", clone);
		expect(drift).toContain("No drift. The organization is in sync.");
	});
});

describe("examples/consensus/README.md", () => {
	it("tells what its program does", () => {
		const path = join(root, "examples/consensus/README.md");
		const markdown = readFileSync(path, "utf8");
		const printed = execFileSync(process.execPath, [join(root, "examples/consensus/run.ts")], { encoding: "utf8" });
		const story = printed
			.replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…")
			.replaceAll(/(activity|explain) 0[0-9a-f]{7}-[0-9a-f-]{27}/g, "$1 01…")
			.replaceAll(/since \d{4}-\d\d-\d\dT[\d:.]+Z/g, "since …")
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

describe("README.md", () => {
	it("shows a document that is valid", () => {
		const content = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		expect(parseDocuments([{ file: "README.md", content }], {}).problems).toEqual([]);
	});

	it("names only variables, commands and flags that exist", () => {
		const block = /```bash\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		const names = [...block.matchAll(/^export (\w+)=/gm)].map(([, name = ""]) => name);
		expect(names.length).toBeGreaterThan(2);
		const { commands } = makeProgram({} as Terminal, () => {});
		const flags = commands.flatMap((command) => command.options.map(({ long }) => long));
		const commandLine = readFileSync(join(root, "docs/connection.md"), "utf8");
		for (const name of names) expect(commandLine, name).toContain(`\`${name}\``);
		for (const [, name = ""] of block.matchAll(/^orgsync (\S+)/gm))
			expect(commands.map((command) => command.name())).toContain(name);
		for (const [flag] of block.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag);
	});

	it("imports only what the package exports", async () => {
		const [, names = ""] = /import \{ (.*?) \} from "orgsync"/.exec(readme) ?? [];
		expect(Object.keys(await import("../src/index.ts"))).toEqual(expect.arrayContaining(names.split(", ")));
	});

	it("has at most 200 lines", () => {
		expect(readme.split("\n").length).toBeLessThanOrEqual(200);
	});
});

describe("docs/document.md", () => {
	const markdown = readFileSync(join(root, "docs/document.md"), "utf8");
	const blocks = [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, content = ""]) => content);
	const documents = blocks.filter((content) => /^(?:organizationId:|# yaml-language-server:)/.test(content));

	it("shows documents, whole ones only", () => {
		expect(documents.length).toBeGreaterThan(10);
		expect(documents).toEqual(blocks);
	});

	it.each(documents)("shows a document that is valid: %j", (content) => {
		const id = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";
		const names = [...content.matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, name = ""]) => name);
		const environment = Object.fromEntries(names.map((name) => [name, id]));
		expect(parseDocuments([{ file: "docs/document.md", content }], environment).problems).toEqual([]);
	});

	it("names every property of the schema", () => {
		const schema = JSON.parse(readFileSync(join(root, "schemas/document.json"), "utf8")) as unknown;
		const names = propertyNames(schema);
		expect(names.length).toBeGreaterThan(40);
		expect(names.filter((name) => !markdown.includes(`\`${name}\``))).toEqual([]);
	});
});

/** The keys of every `properties` of a schema, however deep. */
function propertyNames(schema: unknown): readonly string[] {
	if (typeof schema !== "object" || schema === null) return [];
	return Object.entries(schema).flatMap(([key, value]) => [
		...(key === "properties" ? Object.keys(value as object) : []),
		...propertyNames(value),
	]);
}

describe("docs/commands.md", () => {
	const markdown = readFileSync(join(root, "docs/commands.md"), "utf8");
	const { commands } = makeProgram({} as Terminal, () => {});
	/** What stands under each heading, by the anchor of the heading. */
	const sections = new Map(
		markdown
			.split(/^#{2,3} /m)
			.slice(1)
			.map((text) => [(text.split("\n", 1)[0] ?? "").toLowerCase().replaceAll(" ", "-"), text]),
	);
	/** The flags in the first column of the tables of a section. */
	const flagsIn = (anchor: string): readonly string[] =>
		[...(sections.get(anchor) ?? "").matchAll(/^\| (`-.*?) \|/gm)].flatMap(([, cell = ""]) =>
			[...cell.matchAll(/(?<=`)--?[a-z-]+/g)].map(([flag]) => flag),
		);

	it("has a section for every command", () => {
		expect([...sections.keys()]).toEqual(expect.arrayContaining(commands.map((command) => command.name())));
	});

	it.each(commands.map((command) => [command.name(), command] as const))("tells the flags of %s", (name, command) => {
		const shared = [...(sections.get(name) ?? "").matchAll(/\(#(flags-[a-z-]+)\)/g)].map(([, anchor = ""]) => anchor);
		const told = [name, ...new Set(shared)].flatMap(flagsIn);
		const flags = command.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag != null);
		expect(told.sort()).toEqual(flags.sort());
	});

	it("tells every exit code", () => {
		const told = [...(sections.get("exit-codes") ?? "").matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
		expect(told.sort((left, right) => left - right)).toEqual(Object.values(exitCodes));
	});
});

describe("the extended reads", () => {
	const names = Object.keys(extendedReads).sort();
	const between = (file: string, start: string, end: string): string => {
		const text = readFileSync(join(root, file), "utf8");
		expect(text, `${file} has no "${start}"`).toContain(start);
		return text.slice(text.indexOf(start)).split(end, 1)[0] ?? "";
	};
	const lists = [
		["docs/service.md", "\n## Extended reads", "\n`get_organization_configs`"],
		["docs/document.md", "\n## What the service shows", "\nEach is asked only"],
		["docs/commands.md", "The seven extended reads are", "\n\n"],
	] as const;

	it.each(lists)("are listed in %s as in the code", (file, start, end) => {
		const told = [...between(file, start, end).matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
		const isRead = (name: string): boolean => /^(list|get)_|^whoami$/.test(name) && !Object.hasOwn(queries, name);
		expect([...new Set(told.filter(isRead))].sort()).toEqual(names);
	});

	it.each(["SECURITY.md", "docs/document.md", "docs/commands.md"])("are as many in %s as in the code", (file) => {
		const counts = [...readFileSync(join(root, file), "utf8").matchAll(/(\w+)\s+\[?(?:extended reads|reads outside)/g)];
		const words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
		const told = counts.map(([, word = ""]) => words.indexOf(word) + 1).filter((count) => count > 0);
		expect(new Set(told)).toEqual(new Set([names.length]));
	});

	it("are each used, get_session_profiles by export alone", () => {
		const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
			(file) => file.endsWith(".ts") && !file.startsWith("emulator"),
		);
		const uses = files.flatMap((file) =>
			[...readFileSync(join(root, "src", file), "utf8").matchAll(/extendedReads\.(\w+)/g)].map(([, name]) => ({
				file,
				name,
			})),
		);
		expect([...new Set(uses.map(({ name }) => name))].sort()).toEqual(names);
		const ofExport = uses.filter(({ name }) => name === "get_session_profiles").map(({ file }) => file);
		expect(ofExport).toEqual([join("sync", "read-whole.ts")]);
	});
});

/** Blocks of code by the word behind their fence, of which these tests, or those of the Pulumi room, run or check each. */
const blockWords = ["console", "sh", "yaml"];
const pages = [
	["README.md", [...blockWords, "bash", "typescript"]],
	["docs/examples/README.md", blockWords],
	...tours.slice(3).map(([file]) => [file, blockWords] as const),
	// test/emulator/docs.test.ts
	["docs/emulator.md", ["http", "json"]],
	// test/pulumi/docs.test.ts
	["docs/pulumi.md", [...blockWords, "typescript", "javascript", "json"]],
	// test/pulumi/examples.test.ts
	["examples/pulumi-typescript/README.md", ["sh", "text"]],
	["examples/pulumi-yaml-document/README.md", ["sh", "text"]],
] as const;

describe.each(pages)("%s", (file, known) => {
	it("has no block of code that these tests do not run or check", () => {
		const markdown = readFileSync(join(root, file), "utf8");
		const fences = [...markdown.matchAll(/^```(.*)$/gm)].map(([, word = ""]) => word);
		const words = fences.filter((_, index) => index % 2 === 0);
		expect(words.filter((word) => !known.some((one) => one === word))).toEqual([]);
	});
});

describe("docs/troubleshooting.md", () => {
	const rows = readFileSync(join(root, "docs/troubleshooting.md"), "utf8")
		.split("## Symptoms without a message", 1)[0]
		?.matchAll(/^\| `([^`]+)` \|/gm);
	const messages = [...(rows ?? [])].map(([, message = ""]) => message);
	const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts"))
		.map((file) => readFileSync(join(root, "src", file), "utf8").replaceAll("\\`", "`"))
		.join("\n");

	it("explains the messages that readers meet", () => expect(messages.length).toBeGreaterThan(25));

	it.each(messages)("quotes a message of the program: %s", (message) => {
		for (const part of message.split("…").map((one) => one.trim())) expect(sources.includes(part), part).toBe(true);
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
