/**
 * `npx orgsync` in the clone: it runs the local build, with nothing in npm's cache and without the network. The clone here
 * has what npm looks at; its packages and its build are those of this one.
 */
import { execFileSync, spawn } from "node:child_process";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { copyAsCloned } from "./clone.ts";
import { needPrograms } from "./needs.ts";
import { listPacked, sharePacked } from "./packed.ts";
import { compiledFolder, variablesOfRun } from "./shared.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const hasGit = needPrograms("the tests of npx in a clone", "git");
let clone: string;
let home: string;

beforeAll(() => {
	if (!hasGit) return;
	home = realpathSync(mkdtempSync(join(tmpdir(), "orgsync-npx-")));
	clone = join(home, "clone");
	mkdirSync(join(clone, "node_modules/.bin"), { recursive: true });
	for (const name of ["package.json", ".npmrc", ".gitignore", "scripts", "examples/quickstart"]) {
		copyAsCloned(root, name, clone);
	}
	for (const name of ["dist", "node_modules/typescript"]) symlinkSync(join(root, name), join(clone, name));
	symlinkSync(process.execPath, join(clone, "node_modules/.bin/node"));
	git("init", "--quiet");
	link();
}, 60_000);

afterAll(() => {
	if (hasGit) rmSync(home, { recursive: true, force: true });
});

const git = (...words: string[]): string => execFileSync("git", words, { cwd: clone, encoding: "utf8" });

/** The end of `npm ci`. */
function link(): void {
	execFileSync(process.execPath, [join(clone, "scripts/link-command.mjs")], { cwd: home });
}

/** Runs `npx orgsync` in a folder of the clone, with npm's cache in a new folder and no registry to ask. */
function npx(
	folder: string,
	words: readonly string[],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
	const env = {
		...variablesOfRun(),
		NODE_COMPILE_CACHE: compiledFolder,
		PATH: process.env.PATH,
		HOME: home,
		npm_config_cache: join(home, "cache"),
		npm_config_registry: "http://127.0.0.1:1/",
		npm_config_update_notifier: "false",
	};
	const child = spawn("npx", ["orgsync", ...words], {
		cwd: join(clone, folder),
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const told = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		child[name].setEncoding("utf8").on("data", (text: string) => {
			told[name] += text;
		});
	}
	return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...told })));
}

describe("npx orgsync in the clone", () => {
	it("runs the local build, from the root and from folders below, also several at once, and installs nothing", async () => {
		const folders = [".", "examples/quickstart", "examples/quickstart", "examples"];
		const answers = await Promise.all(folders.map((folder) => npx(folder, ["--version"])));
		for (const answer of answers) expect(answer).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
		expect(existsSync(join(home, "cache/_npx"))).toBe(false);
	}, 120_000);

	it("hands over words, output and exit code", async () => {
		const valid = await npx("examples/quickstart", ["validate", "-f", "document.yaml"]);
		expect(valid).toMatchObject({ code: 0, stdout: expect.stringMatching(/^document\.yaml: valid, organization /) });
		expect(await npx(".", ["plan", "--format", "no such"])).toMatchObject({ code: 3, stdout: "" });
	}, 120_000);

	it("leaves nothing that git would show", () => {
		expect(git("status", "--porcelain", "--untracked-files=all").split("\n")).not.toContainEqual(
			expect.stringMatching(/node_modules|dist\/|cache/),
		);
		expect(git("check-ignore", "node_modules/.bin/orgsync")).toBe("node_modules/.bin/orgsync\n");
	});

	it("is prepared by npm ci, again and again", () => {
		expect(manifest.scripts.prepare).toContain("node scripts/link-command.mjs");
		link();
		link();
		expect(readdirSync(join(clone, "node_modules/.bin")).sort()).toEqual(["node", "orgsync"]);
		expect(lstatSync(join(clone, "node_modules/.bin/orgsync")).isSymbolicLink()).toBe(true);
	});

	it("has the two scripts that Windows needs", () => {
		const bin = join(clone, "node_modules/.bin");
		const script = pathToFileURL(join(clone, "scripts/link-command.mjs")).href;
		const windows = `Object.defineProperty(process, "platform", { value: "win32" }); await import("${script}");`;
		execFileSync(process.execPath, ["--input-type=module", "--eval", windows]);
		expect(readFileSync(join(bin, "orgsync.cmd"), "utf8")).toBe('@node "%~dp0\\..\\..\\dist\\bin\\orgsync.js" %*\r\n');
		expect(execFileSync(join(bin, "orgsync"), ["--version"], { encoding: "utf8" })).toBe(`${manifest.version}\n`);
	});
});

describe("the published package", () => {
	it("has the commands, and neither the script nor the .npmrc of the clone", async () => {
		expect(manifest.bin).toEqual({
			orgsync: "dist/bin/orgsync.js",
			"pulumi-resource-orgsync": "dist/plugin/pulumi-resource-orgsync",
		});
		const paths = listPacked(await sharePacked(inject("sharedFolder")));
		expect(paths).toContain("dist/bin/orgsync.js");
		expect(paths.filter((path) => path.includes("npmrc") || path.startsWith("scripts"))).toEqual([]);
	}, 120_000);
});
