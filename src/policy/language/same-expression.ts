/** Compares expressions as trees, and finds where the meaning of a tree hangs on an order that is not documented. */
import { parseExpression } from "./parser.ts";
import { childrenOf, type Expression } from "./syntax.ts";

type Binary = Expression & { readonly node: "binary" };
type Logical = Binary & { readonly operator: "&&" | "||" };

/**
 * Returns whether two texts are the same expression: spaces, line breaks and needless parentheses are no difference. Parentheses
 * are one where they exclude a reading that the service may have. A text that is not understood is equal to itself only.
 */
export function sameExpression(left: string, right: string): boolean {
	if (left === right) return true;
	const trees = [left, right].map((text) => parseExpression(text));
	const [one, other] = trees;
	if (one === undefined || other === undefined || "mistakes" in one || "mistakes" in other) return false;
	return shapeOf(one.expression) === shapeOf(other.expression);
}

/** Returns a text that only equal trees have, and trees with parentheses in the same places where these may matter. */
function shapeOf(expression: Expression): string {
	const open = new Set<Expression>();
	for (const chain of mixedChains(expression)) for (const part of chain.open) open.add(part);
	return JSON.stringify(expression, (key, value: unknown) => {
		if (key === "span") return undefined;
		if (typeof value === "bigint") return { number: String(value) };
		return open.has(value as Expression) ? { open: { ...(value as Expression) } } : value;
	});
}

/** Operators whose order the service does not document, with no parentheses between them. */
export interface MixedChain {
	/** The outermost. */
	readonly whole: Binary;
	/** What has no parentheses within it, in no order. */
	readonly open: readonly Expression[];
}

/**
 * Returns where `&&` and `||` are mixed without parentheses, and where a `!` before a comparison has none. Unverified, chosen:
 * how these are read (docs/internals/policies.md#what-is-assumed).
 */
export function mixedChains(expression: Expression): readonly MixedChain[] {
	const found: MixedChain[] = [];
	visit(expression, found);
	return found;
}

function visit(expression: Expression, found: MixedChain[]): void {
	let inner = childrenOf(expression);
	if (expression.node === "binary") {
		const open: Expression[] = [];
		if (isLogical(expression)) inner = operandsOf(expression, open);
		else if (expression.left.node === "not" && isOpen(expression.left, expression)) open.push(expression.left);
		const isMixed = open.some((part) => part.node !== "binary" || part.operator !== expression.operator);
		if (isMixed) found.push({ whole: expression, open });
	}
	for (const one of inner) visit(one, found);
}

/** Returns the operands of a chain, and adds the logical ones between them that have no parentheses. */
function operandsOf(expression: Binary, open: Expression[]): readonly Expression[] {
	const operands: Expression[] = [];
	for (const part of [expression.left, expression.right]) {
		if (isLogical(part) && isOpen(part, expression)) {
			open.push(part);
			operands.push(...operandsOf(part, open));
		} else operands.push(part);
	}
	return operands;
}

/** Whether an operand has no parentheses of its own: its span begins and ends where the whole does. */
function isOpen(part: Expression, { left, right, span }: Binary): boolean {
	if (part === left) return part.span.start === span.start;
	return part === right && part.span.end === span.end;
}

function isLogical(expression: Expression): expression is Logical {
	return expression.node === "binary" && (expression.operator === "&&" || expression.operator === "||");
}
