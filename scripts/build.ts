/**
 * `npm run build`: dist/ from src/, the command line and the provider plugin as bundles, man pages and completion scripts.
 * Compiles only what has changed since the last build here, and removes what has no source any more. Where neither the sources nor
 * dist/ have changed, it does nothing.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [source, target] = [join(root, "src"), join(root, "dist")];
const record = join(root, ".tsbuildinfo");

/** The digest of the last build. */
const last = join(root, "node_modules/.cache/orgsync-build");
/** What a build reads, and what it writes. npm lists what is installed in node_modules. */
const read = [
	"src",
	"schemas",
	"scripts",
	"tsconfig.json",
	"package.json",
	"LICENSE",
	"node_modules/.package-lock.json",
];

function digestOf(names: readonly string[]): string {
	const digest = createHash("sha256").update(process.version);
	for (const name of names.filter((one) => existsSync(join(root, one)))) {
		const isFolder = statSync(join(root, name)).isDirectory();
		const files = isFolder ? readdirSync(join(root, name), { recursive: true, encoding: "utf8" }).sort() : [""];
		for (const file of files.map((one) => join(root, name, one)))
			if (statSync(file).isFile()) digest.update(`${file}\0`).update(readFileSync(file)).update("\0");
	}
	return digest.digest("hex");
}

const all = [...read, "dist"];
if (existsSync(last) && readFileSync(last, "utf8") === digestOf(all)) process.exit();

/** The modules below a folder, by path without extension. */
function modulesIn(folder: string, extension: string): ReadonlySet<string> {
	if (!existsSync(folder)) return new Set();
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
	return new Set(files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length)));
}

function run(command: string, ...words: readonly string[]): void {
	const { status } = spawnSync(process.execPath, [join(root, command), ...words], { cwd: root, stdio: "inherit" });
	if (status !== 0) process.exit(status ?? 1);
}

for (const bundled of ["bin", "plugin"]) rmSync(join(target, bundled), { recursive: true, force: true });
const sources = modulesIn(source, ".ts");
const built = modulesIn(target, ".js");
for (const name of built) {
	for (const extension of [".js", ".d.ts"])
		if (!sources.has(name)) rmSync(join(target, name + extension), { force: true });
}
// The compiler believes its record: without it, it writes every file.
if ([...sources].some((name) => !built.has(name))) rmSync(record, { force: true });
run(
	"node_modules/typescript/bin/tsc",
	"-p",
	"tsconfig.json",
	"--incremental",
	"--tsBuildInfoFile",
	relative(root, record),
);
run("scripts/bundle-command.ts");
run("scripts/validators.ts");
run("scripts/bundle-plugin.ts");
run("scripts/library.ts");
run("scripts/shell-files.ts");
mkdirSync(dirname(last), { recursive: true });
writeFileSync(last, digestOf(all));
