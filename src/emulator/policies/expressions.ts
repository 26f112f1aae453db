/** The expressions that operators, literals and absent fields make (docs/internals/service.md#expressions). */
import { own } from "../../common/own.ts";
import { PolicyError } from "./tokens.ts";
import { type Expression, isEqual, itemTypeOf, requireType, type Type, unify, type Value } from "./types.ts";

/** The largest number of the language: 256 bits. */
const maxInteger = 2n ** 256n - 1n;

type Comparison = (one: Value, other: Value) => boolean;

const comparisons: Readonly<Record<string, Comparison>> = {
	"==": (one, other) => one === other,
	"!=": (one, other) => one !== other,
	"<": (one, other) => one < other,
	">": (one, other) => one > other,
	"<=": (one, other) => one <= other,
	">=": (one, other) => one >= other,
};

export function joinOf(
	left: Expression,
	right: Expression,
	join: (one: boolean, other: boolean) => boolean,
): Expression {
	requireType(left, "bool");
	requireType(right, "bool");
	return {
		type: "bool",
		evaluate(scope) {
			const [one, other] = [left.evaluate(scope), right.evaluate(scope)];
			return join(one as boolean, other as boolean);
		},
	};
}

export function constantOf(type: Type, value: Value): Expression {
	return { type, evaluate: () => value };
}

export function numberOf(digits: string): Expression {
	const value = BigInt(digits);
	if (value > maxInteger) throw new PolicyError("a number has more than 256 bits");
	return constantOf("int", value);
}

/** Returns what has a name. It errs where the activity lacks it (MissingField). */
export function nameOf(name: string, type: Type): Expression {
	return {
		type,
		evaluate({ names }) {
			const value = names[name];
			if (value === undefined) throw new PolicyError("the activity has no such field");
			return value;
		},
	};
}

/** Returns a field that no activity of ours has (MissingField). */
export function missingOf(of: Expression): Expression {
	return {
		type: "missing",
		evaluate(scope) {
			of.evaluate(scope);
			throw new PolicyError("the activity has no such field");
		},
	};
}

/** Returns `value in list`, or `list.contains(value)`. */
export function membershipOf(value: Expression, list: Expression): Expression {
	if (unify(value.type, itemTypeOf(list)) === undefined) throw new PolicyError("the list has items of another type");
	return {
		type: "bool",
		evaluate(scope) {
			const wanted = value.evaluate(scope);
			return (list.evaluate(scope) as readonly Value[]).some((item) => isEqual(item, wanted));
		},
	};
}

/** Returns a comparison: of numbers and timestamps with every operator, of texts and, Unverified, chosen, of bools with `==` and `!=`. */
export function comparisonOf(left: Expression, operator: string, right: Expression): Expression {
	const type = unify(left.type, right.type);
	const isOrder = operator !== "==" && operator !== "!=";
	const isEquated = type === "string" || type === "bool";
	const fits = type === "missing" || type === "int" || type === "timestamp" || (isEquated && !isOrder);
	const compare = comparisons[operator];
	if (!fits || compare === undefined) throw new PolicyError(`${operator} does not compare these`);
	return {
		type: "bool",
		evaluate: (scope) => compare(left.evaluate(scope), right.evaluate(scope)),
	};
}

/** Returns `value[start]`, or `value[start..end]` without the item at `end`. It errs where the value has no such items. An absent value may have names for them. */
export function partOf(value: Expression, start: Expression, end: Expression | undefined): Expression {
	if (value.type === "missing" && start.type === "string" && end === undefined) return missingOf(value);
	requireType(start, "int");
	if (end !== undefined) requireType(end, "int");
	const isText = value.type === "string";
	const itemType = isText ? "string" : itemTypeOf(value);
	const type = end === undefined || isText || itemType === "missing" ? itemType : { list: itemType };
	return {
		type,
		evaluate: (scope) => {
			const whole = value.evaluate(scope) as string | readonly Value[];
			const first = start.evaluate(scope) as bigint;
			const last = end === undefined ? first + 1n : (end.evaluate(scope) as bigint);
			if (last < first || last > BigInt(whole.length)) throw new PolicyError("out of range");
			const part = whole.slice(Number(first), Number(last));
			return end === undefined ? (part[0] as Value) : part;
		},
	};
}

const quantifiers: Readonly<Record<string, (list: readonly Value[], results: readonly boolean[]) => Value>> = {
	any: (_list, results) => results.includes(true),
	all: (_list, results) => !results.includes(false),
	filter: (list, results) => list.filter((_item, index) => results[index]),
};

/** Returns `list.name(item, body)`. Every item is looked at, so that no error is left out. */
export function quantifierOf(list: Expression, name: string, item: string, body: Expression): Expression {
	const combine = own(quantifiers, name);
	if (combine === undefined) throw new PolicyError(`lists have no function ${name} with these arguments`);
	return {
		type: name === "filter" ? { list: itemTypeOf(list) } : "bool",
		evaluate(scope) {
			const items = list.evaluate(scope) as readonly Value[];
			scope.budget.left -= items.length;
			if (scope.budget.left < 0) throw new PolicyError("too many items");
			const test = (value: Value) => body.evaluate({ ...scope, names: { ...scope.names, [item]: value } }) as boolean;
			return combine(items, items.map(test));
		},
	};
}

/** Returns `list.count()`. */
export function countOf(list: Expression): Expression {
	return { type: "int", evaluate: (scope) => BigInt((list.evaluate(scope) as readonly Value[]).length) };
}
