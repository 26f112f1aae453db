/** Checks values with the published schemas, those that no program checks itself among them. */

import { compileSchemas } from "../src/schema/compiler.ts";
import { checkSchema as check, type SchemaError, type Validators } from "../src/schema/schema.ts";

const compiled = new Map<string, Validators>();

/** Returns the mistakes of the value under schemas/NAME, or the part of it that `pointer` names (`"#/$defs/request"`). */
export function checkSchema(name: string, value: unknown, pointer = ""): readonly SchemaError[] {
	const schema = name + pointer;
	const validators = compiled.get(schema) ?? compileSchemas([schema]);
	compiled.set(schema, validators);
	return check(validators, schema, value);
}
