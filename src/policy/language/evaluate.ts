/**
 * Evaluates an expression in three values: true, false, and unknown with its reason. There is no short circuit: an operand
 * that errs makes the whole err. Without an error, an unknown operand matters only where the others do not decide.
 */
import { callMethod, membership } from "./evaluate-list.ts";
import { compare, equal, type Order } from "./evaluate-operators.ts";
import { printExpression } from "./printer.ts";
import { type Binary, type Expression, isLogical, maxNumber, minNumber, operandsOf } from "./syntax.ts";
import { isOpen, readConstruct } from "./time.ts";
import {
	combine,
	describeValue,
	errs,
	isCount,
	isError,
	isList,
	isStruct,
	isTimestamp,
	isUnknown,
	listOf,
	structOf,
	type Unknown,
	unread,
	type Value,
} from "./values.ts";

/** What the names of a clause are. */
export type Scope = ReadonlyMap<string, Value>;

/** A name that `any`, `all` or `filter` gives to an item, inside the names around it. */
interface Item {
	readonly name: string;
	readonly value: Value;
	readonly outer: Item | null;
}

/** Max parts of expressions to evaluate in one call: functions inside functions multiply. Unverified, chosen. */
const maxSteps = 300_000;

/** Returns the value of the expression. Its cause is `error` where the service would report one. Never throws. */
export function evaluate(expression: Expression, scope: Scope): Value {
	return new Evaluation(scope).run(expression);
}

class Evaluation {
	readonly #scope: Scope;
	#steps = 0;
	/** A part of the expression that some of the activities lack. */
	#missing: Unknown | null = null;

	constructor(scope: Scope) {
		this.#scope = scope;
	}

	/** Returns the value. Without a short circuit, what is true for activities with all parts errs for those that lack one. */
	run(expression: Expression): Value {
		const value = this.value(expression, null);
		return value === true && this.#missing !== null ? this.#missing : value;
	}

	value(expression: Expression, item: Item | null): Value {
		this.#steps += 1;
		if (this.#steps > maxSteps) return unread("the expression takes too long to evaluate");
		switch (expression.node) {
			case "literal":
				return expression.value;
			case "list":
				return this.#list(expression.items, item);
			case "struct":
				return this.#struct(expression, item);
			case "name":
				return this.#name(expression.name, item);
			case "opaque":
				return this.#noteMissing({ ...unread(expression.because), mayBeMissing: true });
			case "field":
				return this.#part(this.value(expression.of, item), expression.name, expression, "a field");
			case "index":
				return this.#index(expression, item);
			case "slice":
				return this.#slice(expression, item);
			case "call":
				return this.#call(expression, item);
			case "construct":
				return this.#construct(expression);
			case "not":
				return this.#not(this.value(expression.of, item));
			case "binary":
				return this.#binary(expression, item);
		}
	}

	#list(expressions: readonly Expression[], item: Item | null): Value {
		const items = expressions.map((one) => this.value(one, item));
		return items.find(isError) ?? listOf(items);
	}

