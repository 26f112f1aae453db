/**
 * Checks the types of an expression (docs/internals/policies.md#types). An expression that is accepted never errs for its types, where
 * the documentation says what they are; one that is not is unknown, because real policies hold slips.
 */
import { distance } from "fastest-levenshtein";
import { quote } from "./lexer.ts";
import {
	type Binary,
	type BinaryOperator,
	type Clause,
	type Expression,
	isLogical,
	type Mistake,
	methods,
	operandsOf,
	type Span,
} from "./syntax.ts";
import { readConstruct } from "./time.ts";
import { clauseOf, describeType, type IdKind, namesOf, type Type, unify } from "./types.ts";

/**
 * Returns what is not understood in an expression of the clause; empty where all is. In the order of the text.
 * `written`: the text, where a number may be a variable of a template.
 */
export function checkExpression(expression: Expression, clause: Clause, written?: string): readonly Mistake[] {
	const check = new Check(clause, written);
	check.expectBool(expression, clause, null);
	return check.mistakes.sort((left, right) => left.span.start - right.span.start);
}

/** A string that is compared with ids. */
export interface IdLiteral {
	readonly value: string;
	readonly kind: IdKind;
	readonly span: Span;
}

/** Returns the strings that are ids of users or tags of users, as what they are compared with says. In no order. */
export function idsIn(expression: Expression): readonly IdLiteral[] {
	return (["consensus", "condition"] as const).flatMap((clause) => {
		const check = new Check(clause);
		check.typeOf(expression, null);
		return check.ids;
	});
}

/** Names of items, inside the names of the clause. */
interface Items {
	readonly name: string;
	readonly type: Type;
	readonly outer: Items | null;
}

const bool: Type = { kind: "bool" };
const number: Type = { kind: "number" };
const any: Type = { kind: "any" };
const literalTypes = { boolean: bool, bigint: number, string: { kind: "string" } } as const;

class Check {
	readonly mistakes: Mistake[] = [];
	readonly ids: IdLiteral[] = [];
	readonly #clause: Clause;
	readonly #names: ReadonlyMap<string, Type>;
	readonly #written: string | undefined;

	constructor(clause: Clause, written?: string) {
		this.#clause = clause;
		this.#written = written;
		this.#names = namesOf(clause);
	}

	/** Adds a mistake. Returns the type that no other check objects to: one slip is one mistake. */
	report({ span }: Expression, message: string): Type {
		this.mistakes.push({ message, span });
		return any;
	}

