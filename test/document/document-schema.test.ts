import { describe, expect, test } from "vitest";
import { caip2Aliases, knownCaip2 } from "../../src/document/read/parse.ts";
import { readSchema } from "../../src/schema/bundle.ts";
import { caip2Aliases as wireAliases } from "../../src/wire/operations.ts";
import { checkSchema } from "../check-schema.ts";
import { authenticationTypes, caip2Networks } from "../service-words.ts";

type Schema = { readonly [key: string]: unknown };
const schema = readSchema("document.json") as Schema;

/** Every named property and definition, with its JSON pointer. */
function named(at: Schema, pointer: string): [string, Schema][] {
	const found: [string, Schema][] = [];
	for (const group of ["properties", "$defs"]) {
		for (const [name, part] of Object.entries((at[group] ?? {}) as Record<string, Schema>)) {
			const below = `${pointer}/${group}/${name}`;
			found.push([below, part], ...named(part, below));
		}
	}
	return found;
}

describe("schemas/document.json", () => {
	test.each(named(schema, "#"))("%s has a title, a description, and examples that fit it", (pointer, part) => {
		expect(part.title).toMatch(/\S/);
		expect(part.description).toMatch(/\.$/);
		expect(part.examples).not.toHaveLength(0);
		for (const example of part.examples as unknown[])
			expect(checkSchema("document.json", example, pointer)).toEqual([]);
	});

	test("refuses unknown keys in every map of fixed keys", () => {
		const open = named(schema, "#").filter(
			([, part]) => part.properties !== undefined && part.additionalProperties !== false,
		);
		expect(open).toEqual([]);
		expect(schema.additionalProperties).toBe(false);
	});

	test("lets editors accept a variable in place of each id", () => {
		const organizationId = "$" + "{ORGANIZATION_ID}";
		expect(checkSchema("document.json", { organizationId, limits: { memberRemovals: "$" + "{LIMIT}" } })).toEqual([]);
		expect(checkSchema("document.json", { organizationId: "acme" })).not.toEqual([]);
	});

	test.each([
		["empty members", { userTags: [{ name: "a", members: {} }] }],
		["exactly beside atLeast", { userTags: [{ name: "a", members: { exactly: [], atLeast: [] } }] }],
		["an unknown network", { expect: { supportedAssets: { "eip155:0": [] } } }],
		[
			"an alias that is an id",
			{ users: { "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001": "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001" } },
		],
		["over 100 percent", { limits: { memberRemovals: "150%" } }],
		["nothing to compare", { expect: { bootProofs: [{ app: "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001" }] } }],
	])("shows editors %s", (_, part) => {
		const document = { organizationId: "0a5d6d8e-1c1f-4c8e-9f35-3b0f8d3f0a11", ...part };
		expect(checkSchema("document.json", document)).not.toEqual([]);
	});

	test("knows the networks and authentication types of the interface", () => {
		expect(knownCaip2).toEqual(caip2Networks);
		expect(Object.fromEntries(caip2Aliases)).toEqual(wireAliases);
		const text = JSON.stringify(schema);
		for (const word of [...caip2Networks, ...Object.keys(wireAliases), ...authenticationTypes]) {
			expect(text).toContain(JSON.stringify(word));
		}
	});
});

describe("schemas/seed.json", () => {
	/** Each property with a plain value and no list of choices, with its JSON pointer. */
	function plainValues(at: Schema, pointer: string): [string, Schema][] {
		const nested = Object.entries(at).flatMap(([key, part]): [string, Schema][] =>
			["properties", "$defs"].includes(key)
				? Object.entries(part as Record<string, Schema>).map(([name, one]) => [`${pointer}/${key}/${name}`, one])
				: ["items", "additionalProperties"].includes(key) && typeof part === "object"
					? [[`${pointer}/${key}`, part as Schema]]
					: [],
		);
		const isProperty = pointer.split("/").at(-2) === "properties";
		const isPlain = typeof at.type === "string" && !["object", "array"].includes(at.type) && at.enum === undefined;
		return [
			...(isProperty && isPlain ? [[pointer, at] satisfies [string, Schema]] : []),
			...nested.flatMap(([below, part]) => plainValues(part, below)),
		];
	}

	test.each(plainValues(readSchema("seed.json") as Schema, "#"))("%s has an example that fits it", (pointer, part) => {
		expect(part.examples).toHaveLength(1);
		for (const example of part.examples as unknown[]) expect(checkSchema("seed.json", example, pointer)).toEqual([]);
	});
});
