/**
 * Makes the command line as people run it: dist/bin/orgsync.js, and beside it what only some commands need, with source
 * maps. `npm run build` runs it after the compiler.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, type Entries } from "./bundle.ts";
import { keepLines } from "./line-mappings.ts";
import { commandFile } from "./manifest.ts";
import { validatorFolder, validatorNames } from "./validators.ts";

/** The program for `bundle`. */
export const commandEntry: Entries = { [basename(commandFile, ".js")]: "src/cli/start.ts" };

/** The validators, as files that the library in dist/ has too (scripts/validators.ts). */
const validatorEntries: Entries = Object.fromEntries(
	validatorNames.map((name) => [`${validatorFolder}/${name}`, `src/schema/validators/${name}.ts`]),
);

/** Makes the folder, in place of what is there. */
export async function bundleCommand(folder: string): Promise<void> {
	const { chunks, notices } = await bundle(
		{ ...commandEntry, ...validatorEntries },
		{
			format: "cjs",
			// Where the sources are, seen from the source maps.
			dir: dirname(commandFile),
			entryFileNames: "[name].js",
			chunkFileNames: "lib/[name].js",
			sourcemap: true,
			minify: true,
			// Nothing requires the program: src/cli/code-cache.ts loads the other files only.
			codeSplitting: { groups: [{ name: "version", test: /[\\/]src[\\/]common[\\/]version\.ts$/ }] },
		},
	);
	const sharing = chunks.find(({ code }) => code.includes(`/${basename(commandFile)}"`));
	if (sharing !== undefined)
		throw new Error(`${sharing.fileName} shares a module with src/cli/start.ts, and nothing may`);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, validatorFolder), { recursive: true });
	const digest = createHash("sha256");
	for (const { code } of chunks) digest.update(code);
	const build = digest.digest("hex");
	for (const { fileName, code, map } of chunks) {
		// The mark of src/cli/code-cache.ts. A digest of another length would move the columns of the source map.
		writeFileSync(join(folder, fileName), code.replace("digest of the bundle", build.slice(0, 20)));
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