	/** Notes the strings among the values that are compared with a value of this type. */
	#compare(values: readonly Expression[], type: Type): void {
		if (type.kind !== "string" || type.id === undefined) return;
		for (const { span, ...part } of values) {
			const isString = part.node === "literal" && typeof part.value === "string";
			if (isString) this.ids.push({ value: String(part.value), kind: type.id, span });
		}
	}

	typeOf(expression: Expression, items: Items | null): Type {
		switch (expression.node) {
			case "literal":
				return literalTypes[typeof expression.value as "boolean" | "bigint" | "string"];
			case "list":
				return this.#list(expression, items);
			case "struct": {
				const fields = expression.fields.map(({ name, value }) => [name, this.typeOf(value, items)] as const);
				return { kind: "struct", name: "", fields: new Map(fields), isOpen: false };
			}
			case "name":
				return this.#name(expression, items);
			case "opaque":
				return bool;
			case "field":
				return this.#field(expression, this.typeOf(expression.of, items));
			case "index":
				return this.#index(expression, items);
			case "slice":
				return this.#slice(expression, items);
			case "call":
				return this.#call(expression, items);
			case "construct":
				return this.#construct(expression);
			case "not":
				this.expectBool(expression.of, "`!`", items);
				return bool;
			case "binary":
				return this.#binary(expression, items);
		}
	}

	#list(expression: Expression & { readonly node: "list" }, items: Items | null): Type {
		let of: Type = any;
		for (const item of expression.items) {
			const type = this.typeOf(item, items);
			const unified = unify(of, type);
			if (unified !== null) of = unified;
			else this.report(item, `a list holds items of one type: ${describeType(of)} first, then ${describeType(type)}`);
		}
		return { kind: "list", of };
	}

	#name(expression: Expression & { readonly node: "name" }, items: Items | null): Type {
		const { name } = expression;
		for (let inner = items; inner !== null; inner = inner.outer) {
			if (inner.name === name) return inner.type;
		}
		const type = this.#names.get(name);
		if (type !== undefined) return type;
		const clause = clauseOf(name);
		if (clause !== undefined)
			return this.report(expression, `\`${name}\` is a name of ${clause}, not of ${this.#clause}`);
		const candidates = [...this.#names.keys()];
		return this.report(expression, `${quote(name)} is not a name of ${this.#clause}${suggest(name, candidates)}`);
	}

	#field(expression: Expression & { readonly node: "field" }, of: Type): Type {
		const { name, span } = expression;
		const method = methods.find((one) => one === name);
		if (method !== undefined) {
			const call = method === "count" ? "count()" : `${method}(…)`;
			this.mistakes.push({
				message: `\`${method}\` is a function: write \`${call}\``,
				span: { start: span.end - name.length, end: span.end },
			});
			return any;
		}
		if (of.kind === "any") return any;
		if (of.kind === "map") return this.report(expression, `a map has no fields; write \`['${name}']\``);
		if (of.kind !== "struct") {
			const fix = of.kind === "list" ? "; take one item, like `[0]`, or ask all with `any` or `all`" : "";
			return this.report(expression, `${describeType(of)} has no field ${quote(name)}${fix}`);
		}
		const type = of.fields.get(name);
		if (type !== undefined) return type;
		if (of.isOpen) return any;
		const owner = of.name === "" ? "the struct" : `\`${of.name}\``;
		return this.report(expression, `${owner} has no field ${quote(name)}${suggest(name, [...of.fields.keys()])}`);
	}

	#index(expression: Expression & { readonly node: "index" }, items: Items | null): Type {
		const of = this.typeOf(expression.of, items);
		const index = this.typeOf(expression.index, items);
		if (of.kind === "any") {
			if (is(index, "number") || is(index, "string")) return any;
			return this.report(expression.index, `an index is a number or a string, not ${describeType(index)}`);
		}
		if (of.kind === "map") {
			if (is(index, "string")) return of.of;
			return this.report(expression.index, `a key of a map is a string in single quotes, not ${describeType(index)}`);
		}
		if (of.kind === "struct") return this.report(expression.index, "a struct has fields: write `.name`, not an index");
		if (of.kind !== "list" && of.kind !== "string") {
			return this.report(expression, `${describeType(of)} has no index; lists, strings and maps have one`);
		}
		if (is(index, "number")) return of.kind === "list" ? of.of : of;
		return this.report(expression.index, `an index is a number from 0, not ${describeType(index)}`);
	}

	#slice(expression: Expression & { readonly node: "slice" }, items: Items | null): Type {
		const of = this.typeOf(expression.of, items);
		for (const bound of [expression.from, expression.to]) {
			const type = this.typeOf(bound, items);
			if (!is(type, "number")) this.report(bound, `a slice goes from a number to a number, not ${describeType(type)}`);
		}
		if (of.kind === "list" || of.kind === "string" || of.kind === "any") return of;
		return this.report(expression, `${describeType(of)} has no slice; lists and strings have one`);
	}

	#call(expression: Expression & { readonly node: "call" }, items: Items | null): Type {
		const { method, item } = expression;
		const list = this.typeOf(expression.of, items);
		if (list.kind !== "list" && list.kind !== "any") {
			this.report(expression, `\`${method}\` is a function of lists, not of ${describeType(list)}`);
		}
		const of = list.kind === "list" ? list.of : any;
		const [argument] = expression.arguments;
		if (argument !== undefined && item === null) {
			this.#expectSame(expression, `\`${method}\``, [argument, this.typeOf(argument, items)], [expression.of, of]);
		}
		if (argument !== undefined && item !== null) {
			if (this.#names.has(item))
				this.report(expression, `\`${item}\` is a name of ${this.#clause}; give the item another`);
			this.expectBool(argument, `the condition of \`${method}\``, { name: item, type: of, outer: items });
		}
		if (method === "filter") return list;
		return method === "count" ? number : bool;
	}

	#construct(expression: Expression & { readonly node: "construct" }): Type {
		const { name } = expression;
		const type: Type = name === "Timestamp" ? { kind: "timestamp" } : bool;
		if (this.#clause !== "time") {
			this.report(
				expression,
				`\`${name}\` is a function of time, not of ${this.#clause}; move it to the policy's time`,
			);
			return type;
		}
		const parsed = readConstruct(expression);
		if (parsed === null) {
			const needs = name === "Timestamp" ? "1 string" : "3 strings";
			const example = name === "Timestamp" ? "'2026-03-01T00:00:00Z'" : "'0 9 * * 1-5', '8h', 'America/New_York'";
			this.report(expression, `\`${name}\` needs ${needs} in single quotes: \`${name}(${example})\``);
		} else if (typeof parsed === "object" && "wrong" in parsed)
			this.report(expression.arguments[parsed.argument] ?? expression, `\`${name}\`: ${parsed.wrong}`);
		return type;
	}

	#binary(expression: Binary, items: Items | null): Type {
		const { operator, left, right } = expression;
		if (isLogical(expression)) {
			// A chain is as deep as it is long.
			for (const operand of operandsOf(expression)) this.expectBool(operand, `\`${operator}\``, items);
			return bool;
		}
		const leftType = this.typeOf(left, items);
		const rightType = this.typeOf(right, items);
		if (operator === "in") {
			if (rightType.kind === "list") {
				this.#expectSame(expression, "`in`", [left, leftType], [right, rightType.of]);
			} else if (rightType.kind !== "any") {
				this.report(right, `\`in\` needs a list on its right, like ['a', 'b'], not ${describeType(rightType)}`);
			}
			return bool;
		}
		this.#compare([left], rightType);
		this.#compare([right], leftType);
		const message = comparisonMistake(operator, [left, leftType], [right, rightType], this.#written);
		if (message !== null) this.report(expression, message);
		return bool;
	}

	expectBool(expression: Expression, what: string, items: Items | null): void {
		const type = this.typeOf(expression, items);
		if (!is(type, "bool")) this.report(expression, `${what} needs a bool, not ${describeType(type)}; compare it`);
	}

	/** Reports a value that the items of a list never are. `of`: the type of its items. */
	#expectSame(call: Expression, what: string, [value, type]: Typed, [list, of]: Typed): void {
		this.#compare([value], of);
		if (list.node === "list") this.#compare(list.items, type);
		const whole = [type, of].find(({ kind }) => kind === "list" || kind === "map" || kind === "struct");
		if (whole !== undefined) {
			this.report(value, `${what} does not compare ${describeType(whole)}; compare one of its values`);
		} else if (unify(type, of) === null) {
			this.report(call, `${what} compares ${describeType(type)} with items that are ${of.kind} values`);
		}
	}
}

