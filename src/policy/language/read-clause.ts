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
	/** The texts of the opaque parts, each once, in the order of the clause. */
	readonly opaque: readonly string[];
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
	const opaque = new Set<string>();
	const expression = setApart(parsed.expression, clause, (text, found) => {
		opaque.add(text);
		mistakes.push(...found);
	});
	return { expression, mistakes, opaque: [...opaque] };
}

function asOnePart(text: string, because: string, span: Span, mistakes: readonly Mistake[]): ReadClause {
	return { expression: { node: "opaque", text, because, span }, mistakes, opaque: [text] };
}

type Note = (text: string, mistakes: readonly Mistake[]) => void;

/** Returns the expression with opaque parts. A part is an operand of `&&`, `||` and `!`, so that it names no item of a list. */
function setApart(expression: Expression, clause: Clause, note: Note): Expression {
	if (expression.node === "not") {
		const of = setApart(expression.of, clause, note);
		return of === expression.of ? expression : { ...expression, of };
	}
	if (isLogical(expression)) {
		const left = setApart(expression.left, clause, note);
		const right = setApart(expression.right, clause, note);
		return left === expression.left && right === expression.right ? expression : { ...expression, left, right };
	}
	const mistakes = checkExpression(expression, clause);
	const because = mistakes[0]?.message ?? unreadIn(expression);
	if (because === null) return expression;
	const text = printExpression(expression);
	note(text, mistakes);
	return { node: "opaque", text, because, span: expression.span };
}

/** Returns why no read shows the value of a part; null where one does, or where it depends on the activity. */
function unreadIn(expression: Expression): string | null {
	return mentionsName(expression, ["controls"]) ? "no read shows what a velocity control counts" : null;
}
