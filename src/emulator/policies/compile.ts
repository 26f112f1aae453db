/**
 * Compiles an expression of the policy language into a function (docs/internals/service.md#expressions). Shares nothing with the evaluator
 * that plans use, so that a mistake there cannot hide here.
 *
 * An expression has no short circuit: both sides of `&&` and `||` and every item of a list are evaluated, and one error is an
 * error of the whole.
 */

import { own } from "../../common/own.ts";
import { policyLimits } from "../assumptions.ts";
import {
	comparisonOf,
	constantOf,
	countOf,
	joinOf,
	membershipOf,
	missingOf,
	nameOf,
	numberOf,
	partOf,
	quantifierOf,
} from "./expressions.ts";
import { timeFunctions } from "./schedule.ts";
import { PolicyError, readTokens, type Token } from "./tokens.ts";
import { type Expression, fieldTypeOf, itemTypeOf, requireType, type Type, unify, type Value } from "./types.ts";

/** The names that an expression may use, and whether the functions of `time` are among them. */
export interface Vocabulary {
	readonly names: Readonly<Record<string, Type>>;
	readonly hasTimeFunctions: boolean;
}

/** Returns whether the expression holds with these values. Throws a PolicyError when it errs. */
export type Compiled = (names: Readonly<Record<string, Value>>) => boolean;

class Compiler {
	readonly #tokens: readonly Token[];
	readonly #vocabulary: Vocabulary;
	readonly #items: [string, Type][] = [];
	#next = 0;
	#depth = 0;

	constructor(expression: string, vocabulary: Vocabulary) {
		this.#tokens = readTokens(expression);
		if (this.#tokens.length > policyLimits.tokens) throw new PolicyError("too long");
		this.#vocabulary = vocabulary;
	}

	compile(): Expression {
		const expression = this.#disjunction();
		if (this.#peek().kind !== "end") throw new PolicyError("more than one expression");
		requireType(expression, "bool");
		return expression;
	}

	#peek(): Token {
		return this.#tokens[this.#next] ?? { kind: "end", value: "" };
	}

	#take(): Token {
		const token = this.#peek();
		this.#next += 1;
		return token;
	}

