#!/usr/bin/env node
/**
 * Starts orgsync as a process. Scripts ask for the version often: nothing else is loaded for it. `--verbose` shows where errors
 * happened in the sources, by the source maps of a bundle.
 */
import { writeSync } from "node:fs";
import { useCompileCache } from "../common/compile-cache.ts";
import { version } from "../common/version.ts";

const words = process.argv.slice(2);
if (words.includes("--verbose")) process.setSourceMapsEnabled(true);
if (!printVersion()) {
	useCompileCache(process.env);
	import("./main.ts");
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
