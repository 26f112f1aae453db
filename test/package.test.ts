/**
 * The package as it would be published: what is in it, and that programs can use it, in ESM and CommonJS, with its types.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	version: string;
	dependencies: Record<string, string>;
	peerDependencies: Record<string, string>;
};

describe("the package as published", () => {
	let project: string;
	let files: readonly string[];

	beforeAll(() => {
		project = mkdtempSync(join(tmpdir(), "orgsync-package-"));
		const modules = join(project, "node_modules");
		mkdirSync(join(modules, "@types"), { recursive: true });
		// dist/ was built before the tests; packing must not build it again under the feet of other tests.
		execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", project], { cwd: root, stdio: "pipe" });
		const archive = join(project, `orgsync-${manifest.version}.tgz`);
		files = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" })
			.trim()
			.split("\n")
			.map((file) => file.replace("package/", ""));
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

	function run(file: string, content: string): string {
		writeFileSync(join(project, file), content);
		return execFileSync(process.execPath, [file], { cwd: project, encoding: "utf8" }).trim();
	}

	it("holds the code, the schemas and what a reader needs, and no sources, tests or examples", () => {
		const folders = [...new Set(files.map((file) => file.split("/")[0]))].sort();
		expect(folders).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist", "package.json", "schemas"].sort());
	});

	it("is used from an ES module", () => {
		const program = 'import { operations } from "orgsync"; console.log(Object.keys(operations).length);';
		expect(run("esm.mjs", program)).toBe("13");
	});

	it("is used from CommonJS", () => {
		const program = 'const { operations } = require("orgsync"); console.log(Object.keys(operations).length);';
		expect(run("common.cjs", program)).toBe("13");
	});

	it("has the emulator under a name of its own", () => {
		const program = `import { startEmulator } from "orgsync/emulator";
			const emulator = await startEmulator({});
			console.log(new URL(emulator.url).hostname);
			await emulator.close();`;
		expect(run("emulator.mjs", program)).toBe("127.0.0.1");
	});

	it("has its schemas in reach of editors and programs", () => {
		const program = 'console.log(require("orgsync/schemas/document.json").title.length > 0);';
		expect(run("schema.cjs", program)).toBe("true");
	});

	it("runs as the command orgsync", () => {
		const program = join(project, "node_modules/orgsync/dist/bin/orgsync.js");
		expect(execFileSync(process.execPath, [program, "--version"], { encoding: "utf8" }).trim()).toBe(manifest.version);
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
		const compiler = join(root, "node_modules/typescript/bin/tsc");
		expect(() =>
			execFileSync(process.execPath, [compiler, ...settings, "program.ts"], {
				cwd: project,
				encoding: "utf8",
				stdio: "pipe",
			}),
		).not.toThrow();
	}, 60_000);

	it("asks for every package that it imports", () => {
		const imported = new Set<string>();
		for (const file of files.filter((name) => name.endsWith(".js"))) {
			const text = readFileSync(join(project, "node_modules/orgsync", file), "utf8");
			for (const [, name = ""] of text.matchAll(/(?:^(?!\s*[*']).*?\bfrom |\bimport\(|^import )"([a-z@][^"\s]*)"/gm)) {
				if (!name.startsWith("node:"))
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