	/** Takes the next token when it is one of these symbols or names; undefined otherwise. */
	#takeOne(kind: Token["kind"], ...values: readonly string[]): string | undefined {
		const { kind: found, value } = this.#peek();
		if (found !== kind || !values.includes(value)) return undefined;
		this.#next += 1;
		return value;
	}

	#require(symbol: string): void {
		if (this.#takeOne("symbol", symbol) === undefined) throw new PolicyError(`${symbol} is missing`);
	}

	// `&&` binds tighter than `||` (assumptions.ts).
	#disjunction(): Expression {
		this.#depth += 1;
		if (this.#depth > policyLimits.depth) throw new PolicyError("nested too deep");
		let left = this.#conjunction();
		while (this.#takeOne("symbol", "||") !== undefined) {
			left = joinOf(left, this.#conjunction(), (one, other) => one || other);
		}
		this.#depth -= 1;
		return left;
	}

	#conjunction(): Expression {
		let left = this.#comparison();
		while (this.#takeOne("symbol", "&&") !== undefined) {
			left = joinOf(left, this.#comparison(), (one, other) => one && other);
		}
		return left;
	}

	#comparison(): Expression {
		const left = this.#negation();
		const operator = this.#takeOne("symbol", "==", "!=", "<", ">", "<=", ">=") ?? this.#takeOne("name", "in");
		if (operator === undefined) return left;
		const right = this.#negation();
		return operator === "in" ? membershipOf(left, right) : comparisonOf(left, operator, right);
	}

	#negation(): Expression {
		if (this.#takeOne("symbol", "!") === undefined) return this.#postfix(this.#primary());
		const operand = this.#negation();
		requireType(operand, "bool");
		return { type: "bool", evaluate: (scope) => !(operand.evaluate(scope) as boolean) };
	}

	#postfix(start: Expression): Expression {
		let value = start;
		for (;;) {
			if (this.#takeOne("symbol", ".") !== undefined) value = this.#member(value);
			else if (this.#takeOne("symbol", "[") !== undefined) value = this.#part(value);
			else return value;
		}
	}

	#member(value: Expression): Expression {
		const { kind, value: name } = this.#take();
		if (kind !== "name") throw new PolicyError("a name is missing");
		if (this.#takeOne("symbol", "(") !== undefined) return this.#call(value, name);
		const type = fieldTypeOf(value.type, name);
		if (type === "missing") return missingOf(value);
		const evaluate: Expression["evaluate"] = (scope) =>
			(value.evaluate(scope) as Readonly<Record<string, Value>>)[name] as Value;
		return { type, evaluate };
	}

	#call(list: Expression, name: string): Expression {
		if (name === "contains") {
			const argument = this.#disjunction();
			this.#require(")");
			return membershipOf(argument, list);
		}
		const itemType = itemTypeOf(list);
		if (this.#takeOne("symbol", ")") !== undefined) {
			if (name === "count") return countOf(list);
			throw new PolicyError(`lists have no function ${name} with these arguments`);
		}
		const { item, body } = this.#predicate(itemType);
		this.#require(")");
		return quantifierOf(list, name, item, body);
	}

	/** Takes a name for each item of a list, and a bool about it. */
	#predicate(itemType: Type): { readonly item: string; readonly body: Expression } {
		const { kind, value: item } = this.#take();
		if (kind !== "name" || reserved.has(item) || Object.hasOwn(this.#vocabulary.names, item)) {
			throw new PolicyError("the name of an item is missing");
		}
		this.#require(",");
		this.#items.push([item, itemType]);
		const body = this.#disjunction();
		this.#items.pop();
		requireType(body, "bool");
		return { item, body };
	}

	/** An index or a slice. */
	#part(value: Expression): Expression {
		const start = this.#disjunction();
		const end = this.#takeOne("symbol", "..") === undefined ? undefined : this.#disjunction();
		this.#require("]");
		return partOf(value, start, end);
	}

	#primary(): Expression {
		const { kind, value } = this.#take();
		if (kind === "number") return numberOf(value);
		if (kind === "text") return constantOf("string", value);
		if (kind === "name") return this.#name(value);
		if (kind === "symbol" && value === "(") {
			const inner = this.#disjunction();
			this.#require(")");
			return inner;
		}
		if (kind === "symbol" && value === "[") return this.#list();
		if (kind === "symbol" && value === "{") return this.#struct();
		throw new PolicyError("an operand is missing");
	}

	#name(name: string): Expression {
		if (name === "true" || name === "false") return constantOf("bool", name === "true");
		const item = this.#items.findLast(([known]) => known === name);
		const type = item?.[1] ?? own(this.#vocabulary.names, name);
		return type === undefined ? this.#timeFunction(name) : nameOf(name, type);
	}

	#timeFunction(name: string): Expression {
		const compileTime = this.#vocabulary.hasTimeFunctions ? timeFunctions.get(name) : undefined;
		if (compileTime === undefined) throw new PolicyError(`unknown name ${name}`);
		this.#require("(");
		const texts: string[] = [];
		do {
			const { kind, value } = this.#take();
			if (kind !== "text") throw new PolicyError("a text is missing");
			texts.push(value);
		} while (this.#takeOne("symbol", ",") !== undefined);
		this.#require(")");
		return compileTime(texts);
	}

	#list(): Expression {
		const items: Expression[] = [];
		if (this.#takeOne("symbol", "]") === undefined) {
			do items.push(this.#disjunction());
			while (this.#takeOne("symbol", ",") !== undefined);
			this.#require("]");
		}
		let itemType: Type = "missing";
		for (const { type } of items) {
			const both = unify(itemType, type);
			if (both === undefined) throw new PolicyError("a list has items of one type");
			itemType = both;
		}
		return { type: { list: itemType }, evaluate: (scope) => items.map((item) => item.evaluate(scope)) };
	}

	#struct(): Expression {
		const fields = new Map<string, Expression>();
		if (this.#takeOne("symbol", "}") === undefined) {
			do {
				const { kind, value: name } = this.#take();
				if (kind !== "name" || fields.has(name)) throw new PolicyError("the name of a field is missing");
				this.#require(":");
				fields.set(name, this.#disjunction());
			} while (this.#takeOne("symbol", ",") !== undefined);
			this.#require("}");
		}
		const entries = [...fields];
		return {
			type: { fields: Object.fromEntries(entries.map(([name, { type }]) => [name, type])) },
			evaluate: (scope) => Object.fromEntries(entries.map(([name, field]) => [name, field.evaluate(scope)])),
		};
	}
}

const reserved: ReadonlySet<string> = new Set(["true", "false", "in"]);

/** Returns the expression as a function. Throws a PolicyError when it is not understood. */
export function compileExpression(text: string, vocabulary: Vocabulary): Compiled {
	const { evaluate } = new Compiler(text, vocabulary).compile();
	return (names) => evaluate({ names, budget: { left: policyLimits.items } }) as boolean;
}
