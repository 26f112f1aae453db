/**
 * The structure of a document by schemas/document.json, with the validator's findings in words for people.
 *
 * Words come from the schema: what is expected is shown by its examples. Keywords that only help editors (`pattern`,
 * `anyOf`, `propertyNames`, ...) are passed over here; the code that reads those values says more about them.
 */

import { uuid } from "../plan/organization.ts";
import { checkSchema, type SchemaError } from "../schema.ts";
import { type Cell, cellAt, isBroken, pathOf, pathWithKey, plain } from "./cell.ts";
import { type Findings, quoted, quotedCell, subject } from "./findings.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords in the order in which they are told; a cell that breaks is not judged by the later ones. */
const told = ["type", "additionalProperties", "required", "enum", "minimum"];

/** Nothing; every way in which the document is not shaped as the schema says is reported. */
export function checkStructure(root: Cell, findings: Findings): void {
	const errors = checkSchema("document.json", plain(root)).filter(
		(error) =>
			told.includes(error.keyword) && error.propertyName === undefined && !/\/(?:not|anyOf)\//.test(error.schemaPath),
	);
	for (const keyword of told) {
		for (const error of errors) {
			if (error.keyword !== keyword) continue;
			const cell = cellAt(root, error.instancePath);
			if (!isBroken(cell)) tell(error, cell, findings);
		}
	}
}

function tell(error: SchemaError, cell: Cell, findings: Findings): void {
	const schema = (error.parentSchema ?? {}) as Schema;
	if (error.keyword === "type") findings.breaks(cell, "wrong-type", typeWords(cell, schema));
	if (error.keyword === "additionalProperties")
		tellUnknownKey(cell, String(error.params.additionalProperty), schema, findings);
	if (error.keyword === "required") tellMissingKey(cell, String(error.params.missingProperty), schema, findings);
	if (error.keyword === "minimum") {
		findings.breaks(cell, "out-of-range", `${subject(cell)} must be 0 or more, and is ${cell.written}`);
	}
	if (error.keyword === "enum") {
		const allowed = (schema.enum as readonly unknown[]).map(String);
		const near = cell.fromEnvironment ? "" : findings.didYouMean(String(cell.value), allowed);
		const list = near === "" ? `; write one of ${allowed.join(", ")}` : near;
		findings.breaks(cell, "unknown-value", `${subject(cell)} cannot be ${quotedCell(cell)}${list}`);
	}
}

function tellUnknownKey(cell: Cell, key: string, schema: Schema, findings: Findings): void {
	const entry = cell.entries.get(key);
	if (entry === undefined || entry.broken) return;
	const known = Object.keys((schema.properties ?? {}) as Schema);
	const free = known.filter((name) => !cell.entries.has(name));
	const meant = findings.nearest(key, free);
	if (meant !== undefined) cell.meant = [...cell.meant, meant];
	const help = meant === undefined ? `; the keys here are ${known.join(", ")}` : `; did you mean ${quoted(meant)}?`;
	findings.breaks(entry, "unknown-key", `unknown key ${quoted(key)}${help}`, "key");
}

function tellMissingKey(cell: Cell, key: string, schema: Schema, findings: Findings): void {
	if (cell.meant.includes(key) || cell.meant.includes("")) return;
	const property = ((schema.properties ?? {}) as Readonly<Record<string, Schema>>)[key] ?? {};
	const example = flow(examplesOf(property)[0] ?? "…");
	findings.add(
		cell.at,
		pathWithKey(pathOf(cell), key),
		"missing-key",
		`${quoted(key)} is missing; write for example \`${key}: ${example}\``,
	);
}

function typeWords(cell: Cell, schema: Schema): string {
	const types = ([] as unknown[]).concat(schema.type);
	const example = examplesOf(schema)[0];
	const about = subject(cell);
	if (types.includes("string") && cell.kind === "number" && typeof example === "string" && uuid.test(example)) {
		return `${about} is not an id: YAML reads ${cell.written} as a number; expected a UUID such as ${example}`;
	}
	if (types[0] === "string" && types.length === 1 && (cell.kind === "number" || cell.kind === "truth")) {
		const read = cell.kind === "number" ? "a number" : "true or false";
		return `${about} must be text, and YAML reads ${quotedCell(cell)} as ${read}; write it in quotes: "${cell.written}"`;
	}
	if (types[0] === "array" && cell.kind === "text") {
		return `${about} must be a list, and is the text ${quotedCell(cell)}; put it in brackets: [${flow(cell.written)}]`;
	}
	if (types.includes("integer") && !types.includes("string") && cell.fromEnvironment) {
		return `${about} must be a whole number, and the environment's values are always text; write the number itself`;
	}
	const number = types.includes("integer") || types.includes("number");
	if (number && types.length === 1 && cell.kind === "text" && /^-?[0-9.]+$/.test(cell.written)) {
		return `${about} must be ${expected(types[0])}, and is the text ${quotedCell(cell)}; take the quotes away`;
	}
	const examples = examplesOf(schema)
		.slice(0, types.length)
		.map((value) => `\`${flow(value)}\``);
	const such = examples.length === 0 || types[0] === "boolean" ? "" : `, such as ${examples.join(" or ")}`;
	return `${about} must be ${types.map(expected).join(" or ")}${such}, and is ${found(cell)}`;
}

function examplesOf(schema: Schema): readonly unknown[] {
	return Array.isArray(schema.examples) ? schema.examples : [];
}

function expected(type: unknown): string {
	const words: Readonly<Record<string, string>> = {
		object: "a map",
		array: "a list",
		string: "text",
		integer: "a whole number",
		number: "a number",
		boolean: "true or false",
	};
	return words[String(type)] ?? String(type);
}

function found(cell: Cell): string {
	if (cell.kind === "map") return "a map";
	if (cell.kind === "list") return "a list";
	if (cell.kind === "number") return `the number ${cell.written}`;
	return cell.kind === "truth" ? cell.written : `the text ${quotedCell(cell)}`;
}

/** A value as YAML on one line. */
function flow(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
	if (typeof value === "object" && value !== null) {
		const entries = Object.entries(value).map(([key, entry]) => `${flow(key)}: ${flow(entry)}`);
		return `{ ${entries.join(", ")} }`;
	}
	if (typeof value !== "string") return String(value);
	return /^[A-Za-z][\w.-]*$|^[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9]+%$/.test(value) ? value : JSON.stringify(value);
}
