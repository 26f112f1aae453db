/**
 * Makes the command line as people run it: dist/bin/orgsync.js, and beside it what only some commands need, with source
 * maps. `npm run build` runs it after the compiler.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, type Entries } from "./bundle.ts";
import { keepLines } from "./line-mappings.ts";
import { commandFile } from "./manifest.ts";

/** The program for `bundle`. */
export const commandEntry: Entries = { [basename(commandFile, ".js")]: "src/cli/start.ts" };

/** Makes the folder, in place of what is there. */
export async function bundleCommand(folder: string): Promise<void> {
	const { chunks, notices } = await bundle(commandEntry, {
		format: "cjs",
		// Where the sources are, seen from the source maps.
		dir: dirname(commandFile),
		entryFileNames: "[name].js",
		chunkFileNames: "lib/[name].js",
		sourcemap: true,
	});
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, "lib"), { recursive: true });
	for (const { fileName, code, map } of chunks) {
		writeFileSync(join(folder, fileName), code);
		if (map !== undefined) writeFileSync(join(folder, `${fileName}.map`), withLines(map));
	}
	// Node loads CommonJS faster: it makes no list of the exports of its own modules.
	writeFileSync(join(folder, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`);
	chmodSync(join(folder, basename(commandFile)), 0o755);
	writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices);
}

/** The source map of lines, without the texts of the sources: a trace needs no more, and a debugger finds the files of the clone. */
function withLines(map: string): string {
	const { sourcesContent: _texts, mappings, ...rest } = JSON.parse(map) as Record<string, unknown>;
	return JSON.stringify({ ...rest, names: [], mappings: keepLines(String(mappings)) });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCommand(dirname(commandFile));
