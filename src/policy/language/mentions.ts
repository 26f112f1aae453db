import type { Expression } from "./syntax.ts";

/** Returns whether the expression depends on who approves. */
export const mentionsVotes = (expression: Expression): boolean =>
	mentionsName(expression, ["approvers", "credentials"]);

export function mentionsName(expression: Expression, names: readonly string[]): boolean {
	const mentions = (part: Expression): boolean => mentionsName(part, names);
	switch (expression.node) {
		case "name":
			return names.includes(expression.name);
		case "list":
			return expression.items.some(mentions);
		case "struct":
			return expression.fields.some(({ value }) => mentions(value));
		case "index":
			return mentions(expression.of) || mentions(expression.index);
		case "slice":
			return [expression.of, expression.from, expression.to].some(mentions);
		case "call":
			return mentions(expression.of) || expression.arguments.some(mentions);
		case "construct":
			return expression.arguments.some(mentions);
		case "field":
		case "not":
			return mentions(expression.of);
		case "binary":
			return mentions(expression.left) || mentions(expression.right);
		default:
			return false;
	}
}
