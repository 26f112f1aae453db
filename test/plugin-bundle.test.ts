/** The provider plugin as it is published: what is in its folder and its archives, and that Node alone runs it. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { bundlePlugin } from "../scripts/bundle-plugin.ts";
import { pluginFile } from "../scripts/manifest.ts";
import { packPlugin } from "../scripts/pack-plugin.ts";
import { shareArchives } from "./engine/install.ts";
import { variablesOfRun } from "./shared.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let folder: string;
const plugin = dirname(pluginFile);
/** Where it is bundled again. */
let again: string;
let packages: readonly string[];
let files: readonly string[];
let code: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "orgsync-plugin-"));
	again = join(folder, "else", "where");
	packages = (await bundlePlugin(again))
		.flatMap(({ sources }) => sources)
		.flatMap((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
	files = filesOf(join(plugin, "lib")).map((name) => readFileSync(join(plugin, "lib", name), "utf8"));
	code = files.join("\n");
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (path: string): readonly string[] =>
	readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
		.sort();

/** What the files import or require. The bundler shortens the name of the function that requires, which files import from one. */
function importsOf(all: readonly string[]): readonly string[] {
	const find = (pattern: string): string => new RegExp(pattern).exec(all.join("\n"))?.[1] ?? "(?!)";
	const required = find(`[ ,;]([\\w$]+)=${find("\\bcreateRequire as ([\\w$]+)")}\\(import\\.meta\\.url\\)`);
	const shared = find(`\\bexport\\{(?:[^}]*,)?${required} as ([\\w$]+)`);
	const name = '["`]([\\w@./:-]+)["`]';
	return all.flatMap((file) => {
		const local = new RegExp(`\\bimport\\{(?:[^}]*,)?${shared} as ([\\w$]+)`).exec(file)?.[1] ?? required;
		const imports = new RegExp(`(?:^|;)import(?:[\\w$\\s{},*]+from)?${name}|\\b(?:import|${local})\\(${name}\\)`, "gm");
		return [...file.matchAll(imports)].map(([, stated, called]) => stated ?? called ?? "");
	});
}

describe("the bundle of the plugin", () => {
	it("has a launcher for POSIX and Windows, the code, the licence and notices", () => {
		expect(readdirSync(plugin).sort()).toEqual([
			"LICENSE",
			"THIRD-PARTY-NOTICES.txt",
			"lib",
			"package.json",
			"pulumi-resource-orgsync",
			"pulumi-resource-orgsync.cmd",
		]);
		const { version, license, scripts } = JSON.parse(readFileSync(join(plugin, "package.json"), "utf8"));
		expect({ version, license, scripts }).toEqual({ version: manifest.version, license: manifest.license });
	});

	it("imports nothing but its own files and Node's modules", () => {
		const imported = importsOf(files).filter((file) => !file.startsWith("./"));
		// Required by a package, in a file that all share.
		expect(imported).toContain("http2");
		expect(imported).toContain("node:sqlite");
		const nodes = new Set([...builtinModules, "node:sqlite"]);
		expect(imported.filter((name) => !nodes.has(name) && !nodes.has(name.replace("node:", "")))).toEqual([]);
	});

	it("is written in ASCII, of which Node holds one byte for each character", () => {
		expect(/[^\0-\x7f]/.exec(code)?.[0]).toBeUndefined();
	});

	it("has a validator of every answer and of documents in its code, and no Ajv", () => {
		const answers = readdirSync(join(root, "schemas/operations")).map((name) => `operations/${name}#/$defs/response`);
		for (const schema of ["document.json", ...answers])
			expect(new RegExp(`"${schema.replace(/[.$]/g, "\\$&")}":[\\w$]`).test(code), schema).toBe(true);
		expect(code).not.toContain("Ajv2020");
	});

	it("has a notice with the licence of every package in it", () => {
		const notices = readFileSync(join(plugin, "THIRD-PARTY-NOTICES.txt"), "utf8").split(/^## /m).slice(1);
		expect(notices.map((notice) => notice.split(" ")[0])).toEqual([...new Set(packages)].sort());
		for (const notice of notices)
			expect(notice).toMatch(
				/permission|licensed under|redistribution|Apache License|^The same text as of \S+ above/im,
			);
	});

	it("is the same again, byte for byte, in any folder", () => {
		const files = filesOf(plugin);
		expect(filesOf(again)).toEqual(files);
		for (const name of files)
			expect(readFileSync(join(again, name)).equals(readFileSync(join(plugin, name)))).toBe(true);
	});
});

describe("the command pulumi-resource-orgsync", () => {
	it("prints the port that it serves, started by a link as npm makes it", async () => {
		const bin = join(folder, "node_modules/.bin");
		mkdirSync(bin, { recursive: true });
		symlinkSync(join(plugin, "pulumi-resource-orgsync"), join(bin, "pulumi-resource-orgsync"));
		const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
		const link = join(bin, "pulumi-resource-orgsync");
		const child = spawn(link, ["127.0.0.1:1"], {
			env: { ...variablesOfRun(), PATH },
			stdio: ["pipe", "pipe", "inherit"],
		});
		const first = await new Promise((resolve, reject) => {
			child.stdout.setEncoding("utf8").once("data", resolve);
			child.once("error", reject).once("exit", (code) => reject(new Error(`exit code ${code}`)));
		});
		child.kill("SIGKILL");
		expect(first).toMatch(/^\d+\n$/);
	});

	it("lets Node keep the compiled code in the user's cache folder before the engine ends it with SIGKILL", async () => {
		const caches = join(folder, "caches");
		mkdirSync(caches, { mode: 0o700 });
		const env = {
			...variablesOfRun(),
			PATH: process.env.PATH,
			XDG_CACHE_HOME: caches,
			HOME: folder,
			LOCALAPPDATA: caches,
		};
		const child = spawn(process.execPath, [join(plugin, "pulumi-resource-orgsync"), "127.0.0.1:1"], {
			env,
			stdio: "pipe",
		});
		const compiled = (): readonly string[] => filesOf(caches);
		await expect.poll(compiled, { timeout: 20_000 }).not.toEqual([]);
		child.kill("SIGKILL");
		expect(compiled().every((name) => name.startsWith(join("orgsync", "compiled")))).toBe(true);
	});

	it.each(["20.19.0", "22.17.1"])("says in one sentence that Node %s is too old", (version) => {
		const older = join(folder, `node-${version}.cjs`);
		const versions = `{ value: { ...process.versions, node: "${version}" } }`;
		writeFileSync(older, `Object.defineProperty(process, "versions", ${versions});`);
		const command = ["--require", older, join(plugin, "pulumi-resource-orgsync")];
		const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
		expect(stderr).toBe(`error: the orgsync plugin needs Node 22.18 or later, and this is ${version}\n`);
		expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
	});
});

describe("the archives of the plugin", () => {
	it("have the names that Pulumi asks for, one content, and checksums that agree", async () => {
		const release = await shareArchives(inject("sharedFolder"));
		const sums = readFileSync(join(release, "SHA256SUMS"), "utf8").trimEnd().split("\n");
		const platforms = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];
		const archives = platforms.map((platform) => `pulumi-resource-orgsync-v${manifest.version}-${platform}.tar.gz`);
		expect(filesOf(release)).toEqual(["SHA256SUMS", ...archives]);
		expect(sums).toEqual(
			archives.map((name) => {
				const sum = createHash("sha256").update(readFileSync(join(release, name)));
				return `${sum.digest("hex")}  ${name}`;
			}),
		);
		expect(new Set(sums.map((line) => line.split(" ")[0])).size).toBe(1);
	});

	it("are the same bytes again, and hold the files with the mode of the launcher", async () => {
		const [one, other] = [await shareArchives(inject("sharedFolder")), join(folder, "other")];
		packPlugin(plugin, other);
		const [archive = ""] = filesOf(one).filter((name) => name.includes("linux"));
		expect(readFileSync(join(other, archive)).equals(readFileSync(join(one, archive)))).toBe(true);
		const unpacked = join(folder, "unpacked");
		mkdirSync(unpacked);
		execFileSync("tar", ["-xzf", join(one, archive), "-C", unpacked]);
		expect(filesOf(unpacked)).toEqual(filesOf(plugin));
		const listed = execFileSync("tar", ["-tvzf", join(one, archive)], { encoding: "utf8" })
			.trim()
			.split("\n");
		const executable = listed.filter((line) => line.startsWith("-rwxr-xr-x")).map((line) => line.split(" ").at(-1));
		expect(executable).toEqual(["pulumi-resource-orgsync"]);
	});
});

describe("the npm package", () => {
	it("has the bundle and not what it was made of, and runs no script when it is installed", () => {
		expect(manifest.bin["pulumi-resource-orgsync"]).toBe("dist/plugin/pulumi-resource-orgsync");
		expect(manifest.files).toEqual(expect.arrayContaining(["dist", "!dist/pulumi/plugin"]));
		expect(Object.keys(manifest.scripts).filter((name) => /install/.test(name))).toEqual([]);
	});
});
