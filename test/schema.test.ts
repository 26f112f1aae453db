/**
 * The published schemas themselves: the program takes them for sound without looking.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readSchema } from "../src/schema/bundle.ts";
import { schemaNames } from "../src/schema/files.ts";

test.each(schemaNames())("schemas/%s is a JSON Schema of the version that it names", (name) => {
	const ajv = new Ajv2020();
	expect(ajv.validateSchema(readSchema(name)), ajv.errorsText()).toBe(true);
});

test("an invalid schema is recognized", () => {
	expect(new Ajv2020().validateSchema({ ...readSchema("plan.json"), type: "objekt" })).toBe(false);
});
