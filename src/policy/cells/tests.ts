/** Quick tests for conditions that only compare one value with texts or numbers, of which a policy can have thousands. */
import { type Expression, isLogical, operandsOf } from "../language/syntax.ts";
import type { Value } from "../language/values.ts";
import type { Field } from "./fields.ts";

type Test = (value: Value) => boolean;

/** The types of values that tests compare. */
type Compared = "string" | "bigint";

/** Returns the test of values that are no lists and structs; null for an expression that does more than compare the field. */
export function testOf(expression: Expression, { type, slices }: Field): Test | null {
	if (type.kind === "number") return compile(expression, "bigint");
	return type.kind === "string" && slices.size === 0 ? compile(expression, "string") : null;
}

function compile(expression: Expression, type: Compared): Test | null {
	if (expression.node === "not") {
		const of = compile(expression.of, type);
		return of === null ? null : (value) => !of(value);
	}
	if (expression.node !== "binary") return null;
	if (isLogical(expression)) {
		const tests = operandsOf(expression).map((one) => compile(one, type));
		if (!tests.every((test) => test !== null)) return null;
		return expression.operator === "&&"
			? (value) => tests.every((test) => test(value))
			: (value) => tests.some((test) => test(value));
	}
	const { operator, left, right } = expression;
	const values = operator === "in" ? literalsOf(right, type) : (literalsOf(left, type) ?? literalsOf(right, type));
	const other = operator === "in" || literalsOf(left, type) === null ? left : right;
	if (values === null || other.node !== "field") return null;
	if (operator === "==" || operator === "in") return (value) => values.has(value);
	return operator === "!=" ? (value) => !values.has(value) : null;
}

/** Returns the value of a literal, or those of a list of literals. */
function literalsOf(expression: Expression, type: Compared): ReadonlySet<Value> | null {
	const items = expression.node === "list" ? expression.items : [expression];
	const values = items.flatMap((item) => (item.node === "literal" && typeof item.value === type ? item.value : []));
	return values.length === items.length ? new Set<Value>(values) : null;
}
