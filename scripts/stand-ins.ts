/** What bundles have in the place of modules, so that they load and contain only what is used. */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { pulumiSchemaFile } from "../src/schema/files.ts";
import { manifest, root } from "./manifest.ts";

/** In the place of packages, by name. Any other value that is imported from one fails the build. */
const packages: Readonly<Record<string, string>> = {
	// @grpc/grpc-js loads it for services that the plugin does not serve.
	"@grpc/proto-loader": "export {};",
};

/** In the place of files, by path. */
const files: Readonly<Record<string, string>> = {
	[join(root, "src/common/version.ts")]: `export const version = ${JSON.stringify(manifest.version)};`,
};

/** Modules of Node whose functions load them when they are first called. */
const lazy: readonly string[] = ["node:child_process", "node:crypto", "node:dns", "node:os", "node:v8"];

/** The functions of a module of Node, as functions that load it. Its other values are loaded at once. */
function lazyModule(name: string): string {
	const values = createRequire(import.meta.url)(name) as Readonly<Record<string, unknown>>;
	const isPlain = ([key, value]: readonly [string, unknown]): boolean =>
		typeof value === "function" && /^[a-z]\w*$/.test(key);
	const names = Object.entries(values)
		.filter(isPlain)
		.map(([key]) => key);
	const constants = Object.entries(values)
		.filter((entry) => !isPlain(entry) && /^[a-z]\w*$/i.test(entry[0]))
		.map(([key]) => key);
	return [
		`const load = () => process.getBuiltinModule(${JSON.stringify(name)});`,
		...names.map((key) => `export const ${key} = (...values) => load().${key}(...values);`),
		...constants
			.filter((key) => key !== "default")
			.map(
				(key) => `export const ${key} = ${staticsOf(key, values[key]) ?? `/* @__PURE__ */ (() => load().${key})()`};`,
			),
		`export default { ${names.join(", ")} };`,
	].join("\n");
}

/** The static functions of a class of that module, as functions that load it; undefined if it has none. */
function staticsOf(key: string, value: unknown): string | undefined {
	if (typeof value !== "function") return undefined;
	const names = Object.keys(value);
	if (names.length === 0) return undefined;
	return `{ ${names.map((name) => `${name}: (...values) => load().${key}.${name}(...values)`).join(", ")} }`;
}

/** The module src/schema/files.ts with texts in it: the package schema alone, which only the plugin serves, or all others. */
function schemaFiles(forPlugin: boolean): string {
	const folder = join(root, "schemas");
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => name.replaceAll("\\", "/"))
		.filter((name) => name.endsWith(".json") && (name === pulumiSchemaFile) === forPlugin)
		.sort();
	const texts = Object.fromEntries(
		names.map((name) => [name, JSON.stringify(JSON.parse(readFileSync(join(folder, name), "utf8")))]),
	);
	return `
		const texts = ${JSON.stringify(texts)};
		export const pulumiSchemaFile = ${JSON.stringify(pulumiSchemaFile)};
		export const readSchemaText = (name) => {
			if (!Object.hasOwn(texts, name)) throw new Error("there is no schemas/" + name);
			return texts[name];
		};
		export const schemaNames = () => Object.keys(texts);
	`;
}

const mark = "\0stand-in:";

/** The plugin of the bundler that puts them there, into the plugin of Pulumi or into another program. */
export function standIns(forPlugin: boolean): Plugin {
	return {
		name: "stand-ins",
		resolveId(id, importer) {
			if (id in packages) return mark + id;
			return lazy.includes(id) && !importer?.startsWith(mark) ? mark + id : null;
		},
		load(id) {
			if (id === join(root, "src/schema/files.ts")) return schemaFiles(forPlugin);
			if (!id.startsWith(mark)) return files[id] ?? null;
			const name = id.slice(mark.length);
			return packages[name] ?? lazyModule(name);
		},
		// A third of the code of Pulumi's messages makes plain objects of them, which nothing here does.
		transform: (code, id) =>
			id.endsWith("_pb.js") ? code.replaceAll("jspb.Message.GENERATE_TO_OBJECT", "false") : null,
	};
}