type Typed = readonly [expression: Expression, type: Type];

/** Returns why the operator does not compare the two, or null. */
function comparisonMistake(operator: BinaryOperator, left: Typed, right: Typed, written?: string): string | null {
	const isEquality = operator === "==" || operator === "!=";
	for (const [, { kind }] of [left, right]) {
		if (kind === "any" || kind === "number" || kind === "timestamp") continue;
		if (isEquality && (kind === "string" || kind === "bool")) continue;
		if (kind === "string") return `\`${operator}\` does not compare strings; it compares numbers and timestamps`;
		if (kind === "bool") return `\`${operator}\` does not compare a bool; write it alone, or with \`!\` before it`;
		const fix = kind === "list" ? "; compare its `count()`, or use `contains`" : "; compare one of its values";
		return `\`${operator}\` does not compare ${kind === "list" ? "a list" : `a ${kind}`}${fix}`;
	}
	const [leftType, rightType] = [left[1], right[1]];
	if (leftType.kind === "any" || rightType.kind === "any" || leftType.kind === rightType.kind) return null;
	const what = `\`${operator}\` compares ${describeType(leftType)} with ${describeType(rightType)}`;
	return `${what}${quoteFix(left, right, written) ?? quoteFix(right, left, written) ?? ""}`;
}

/** Returns how to write a literal so that it has the type of the other. */
function quoteFix([literal]: Typed, [, other]: Typed, written?: string): string | null {
	if (literal.node !== "literal") return null;
	if (typeof literal.value === "string" && other.kind === "number" && /^\d{1,78}$/.test(literal.value)) {
		return `; write ${quote(literal.value)} without quotes`;
	}
	if (typeof literal.value === "string" && other.kind === "timestamp") return "; write `Timestamp('…')`";
	if (typeof literal.value !== "bigint" || other.kind !== "string") return null;
	const { start, end } = literal.span;
	return `; write \`'${written?.slice(start, end) ?? literal.value}'\` in quotes`;
}

function is(type: Type, kind: Type["kind"]): boolean {
	return type.kind === kind || type.kind === "any";
}

/** Returns "; did you mean `x`?" for the nearest name, or which names there are. */
export function suggest(name: string, candidates: readonly string[]): string {
	const near = candidates.filter(
		(one) => name.length <= 60 && distance(name, one) <= Math.max(1, Math.floor(one.length / 3)),
	);
	near.sort((left, right) => distance(name, left) - distance(name, right));
	const [nearest] = near;
	if (nearest !== undefined) return `; did you mean ${quote(nearest)}?`;
	return candidates.length > 12 ? "" : `; there are ${candidates.map(quote).join(", ")}`;
}
