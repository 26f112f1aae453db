/** The quick tests of one value: for which expressions there is one, and that it answers as the evaluation does. */
import { describe, expect, it } from "vitest";
import { Field } from "../../../src/policy/cells/fields.ts";
import { testOf } from "../../../src/policy/cells/tests.ts";
import { evaluate } from "../../../src/policy/language/evaluate.ts";
import type { Value } from "../../../src/policy/language/values.ts";
import { parseText, scopeOf } from "../worlds.ts";

const text = new Field(["e", "to"], { kind: "string" }, null, false);
const number = new Field(["e", "value"], { kind: "number" }, null, false);

describe("A quick test", () => {
	it.each([
		"e.to == 'a'",
		"'a' == e.to",
		"e.to != 'a'",
		"'b' != e.to",
		"e.to in ['a', 'b']",
		"!(e.to == 'a')",
		"e.to != 'a' && e.to != 'b'",
		"e.to == 'a' || e.to in ['b'] || !(e.to != 'd')",
		"!(e.to == 'a' || e.to == 'b') && e.to != 'd'",
	])("answers as the expression does: %s", (written) => {
		const expression = parseText(written);
		const test = testOf(expression, text);
		for (const value of ["a", "b", "c", "d", ""])
			expect(test?.(value), value).toBe(evaluate(expression, scopeOf({ e: { to: value } })));
	});

	it.each(["e.value == 5", "5 != e.value", "e.value in [5, 6]"])("compares numbers: %s", (written) => {
		const expression = parseText(written);
		for (const value of [4n, 5n, 6n] satisfies Value[])
			expect(testOf(expression, number)?.(value)).toBe(evaluate(expression, scopeOf({ e: { value } })));
	});

	it.each([
		["e.to"],
		["e.to[0..1] == 'a'"],
		["e.to.any(x, x == 'a')"],
		["e.to == 5"],
		["e.to in ['a', 5]"],
		["'a' in e.to"],
		["e.to == e.to"],
		["e.to == 'a' && e.to[0] == 'b'"],
		["!(e.to[0] == 'b')"],
		["name == 'a'"],
		["e.to < 'a'"],
	])("is none where more than the field is compared with texts: %s", (written) => {
		expect(testOf(parseText(written), text)).toBeNull();
	});

	it("is none for an order of numbers, a field of another type, or one of which parts are compared", () => {
		expect(testOf(parseText("e.value < 5"), number)).toBeNull();
		const any = new Field(["e", "to"], { kind: "any" }, null, false);
		expect(testOf(parseText("e.to == 'a'"), any)).toBeNull();
		const sliced = new Field(["e", "to"], { kind: "string" }, null, false);
		sliced.slice(0, 2);
		expect(testOf(parseText("e.to == 'a'"), sliced)).toBeNull();
	});
});
