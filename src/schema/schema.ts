/** Checks values with the schemas of this package. A program loads only the validators that it uses. */
import { isValueTooDeep, tooDeepMessage } from "../common/json.ts";

/** One mistake, as Ajv describes it. */
export interface SchemaError {
	readonly keyword: string;
	/** Where in the value, as a JSON Pointer. */
	readonly instancePath: string;
	/** The keyword in its schema: `#/properties/name/type`. */
	readonly schemaPath: string;
	/** The key that is wrong itself, under `propertyNames`. */
	readonly propertyName?: string;
	// biome-ignore lint/suspicious/noExplicitAny: each keyword has its own.
	readonly params: Readonly<Record<string, any>>;
	readonly message?: string;
	/** The schema with the keyword. Only validators of the schemas for people have it (compiler.ts). */
	readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Returns whether the value fits, and has the mistakes of the last value that does not. */
export interface Validate {
	(value: unknown): boolean;
	errors?: readonly SchemaError[] | null;
}

/** Validators by the schema that each checks: a file of schemas/, or a part of one, such as `seed.json#/$defs/rules`. */
export type Validators = Readonly<Record<string, Validate>>;

const tooDeep: SchemaError = {
	keyword: "depth",
	instancePath: "",
	schemaPath: "",
	params: {},
	message: `must not be ${tooDeepMessage}`,
};

/** Every mistake of `value` under a schema. Deep nesting is the only one (json.ts): nothing walks through such a value. */
export function checkSchema(validators: Validators, schema: string, value: unknown): readonly SchemaError[] {
	const validate = validators[schema];
	if (validate === undefined) throw new Error(`there is no validator for ${schema}`);
	if (isValueTooDeep(value)) return [tooDeep];
	return validate(value) ? [] : [...(validate.errors ?? [])];
}
