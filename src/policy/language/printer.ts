/** Prints a tree of the policy language, in one line and with the fewest parentheses that are read in one way only. */
import type { Expression } from "./syntax.ts";

/** How tight each kind of expression binds; what binds less tight than its place needs parentheses. */
const logical = 1;
const comparison = 2;
const not = 3;
const access = 4;

/** Returns the text of the tree. To parse it again gives the same tree, apart from positions. */
export function printExpression(expression: Expression): string {
	switch (expression.node) {
		case "literal":
			return typeof expression.value === "string" ? `'${expression.value}'` : String(expression.value);
		case "list":
			return `[${printAll(expression.items)}]`;
		case "struct": {
			const fields = expression.fields.map(({ name, value }) => `${name}: ${printExpression(value)}`);
			return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
		}
		case "name":
			return expression.name;
		case "opaque":
			return expression.text;
		case "field":
			return `${print(expression.of, access)}.${expression.name}`;
		case "index":
			return `${print(expression.of, access)}[${printExpression(expression.index)}]`;
		case "slice":
			return `${print(expression.of, access)}[${printExpression(expression.from)}..${printExpression(expression.to)}]`;
		case "call": {
			const item = expression.item === null ? "" : `${expression.item}, `;
			return `${print(expression.of, access)}.${expression.method}(${item}${printAll(expression.arguments)})`;
		}
		case "construct":
			return `${expression.name}(${printAll(expression.arguments)})`;
		case "not":
			return `!${print(expression.of, not)}`;
		case "binary": {
			const { left, operator, right } = expression;
			const own = tightness(expression);
			if (own === comparison) return `${print(left, not)} ${operator} ${print(right, not)}`;
			// The service documents no precedence of `&&` and `||`; the same operator is read from the left.
			const isSame = left.node === "binary" && left.operator === operator;
			return `${print(left, isSame ? own : comparison)} ${operator} ${print(right, comparison)}`;
		}
	}
}

function printAll(expressions: readonly Expression[]): string {
	return expressions.map(printExpression).join(", ");
}

function print(expression: Expression, needed: number): string {
	const printed = printExpression(expression);
	return tightness(expression) < needed ? `(${printed})` : printed;
}

function tightness(expression: Expression): number {
	if (expression.node === "not") return not;
	if (expression.node !== "binary") return access;
	return expression.operator === "||" || expression.operator === "&&" ? logical : comparison;
}
