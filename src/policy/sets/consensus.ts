/** Turns a consensus into a formula of thresholds. What it cannot turn is unknown, with the reason. */
import type { Doubt } from "../access.ts";
import { evaluate } from "../language/evaluate.ts";
import { mayMissItem, mentionsVotes } from "../language/mentions.ts";
import { printExpression } from "../language/printer.ts";
import type { Binary, BinaryOperator, Expression } from "../language/syntax.ts";
import { isError, isUnknown } from "../language/values.ts";
import { always, type Formula, negate, never } from "./formula.ts";
import { findItems, type ItemSets, type Predicates } from "./predicate.ts";
import type { Bits } from "./sets.ts";

/** A list of approvers or credentials, as the votes that are in it. */
interface VoteList {
	readonly kind: "approvers" | "credentials";
	readonly sure: Bits;
	readonly possible: Bits;
	readonly tagId: string | null;
	/** Why some are only possibly in it; null where no reason was found. */
	readonly because: Doubt | null;
}

const flipped: Partial<Record<BinaryOperator, BinaryOperator>> = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" };

/** Returns when the consensus is true and does not err. */
export function formulaOf(expression: Expression, predicates: Predicates): Formula {
	const translation = new Translation(predicates);
	const value = translation.boolean(expression);
	return translation.errors.length === 0 ? value : { is: "and", parts: [value, ...translation.errors.map(negate)] };
}

const unknownFormula = (because: Doubt): Formula => ({ is: "unknown", because });
class Translation {
	/** Each is true where a part of the expression errs: there is no short circuit. */
	readonly errors: Formula[] = [];
	readonly #predicates: Predicates;

	constructor(predicates: Predicates) {
		this.#predicates = predicates;
	}

	/** What cannot be turned is true or false, or errs. */
	#notCounted(expression: Expression): Formula {
		const unknown = unknownFormula(describe(expression));
		if (mayMissItem(expression)) this.errors.push(unknown);
		return unknown;
	}

	boolean(expression: Expression): Formula {
		if (!mentionsVotes(expression)) return this.#constant(expression);
		if (expression.node === "not") return negate(this.boolean(expression.of));
		if (expression.node === "binary") return this.#binary(expression);
		if (expression.node === "call") return this.#call(expression);
		return this.#notCounted(expression);
	}

	#constant(expression: Expression): Formula {
		const value = evaluate(expression, new Map());
		if (typeof value === "boolean") return value ? always : never;
		if (isError(value) && value.error !== "wrong-type") {
			this.errors.push(always);
			return never;
		}
		return unknownFormula(isUnknown(value) ? value.because : describe(expression));
	}

	#binary(expression: Binary): Formula {
		const { operator, left, right } = expression;
		if (operator === "&&" || operator === "||")
			return { is: operator === "&&" ? "and" : "or", parts: [this.boolean(left), this.boolean(right)] };
		const counted = this.#counted(left);
		if (counted !== null && !mentionsVotes(right)) return this.#compare(counted, operator, right, expression);
		const other = this.#counted(right);
		if (other !== null && !mentionsVotes(left)) {
			return this.#compare(other, flipped[operator] ?? operator, left, expression);
		}
		return this.#notCounted(expression);
	}

	/** Returns the list whose members the expression counts; null where it counts none. */
	#counted(expression: Expression): VoteList | null {
		return expression.node === "call" && expression.method === "count" ? this.#list(expression.of) : null;
	}

	#compare(list: VoteList, operator: BinaryOperator, number: Expression, whole: Expression): Formula {
		const value = evaluate(number, new Map());
		if (typeof value !== "bigint") return unknownFormula(isUnknown(value) ? value.because : describe(whole));
		const count = Number(value);
		switch (operator) {
			case ">=":
				return threshold("atLeast", count, list);
			case ">":
				return threshold("atLeast", count + 1, list);
			case "<=":
				return threshold("atMost", count, list);
			case "<":
				return threshold("atMost", count - 1, list);
			case "==":
				return { is: "and", parts: [threshold("atLeast", count, list), threshold("atMost", count, list)] };
			case "!=":
				return { is: "or", parts: [threshold("atMost", count - 1, list), threshold("atLeast", count + 1, list)] };
			default:
				return this.#notCounted(whole);
		}
	}

	#call(expression: Expression & { readonly node: "call" }): Formula {
		const { method, item } = expression;
		const [predicate] = expression.arguments;
		const list = this.#list(expression.of);
		const isRead = list !== null && item !== null && predicate !== undefined;
		if (!isRead || (method !== "any" && method !== "all")) return this.#notCounted(expression);
		if (method === "any") return threshold("atLeast", 1, this.#items(list, item, predicate));
		const found = findItems(this.#predicates, list.kind, item, predicate);
		this.#noteErrors(list, found);
		// All of them: none that is not.
		const others = { sure: list.sure & ~found.possible, possible: list.possible & ~found.sure };
		return threshold("atMost", 0, { ...list, ...others, tagId: null, because: list.because ?? found.because });
	}

	#list(expression: Expression): VoteList | null {
		if (expression.node === "name") {
			const { votes, withCredential } = this.#predicates;
			if (expression.name === "approvers") {
				return { kind: "approvers", sure: votes.all, possible: votes.all, tagId: null, because: null };
			}
			if (expression.name !== "credentials") return null;
			return { kind: "credentials", sure: withCredential, possible: withCredential, tagId: null, because: null };
		}
		if (expression.node !== "call" || expression.method !== "filter" || expression.item === null) return null;
		const list = this.#list(expression.of);
		const [predicate] = expression.arguments;
		return list === null || predicate === undefined ? null : this.#items(list, expression.item, predicate);
	}

	/** Returns the members of the list for which the predicate is true. */
	#items(list: VoteList, item: string, predicate: Expression): VoteList {
		const found = findItems(this.#predicates, list.kind, item, predicate);
		this.#noteErrors(list, found);
		return {
			kind: list.kind,
			sure: list.sure & found.sure,
			possible: list.possible & found.possible,
			tagId: list.tagId === null && list.sure === this.#predicates.votes.all ? found.tagId : null,
			because: list.because ?? found.because,
		};
	}

	#noteErrors(list: VoteList, { errors, mayErr, because }: ItemSets): void {
		const members = { sure: list.sure & errors, possible: list.possible & (errors | mayErr) };
		if (members.possible === 0n) return;
		this.errors.push({ is: "atLeast", count: 1, ...members, tagId: null, because: list.because ?? because });
	}
}

const threshold = (is: "atLeast" | "atMost", count: number, { kind: _, ...list }: VoteList): Formula => ({
	is,
	count,
	...list,
});

function describe(expression: Expression): string {
	const text = printExpression(expression);
	return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\` depends on more than how many of a set approve`;
}
