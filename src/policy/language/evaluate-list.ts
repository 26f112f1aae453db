/** The functions of lists. An item may be unknown, or may be missing; no operand is an error. */
import { equal } from "./evaluate-operators.ts";
import type { Method } from "./syntax.ts";
import {
	combine,
	describeValue,
	errs,
	isError,
	isList,
	isUnknown,
	type List,
	type Unknown,
	type Value,
} from "./values.ts";

/** Returns the value of a list's function. `results`: the condition's value for each item, or the argument of `contains`. */
export function callMethod(method: Method, of: Value, results: readonly Value[]): Value {
	if (isUnknown(of)) return of;
	if (!isList(of)) return errs("wrong-type", `\`${method}\` needs a list, not ${describeValue(of)}`);
	if (method === "count") return countOf(of);
	if (method === "contains") return membership(results[0] ?? false, of, "contains");
	const conditions = results.map((result) => conditionOf(result, method));
	if (method === "filter") return filter(of, conditions);
	return someOf(of, conditions, method === "any");
}

export function membership(value: Value, list: Value, what: string): Value {
	if (isUnknown(list)) return list;
	if (!isList(list)) return errs("wrong-type", `\`${what}\` needs a list, not ${describeValue(list)}`);
	// An unknown value is in no empty list.
	return someOf(
		list,
		list.items.map((item) => equal(item, value, what)),
		true,
	);
}

function conditionOf(result: Value, method: Method): boolean | Unknown {
	if (typeof result === "boolean" || isUnknown(result)) return result;
	return errs("wrong-type", `the condition of \`${method}\` is ${describeValue(result)}, not a bool`);
}

/** Returns how many items there are: exactly, or at least and at most. */
function countOf({ items, doubts }: List): Value {
	const because = combine([...(doubts?.values() ?? [])]);
	const atMost = BigInt(items.length);
	return because === null ? atMost : { atLeast: atMost - BigInt(doubts?.size ?? 0), atMost, because };
}

/** Returns the error of the first item that errs; for an item that may be missing, its doubt. Null: none errs. */
function errorOf({ doubts }: List, conditions: readonly (boolean | Unknown)[]): Unknown | null {
	const errors = conditions.flatMap((condition, index) =>
		typeof condition !== "boolean" && isError(condition) ? [doubts?.get(index) ?? condition] : [],
	);
	return errors.find(isError) ?? errors[0] ?? null;
}

/** Whether `any` condition holds (or `all` do): what decides is a certain item whose condition is known. */
function someOf(list: List, conditions: readonly (boolean | Unknown)[], isAny: boolean): boolean | Unknown {
	const error = errorOf(list, conditions);
	if (error !== null) return error;
	const reasons: Unknown[] = [];
	let isDecided = false;
	for (const [index, condition] of conditions.entries()) {
		const doubt = list.doubts?.get(index);
		if (condition === !isAny) continue;
		if (doubt !== undefined) reasons.push(doubt);
		if (typeof condition !== "boolean") reasons.push(condition);
		else if (doubt === undefined) isDecided = true;
	}
	return isDecided ? isAny : (combine(reasons) ?? !isAny);
}

function filter(list: List, conditions: readonly (boolean | Unknown)[]): Value {
	const error = errorOf(list, conditions);
	if (error !== null) return error;
	const items: Value[] = [];
	const doubts = new Map<number, Unknown>();
	for (const [index, condition] of conditions.entries()) {
		const item = list.items[index];
		if (condition === false || item === undefined) continue;
		const reasons = [list.doubts?.get(index), condition].filter((reason) => typeof reason === "object");
		const doubt = combine(reasons);
		if (doubt !== null) doubts.set(items.length, doubt);
		items.push(item);
	}
	return { items, doubts: doubts.size === 0 ? null : doubts };
}
