/** Values that fit a JSON Schema, as far as one can be made from its keywords: the structure that mistakes are put into. */
import type { Dice } from "./dice.ts";
import { isList, isObject, type Json, type JsonObject } from "./input.ts";

/** Returns a value for a part of the schema `root`. Members that are not required are there by chance. */
export function makeValue(root: Json, part: Json, dice: Dice, depth = 0): Json {
	if (!isObject(part)) return null;
	if (typeof part.$ref === "string") return makeValue(root, resolve(root, part.$ref), dice, depth + 1);
	if (part.const !== undefined) return part.const;
	if (isList(part.enum)) return dice.pick(part.enum);
	if (isList(part.examples) && dice.chance(0.5)) return dice.pick(part.examples);
	const choices = part.oneOf ?? part.anyOf;
	if (isList(choices))
		return makeValue(root, { ...part, oneOf: null, anyOf: null, ...asObject(dice.pick(choices)) }, dice, depth);
	const type = isList(part.type) ? dice.pick(part.type) : part.type;
	if (type === "object" || (type === undefined && part.properties !== undefined))
		return makeObject(root, part, dice, depth);
	if (type === "array") return makeList(root, part, dice, depth);
	if (type === "string") return makeText(part, dice);
	if (type === "integer" || type === "number") return dice.pick([0, 1, 2, 5, 100]);
	return type === "boolean" ? dice.chance(0.5) : null;
}

/** Max levels: a schema that refers to itself has no end. */
const maxDepth = 12;

function makeObject(root: Json, part: JsonObject, dice: Dice, depth: number): Json {
	const required = isList(part.required) ? part.required : [];
	const known = Object.entries(asObject(part.properties)).filter(
		([name]) => required.includes(name) || (depth < maxDepth && dice.chance(0.6)),
	);
	const entries = known.map(([name, of]) => [name, makeValue(root, of, dice, depth + 1)] as const);
	const others = part.additionalProperties;
	const count = isObject(others) && depth < maxDepth ? dice.int(3) : 0;
	const more = Array.from({ length: count }, () => [
		makeText(asObject(part.propertyNames), dice),
		makeValue(root, others ?? null, dice, depth + 1),
	]);
	return Object.fromEntries([...entries, ...more]);
}

function makeList(root: Json, part: JsonObject, dice: Dice, depth: number): Json {
	const least = typeof part.minItems === "number" ? part.minItems : 0;
	const length = least + (depth < maxDepth ? dice.int(3) : 0);
	return Array.from({ length }, () => makeValue(root, part.items ?? null, dice, depth + 1));
}

const ids = [
	"0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11",
	"3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001",
	"3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c002",
];

/** Texts by the beginning of the pattern that they fit. */
const patterned: readonly (readonly [RegExp, readonly string[]])[] = [
	[/0-9a-fA?-?F?\]\{8\}|0-9a-f\]\{8\}/, ids],
	[/sha256/, [`sha256:${"0".repeat(64)}`]],
	[/0-9\]\{4\}-/, ["2026-12-01T00:00:00Z"]],
	[/\[0-9\]/, ["0", "900", "1764000000000"]],
	[/ACTIVITY_TYPE/, ["ACTIVITY_TYPE_UPDATE_USER_TAG"]],
	[/0\[23\]/, [`02${"a".repeat(64)}`]],
];

function makeText(part: JsonObject, dice: Dice): string {
	if (part.format === "uuid") return dice.pick(ids);
	if (part.format === "date-time") return "2026-12-01T00:00:00.000Z";
	const { pattern } = part;
	const found = typeof pattern === "string" ? patterned.find(([shape]) => shape.test(pattern)) : undefined;
	return dice.pick(found?.[1] ?? ["alice", "signers", "a", "default", ...ids]);
}

function asObject(value: Json | undefined): JsonObject {
	return isObject(value) ? value : {};
}

/** Returns the part that a reference within the file names. */
function resolve(root: Json, reference: string): Json {
	let part: Json = root;
	for (const name of reference
		.replace(/^#\/?/, "")
		.split("/")
		.filter((one) => one !== ""))
		part = asObject(part)[name] ?? null;
	return part;
}
