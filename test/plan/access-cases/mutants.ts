/** Policies with one clause removed, widened or narrowed. */

import type { AccessPolicy } from "../../../src/policy/access.ts";
import { parseExpression } from "../../../src/policy/language/parser.ts";
import { printExpression } from "../../../src/policy/language/printer.ts";
import type { Clause, Expression } from "../../../src/policy/language/syntax.ts";

export interface Mutant {
	readonly what: string;
	/** Null: the policy is gone. */
	readonly policy: AccessPolicy | null;
}

const clauses: readonly Clause[] = ["consensus", "condition", "time"];

export function mutantsOf(policy: AccessPolicy): readonly Mutant[] {
	const changed = clauses.flatMap((clause) => {
		const text = policy[clause];
		const texts = text.trim() === "" ? ["false"] : ["", "false", ...variantsOf(text)];
		const isOpen = text.trim() === "true";
		const changes = texts.filter((one) => one !== text.trim() && !(isOpen && one === ""));
		const others = clause === "time" && text.trim() === "" ? [] : changes;
		return [...new Set(others)].map((one): Mutant => {
			return {
				what: `${policy.name}: ${clause} ${one || "removed"}`,
				policy: { ...policy, [clause]: timed(clause, one) },
			};
		});
	});
	return [{ what: `${policy.name}: removed`, policy: null }, ...changed];
}

/** A time is never `false` by a word alone. */
const timed = (clause: Clause, text: string): string =>
	clause === "time" && text === "false" ? "time.now < Timestamp('1971-01-01T00:00:00Z')" : text;

function variantsOf(text: string): readonly string[] {
	const parsed = parseExpression(text);
	return "expression" in parsed ? variants(parsed.expression).map(printExpression) : [];
}

/** Returns the expression with a part less, with another number, or with an item of a list less. */
function variants(expression: Expression): readonly Expression[] {
	if (expression.node === "call") {
		const [predicate] = expression.arguments;
		if (predicate === undefined) return [];
		return variants(predicate).map((one) => ({ ...expression, arguments: [one, ...expression.arguments.slice(1)] }));
	}
	if (expression.node !== "binary") return [];
	const { operator, left, right } = expression;
	if (operator === "&&" || operator === "||") {
		return [
			left,
			right,
			...variants(left).map((one) => ({ ...expression, left: one })),
			...variants(right).map((one) => ({ ...expression, right: one })),
		];
	}
	if (operator === "in" && right.node === "list" && right.items.length > 1) {
		return right.items.map((item) => ({
			...expression,
			right: { ...right, items: right.items.filter((one) => one !== item) },
		}));
	}
	if (right.node === "literal" && typeof right.value === "bigint") {
		const { value } = right;
		return [value - 1n, value + 1n].map((other) => ({ ...expression, right: { ...right, value: other } }));
	}
	return [];
}
