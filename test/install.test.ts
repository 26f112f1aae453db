/**
 * The ways to install orgsync, as docs/install.md has them, each in an empty folder: the executable, on the system of the test,
 * and the npm package. test/container.test.ts has the image.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeArchive, writeArchives } from "../scripts/archive.ts";
import { executableFile, findNodeLicense, platform, stageExecutable, writeProgram } from "../scripts/executable.ts";
import { manifest } from "../scripts/manifest.ts";
import { type InstallServer, startInstallServer } from "./install-server.ts";
import { havePrograms, needPrograms } from "./needs.ts";
import { sharePacked } from "./packed.ts";
import { type Answer, makeFolder, runProgram } from "./run.ts";

needPrograms("the tests of docs/install.md", "bash");

const root = fileURLToPath(new URL("..", import.meta.url));
const nodeLicense = findNodeLicense();
const page = readFileSync(join(root, "docs/install.md"), "utf8");

/** The shell blocks of the page, by the heading above each; the settings are those without one. */
const blocks = page.split(/^## /m).flatMap((section) => {
	const heading = section.split("\n")[0] ?? "";
	return [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, , text = ""]) => ({ heading, text }));
});

function blockOf(heading: string, index = 0): string {
	const { text } = blocks.filter((block) => block.heading === heading)[index] ?? {};
	if (text === undefined) throw new Error(`docs/install.md has no block below ${heading}`);
	return text;
}

let folder: string;
let staged: string;
let home: string;
let server: InstallServer;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-install-"));
	const name = `orgsync-v${manifest.version}-${platform}`;
	const work = join(folder, "staged");
	staged = join(work, name);
	await stageExecutable(staged, join(root, "dist"), nodeLicense ?? join(root, "LICENSE"));
	home = join(folder, "home");
	mkdirSync(home);
	const release = join(folder, "releases", `v${manifest.version}`);
	mkdirSync(release, { recursive: true });
	const packed = await sharePacked(inject("sharedFolder"));
	cpSync(packed, join(release, basename(packed)));
	writeArchives(release, "orgsync-v", { [`${name}.tar.gz`]: makeArchive(work, [`${name}/${executableFile}`], 0) });
	server = await startInstallServer(join(folder, "releases"));
}, 300_000);

afterAll(() => {
	server.close();
	rmSync(folder, { recursive: true, force: true });
});

/** Runs a block of the page in bash, with the settings of the page, and the release and the registry of the test. */
function runBlock(text: string, cwd: string): Promise<Answer> {
	const settings = blockOf(blocks[0]?.heading ?? "").replace(/^RELEASES=\S+/m, `RELEASES=${server.url}releases`);
	const env = {
		HOME: home,
		PATH: [join(home, ".local/bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
		npm_config_cache: join(folder, "cache"),
		npm_config_prefix: join(home, "global"),
		npm_config_registry: `${server.url}npm/`,
		npm_config_update_notifier: "false",
		npm_config_audit: "false",
		// What is installed needs no script of any package.
		npm_config_ignore_scripts: "true",
	};
	return runProgram(["bash", "-c", `set -euo pipefail\n${settings}\n${text}`], { cwd, env });
}

/** Writes a first document with this command line, and plans and applies it on the local emulator. */
async function expectStory(run: (words: readonly string[]) => Promise<Answer>): Promise<void> {
	expect(await run(["init", "--local"])).toMatchObject({ code: 0, stderr: "" });
	const planned = await run(["plan", "--local", "--detailed-exitcode", "--format", "html"]);
	expect(planned).toMatchObject({ code: 2, stdout: expect.stringMatching(/^<!DOCTYPE html>/i), stderr: "" });
	expect(await run(["apply", "--local", "--yes"])).toMatchObject({
		code: 0,
		stdout: expect.stringContaining("5 completed"),
	});
}

describe("the executable", () => {
	/** Runs it in the folder, with no Node and nothing else on the PATH. */
	const run = (cwd: string, words: readonly string[]) =>
		runProgram([join(staged, executableFile), ...words], { cwd, env: { PATH: "", NODE_OPTIONS: "" } });

	it("plans and applies on the local emulator in an empty folder, without Node", async () => {
		const cwd = makeFolder();
		await expectStory((words) => run(cwd, words));
		expect(readdirSync(cwd).sort()).toEqual([".orgsync", "orgsync.yaml"]);
		// It has no schema as a file, so the document names none.
		expect(readFileSync(join(cwd, "orgsync.yaml"), "utf8")).not.toContain("yaml-language-server");
	}, 60_000);

	it("has every schema inside, and refuses an unknown flag with the usual exit code", async () => {
		const [schema, refused] = await Promise.all([
			run(folder, ["schema", "operations/update_user_tag"]),
			run(folder, ["plan", "--no-such-flag"]),
		]);
		expect(JSON.parse(schema.stdout)).toHaveProperty("$defs");
		expect(refused).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^error: unknown option/) });
	}, 60_000);

	it("is the same program again, byte for byte, in any folder", async () => {
		const { file } = await writeProgram(makeFolder());
		expect(readFileSync(join(staged, executableFile)).includes(readFileSync(file))).toBe(true);
	}, 60_000);

	it("finds no code in its folder, in the working folder or on the PATH", async () => {
		const cwd = makeFolder();
		const hostile = 'require("node:fs").writeFileSync("ran", ""); throw new Error("ran");';
		for (const place of [cwd, join(staged, "bin")]) {
			mkdirSync(join(place, "node_modules/yaml"), { recursive: true });
			mkdirSync(join(place, "lib"), { recursive: true });
			writeFileSync(join(place, "package.json"), '{"type":"commonjs"}');
			for (const file of ["orgsync.js", "loader.cjs", "lib/run.js", "node_modules/yaml/index.js", "node"])
				writeFileSync(join(place, file), hostile, { mode: 0o755 });
		}
		const answer = await runProgram([join(staged, executableFile), "init", "--local"], { cwd, env: { PATH: cwd } });
		expect(answer).toMatchObject({ code: 0, stderr: "" });
		expect(existsSync(join(cwd, "ran"))).toBe(false);
	});

	it("comes with notices of all packages inside", () => {
		const notices = readFileSync(join(staged, "share/doc/orgsync/THIRD-PARTY-NOTICES.txt"), "utf8");
		for (const name of ["csv-parse", "yaml", "commander"]) expect(notices).toMatch(new RegExp(`^## ${name} `, "m"));
	});

	it.skipIf(nodeLicense === undefined)("comes with Node's own licence, with those of the parts of Node", () => {
		const license = readFileSync(join(staged, "share/doc/orgsync/NODE-LICENSE.txt"), "utf8");
		expect(license).toMatch(/^Node\.js is licensed/);
		expect(license).toContain("V8");
	});
});

