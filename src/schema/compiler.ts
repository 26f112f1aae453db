/**
 * Makes validators from schemas/*.json. The only door to Ajv, which no published program loads: the build puts the code of the
 * validators in the place of src/validators/ (scripts/validators.ts), and the tests run that code too. Sources that run as
 * they are compile each validator when it is first called.
 */
import { posix } from "node:path";
import { Ajv2020, type CodeOptions } from "ajv/dist/2020.js";
import { readSchema } from "./bundle.ts";
import { schemaNames } from "./files.ts";
import { formats } from "./formats.ts";
import type { Validate, Validators } from "./schema.ts";

/** Schemas of files that people write. Their mistakes carry the schema, since messages name what it allows. */
const forPeople: readonly string[] = ["access.json", "document.json", "seed.json"];

/** Returns an Ajv with the files of these schemas, or of parts of them, and all files that they refer to. */
export function makeCompiler(schemas: readonly string[], code: CodeOptions): Ajv2020 {
	const ajv = new Ajv2020({
		allErrors: true,
		verbose: schemas.some(isForPeople),
		allowUnionTypes: true,
		strictRequired: false,
		// A keyword beside $ref takes its type from there. A warning of Ajv would be output of the command.
		strictTypes: false,
		// Loops are half the code of comparisons one by one.
		loopRequired: 2,
		loopEnum: 6,
		logger: false,
		// Our own schemas are sound: the tests check them with the metaschema.
		validateSchema: false,
		code,
	});
	for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
	for (const schema of schemas) addSchema(ajv, fileOf(schema));
	return ajv;
}

function isForPeople(schema: string): boolean {
	return forPeople.includes(fileOf(schema));
}

function fileOf(schema: string): string {
	return schema.split("#")[0] ?? "";
}

/** Adds a schema after the files that it refers to by name. */
function addSchema(ajv: Ajv2020, file: string): void {
	if (ajv.getSchema(file) !== undefined) return;
	const schema = withoutNotes(readSchema(file));
	const named = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)/g)].map(([, name = ""]) => name);
	for (const name of new Set(named)) addSchema(ajv, posix.join(posix.dirname(file), name));
	ajv.addSchema(schema, file);
}

/** The schema without titles and descriptions, which are for people: Ajv would write them into the code of its validators. */
function withoutNotes(schema: Record<string, unknown>): Record<string, unknown> {
	const isNote = (key: string, value: unknown): boolean =>
		(key === "title" || key === "description") && typeof value === "string";
	return JSON.parse(JSON.stringify(schema, (key, value) => (isNote(key, value) ? undefined : value)));
}

/** Returns these parts of the schemas of all operations, where they exist: `operations/whoami.json#/$defs/request`. */
export function partsOfOperations(parts: readonly string[]): readonly string[] {
	const files = schemaNames().filter((name) => name.startsWith("operations/"));
	return files.flatMap((file) => {
		const { $defs = {} } = readSchema(file);
		return parts.filter((part) => Object.hasOwn($defs as object, part)).map((part) => `${file}#/$defs/${part}`);
	});
}

/** By whether their mistakes carry the schema. */
const compilers = new Map<boolean, Ajv2020>();

/** Returns validators that are compiled when they are first called. */
export function compileSchemas(schemas: readonly string[]): Validators {
	return Object.fromEntries(schemas.map((schema) => [schema, compileLater(schema)]));
}

function compileLater(schema: string): Validate {
	let compiled: Validate | undefined;
	const validate: Validate = (value) => {
		compiled ??= compile(schema);
		const fits = compiled(value);
		validate.errors = compiled.errors ?? null;
		return fits;
	};
	return validate;
}

function compile(schema: string): Validate {
	const key = isForPeople(schema);
	// Each value is checked a few times: better code for that costs more than it saves.
	const ajv = compilers.get(key) ?? makeCompiler([schema], { optimize: false });
	compilers.set(key, ajv);
	addSchema(ajv, fileOf(schema));
	return ajv.compile({ $ref: schema }) as Validate;
}
