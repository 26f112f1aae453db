/**
 * Reads a clause, and keeps each part that is not understood, or that no read shows, as one opaque part: the rest of the clause
 * still decides where it can (docs/internals/policies.md#opaque-parts).
 */
import { checkExpression } from "./checker.ts";
import { mentionsName, mentionsVotes } from "./mentions.ts";
import { parseExpression } from "./parser.ts";
import { printExpression } from "./printer.ts";
import { type Clause, type Expression, isLogical, type Mistake, type Span } from "./syntax.ts";

export interface ReadClause {
	/** The tree, with opaque parts in it. */
	readonly expression: Expression;
	/** What is not understood, each with its place. */
	readonly mistakes: readonly Mistake[];
}

/** Returns the clause of a policy. A text that does not parse is one opaque part. */
export function readClause(text: string, clause: Clause): ReadClause {
	const parsed = parseExpression(text);
	if ("mistakes" in parsed) {
		const because = parsed.mistakes[0]?.message ?? "the clause is not understood";
		return asOnePart(text.trim().replace(/\s+/g, " "), because, { start: 0, end: text.length }, parsed.mistakes);
	}
	// Unverified, chosen: whether a condition may name who approves is not documented, nor what becomes of the parts beside it.
	if (clause === "condition" && mentionsVotes(parsed.expression)) {
		const found = checkExpression(parsed.expression, clause);
		const because = found[0]?.message ?? "it names who approves";
		return asOnePart(printExpression(parsed.expression), because, parsed.expression.span, found);
	}
	const mistakes: Mistake[] = [];
	const expression = setApart(parsed.expression, clause, mistakes);
	return { expression, mistakes };
}

function asOnePart(text: string, because: string, span: Span, mistakes: readonly Mistake[]): ReadClause {
	return { expression: { node: "opaque", text, because, span }, mistakes };
}

/** Returns the expression with opaque parts, and adds what is not understood to the mistakes. A part is an operand of `&&`, `||` and `!`, so that it names no item of a list. */
function setApart(expression: Expression, clause: Clause, mistakes: Mistake[]): Expression {
	if (expression.node === "not") {
		const of = setApart(expression.of, clause, mistakes);
		return of === expression.of ? expression : { ...expression, of };
	}
	if (isLogical(expression)) {
		const left = setApart(expression.left, clause, mistakes);
		const right = setApart(expression.right, clause, mistakes);
		return left === expression.left && right === expression.right ? expression : { ...expression, left, right };
	}
	const found = checkExpression(expression, clause);
	const isControl = mentionsName(expression, ["controls"]);
	const because = found[0]?.message ?? (isControl ? "no read shows what a velocity control counts" : null);
	if (because === null) return expression;
	mistakes.push(...found);
	return { node: "opaque", text: printExpression(expression), because, span: expression.span };
}
