/**
 * Makes the provider plugin as people install it: dist/plugin, a folder that needs Node and nothing else. `npm run build`
 * runs it after the compiler.
 *
 * The code is not minified: that would save 5 ms at the start and 100 kB of the archive, and cost the line numbers of a
 * stack trace.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, type Plugin, type RolldownBuild, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The name by which Pulumi finds the plugin in a folder or on the PATH. */
const command = "pulumi-resource-orgsync";

const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	name: string;
	version: string;
	license: string;
};

/** Fails the build if the compiled sources no longer have the text that is replaced. */
function replaceIn(file: string, text: string, replacement: string): Plugin {
	const path = join(root, "dist", file);
	return {
		name: `replace in ${file}`,
		transform(code, id) {
			if (id !== path) return null;
			if (!code.includes(text)) throw new Error(`${file} has no ${text}`);
			return { code: code.replace(text, () => replacement), map: null };
		},
	};
}

/** What stands in for a package in the bundle. Any other value that is imported from it fails the build. */
function standIns(contents: Readonly<Record<string, string>>): Plugin {
	return {
		name: "stand-ins",
		resolveId: (id) => (id in contents ? `\0${id}` : null),
		load: (id) => contents[id.replace("\0", "")] ?? null,
	};
}

const undici = join(root, "node_modules/undici/lib/dispatcher");

const plugins = [
	// Half of undici is `fetch`, web sockets, caches and mocks, which its main file loads.
	standIns({
		undici: `export { default as Pool } from ${JSON.stringify(join(undici, "pool.js"))};
			export { default as ProxyAgent } from ${JSON.stringify(join(undici, "proxy-agent.js"))};`,
		// @grpc/grpc-js loads it for services that the plugin does not serve.
		"@grpc/proto-loader": "export {};",
	}),
	replaceIn("pulumi/plugin/main.js", '"../../../package.json"', '"../package.json"'),
];

/** Schemas that only the command line and the emulator read. */
const schemasOfOthers = new Set([
	"drift.json",
	"output.json",
	"plan.json",
	"powers.json",
	"report.json",
	"saved-plan.json",
	"seed.json",
	"three-way.json",
]);

/** Loads the code, or says which Node it needs: in words of the language that older Nodes understand. */
const launcher = `#!/usr/bin/env node
"use strict";
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
	console.error("error: the orgsync plugin needs Node 22.18 or later, and this is " + process.versions.node);
	process.exit(1);
}
// With a thousand resources, a third less memory: a small young generation, and no code of the middle compiler.
var v8 = require("node:v8");
v8.setFlagsFromString("--optimize-for-size");
v8.setFlagsFromString("--no-maglev");
import("./lib/main.mjs");
`;

/** The code of the plugin and all that it imports, from the compiled sources in dist/. */
export function openBundle(): Promise<RolldownBuild> {
	return rolldown({
		input: join(root, "dist/pulumi/plugin/main.js"),
		cwd: root,
		platform: "node",
		plugins,
		onLog(level, log) {
			if (level === "warn") throw new Error(log.message);
		},
	});
}

/** Makes the folder, in place of what is there. */
export async function bundlePlugin(folder: string): Promise<void> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, "lib"), { recursive: true });
	const bundle = await openBundle();
	const { output } = await bundle.generate({
		format: "esm",
		entryFileNames: "[name].mjs",
		chunkFileNames: "[name].mjs",
		comments: { legal: true, annotation: false, jsdoc: false },
	});
	await bundle.close();
	const chunks = output.filter((one) => one.type === "chunk");
	for (const { fileName, code } of chunks) writeFileSync(join(folder, "lib", fileName), escapeOthers(code));
	writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), noticesOf(packagesOf(chunks)));
	writeFileSync(join(folder, command), launcher);
	chmodSync(join(folder, command), 0o755);
	writeFileSync(join(folder, `${command}.cmd`), `@node "%~dp0\\${command}" %*\r\n`);
	// The version that the plugin reports. The type is that of the launcher, which has no extension.
	const manifest = { name: `${name}-plugin`, version, license, private: true, type: "commonjs" };
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
	const schemas = join(root, "schemas");
	cpSync(schemas, join(folder, "schemas"), {
		recursive: true,
		filter: (file) => !schemasOfOthers.has(relative(schemas, file)),
	});
}

/**
 * The code with an escape for each character beyond ASCII: with one of them, Node holds two bytes for every character. They
 * occur in strings, templates and patterns, which have this escape in common.
 */
function escapeOthers(code: string): string {
	return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The packages with a file in the bundle, as folders in node_modules, sorted. */
function packagesOf(chunks: readonly OutputChunk[]): readonly string[] {
	const found = new Set<string>();
	for (const id of chunks.flatMap(({ modules }) => Object.keys(modules))) {
		const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id) ?? [];
		if (folder !== undefined) found.add(relative(root, folder).replaceAll("\\", "/"));
	}
	return [...found].sort();
}

/** The licences of these packages. Throws if one has no licence file: it must not be published then. */
function noticesOf(packages: readonly string[]): string {
	const notices = packages.map((folder) => {
		const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
		const files = readdirSync(join(root, folder))
			.filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
			.sort();
		if (files.length === 0) throw new Error(`${folder} has no licence file`);
		const texts = files.map((file) =>
			readFileSync(join(root, folder, file), "utf8")
				.replaceAll("\r\n", "\n")
				.trim(),
		);
		return `## ${name} ${version} (${license})\n\n${texts.map((text) => `\`\`\`\`text\n${text}\n\`\`\`\``).join("\n\n")}\n`;
	});
	return `# Third-party notices\n\nThe plugin contains these packages.\n\n${notices.join("\n")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePlugin(join(root, "dist/plugin"));
