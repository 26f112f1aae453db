/** The syntax tree of the service's policy language (docs/internals/policies.md#grammar). Positions are offsets in the text. */

/** Where a part is in its text, in UTF-16 code units; `end` is the first behind it. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

/** `in` is membership of a list. */
export type BinaryOperator = "&&" | "||" | "==" | "!=" | "<=" | ">=" | "<" | ">" | "in";

/** Functions that are called on a list with a dot, such as `approvers.count()`. */
export const methods = ["any", "all", "filter", "contains", "count"] as const;

export type Method = (typeof methods)[number];

/** Functions that only `time` has. Their arguments are texts. */
export const constructors = ["Timestamp", "CronSpan"] as const;

type Constructor = (typeof constructors)[number];

/** One expression. A tree is data: it holds no function and no reference to its policy, and is at most `maxDepth` deep. */
export type Expression = (
	| { readonly node: "literal"; readonly value: boolean | bigint | string }
	| { readonly node: "list"; readonly items: readonly Expression[] }
	| { readonly node: "struct"; readonly fields: readonly { readonly name: string; readonly value: Expression }[] }
	| { readonly node: "name"; readonly name: string }
	| { readonly node: "field"; readonly of: Expression; readonly name: string }
	| { readonly node: "index"; readonly of: Expression; readonly index: Expression }
	| { readonly node: "slice"; readonly of: Expression; readonly from: Expression; readonly to: Expression }
	/** `item` is the name that any, all and filter give to each element; null for the others. */
	| {
			readonly node: "call";
			readonly of: Expression;
			readonly method: Method;
			readonly item: string | null;
			readonly arguments: readonly Expression[];
	  }
	| { readonly node: "construct"; readonly name: Constructor; readonly arguments: readonly Expression[] }
	| { readonly node: "not"; readonly of: Expression }
	| {
			readonly node: "binary";
			readonly operator: BinaryOperator;
			readonly left: Expression;
			readonly right: Expression;
	  }
	/** A part that is not understood, or that no read shows: true, false or an error. Equal `text`, equal value. */
	| { readonly node: "opaque"; readonly text: string; readonly because: string }
) & { readonly span: Span };

/** Returns the expressions of which an expression consists, in the order of the text. */
export function childrenOf(expression: Expression): readonly Expression[] {
	switch (expression.node) {
		case "list":
			return expression.items;
		case "struct":
			return expression.fields.map(({ value }) => value);
		case "field":
		case "not":
			return [expression.of];
		case "index":
			return [expression.of, expression.index];
		case "slice":
			return [expression.of, expression.from, expression.to];
		case "call":
			return [expression.of, ...expression.arguments];
		case "construct":
			return expression.arguments;
		case "binary":
			return [expression.left, expression.right];
		default:
			return [];
	}
}

/** Returns the expression and all within it, in the order of the text. It is a loop: a tree can be deep. */
export function partsOf(expression: Expression): readonly Expression[] {
	const parts: Expression[] = [];
	const left = [expression];
	for (let part = left.pop(); part !== undefined; part = left.pop()) {
		parts.push(part);
		left.push(...childrenOf(part).toReversed());
	}
	return parts;
}

export type Binary = Expression & { readonly node: "binary" };

type Logical = Binary & { readonly operator: "&&" | "||" };

export const isLogical = (expression: Expression): expression is Logical =>
	expression.node === "binary" && (expression.operator === "&&" || expression.operator === "||");

/** Returns the operands of a chain of one operator, `a && b && c`, from the left; of another expression itself. */
export function operandsOf(chain: Expression): readonly Expression[] {
	const operands: Expression[] = [];
	let left = chain;
	for (; isLogical(left) && isLogical(chain) && left.operator === chain.operator; left = left.left)
		operands.push(left.right);
	return [left, ...operands.reverse()];
}

/** Returns the expression with other operands in place of what its `&&`, `||` and `!` join; itself where none is another. */
export function mapOperands(expression: Expression, change: (operand: Expression) => Expression): Expression {
	if (expression.node === "not") {
		const of = mapOperands(expression.of, change);
		return of === expression.of ? expression : { ...expression, of };
	}
	if (!isLogical(expression)) return change(expression);
	const [left, right] = [mapOperands(expression.left, change), mapOperands(expression.right, change)];
	return left === expression.left && right === expression.right ? expression : { ...expression, left, right };
}

/** Something in a text that is not understood; the expression is then unknown, never guessed. */
export interface Mistake {
	/** What is wrong, and what would be right. */
	readonly message: string;
	readonly span: Span;
}

/** The three places where a policy has an expression; each knows its own names. */
export type Clause = "consensus" | "condition" | "time";

/** Max characters of a text. Unverified, chosen: the service's own limit is not documented. */
export const maxLength = 100_000;

/** Max depth of a tree, so that no function that walks one can overflow the stack. Unverified, chosen. */
export const maxDepth = 2_000;

/** Max brackets and `!` around a part of the text, for the same reason. Unverified, chosen. */
export const maxNesting = 100;

/** Largest and smallest number: `uint` has 256 bits, `int` has 128 bits and a sign. */
export const maxNumber = 2n ** 256n - 1n;
export const minNumber = -(2n ** 127n);
