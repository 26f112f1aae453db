/** The syntax tree of the service's policy language (docs/policies.md#language). Positions are offsets in the text. */

/** Where a part is in its text, in UTF-16 code units; `end` is the first behind it. */
export interface Span {
	readonly start: number;
	readonly end: number;
}

export const binaryOperators = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "in"] as const;

export type BinaryOperator = (typeof binaryOperators)[number];

/** Functions that are called on a value with a dot, such as `approvers.count()`. */
export const methods = ["any", "all", "filter", "contains", "count"] as const;

export type Method = (typeof methods)[number];

/** One expression. A tree is deeply frozen data: it holds no function and no reference to its policy. */
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
	/** `Timestamp('…')` and `CronSpan('…', '…', '…')`, whose arguments are texts. */
	| { readonly node: "construct"; readonly name: "Timestamp" | "CronSpan"; readonly arguments: readonly Expression[] }
	| { readonly node: "not"; readonly of: Expression }
	| {
			readonly node: "binary";
			readonly operator: BinaryOperator;
			readonly left: Expression;
			readonly right: Expression;
	  }
) & { readonly span: Span };

/** Something in a text that is not understood; the expression is then unknown, never guessed. */
export interface Mistake {
	readonly message: string;
	readonly span: Span;
}

/** The three places where a policy has an expression; each knows its own names. */
export type Clause = "consensus" | "condition" | "time";
