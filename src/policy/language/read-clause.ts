/**
 * Reads a clause, and keeps each part that is not understood, or that no read shows, as one opaque part: the rest of the clause
 * still decides where it can (docs/internals/policies.md#opaque-parts).
 */
import { checkExpression } from "./checker.ts";
import { mentionsName, mentionsVotes } from "./mentions.ts";
import { parseExpression } from "./parser.ts";
import { printExpression } from "./printer.ts";
import { type Clause, type Expression, type Mistake, mapOperands, type Span } from "./syntax.ts";

export interface ReadClause {
	/** The tree, with opaque parts in it. */
	readonly expression: Expression;
	/** The tree as it is written; null where the text does not parse. */
	readonly whole: Expression | null;
	/** What is not understood, each with its place. */
	readonly mistakes: readonly Mistake[];
}

/** Returns the clause of a policy. A text that does not parse is one opaque part. */
export function readClause(text: string, clause: Clause): ReadClause {
	const parsed = parseExpression(text);
	if ("mistakes" in parsed) {
		const because = parsed.mistakes[0]?.message ?? "the clause is not understood";
		const span = { start: 0, end: text.length };
		return asOnePart(text.trim().replace(/\s+/g, " "), because, span, { whole: null, mistakes: parsed.mistakes });
	}
	const whole = parsed.expression;
	// Unverified, chosen: whether a condition may name who approves is not documented, nor what becomes of the parts beside it.
	if (clause === "condition" && mentionsVotes(whole)) {
		const found = checkExpression(whole, clause);
		const because = found[0]?.message ?? "it names who approves";
		return asOnePart(printExpression(whole), because, whole.span, { whole, mistakes: found });
	}
	const mistakes: Mistake[] = [];
	// An operand of `&&`, `||` and `!` names no item of a list.
	const expression = mapOperands(whole, (part) => {
		const found = checkExpression(part, clause);
		const isControl = mentionsName(part, ["controls"]);
		const because = found[0]?.message ?? (isControl ? "no read shows what a velocity control counts" : null);
		if (because === null) return part;
		mistakes.push(...found);
		return { node: "opaque", text: printExpression(part), because, span: part.span };
	});
	return { expression, whole, mistakes };
}

function asOnePart(text: string, because: string, span: Span, read: Omit<ReadClause, "expression">): ReadClause {
	return { expression: { node: "opaque", text, because, span }, ...read };
}
