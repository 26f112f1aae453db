/**
 * Makes what the compiler wrote into dist/ smaller, as the package publishes it: no comments in the code, and dist/.npmignore with
 * the modules that no export of the package needs. `npm run build` runs it after the bundles.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { minifySync } from "rolldown/utils";
import { manifest, root } from "./manifest.ts";

/** Folders of dist/ that have their own scripts. */
const others = /^(action|bin|cli|completions|man|plugin)\//;

/** Writes both. */
export function writeLibrary(dist: string): void {
	const needed = new Set<string>();
	for (const file of exported(manifest.exports)) addWithImports(join(root, file), needed);
	const all = readdirSync(dist, { recursive: true, encoding: "utf8" })
		.map((name) => name.replaceAll("\\", "/"))
		.filter((name) => /\.js$|\.d\.ts$/.test(name) && !others.test(name));
	const unneeded = all.filter((name) => !needed.has(join(dist, name)));
	writeFileSync(join(dist, ".npmignore"), `${unneeded.map((name) => `/${name}`).join("\n")}\n`);
	for (const file of needed) if (file.endsWith(".js")) writeFileSync(file, withoutComments(file));
}

/** The code and the types of all exports, as paths in the package. */
function exported(exports: unknown): readonly string[] {
	if (typeof exports === "string") return /\.js$|\.d\.ts$/.test(exports) ? [exports] : [];
	return Object.values(exports as object).flatMap(exported);
}

/** Adds the file and all files that it imports, also later or for types alone. */
function addWithImports(file: string, found: Set<string>): void {
	if (found.has(file) || !existsSync(file)) return;
	found.add(file);
	for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g)) {
		const target = join(dirname(file), name);
		addWithImports(file.endsWith(".d.ts") ? target.replace(/\.[jt]s$/, ".d.ts") : target, found);
	}
}

function withoutComments(file: string): string {
	const options = {
		module: true,
		compress: true,
		mangle: { toplevel: false },
		codegen: { removeWhitespace: true },
	} as const;
	const { code, errors } = minifySync(relative(root, file), readFileSync(file, "utf8"), options);
	if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`);
	return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeLibrary(join(root, "dist"));
