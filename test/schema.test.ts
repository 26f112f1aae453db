/**
 * The published schemas themselves: the program takes them for sound without looking.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { validatorNames } from "../scripts/validators.ts";
import { remember } from "../src/common/remember.ts";
import { readSchema } from "../src/schema/bundle.ts";
import { compileSchemas } from "../src/schema/compiler.ts";
import { schemaNames } from "../src/schema/files.ts";
import { checkSchema, type SchemaError, type Validators } from "../src/schema/schema.ts";

// biome-ignore lint/suspicious/noExplicitAny: each keyword has its own.
type Schema = Readonly<Record<string, any>>;

test.each(schemaNames())("schemas/%s is a JSON Schema of the version that it names", (name) => {
	const ajv = new Ajv2020();
	expect(ajv.validateSchema(readSchema(name)), ajv.errorsText()).toBe(true);
});

test("an invalid schema is recognized", () => {
	expect(new Ajv2020().validateSchema({ ...readSchema("plan.json"), type: "objekt" })).toBe(false);
});

describe("the code of a validator in a program", () => {
	test.each(validatorNames)("has the same mistakes as Ajv: %s", async (name) => {
		const { validators } = (await import(`../src/schema/validators/${name}.ts`)) as { validators: Validators };
		for (const [schema, validate] of Object.entries(validators)) {
			const reference = compileSchemas([schema]);
			const different = [...variantsOf(sampleOf({ $ref: `/${schema}` }, ""))].find(
				(value) => mistakesOf(reference, schema, value) !== mistakesOf({ [schema]: validate }, schema, value),
			);
			expect(different, schema).toBeUndefined();
		}
	});

	/** All that a program reads of them. */
	function mistakesOf(from: Validators, schema: string, value: unknown): string {
		const mistakes = checkSchema(from, schema, value).map((mistake: SchemaError) => {
			const { keyword, instancePath, params, message, parentSchema, propertyName, schemaPath } = mistake;
			const branch = /\/(?:not|anyOf)\//.test(schemaPath);
			return { keyword, instancePath, params, message, schema: textOf(parentSchema), propertyName, branch };
		});
		return JSON.stringify(mistakes);
	}
});

const texts = new WeakMap<object, string>();

/** The schema as text, written once: thousands of mistakes have the same. */
function textOf(schema: Schema | undefined): string | undefined {
	return schema && remember(texts, schema, () => JSON.stringify(schema));
}

/** A value with every property and one item of every list, as deep as the schema says but for what repeats itself. */
function sampleOf(schema: Schema, file: string, depth = 0): unknown {
	if (depth > 8) return null;
	const sample = (one: Schema): unknown => sampleOf(one, file, depth + 1);
	if (schema.$ref !== undefined) {
		const { pathname, hash } = new URL(schema.$ref, `schemas:///${file}`);
		const target = pathname.slice(1);
		const keys = hash.split("/").slice(1);
		const part = keys.reduce<Schema>((at, key) => at[key], readSchema(target));
		return sampleOf(part, target, depth + 1);
	}
	if ("const" in schema) return schema.const;
	if (schema.enum !== undefined) return schema.enum[0];
	const [choice] = schema.oneOf ?? schema.anyOf ?? [];
	const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
	if (properties.length > 0) {
		const own = Object.fromEntries(properties.map(([key, value]) => [key, sample(value)]));
		return { ...own, ...(choice === undefined ? {} : (sample(choice) as object)) };
	}
	if (schema.items !== undefined) return [sample(schema.items)];
	if (choice !== undefined) return sample(choice);
	return (
		{ object: {}, array: [], number: 1, integer: 1, boolean: true, null: null }[String([schema.type].flat()[0])] ?? "x"
	);
}

/** The value, and it with each part replaced, left out or with one key more. */
function* variantsOf(value: unknown): Generator<unknown> {
	yield value;
	yield* [-1, "", { "": 0 }];
	if (Array.isArray(value)) {
		yield [...value, ...value];
		for (const item of value) for (const one of variantsOf(item)) yield [one];
	} else if (typeof value === "object" && value !== null)
		for (const [key, part] of Object.entries(value)) {
			const { [key]: _left, ...others } = value as Record<string, unknown>;
			yield others;
			for (const one of variantsOf(part)) yield { ...value, [key]: one };
		}
}
