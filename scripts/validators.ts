/**
 * Writes the code of the validators in src/schema/validators/: each module there names schemas, and its code in a program is what Ajv
 * makes of them, without Ajv. Bundles, dist/ and the tests all have it.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { _ } from "ajv/dist/compile/codegen/index.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { makeCompiler } from "../src/schema/compiler.ts";
import type { Validators } from "../src/schema/schema.ts";
import { compactValidators } from "./compact-validators.ts";
import { root } from "./manifest.ts";

const folder = join(root, "src/schema/validators");

/** The code that Ajv's own runtime would bring, by how Ajv asks for it. */
const runtime = new Map([
	['require("ajv/dist/runtime/ucs2length").default', "(text) => [...text].length"],
	['require("ajv/dist/runtime/equal").default', "equal"],
]);

const written = new Map<string, Promise<string>>();

/** Returns the code for the module, a path in src/schema/validators/. `formats` is where it finds src/schema/formats.ts. */
export function validatorCode(path: string, formats = "../formats.ts"): Promise<string> {
	const key = `${path} ${formats}`;
	const code = written.get(key) ?? write(path, formats);
	written.set(key, code);
	return code;
}

async function write(path: string, formats: string): Promise<string> {
	const { validators } = (await import(pathToFileURL(path).href)) as { readonly validators: Validators };
	const schemas = Object.keys(validators);
	const names = new Map(schemas.map((schema, index) => [`v${index}`, schema]));
	const ajv = makeCompiler(schemas, { source: true, esm: true, formats: _`formats` });
	const code = standaloneCode
		.default(ajv, Object.fromEntries(names))
		.replace(/require\("[^"]+"\)\.\w+/g, (found) => {
			const own = runtime.get(found);
			if (own === undefined) throw new Error(`${basename(path)} asks for ${found}`);
			return own;
		})
		.replace(
			/if\(vErrors === null\)\{vErrors = \[(err\d+)\];\}else \{vErrors\.push\(\1\);\}/g,
			"vErrors = add(vErrors, $1);",
		);
	return [
		'import equal from "fast-deep-equal";',
		`import { formats } from "${formats}";`,
		compactValidators(code.replace(/^"use strict";/, "").replace(/export const (v\d+) = /g, "const $1 = ")),
		`export const validators = { ${[...names].map(([name, schema]) => `${JSON.stringify(schema)}: ${name}`).join(", ")} };`,
	].join("\n");
}

/** Puts this code in the place of src/schema/validators/, for Rolldown and Vitest. */
export function validatorsPlugin() {
	return {
		name: "validators",
		load: {
			filter: { id: /[\\/]src[\\/]schema[\\/]validators[\\/]/ },
			handler: (id: string): Promise<string> | null => {
				// Vite writes paths with slashes on Windows too.
				const path = resolve(id);
				return path.startsWith(folder) ? validatorCode(path) : null;
			},
		},
	};
}

/** The modules in src/schema/validators/. */
export const validatorNames: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));

/** Where the bundle of the command line has them, as files of CommonJS in dist/bin. */
export const validatorFolder = "lib/validators";

/** Makes the modules in dist/ those of the command line's bundle, in the place of what the compiler wrote: the code is there once. */
export function writeValidators(dist: string): void {
	for (const name of validatorNames) {
		const code = `import code from "../../bin/${validatorFolder}/${name}.js";\nexport const { validators } = code;\n`;
		writeFileSync(join(dist, relative(join(root, "src"), folder), `${name}.js`), code);
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeValidators(join(root, "dist"));
