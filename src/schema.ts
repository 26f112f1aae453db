/**
 * Validators for schemas/*.json, each compiled once, when it is first asked for. The only door to ajv.
 */
import { posix } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isValueTooDeep, tooDeepMessage } from "./json.ts";
import { readSchemaText } from "./schema-files.ts";

export type SchemaError = ErrorObject;

const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function compiler(): Ajv2020 {
	if (ajv === undefined) {
		ajv = new Ajv2020({
			allErrors: true,
			verbose: true,
			allowUnionTypes: true,
			strictRequired: false,
			// A keyword beside $ref takes its type from there. A warning of Ajv would be output of the command.
			strictTypes: false,
			logger: false,
			// Our own schemas are sound, the tests hold them against the metaschema: doing that here took half of a command's time.
			validateSchema: false,
			// A command checks a few values once: better code for that costs more than it saves.
			code: { optimize: false },
		});
		addFormats.default(ajv);
		addSchema(ajv, "activity.json");
	}
	return ajv;
}

/** Files that a schema refers to by name; every schema of operations/ may refer to activity.json. */
const references: Readonly<Record<string, readonly string[]>> = {
	"report.json": ["plan.json"],
	"three-way.json": ["plan.json"],
	"drift.json": ["plan.json"],
	"saved-plan.json": ["plan.json", "three-way.json"],
	"powers.json": ["plan.json"],
	"output.json": ["plan.json", "report.json", "three-way.json", "drift.json", "powers.json"],
};

function addSchema(engine: Ajv2020, name: string): void {
	if (engine.getSchema(name) !== undefined) return;
	for (const other of references[name] ?? []) addSchema(engine, other);
	engine.addSchema(readSchema(name), name);
}

/** The JSON Schema in schemas/NAME as an object. Throws when there is no such file: a defect of the package. */
export function readSchema(name: string): Record<string, unknown> {
	return JSON.parse(readSchemaText(name)) as Record<string, unknown>;
}

/**
 * The JSON Schema in schemas/NAME as one document: every other file that it refers to, also by way of another, is under
 * `$defs`, and every `$ref` begins with `#`. Throws when a file is missing: a defect of the package.
 */
export function bundleSchema(name: string): Record<string, unknown> {
	const found = new Map<string, unknown>();
	const embed = (file: string): void => {
		if (file === name || found.has(file)) return;
		found.set(file, undefined);
		const { $schema: _version, ...schema } = readSchema(file);
		found.set(file, localizeReferences(schema, file, name, embed));
	};
	const schema = localizeReferences(readSchema(name), name, name, embed) as Record<string, unknown>;
	if (found.size === 0) return schema;
	return { ...schema, $defs: { ...(schema.$defs as object | undefined), ...Object.fromEntries(found) } };
}

/**
 * The part of schemas/FILE with each `$ref` as a pointer into the bundle, where every file but `root` is under `$defs`.
 * `embed` is called with each file that it refers to.
 */
function localizeReferences(part: unknown, file: string, root: string, embed: (file: string) => void): unknown {
	if (Array.isArray(part)) return part.map((one) => localizeReferences(one, file, root, embed));
	if (typeof part !== "object" || part === null) return part;
	return Object.fromEntries(
		Object.entries(part).map(([key, value]) => {
			if (key !== "$ref" || typeof value !== "string") return [key, localizeReferences(value, file, root, embed)];
			const [path = "", pointer = ""] = value.split("#");
			const target = path === "" ? file : posix.join(posix.dirname(file), path);
			embed(target);
			return [key, target === root ? `#${pointer}` : `#/$defs/${target}${pointer}`];
		}),
	);
}

const tooDeep: SchemaError = {
	keyword: "depth",
	instancePath: "",
	schemaPath: "",
	params: {},
	message: `must not be ${tooDeepMessage}`,
};

/**
 * What is wrong with `value` under schemas/NAME, or the part of it that `pointer` names (`"#/$defs/request"`); an empty
 * list when it fits. Every mistake is reported, not only the first. A value that is nested too deep is the only mistake
 * (json.ts): nothing walks through it.
 */
export function checkSchema(name: string, value: unknown, pointer = ""): readonly SchemaError[] {
	if (isValueTooDeep(value)) return [tooDeep];
	const key = name + pointer;
	let validate = compiled.get(key);
	if (validate === undefined) {
		const engine = compiler();
		addSchema(engine, name);
		validate = pointer === "" ? engine.getSchema(name) : engine.compile({ $ref: key });
		if (validate === undefined) throw new Error(`schemas/${name} could not be compiled`);
		compiled.set(key, validate);
	}
	return validate(value) ? [] : [...(validate.errors ?? [])];
}
