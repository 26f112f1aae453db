/** The values of a field that conditions can distinguish, and the fields that activities of each shape have. */
import { describe, expect, it } from "vitest";
import { Field } from "../../../src/policy/cells/fields.ts";
import { TooWide } from "../../../src/policy/cells/lists.ts";
import { shapesOf } from "../../../src/policy/cells/shapes.ts";
import { valuesOf } from "../../../src/policy/cells/values.ts";
import type { Type } from "../../../src/policy/language/types.ts";
import { brief } from "../brief.ts";
import { parseText } from "../worlds.ts";

const string: Type = { kind: "string" };
const number: Type = { kind: "number" };
const any: Type = { kind: "any" };
const listOf = (of: Type): Type => ({ kind: "list", of });

/** Returns the values of a field of which conditions say this. */
function valuesWith(type: Type, say: (field: Field) => unknown, isOptional = false): string {
	const field = new Field(["of", "it"], type, null, isOptional);
	say(field);
	return brief(valuesOf(field));
}

describe("The values of a field", () => {
	it.each<[why: string, type: Type, say: (field: Field) => unknown, values: string]>([
		["texts", string, (it) => [it.compareWith("x"), it.compareWith("another")], "[x, another, another 2]"],
		["parts of a text", string, (it) => [it.slice(0, 2), it.compareWith("xy")], "[xy, ~~~, xy~, ~, x, another]"],
		["a bound", number, (it) => it.compareWith(5n), "[4, 5, 6]"],
		["the largest number", number, (it) => it.compareWith(2n ** 256n - 1n), `[${2n ** 256n - 2n}, ${2n ** 256n - 1n}]`],
		["no bound", number, () => null, "[0, 1]"],
		[
			"values of any type",
			any,
			(it) => [it.compareWith(3n), it.compareWith("t")],
			"[t, another, 2, 3, 4, true, false]",
		],
		[
			"a part of what has any type",
			any,
			(it) => it.part("p", true).compareWith("z"),
			"[{fields {p z}}, {fields {p another}}, {fields {p -1}}, {fields {p 0}}, {fields {p 1}}, {fields {p}}, {fields {}}, {fields {}}, true]",
		],
		[
			"how many items",
			listOf(number),
			(it) => it.count("", 2n),
			"[{}, {items [an item]}, {items [an item, an item]}, {items [an item, an item, an item]}]",
		],
		[
			"which items",
			listOf(string),
			(it) => [it.ask("i", parseText("i == 'x'")), it.itemOf().compareWith("x")],
			"[{}, {items [x]}, {items [another]}, {items [x, another]}]",
		],
		[
			"an item at a place",
			listOf(number),
			(it) => it.at(1).compareWith(4n),
			`[{}, {items [an item]}, ${[3, 4, 5].map((at) => `{items [an item, ${at}]}`).join(", ")}, ${[3, 4, 5].map((at) => `{items [an item, ${at}, an item]}`).join(", ")}]`,
		],
		[
			"how many items of a kind",
			listOf(string),
			(it) => [it.ask("i", parseText("i == 'x'")), it.itemOf().compareWith("x"), it.count("i, i == 'x'", 1n)],
			`[{}, ${["another", "another, another", "x", "x, another", "x, another, another", "x, x", "x, x, another", "x, x, another, another"].map((items) => `{items [${items}]}`).join(", ")}]`,
		],
	])("are %s that are compared, and one beside them", (_, type, say, values) => {
		expect(valuesWith(type, say)).toBe(values);
	});

	it("are those of all fields that are compared with it, and one more for each", () => {
		const [one, other] = [number, number].map((type) => new Field(["it"], type, null, false)) as [Field, Field];
		one.compareWith(0n);
		other.compareWith(7n);
		one.join(other);
		for (const field of [one, other]) expect(brief(valuesOf(field))).toBe("[0, 1, 2, 5, 6, 7, 8, 9]");
		const [text, same] = [string, string].map((type) => new Field(["it"], type, null, false)) as [Field, Field];
		text.compareWith("x");
		text.join(same);
		for (const field of [text, same]) expect(brief(valuesOf(field))).toBe("[x, another, another 2]");
	});

	it("have none where an activity may lack it, and are too many where they are of two forms", () => {
		expect(valuesWith({ kind: "bool" }, () => null, true)).toBe("[true, false, undefined]");
		expect(() => valuesWith(any, (it) => [it.itemOf(), it.part("p", false)])).toThrow(TooWide);
		expect(() => valuesWith(any, (it) => [it.itemOf(), it.compareWith("x")])).toThrow(TooWide);
		expect(() => valuesWith(any, (it) => [it.part("p", false), it.compareWith("x")])).toThrow(TooWide);
	});

	it("are at a path, with keys in brackets", () => {
		const field = new Field(["it"], { kind: "map", of: listOf(string) }, null, false);
		expect(field.part("k", true).at(2).path).toBe("it['k'][2]");
		expect(field.part("k", true).itemOf().path).toBe("it['k'][]");
		expect(field.part("k", true)).toBe(field.part("k", true));
		expect(field.part("k", true).isOptional).toBe(true);
	});
});

describe("The shapes of activities", () => {
	it("have one chain and one signer at most", () => {
		const fields = ["eth.tx", "eth.eip_712", "solana.tx", "wallet.id", "private_key.id", "secret", "activity.kind"].map(
			(path) => new Field(path.split("."), string, null, false),
		);
		const shapes = shapesOf(fields, (name) => name !== "secret");
		const chains = ["eth.tx", "eth.eip_712", "solana.tx", ""];
		const expected = chains.flatMap((chain) => ["wallet.id", "private_key.id", ""].map((signer) => [chain, signer]));
		const found = shapes.map((shape) => fields.filter(shape).map(({ path }) => path));
		expect(found).toEqual(expected.map((some) => [...some.filter(Boolean), "activity.kind"]));
	});

	it("have the parameters that their types have", () => {
		const fields = ["a", "b"].map((name) => new Field(["activity", "params", name], string, null, false));
		const [shape] = shapesOf(fields, (name) => name === "activity.params.a");
		expect(fields.map((field) => shape?.(field))).toEqual([true, false]);
	});
});