	#struct(expression: Expression & { readonly node: "struct" }, item: Item | null): Value {
		const fields = expression.fields.map(({ name, value }) => [name, this.value(value, item)] as const);
		return fields.map(([, value]) => value).find(isError) ?? structOf(Object.fromEntries(fields));
	}

	#name(name: string, item: Item | null): Value {
		for (let inner = item; inner !== null; inner = inner.outer) {
			if (inner.name === name) return inner.value;
		}
		return this.#noteMissing(
			inRange(this.#scope.get(name) ?? errs("missing-field", `no value has the name \`${name}\``)),
		);
	}

	#noteMissing<V extends Value>(value: V): V {
		if (isUnknown(value) && value.mayBeMissing === true) this.#missing = value;
		return value;
	}

	/** Returns a field of a struct, or a value of a map. */
	#part(of: Value, name: string, expression: Expression, what: string): Value {
		if (isUnknown(of)) return this.#noteMissing(of);
		if (!isStruct(of))
			return errs("wrong-type", `${describeValue(of)} has no ${what === "a field" ? "fields" : "keys"}`);
		const found = of.fields.get(name);
		if (found !== undefined) return this.#noteMissing(inRange(found));
		return of.rest ?? errs("missing-field", `there is no \`${printExpression(expression)}\``);
	}

	#index(expression: Expression & { readonly node: "index" }, item: Item | null): Value {
		const of = this.value(expression.of, item);
		const index = this.value(expression.index, item);
		if (isError(of) || isError(index)) return isError(of) ? of : index;
		if (typeof index === "string") return this.#part(of, index, expression, "a key");
		if (isUnknown(of) || isUnknown(index)) return isUnknown(of) ? of : index;
		if (isCount(index)) return index.because;
		if (typeof index !== "bigint") return errs("wrong-type", `${describeValue(index)} is no index`);
		if (typeof of === "string") return indexString(of, index, index + 1n);
		if (!isList(of)) return errs("wrong-type", `${describeValue(of)} has no index`);
		const doubts = doubtsUpTo(of.doubts, index);
		const found = of.items[Number(index)];
		if (found === undefined) return errs("out-of-range", `there is no item ${index}: the list has ${of.items.length}`);
		return doubts ?? found;
	}

	#slice(expression: Expression & { readonly node: "slice" }, item: Item | null): Value {
		const of = this.value(expression.of, item);
		const from = this.value(expression.from, item);
		const to = this.value(expression.to, item);
		const parts = [of, from, to];
		const error = parts.find(isError);
		if (error !== undefined) return error;
		if (isUnknown(of)) return of;
		for (const bound of [from, to]) {
			if (isUnknown(bound)) return bound;
			if (isCount(bound)) return bound.because;
		}
		if (typeof from !== "bigint" || typeof to !== "bigint") return errs("wrong-type", "a slice needs two numbers");
		if (typeof of === "string") return indexString(of, from, to);
		if (!isList(of)) return errs("wrong-type", `${describeValue(of)} has no slice`);
		if (from < 0n || from > to || to > of.items.length) {
			return errs("out-of-range", `there is no slice ${from}..${to}: the list has ${of.items.length}`);
		}
		return doubtsUpTo(of.doubts, to) ?? listOf(of.items.slice(Number(from), Number(to)));
	}

	#call(expression: Expression & { readonly node: "call" }, item: Item | null): Value {
		const of = this.value(expression.of, item);
		if (isError(of)) return of;
		if (expression.item === null) {
			const values = expression.arguments.map((one) => this.value(one, item));
			const error = values.find(isError);
			if (error !== undefined) return error;
			if (isList(of)) this.#steps += of.items.length;
			return callMethod(expression.method, of, values);
		}
		const [argument] = expression.arguments;
		if (!isList(of) || argument === undefined) return callMethod(expression.method, of, []);
		const { item: name } = expression;
		const results = of.items.map((value) => this.value(argument, { name, value, outer: item }));
		return callMethod(expression.method, of, results);
	}

	#construct(expression: Expression & { readonly node: "construct" }): Value {
		const { name } = expression;
		const read = readConstruct(expression);
		if (read === null)
			return errs("wrong-type", `\`${name}\` needs ${name === "Timestamp" ? "one string" : "three strings"}`);
		if (typeof read === "bigint") return { timestamp: read };
		if ("wrong" in read) return errs("wrong-type", `\`${name}\`: ${read.wrong}`);
		const now = this.#now();
		if (!isTimestamp(now)) return now;
		const clockChange = "no documentation says whether a schedule fires at a time that a clock change skips or repeats";
		return isOpen(read, Number(floorToMs(now.timestamp))) ?? unread(clockChange);
	}

	/** Returns `time.now`, which `CronSpan` reads. */
	#now(): Value {
		const time = this.#scope.get("time");
		const now = time !== undefined && isStruct(time) ? time.fields.get("now") : time;
		if (now !== undefined && (isTimestamp(now) || isUnknown(now))) return now;
		return errs("missing-field", "there is no `time.now`");
	}

	#not(of: Value): Value {
		if (isUnknown(of)) return of;
		return typeof of === "boolean" ? !of : errs("wrong-type", `\`!\` needs a bool, not ${describeValue(of)}`);
	}

	#binary(expression: Binary, item: Item | null): Value {
		if (isLogical(expression)) return this.#logical(expression.operator, expression, item);
		const { operator } = expression;
		const left = this.value(expression.left, item);
		const right = this.value(expression.right, item);
		if (isError(left) || isError(right)) return isError(left) ? left : right;
		if (operator === "in") {
			if (isList(right)) this.#steps += right.items.length;
			return membership(left, right, "in");
		}
		if (operator !== "==" && operator !== "!=") return compare(operator as Order, left, right);
		const isEqual = equal(left, right, operator);
		return operator === "==" || typeof isEqual !== "boolean" ? isEqual : !isEqual;
	}

	/** Evaluates a chain of one operator at once: `a && b && c`. */
	#logical(operator: "&&" | "||", chain: Expression, item: Item | null): Value {
		const decisive = operator === "||";
		const unknowns: Unknown[] = [];
		let isDecided = false;
		for (const operand of operandsOf(chain)) {
			const value = this.value(operand, item);
			if (isUnknown(value)) unknowns.push(value);
			else if (typeof value !== "boolean") {
				unknowns.push(errs("wrong-type", `\`${operator}\` needs a bool, not ${describeValue(value)}`));
			} else if (value === decisive) isDecided = true;
		}
		const error = unknowns.find(isError);
		if (error !== undefined) return error;
		return isDecided ? decisive : (combine(unknowns) ?? !decisive);
	}
}

/** Returns a part of a string. Unverified, chosen: only ASCII, since it is not documented what a character is. */
function indexString(text: string, from: bigint, to: bigint): Value {
	if (/\P{ASCII}/u.test(text)) return unread("a part of a string with other characters than ASCII is not documented");
	if (from < 0n || from > to || to > text.length) {
		return errs("out-of-range", `there is no part ${from}..${to}: the string has ${text.length} characters`);
	}
	return text.slice(Number(from), Number(to));
}

/** Returns why an item up to an index, included, may be missing, which shifts those behind it; null: all are there. */
function doubtsUpTo(doubts: ReadonlyMap<number, Unknown> | null, index: bigint): Unknown | null {
	return combine([...(doubts ?? [])].filter(([at]) => BigInt(at) <= index).map(([, one]) => one));
}

function inRange(value: Value): Value {
	if (typeof value !== "bigint" || (value >= minNumber && value <= maxNumber)) return value;
	return errs("out-of-range", "a number that neither 128 bits with a sign nor 256 bits hold");
}

function floorToMs(nanoseconds: bigint): bigint {
	const ms = nanoseconds / 1_000_000n;
	return nanoseconds < 0n && ms * 1_000_000n !== nanoseconds ? ms - 1n : ms;
}
