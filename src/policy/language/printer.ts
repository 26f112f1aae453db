/** Prints a tree of the policy language, in one line and with the fewest parentheses. */
import type { Expression } from "./syntax.ts";

/** How tight each kind of expression binds; what binds less tight than its place needs parentheses. */
const or = 1;
const and = 2;
const comparison = 3;
const not = 4;
const access = 5;

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
			const own = tightness(expression);
			// Comparisons cannot follow each other; `&&` and `||` are read from the left.
			const left = print(expression.left, own === comparison ? not : own);
			return `${left} ${expression.operator} ${print(expression.right, own + 1)}`;
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
	if (expression.operator === "||") return or;
	return expression.operator === "&&" ? and : comparison;
}
