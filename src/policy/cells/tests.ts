/** Quick tests for conditions that only compare one text with others, of which a policy can have thousands. */
import { type Expression, isLogical, operandsOf } from "../language/syntax.ts";
import type { Value } from "../language/values.ts";
import type { Field } from "./fields.ts";

type Test = (value: Value) => boolean;

/** Returns the test; null for an expression that does more than compare the field with texts. */
export function testOf(expression: Expression, field: Field): Test | null {
	return field.type.kind === "string" && field.slices.size === 0 ? compile(expression) : null;
}

function compile(expression: Expression): Test | null {
	if (expression.node === "not") {
		const of = compile(expression.of);
		return of === null ? null : (value) => !of(value);
	}
	if (expression.node !== "binary") return null;
	if (isLogical(expression)) {
		const tests = operandsOf(expression).map(compile);
		if (!tests.every((test) => test !== null)) return null;
		return expression.operator === "&&"
			? (value) => tests.every((test) => test(value))
			: (value) => tests.some((test) => test(value));
	}
	const { operator, left, right } = expression;
	const texts = operator === "in" ? textsOf(right) : (textsOf(left) ?? textsOf(right));
	const other = operator === "in" || textsOf(left) === null ? left : right;
	if (texts === null || other.node !== "field") return null;
	if (operator === "==" || operator === "in") return (value) => texts.has(value);
	return operator === "!=" ? (value) => !texts.has(value) : null;
}

/** Returns the texts of a literal, or of a list of literals. */
function textsOf(expression: Expression): ReadonlySet<Value> | null {
	const items = expression.node === "list" ? expression.items : [expression];
	const texts = items.flatMap((item) => (item.node === "literal" && typeof item.value === "string" ? item.value : []));
	return texts.length === items.length ? new Set(texts) : null;
}
