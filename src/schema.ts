/**
 * Validators for schemas/*.json, each compiled once, when it is first asked for. The only door to ajv.
 */
import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type SchemaError = ErrorObject;

const folder = new URL("../schemas/", import.meta.url);
const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv2020 | undefined;

function compiler(): Ajv2020 {
	if (ajv === undefined) {
		ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false });
		addFormats.default(ajv);
		ajv.addSchema(readSchema("activity.json"), "activity.json");
	}
	return ajv;
}

/** The JSON Schema in schemas/NAME as an object. Throws when there is no such file: a defect of the package. */
export function readSchema(name: string): Record<string, unknown> {
	return JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Record<string, unknown>;
}

/**
 * What is wrong with `value` under schemas/NAME, or the part of it that `pointer` names (`"#/$defs/request"`); an empty
 * list when it fits. Every mistake is reported, not only the first.
 */
export function checkSchema(name: string, value: unknown, pointer = ""): readonly SchemaError[] {
	const key = name + pointer;
	let validate = compiled.get(key);
	if (validate === undefined) {
		const engine = compiler();
		if (engine.getSchema(name) === undefined) engine.addSchema(readSchema(name), name);
		validate = pointer === "" ? engine.getSchema(name) : engine.compile({ $ref: key });
		if (validate === undefined) throw new Error(`schemas/${name} could not be compiled`);
		compiled.set(key, validate);
	}
	return validate(value) ? [] : [...(validate.errors ?? [])];
}
