/**
 * The package as it would be published: what is in it, and that programs can use it, in ESM and CommonJS, with its types.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeProgram } from "../src/cli/flags/program.ts";
import type { Terminal } from "../src/cli/output/output.ts";
import { havePrograms } from "./needs.ts";
import { listPacked, sharePacked } from "./packed.ts";
import { run } from "./run.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	version: string;
	man: string[];
	dependencies: Record<string, string>;
	peerDependencies: Record<string, string>;
};

describe("the package as published", () => {
	let project: string;
	let archive: string;
	let files: readonly string[];

	beforeAll(async () => {
		project = mkdtempSync(join(tmpdir(), "orgsync-package-"));
		const modules = join(project, "node_modules");
		mkdirSync(join(modules, "@types"), { recursive: true });
		archive = await sharePacked(inject("sharedFolder"));
		files = listPacked(archive);
		execFileSync("tar", ["-xzf", archive, "-C", modules]);
		execFileSync("mv", [join(modules, "package"), join(modules, "orgsync")]);
		// Its own dependencies as npm would have put them; nothing else of the clone is in reach.
		for (const name of readdirSync(join(root, "node_modules"))) {
			if (!name.startsWith(".") && name !== "@types")
				symlinkSync(join(root, "node_modules", name), join(modules, name));
		}
		symlinkSync(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
	}, 60_000);

	afterAll(() => rmSync(project, { recursive: true, force: true }));

	function runProgram(file: string, content: string): string {
		writeFileSync(join(project, file), content);
		return execFileSync(process.execPath, [file], { cwd: project, encoding: "utf8" }).trim();
	}

	it("holds the code, the schemas and what a reader needs, and no sources, tests or examples", () => {
		const folders = [...new Set(files.map((file) => file.split("/")[0]))].sort();
		expect(folders).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "package.json", "schemas"].sort());
	});

	it("has at most 7 MB unpacked", () => {
		const size = files.reduce((sum, file) => sum + statSync(join(project, "node_modules/orgsync", file)).size, 0);
		expect(size).toBeLessThan(7e6);
	});

	it("passes publint, with no message of any level", async () => {
		const content = readFileSync(archive);
		const tarball = content.buffer.slice(content.byteOffset, content.byteOffset + content.byteLength);
		const { messages } = await publint({ pack: { tarball }, level: "suggestion" });
		expect(messages).toEqual([]);
	});

	it("passes Are The Types Wrong; CommonJS loads ES modules, as every supported Node can", async () => {
		const checked = await checkPackage(createPackageFromTarballData(readFileSync(archive)));
		if (!checked.types) throw new Error("the package has no types");
		expect(Object.keys(checked.entrypoints)).toEqual(expect.arrayContaining([".", "./emulator", "./pulumi/provider"]));
		expect(checked.problems.filter(({ kind }) => kind !== "CJSResolvesToESM")).toEqual([]);
	});

	it("has a man page for each command, which man formats without a warning", () => {
		const man = join(project, "node_modules/orgsync/dist/man");
		const pages = readdirSync(man);
		const { commands } = makeProgram({} as Terminal, () => {});
		// npm links what the manifest lists.
		expect(manifest.man.map((page) => page.replace("./dist/man/", ""))).toEqual(pages.toSorted());
		expect(pages.sort()).toEqual(["orgsync.1", ...commands.map((command) => `orgsync-${command.name()}.1`)].sort());
		for (const command of commands) {
			const page = readFileSync(join(man, `orgsync-${command.name()}.1`), "utf8").replaceAll("\\-", "-");
			for (const { long, description } of command.options) {
				expect(page).toContain(`\\fB${long}\\fR`);
				expect(page).toContain(description);
			}
		}
		if (!havePrograms("the test of the man pages in groff", "groff")) return;
		const { stdout, stderr } = spawnSync("groff", ["-man", "-ww", "-Tutf8", ...pages.map((page) => join(man, page))], {
			encoding: "utf8",
		});
		expect(stderr).toBe("");
		expect(stdout).toContain("keep an organization in sync with a YAML document");
	});

	it("has the scripts of `orgsync completion` under the names that the shells look for", async () => {
		const folder = join(project, "node_modules/orgsync/dist/completions");
		expect(readdirSync(folder).sort()).toEqual(["_orgsync", "orgsync.bash", "orgsync.fish"]);
		for (const [shell, name] of [
			["bash", "orgsync.bash"],
			["zsh", "_orgsync"],
			["fish", "orgsync.fish"],
		] as const)
			expect(readFileSync(join(folder, name), "utf8")).toContain((await run(["completion", shell])).stdout);
		expect(readFileSync(join(folder, "_orgsync"), "utf8")).toMatch(/^#compdef orgsync\n/);
	});

	it("is used from an ES module", () => {
		const program = 'import { operations } from "orgsync"; console.log(Object.keys(operations).length);';
		expect(runProgram("esm.mjs", program)).toBe("13");
	});

	it("is used from CommonJS", () => {
		const program = 'const { operations } = require("orgsync"); console.log(Object.keys(operations).length);';
		expect(runProgram("common.cjs", program)).toBe("13");
	});

	it("has the emulator under a name of its own", () => {
		const program = `import { startEmulator } from "orgsync/emulator";
			const emulator = await startEmulator({});
			console.log(new URL(emulator.url).hostname);
			await emulator.close();`;
		expect(runProgram("emulator.mjs", program)).toBe("127.0.0.1");
	});

	it("has its schemas in reach of editors and programs", () => {
		const program = 'console.log(require("orgsync/schemas/document.json").title.length > 0);';
		expect(runProgram("schema.cjs", program)).toBe("true");
	});

	it("runs as the command orgsync", () => {
		const program = join(project, "node_modules/orgsync/dist/bin/orgsync.js");
		expect(execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" }).trim()).toBe(manifest.version);
	});

	it("has source maps that name the files of the clone, without their texts", () => {
		const maps = files.filter((file) => file.endsWith(".map"));
		expect(maps.length).toBeGreaterThan(20);
		for (const map of maps) {
			const { sources, sourcesContent } = JSON.parse(readFileSync(join(root, map), "utf8"));
			expect(sourcesContent).toBeUndefined();
			for (const source of sources as string[])
				expect(existsSync(join(root, map, "..", source)) || source.startsWith("\0"), `${map}: ${source}`).toBe(true);
		}
	});

	it("has types that a strict program compiles against, and that refuse a submit through a Reader", () => {
		writeFileSync(
			join(project, "program.ts"),
			`import { createClient, type Plan, parseDocuments, type Reader } from "orgsync";
			import { startEmulator } from "orgsync/emulator";
			export const problems: number = parseDocuments([{ file: "a.yaml", content: "" }], {}).problems.length;
			export const steps = (plan: Plan): number => plan.steps.length;
			export const start = startEmulator;
			export function read(reader: Reader): unknown {
				// @ts-expect-error what reads cannot write
				return reader.submit;
			}
			export const client = createClient;
			`,
		);
		const settings = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
		// What the compiler itself brings is not checked.
		const compiler = join(root, "node_modules/typescript/bin/tsc");
		expect(() =>
			execFileSync(process.execPath, [compiler, "--skipDefaultLibCheck", ...settings, "program.ts"], {
				cwd: project,
				encoding: "utf8",
				stdio: "pipe",
			}),
		).not.toThrow();
	}, 60_000);

	it("asks for every package that it imports", () => {
		const imported = new Set<string>();
		// The command line imports no package: it holds them.
		for (const file of files.filter((name) => name.endsWith(".js") && !name.startsWith("dist/bin/"))) {
			const text = readFileSync(join(project, "node_modules/orgsync", file), "utf8");
			for (const [, name = ""] of text.matchAll(/(?:\bfrom ?|\bimport\(|\bimport ?)"([a-z@][^"\s]*)"/g)) {
				if (!isBuiltin(name))
					imported.add(
						name
							.split("/")
							.slice(0, name.startsWith("@") ? 2 : 1)
							.join("/"),
					);
			}
		}
		const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
		expect([...imported].sort()).toEqual(Object.keys(declared).sort());
	});
});
