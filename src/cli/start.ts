#!/usr/bin/env node
/** Starts orgsync as a process; for the version, nothing else is loaded. `--verbose` shows places by the bundle's source maps. */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { isSea } from "node:sea";
import { findOwnCacheFolder, useCompileCache } from "../common/compile-cache.ts";
import { version } from "../common/version.ts";
import { loadWithCode } from "./code-cache.ts";

const words = process.argv.slice(2);
if (words.includes("--verbose")) process.setSourceMapsEnabled(true);
if (!printVersion() && !loadBundle()) {
	useCompileCache(process.env);
	import("./main.ts");
}

/** Loads main.ts of a bundle of CommonJS. Returns false where there is none, or the code that V8 compiles cannot be kept. */
function loadBundle(): boolean {
	// A Node without getBuiltinModule is too old for orgsync: main.ts says so.
	if (
		typeof __dirname === "undefined" ||
		process.sourceMapsEnabled ||
		isSea() ||
		typeof process.getBuiltinModule !== "function"
	)
		return false;
	const folder = findOwnCacheFolder(process.env);
	if (folder === undefined) return false;
	const [word = ""] = words;
	loadWithCode(join(__dirname, "lib"), "main.js", join(folder, /^[a-z-]{1,16}$/.test(word) ? word : "help"));
	return true;
}

/** Prints the version if it alone is asked for. Returns false if it is not, or if the rest of orgsync has to handle an error. */
function printVersion(): boolean {
	if (words.length !== 1 || (words[0] !== "--version" && words[0] !== "-V")) return false;
	try {
		writeSync(1, `${version}\n`);
		return true;
	} catch {
		return false;
	}
}
