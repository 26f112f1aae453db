/**
 * Makes the provider plugin as people install it: dist/plugin, a folder that needs Node and nothing else. `npm run build`
 * runs it after the compiler.
 *
 * The code is minified. Functions and classes keep their names, for stack traces.
 */
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, bundle } from "./bundle.ts";
import { manifest, pluginFile, root } from "./manifest.ts";

/** The name by which Pulumi finds the plugin in a folder or on the PATH. */
const command = basename(pluginFile);

/** Loads the code, or says which Node it needs: in words of the language that older Nodes understand. */
const launcher = `#!/usr/bin/env node
"use strict";
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
	console.error("error: the orgsync plugin needs Node 22.18 or later, and this is " + process.versions.node);
	process.exit(1);
}
import("./lib/start.mjs");
`;

/** Makes the folder, in place of what is there, and returns the files of the code in it. */
export async function bundlePlugin(folder: string): Promise<Bundle["chunks"]> {
	const { chunks, notices } = await bundle(
		{ start: "src/pulumi/plugin/start.ts" },
		{
			format: "esm",
			entryFileNames: "[name].mjs",
			chunkFileNames: "[name].mjs",
			minify: {
				compress: true,
				mangle: { keepNames: { function: true, class: true } },
				codegen: { removeWhitespace: true },
			},
		},
		true,
	);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, "lib"), { recursive: true });
	for (const { fileName, code } of chunks) writeFileSync(join(folder, "lib", fileName), code);
	writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices);
	writeFileSync(join(folder, command), launcher);
	chmodSync(join(folder, command), 0o755);
	writeFileSync(join(folder, `${command}.cmd`), `@node "%~dp0\\${command}" %*\r\n`);
	// The version that the plugin reports. The type is that of the launcher, which has no extension.
	const { name, version, license } = manifest;
	const own = { name: `${name}-plugin`, version, license, private: true, type: "commonjs" };
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, "\t")}\n`);
	copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
	return chunks;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePlugin(dirname(pluginFile));
