/**
 * Checks the structure of a document with schemas/document.json, and describes the errors of the validator.
 *
 * Messages show the examples of the schema. Keywords that only help editors (`pattern`, `anyOf`, `propertyNames`, ...) are
 * ignored here: the code that reads those values reports better problems.
 */

import { uuid } from "../../common/uuid.ts";
import { checkSchema, type SchemaError, type Validators } from "../../schema/schema.ts";
import { validators as ofDocuments } from "../../schema/validators/document.ts";
import { type Cell, cellAt, isWithinInvalid, pathOf, pathWithKey, toPlainValue } from "../cell.ts";
import { describeCell, didYouMean, invalidate, maxQuoteLength, problemsOf, quote, quoteCell } from "../report.ts";
import { writeFlow, writeKey } from "../write-yaml.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords in the order in which they are reported. A cell that fails one is not checked with the others. */
const checkedKeywords = ["type", "additionalProperties", "required", "enum", "minimum"];

/** Reports each difference between the structure of the document and its schema. */
export function checkStructure(root: Cell, schema = "document.json", validators: Validators = ofDocuments): void {
	const errors = checkSchema(validators, schema, toPlainValue(root)).filter(
		(error) =>
			checkedKeywords.includes(error.keyword) &&
			error.propertyName === undefined &&
			!/\/(?:not|anyOf)\//.test(error.schemaPath),
	);
	for (const keyword of checkedKeywords) {
		for (const error of errors) {
			if (error.keyword !== keyword) continue;
			const cell = cellAt(root, error.instancePath);
			if (!isWithinInvalid(cell)) reportError(error, cell);
		}
	}
}

function reportError(error: SchemaError, cell: Cell): void {
	const schema = (error.parentSchema ?? {}) as Schema;
	if (error.keyword === "type") invalidate(cell, "wrong-type", describeTypeError(cell, schema));
	if (error.keyword === "additionalProperties") reportUnknownKey(cell, String(error.params.additionalProperty), schema);
	if (error.keyword === "required") reportMissingKey(cell, String(error.params.missingProperty), schema);
	if (error.keyword === "minimum") {
		const message = `${describeCell(cell)} must be ${error.params.limit} or more, but is ${cell.written}`;
		invalidate(cell, "out-of-range", message);
	}
	if (error.keyword === "enum") {
		const allowed = (schema.enum as readonly unknown[]).map(String);
		const near = cell.fromEnvironment ? "" : didYouMean(cell, String(cell.value), allowed);
		const help = near === "" ? `; allowed: ${allowed.join(", ")}` : near;
		invalidate(cell, "unknown-value", `unknown value ${quoteCell(cell)} of ${describeCell(cell)}${help}`);
	}
}

/** Returns how the value would be written, as the end of a message; empty for one that is too long to be repeated. */
function exampleOf({ written }: Cell, example: string): string {
	return written.length > maxQuoteLength ? "" : `: ${example}`;
}

function reportUnknownKey(cell: Cell, key: string, schema: Schema): void {
	const entry = cell.entries.get(key);
	if (entry === undefined || entry.invalid) return;
	const known = Object.keys((schema.properties ?? {}) as Schema);
	const unused = known.filter((name) => !cell.entries.has(name));
	const intended = problemsOf(cell).nearest(key, unused);
	if (intended !== undefined) cell.intendedKeys.add(intended);
	const help = intended === undefined ? `; known keys: ${known.join(", ")}` : `; did you mean ${quote(intended)}?`;
	invalidate(entry, "unknown-key", `unknown key ${quote(key)}${help}`, "key");
}

function reportMissingKey(cell: Cell, key: string, schema: Schema): void {
	if (cell.intendedKeys.has(key) || cell.intendedKeys.has("")) return;
	const property = ((schema.properties ?? {}) as Readonly<Record<string, Schema>>)[key] ?? {};
	const example = writeFlow(examplesOf(property)[0] ?? "…");
	const message = `missing key ${quote(key)}; add for example \`${key}: ${example}\``;
	problemsOf(cell).add(cell.at, pathWithKey(pathOf(cell), key), "missing-key", message);
}

function describeTypeError(cell: Cell, schema: Schema): string {
	const types = ([] as unknown[]).concat(schema.type);
	const example = examplesOf(schema)[0];
	const subject = describeCell(cell);
	const isText = types[0] === "string" && !types.includes("integer") && !types.includes("number");
	if (isText && cell.kind === "number" && typeof example === "string" && uuid.test(example)) {
		const found = cell.usedAs === undefined ? `YAML reads ${quoteCell(cell)} as a number` : "the list has a number";
		return `${subject} is not an id: ${found}; expected a UUID such as ${example}`;
	}
	if (isText && (cell.kind === "number" || cell.kind === "boolean")) {
		const read = cell.kind === "number" ? "a number" : "true or false";
		const found = cell.usedAs === undefined ? `YAML reads ${quoteCell(cell)} as` : "the list has";
		return `${subject} must be text, but ${found} ${read}; put it in quotes${exampleOf(cell, `"${cell.written}"`)}`;
	}
	if (types[0] === "array" && cell.kind === "text") {
		return `${subject} must be a list, but is the text ${quoteCell(cell)}; put it in brackets${exampleOf(cell, `[${writeKey(cell.written)}]`)}`;
	}
	if (types.includes("integer") && !types.includes("string") && cell.fromEnvironment) {
		return `${subject} must be a whole number, but variables are always text; write the number`;
	}
	const isNumber = types.includes("integer") || types.includes("number");
	if (isNumber && types.length === 1 && cell.kind === "text" && /^-?[0-9.]+$/.test(cell.written)) {
		return `${subject} must be ${describeType(types[0])}, but is the text ${quoteCell(cell)}; remove the quotes`;
	}
	const examples = examplesOf(schema)
		.slice(0, types.length)
		.map((value) => `\`${writeFlow(value, writeKey)}\``);
	const hint = examples.length === 0 || types[0] === "boolean" ? "" : `, such as ${examples.join(" or ")}`;
	return `${subject} must be ${types.map(describeType).join(" or ")}${hint}, but is ${describeValue(cell)}`;
}

function examplesOf(schema: Schema): readonly unknown[] {
	return Array.isArray(schema.examples) ? schema.examples : [];
}

function describeType(type: unknown): string {
	const names: Readonly<Record<string, string>> = {
		object: "a map",
		array: "a list",
		string: "text",
		integer: "a whole number",
		number: "a number",
		boolean: "true or false",
	};
	return names[String(type)] ?? String(type);
}

function describeValue(cell: Cell): string {
	if (cell.kind === "map") return "a map";
	if (cell.kind === "list") return "a list";
	if (cell.kind === "number") return `the number ${cell.written}`;
	return cell.kind === "boolean" ? cell.written : `the text ${quoteCell(cell)}`;
}
