/** Why an answer does not fit its schema, in words that repeat no value. */
import { expect, it } from "vitest";
import type { SchemaError } from "../../src/schema/schema.ts";
import { describeSchemaErrors } from "../../src/wire/schema-errors.ts";

const errorAt = (instancePath: string, parts: object = {}) =>
	({ instancePath, keyword: "type", params: {}, message: "must be string", ...parts }) as unknown as SchemaError;

it.each<[words: string, errors: readonly SchemaError[]]>([
	["it is not an object", []],
	["it must be string", [errorAt("")]],
	["userTags must be string", [errorAt("/userTags")]],
	["userTags[12].tagName must be string, and 1 more", [errorAt("/userTags/12/tagName"), errorAt("")]],
	["userTags.1a.a1 must be string", [errorAt("/userTags/1a/a1")]],
	[
		"userTags[0].tagId is missing",
		[errorAt("/userTags/0", { keyword: "required", params: { missingProperty: "tagId" } })],
	],
	["userTags is not right", [errorAt("/userTags", { message: undefined })]],
])("an answer that does not fit says: %s", (words, errors) => {
	expect(describeSchemaErrors(errors)).toBe(words);
});
