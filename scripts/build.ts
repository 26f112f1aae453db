/**
 * `npm run build`: dist/ from src/, the command line and the provider plugin as bundles, man pages and completion scripts.
 * Where neither the sources nor dist/ have changed, it does nothing.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

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

function run(command: string, ...words: readonly string[]): void {
	const { status } = spawnSync(process.execPath, [join(root, command), ...words], { cwd: root, stdio: "inherit" });
	if (status !== 0) process.exit(status ?? 1);
}

rmSync(join(root, "dist"), { recursive: true, force: true });
run("node_modules/typescript-native/bin/tsc", "-p", "tsconfig.json");
run("scripts/bundle-command.ts");
run("scripts/validators.ts");
run("scripts/bundle-plugin.ts");
run("scripts/library.ts");
run("scripts/shell-files.ts");
mkdirSync(dirname(last), { recursive: true });
writeFileSync(last, digestOf(all));
