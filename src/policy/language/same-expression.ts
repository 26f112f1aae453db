/** Compares expressions as trees, and finds where a tree depends on an order of operators that is not documented. */
import { parseExpression } from "./parser.ts";
import { type Binary, childrenOf, type Expression, partsOf } from "./syntax.ts";

/**
 * Returns whether two texts are the same expression: spaces, line breaks and needless parentheses are no difference. Where one
 * depends on an order that is not documented, parentheses are a difference. A text that is not understood is equal to itself.
 */
export function sameExpression(left: string, right: string): boolean {
	return left === right || expressionKey(left) === expressionKey(right);
}

/** Returns a text that only the same expressions have. */
export function expressionKey(text: string): string {
	const read = parseExpression(text);
	return "mistakes" in read ? text : shapeOf(read.expression, openParts(read.expression).length === 0);
}

/** Returns a text that only equal trees have. `isClear`: parentheses between operators are no part of it. */
function shapeOf(expression: Expression, isClear: boolean): string {
	const parts = partsOf(expression).map((part) => {
		const own = Object.entries(part).filter(([, value]) => typeof value !== "object");
		const names = part.node === "struct" ? part.fields.map(({ name }) => name) : [];
		const open = isClear || part.node !== "binary" ? [] : [isOpen(part.left, part), isOpen(part.right, part)];
		return [own.map(([, value]) => [typeof value, String(value)]), names, open, childrenOf(part).length];
	});
	return JSON.stringify(parts);
}

/**
 * Returns the operands that other readings give other limits: `&&` in `||`, and `!` before a comparison, without parentheses.
 * Unverified, chosen: how these are read (docs/internals/policies.md#what-is-assumed).
 */
export function openParts(expression: Expression): readonly Expression[] {
	return partsOf(expression).flatMap((whole) => {
		if (whole.node !== "binary" || whole.operator === "&&") return [];
		const { operator, left, right } = whole;
		const isPart = (part: Expression): boolean =>
			operator === "||" ? part.node === "binary" && part.operator === "&&" : part.node === "not" && part === left;
		return [left, right].filter((part) => isPart(part) && isOpen(part, whole));
	});
}

/** Whether an operator has no parentheses around its operand, which then begins or ends where the whole does. */
function isOpen(part: Expression, { left, span }: Binary): boolean {
	if (part.node !== "binary" && part.node !== "not") return true;
	return part === left ? part.span.start === span.start : part.span.end === span.end;
}