const hasCurl = havePrograms("the test of the executable of docs/install.md", "curl");

describe.skipIf(platform !== "linux-x64" || !hasCurl)("the executable as docs/install.md installs it", () => {
	it("is checked and unpacked below ~/.local, and removed without a trace", async () => {
		const cwd = makeFolder();
		const answer = await runBlock(`${blockOf("Executable")}command -v orgsync`, cwd);
		expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining(`.tar.gz: OK\n${manifest.version}\n`) });
		expect(answer.stdout.trim().split("\n").at(-1)).toBe(join(home, ".local/bin/orgsync"));
		const files = (): readonly string[] =>
			readdirSync(join(home, ".local"), { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => join(entry.parentPath, entry.name).slice(join(home, ".local/").length));
		expect(files()).toEqual(
			expect.arrayContaining([
				"share/man/man1/orgsync-apply.1",
				"share/bash-completion/completions/orgsync",
				"share/zsh/site-functions/_orgsync",
				"share/fish/vendor_completions.d/orgsync.fish",
				"share/doc/orgsync/LICENSE",
			]),
		);
		expect(await runBlock(blockOf("Uninstall"), cwd)).toMatchObject({ code: 0, stderr: "" });
		expect(files()).toEqual([]);
	}, 60_000);

	it("is not unpacked if its checksum differs", async () => {
		const damaged = 'curl() { command curl "$@"; echo >> "$ARCHIVE"; }\n';
		const answer = await runBlock(damaged + blockOf("Executable").replace(/^orgsync --version\n/m, ""), makeFolder());
		expect(answer).toMatchObject({ code: 1, stdout: expect.stringContaining(".tar.gz: FAILED") });
		expect(existsSync(join(home, ".local/bin/orgsync"))).toBe(false);
	}, 60_000);
});

describe("the npm package as docs/install.md installs it", () => {
	it("plans in an empty project with a lock file, and brings man pages for all users", async () => {
		const [project, elsewhere] = [makeFolder(), makeFolder()];
		const global = blockOf("npm package", 1).replace(/^man .*\n/m, "");
		const fetched = 'cp "$PACKED" .\n';
		const packed = await sharePacked(inject("sharedFolder"));
		const [local, forAll] = await Promise.all([
			runBlock(blockOf("npm package"), project),
			runBlock(`PACKED='${packed}'\n${fetched}${global}`, elsewhere),
		]);
		expect(local).toMatchObject({ code: 0, stdout: expect.stringContaining(`\n${manifest.version}\n`) });
		expect(forAll).toMatchObject({ code: 0 });
		const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
		expect(lock.packages["node_modules/orgsync"].integrity).toMatch(/^sha512-/);
		expect(readdirSync(join(home, "global/share/man/man1"))).toContain("orgsync-plan.1");
		const command = join(home, "global/bin/orgsync");
		await expectStory((words) => runProgram([process.execPath, command, ...words], { cwd: project }));
	}, 120_000);

	it("runs without its packages where there is no registry", async () => {
		const cwd = makeFolder();
		cpSync(await sharePacked(inject("sharedFolder")), join(cwd, `orgsync-${manifest.version}.tgz`));
		const answer = await runBlock(blockOf("Without the internet"), cwd);
		expect(answer).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
	});
});

describe("docs/install.md", () => {
	it("names addresses that no one can register, and each once", () => {
		const definition = readFileSync(join(root, "scripts/package-schema/package.ts"), "utf8");
		const [, domain = ""] = /^const home = "(\S+)";$/m.exec(definition) ?? [];
		expect(domain).toMatch(/\.invalid$/);
		const named = [...page.matchAll(/[\w.-]+\.invalid\b/g)].map(([name]) => name);
		expect(named).toEqual([`releases.${domain}`, `registry.${domain}`]);
		expect(page).toContain(`VERSION=${manifest.version}\n`);
	});

	it("never runs the bare name from a registry outside a clone", () => {
		const outside = page.replace(/^## Clone$[\s\S]*?(?=^## )/m, "");
		expect(outside).not.toMatch(/npx (?:--yes )?orgsync|npm install(?: -g| --global)? orgsync\b/);
	});
});
