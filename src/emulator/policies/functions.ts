/** The functions of lists: any, all, filter, contains and count (docs/internals/service.md#expressions). */
import { PolicyError } from "./tokens.ts";
import { type Expression, isEqual, itemTypeOf, type Scope, unify, type Value } from "./types.ts";

/** `item` names each item of the list in `body`, which is a bool. */
export interface Predicate {
	readonly item: string;
	readonly body: Expression;
}

/** What is between the parentheses; neither for `count()`. */
export interface Arguments {
	readonly predicate?: Predicate;
	readonly argument?: Expression;
}

/** Returns for each item whether the predicate holds. Every item is looked at, so that no error is left out. */
function test(list: readonly Value[], { item, body }: Predicate, scope: Scope): readonly boolean[] {
	scope.budget.left -= list.length;
	if (scope.budget.left < 0) throw new PolicyError("too many items");
	return list.map((value) => body.evaluate({ ...scope, names: { ...scope.names, [item]: value } }) as boolean);
}

const withPredicate: Readonly<Record<string, (list: readonly Value[], results: readonly boolean[]) => Value>> = {
	any: (_list, results) => results.includes(true),
	all: (_list, results) => !results.includes(false),
	filter: (list, results) => list.filter((_item, index) => results[index]),
};

/** Returns the call `list.name(…)`. Throws a PolicyError for a function or arguments that lists do not have. */
export function compileCall(list: Expression, name: string, { predicate, argument }: Arguments): Expression {
	const itemType = itemTypeOf(list);
	const listOf = (scope: Scope) => list.evaluate(scope) as readonly Value[];
	const combine = Object.hasOwn(withPredicate, name) ? withPredicate[name] : undefined;
	if (combine !== undefined && predicate !== undefined) {
		return {
			type: name === "filter" ? { list: itemType } : "bool",
			evaluate(scope) {
				const items = listOf(scope);
				return combine(items, test(items, predicate, scope));
			},
		};
	}
	if (name === "contains" && argument !== undefined) {
		if (unify(itemType, argument.type) === undefined) throw new PolicyError("the list has items of another type");
		return {
			type: "bool",
			evaluate(scope) {
				const [items, wanted] = [listOf(scope), argument.evaluate(scope)];
				return items.some((item) => isEqual(item, wanted));
			},
		};
	}
	if (name === "count" && predicate === undefined && argument === undefined) {
		return { type: "int", evaluate: (scope) => BigInt(listOf(scope).length) };
	}
	throw new PolicyError(`lists have no function ${name} with these arguments`);
}
