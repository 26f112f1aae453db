/** Types and values of the policy language (docs/internals/service.md#expressions), and the expressions that give them. */
import { own } from "../../common/own.ts";
import { PolicyError } from "./tokens.ts";

/** `missing` is the type of a field that no activity of ours has: it fits every type, and evaluating it errs. */
export type Type =
	| "bool"
	| "int"
	| "string"
	| "timestamp"
	| "missing"
	| { readonly list: Type }
	| { readonly fields: Readonly<Record<string, Type>> };

export type Value = boolean | bigint | string | number | readonly Value[] | { readonly [field: string]: Value };

/** The values of names while an expression is evaluated. */
export interface Scope {
	readonly names: Readonly<Record<string, Value>>;
	/** How many more items of lists may be looked at. */
	readonly budget: { left: number };
}

/** An expression whose type is known. `evaluate` throws a PolicyError when the expression errs. */
export interface Expression {
	readonly type: Type;
	evaluate(scope: Scope): Value;
}

const isListType = (type: Type): type is { readonly list: Type } => typeof type === "object" && "list" in type;

/** Returns the type that fits both, or undefined. */
export function unify(one: Type, other: Type): Type | undefined {
	if (one === "missing") return other;
	if (other === "missing" || one === other) return one;
	if (isListType(one) && isListType(other)) {
		const item = unify(one.list, other.list);
		return item === undefined ? undefined : { list: item };
	}
	if (typeof one === "string" || typeof other === "string" || isListType(one) || isListType(other)) return undefined;
	if (Object.keys(one.fields).length !== Object.keys(other.fields).length) return undefined;
	const fields: Record<string, Type> = {};
	for (const [name, type] of Object.entries(one.fields)) {
		const otherType = own(other.fields, name);
		const both = otherType && unify(type, otherType);
		if (both === undefined) return undefined;
		fields[name] = both;
	}
	return { fields };
}

/** Throws a PolicyError unless the expression fits the type. */
export function requireType(expression: Expression, type: Type): void {
	if (unify(expression.type, type) === undefined) throw new PolicyError("an operand has another type");
}

/** Returns the type of the items of a list. Throws a PolicyError for anything but a list. */
export function itemTypeOf(expression: Expression): Type {
	if (expression.type === "missing") return "missing";
	if (!isListType(expression.type)) throw new PolicyError("not a list");
	return expression.type.list;
}

/** Returns the type of a field. Throws a PolicyError when the type has no such field. */
export function fieldTypeOf(type: Type, name: string): Type {
	if (type === "missing") return "missing";
	const found = typeof type === "string" || isListType(type) ? undefined : own(type.fields, name);
	if (found === undefined) throw new PolicyError(`no field ${name}`);
	return found;
}

/** Whether two values of one type are equal. */
export function isEqual(one: Value, other: Value): boolean {
	if (typeof one !== "object" || typeof other !== "object") return one === other;
	if (Array.isArray(one) && Array.isArray(other)) {
		return one.length === other.length && one.every((item, index) => isEqual(item, other[index] as Value));
	}
	const [left, right] = [one, other] as Readonly<Record<string, Value>>[];
	return Object.entries(left ?? {}).every(([name, value]) => isEqual(value, right?.[name] as Value));
}
