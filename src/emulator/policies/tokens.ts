/** Splits an expression of the policy language into tokens (docs/internals/service.md#expressions). */

/** Thrown for an expression that is not understood, and for one that errs while it is evaluated. The policy then takes no part. */
export class PolicyError extends Error {}

export interface Token {
	readonly kind: "name" | "number" | "text" | "symbol" | "end";
	/** Of a text, what is between the quotes. */
	readonly value: string;
}

const pattern =
	/\s*(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<number>[0-9]+)|'(?<text>[^'\\]*)'|(?<symbol>&&|\|\||==|!=|<=|>=|\.\.|[<>!.,:()[\]{}]))/y;

const space = /\s*/y;

/** Returns the tokens of an expression, with an end token behind them. Throws a PolicyError where one is not understood. */
export function readTokens(expression: string): readonly Token[] {
	const tokens: Token[] = [];
	let offset = 0;
	for (;;) {
		space.lastIndex = offset;
		space.exec(expression);
		if (space.lastIndex === expression.length) break;
		pattern.lastIndex = offset;
		const found = pattern.exec(expression);
		if (found === null) throw new PolicyError(`not understood at ${space.lastIndex}`);
		const [entry] = Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined);
		const [kind, value] = entry as [Token["kind"], string];
		tokens.push({ kind, value });
		offset = pattern.lastIndex;
	}
	return [...tokens, { kind: "end", value: "" }];
}
