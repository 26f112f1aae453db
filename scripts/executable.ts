/**
 * Makes the command line as one executable that needs no Node: Node itself, with the bundle inside, for the system that this
 * runs on. `npm run executable` builds, and writes its archive and checksum into release/.
 *
 * The archive has the folders of a prefix such as /usr/local: the executable, man pages, completion scripts and licences. The
 * files of the bundle are loaded when they are needed, and are not minified, so a stack trace has names, files and lines.
 * Node's code cache is left out: it would save 20 ms at the start, and differ from build to build.
 */
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeArchive, writeArchives } from "./archive.ts";
import { bundle } from "./bundle.ts";
import { commandEntry } from "./bundle-command.ts";
import { manifest, root } from "./manifest.ts";

const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
	darwin: "macos",
	linux: "linux",
	win32: "windows",
};

/** Name of the system and architecture in the name of an archive, for example `linux-x64`. */
export const platform = `${systems[process.platform] ?? process.platform}-${process.arch}`;

/** The executable, in the archive's folder. */
export const executableFile = `bin/orgsync${process.platform === "win32" ? ".exe" : ""}`;

/** Where the section of Node begins that says whether it holds a program. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** The program that Node starts: it loads a file of the bundle when another one asks for it. */
const loader = `"use strict";
const { getAsset } = require("node:sea");
const { compileFunction, constants } = require("node:vm");
const { posix } = require("node:path");
const loaded = new Map();
function load(file) {
	if (loaded.has(file)) return loaded.get(file).exports;
	const module = { exports: {} };
	loaded.set(file, module);
	const find = (name) => (name.startsWith(".") ? load(posix.join(posix.dirname(file), name)) : require(name));
	const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
	const options = { filename: "orgsync/" + file, importModuleDynamically };
	const names = ["exports", "require", "module", "__filename"];
	compileFunction(getAsset(file, "utf8"), names, options)(module.exports, find, module, process.execPath);
	return module.exports;
}
load("orgsync.js");
`;

/** Writes what Node runs in place of itself into the folder. */
export async function writeProgram(folder: string): Promise<{ readonly file: string; readonly notices: string }> {
	const { chunks, notices } = await bundle(commandEntry, {
		format: "cjs",
		entryFileNames: "[name].js",
		chunkFileNames: "lib/[name].js",
	});
	mkdirSync(join(folder, "lib"));
	for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), code);
	writeFileSync(join(folder, "loader.cjs"), loader);
	// Relative paths: the name of the main file is part of the program.
	const configuration = {
		main: "loader.cjs",
		output: "program.blob",
		disableExperimentalSEAWarning: true,
		assets: Object.fromEntries(chunks.map(({ fileName }) => [fileName, fileName])),
	};
	writeFileSync(join(folder, "sea.json"), JSON.stringify(configuration));
	execFileSync(process.execPath, ["--experimental-sea-config", "sea.json"], { cwd: folder, stdio: "pipe" });
	return { file: join(folder, configuration.output), notices };
}

/** Makes the executable from this Node, and returns the licences of the packages in it. */
async function makeExecutable(file: string): Promise<string> {
	const work = mkdtempSync(join(tmpdir(), "orgsync-executable-"));
	try {
		const program = await writeProgram(work);
		mkdirSync(dirname(file), { recursive: true });
		copyFileSync(process.execPath, file);
		chmodSync(file, 0o755);
		inject(file, program.file);
		return program.notices;
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

/** Puts the program into the copy of Node. macOS runs no executable whose signature does not fit: it gets one without a name. */
function inject(file: string, program: string): void {
	const isMac = process.platform === "darwin";
	if (isMac) execFileSync("codesign", ["--remove-signature", file]);
	const words = [file, "NODE_SEA_BLOB", program, "--sentinel-fuse", fuse];
	if (isMac) words.push("--macho-segment-name", "NODE_SEA");
	execFileSync(process.execPath, [join(root, "node_modules/postject/dist/cli.js"), ...words], { stdio: "pipe" });
	if (isMac) execFileSync("codesign", ["--sign", "-", file]);
}

/** The licence of this Node, as its distribution has it; undefined if only the executable is there. */
export function findNodeLicense(): string | undefined {
	const folder = dirname(realpathSync(process.execPath));
	// npm's package `node` has the distribution in a package of its own.
	const packages = join(folder, "../node_modules");
	const installed = existsSync(packages) ? readdirSync(packages).map((name) => join(packages, name)) : [];
	return [folder, join(folder, ".."), ...installed]
		.map((place) => join(place, "LICENSE"))
		.find((file) => existsSync(file) && readFileSync(file, "utf8").startsWith("Node.js is licensed"));
}

/** Makes the folder that the archive holds, in place of what is there. `dist` has what the build wrote. */
export async function stageExecutable(folder: string, dist: string, nodeLicense: string): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	const notices = await makeExecutable(join(folder, executableFile));
	const share = join(folder, "share");
	cpSync(join(dist, "man"), join(share, "man/man1"), { recursive: true });
	const completions = [
		["orgsync.bash", "bash-completion/completions/orgsync"],
		["_orgsync", "zsh/site-functions/_orgsync"],
		["orgsync.fish", "fish/vendor_completions.d/orgsync.fish"],
	] as const;
	for (const [name, place] of completions) cpSync(join(dist, "completions", name), join(share, place));
	const documents = join(share, "doc/orgsync");
	mkdirSync(documents, { recursive: true });
	for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(root, name), join(documents, name));
	copyFileSync(nodeLicense, join(documents, "NODE-LICENSE.txt"));
	writeFileSync(join(documents, "THIRD-PARTY-NOTICES.txt"), notices);
}

async function writeRelease(folder: string): Promise<void> {
	const license = findNodeLicense();
	if (license === undefined)
		throw new Error(`there is no licence of Node beside ${process.execPath}: run this with a distribution of Node`);
	const name = `orgsync-v${manifest.version}-${platform}`;
	const work = mkdtempSync(join(tmpdir(), "orgsync-release-"));
	try {
		await stageExecutable(join(work, name), join(root, "dist"), license);
		writeArchives(folder, "orgsync-v", { [`${name}.tar.gz`]: makeArchive(work, [`${name}/${executableFile}`]) });
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await writeRelease(join(root, "release"));
	process.stdout.write(readFileSync(join(root, "release/SHA256SUMS")));
}
