/**
 * Reads the comparisons of conditions: which fields each reads, and what it compares them with. Only a comparison whose fields have
 * finitely many values that it can distinguish is read; any other is one opaque value.
 */
import { remember } from "../../common/remember.ts";
import { type Binary, type Expression, isLogical, operandsOf } from "../language/syntax.ts";
import { namesOf } from "../language/types.ts";
import { Field, predicateText } from "./fields.ts";

/** The fields that one comparison reads. Null: not all that it can distinguish is known. */
type Reads = ReadonlySet<Field> | null;

/** A name of an item. */
interface Item {
	readonly name: string;
	readonly field: Field;
}

/** A part of a comparison. */
type Operand =
	| { readonly is: "literal"; readonly value: string | bigint | boolean }
	| { readonly is: "field"; readonly field: Field }
	| { readonly is: "slice"; readonly field: Field; readonly from: number; readonly to: number }
	| { readonly is: "count"; readonly field: Field; readonly predicate: string }
	/** True or false for each value of the fields that it reads. */
	| { readonly is: "bool" };

/** Says that a comparison is not read. */
class Unclear extends Error {}

const maxIndex = 1_000n;

/** Reads comparisons one after the other; the same field is one object. */
export class FieldReader {
	/** All fields that were read. */
	readonly found = new Set<Field>();
	readonly #roots = new Map<string, Field>();
	readonly #types = namesOf("condition");
	#found = new Set<Field>();
	/** What the comparison says of its fields; it counts only where the whole comparison is read. */
	#notes: (() => void)[] = [];

	read(comparison: Expression): Reads {
		this.#found = new Set();
		this.#notes = [];
		try {
			this.#bool(comparison, null);
		} catch (error) {
			if (error instanceof Unclear) return null;
			throw error;
		}
		for (const note of this.#notes) note();
		for (const one of this.#found) this.found.add(one);
		return this.#found;
	}

	/** Notes a field whose value is used. */
	#use({ owner }: Field): void {
		if (owner === null) throw new Unclear();
		this.#found.add(owner);
	}

	#bool(expression: Expression, item: Item | null): void {
		const operand = this.#operand(expression, item);
		if (operand.is === "field") this.#notes.push(() => operand.field.compareWith(true));
	}

	#operand(expression: Expression, item: Item | null): Operand {
		switch (expression.node) {
			case "literal":
				return { is: "literal", value: expression.value };
			case "not":
				this.#bool(expression.of, item);
				return { is: "bool" };
			case "binary":
				this.#binary(expression, item);
				return { is: "bool" };
			case "call":
				return this.#call(expression, item);
			case "slice": {
				const field = this.#path(expression.of, item);
				const [from, to] = [indexOf(expression.from), indexOf(expression.to)];
				if (!isOneOf(field, ["string"])) throw new Unclear();
				this.#use(field);
				return { is: "slice", field, from, to };
			}
			case "index": {
				const field = this.#path(expression.of, item);
				if (!isOneOf(field, ["string"])) break;
				const from = indexOf(expression.index);
				this.#use(field);
				return { is: "slice", field, from, to: from + 1 };
			}
		}
		const field = this.#path(expression, item);
		this.#use(field);
		return { is: "field", field };
	}

	#binary(expression: Binary, item: Item | null): void {
		const { operator, left, right } = expression;
		if (isLogical(expression)) for (const operand of operandsOf(expression)) this.#bool(operand, item);
		else if (operator === "in") this.#contains(right, left, item);
		else this.#compare(this.#operand(left, item), this.#operand(right, item));
	}

	#compare(left: Operand, right: Operand): void {
		if (left.is === "literal" && right.is !== "literal") {
			this.#compare(right, left);
			return;
		}
		if (left.is === "field" && right.is === "field") {
			this.#compareFields(left.field, right.field);
			return;
		}
		if (right.is !== "literal") {
			const [bool, other] = left.is === "bool" ? [left, right] : [right, left];
			if (bool.is !== "bool") throw new Unclear();
			if (other.is === "field") this.#notes.push(() => other.field.compareWith(true));
			return;
		}
		const { value } = right;
		if (left.is === "count") {
			if (typeof value !== "bigint" || value >= maxIndex) throw new Unclear();
			this.#notes.push(() => left.field.count(left.predicate, value));
		}
		if (left.is === "slice") this.#notes.push(() => left.field.slice(left.from, left.to));
		if (left.is === "slice" || left.is === "field") this.#notes.push(() => left.field.compareWith(value));
	}

	/** Two fields have enough values only where both are of the same simple type, and no table lists what one of them is. */
	#compareFields(left: Field, right: Field): void {
		if (left.type.kind !== right.type.kind || !isOneOf(left, ["string", "number", "bool"])) throw new Unclear();
		const [isListed, isOtherListed] = [isOfActivity(left), isOfActivity(right)];
		if (isListed !== isOtherListed) throw new Unclear();
		if (!isListed) this.#notes.push(() => left.join(right));
	}

	#contains(list: Expression, of: Expression, item: Item | null): void {
		const value = this.#operand(of, item);
		if (list.node === "list") {
			for (const one of list.items) this.#compare(value, this.#operand(one, item));
			return;
		}
		const field = this.#listOf(list, item);
		if (value.is !== "literal") throw new Unclear();
		const { span } = of;
		const name = { node: "name", name: "item", span } as const;
		this.#notes.push(() => {
			field.ask("item", { node: "binary", operator: "==", left: name, right: of, span });
			field.itemOf().compareWith(value.value);
		});
	}

	#listOf(expression: Expression, item: Item | null): Field {
		const field = this.#path(expression, item);
		if (!isOneOf(field, ["list", "any"])) throw new Unclear();
		this.#use(field);
		return field;
	}

	#call(expression: Expression & { readonly node: "call" }, item: Item | null): Operand {
		const { of, method, arguments: args } = expression;
		const [argument] = args;
		if (method === "count") {
			if (of.node !== "call" || of.method !== "filter")
				return { is: "count", field: this.#listOf(of, item), predicate: "" };
			const field = this.#ask(of, item);
			const [condition] = of.arguments;
			if (of.item === null || condition === undefined) throw new Unclear();
			return { is: "count", field, predicate: predicateText(of.item, condition) };
		}
		if (argument === undefined) throw new Unclear();
		if (method === "contains") this.#contains(of, argument, item);
		else this.#ask(expression, item);
		return { is: "bool" };
	}

	/** Reads what is asked of each item of a list; returns the list. */
	#ask(expression: Expression & { readonly node: "call" }, item: Item | null): Field {
		const { of, item: name } = expression;
		const [condition] = expression.arguments;
		if (name === null || condition === undefined) throw new Unclear();
		const list = this.#listOf(of, item);
		this.#bool(condition, { name, field: list.itemOf() });
		this.#notes.push(() => list.ask(name, condition));
		return list;
	}

	/** Returns the field that the expression is. */
	#path(expression: Expression, item: Item | null): Field {
		switch (expression.node) {
			case "name":
				return this.#name(expression.name, item);
			case "field":
				return this.#path(expression.of, item).part(expression.name, false);
			case "index": {
				const of = this.#path(expression.of, item);
				const { index } = expression;
				if (index.node === "literal" && typeof index.value === "string") return of.part(index.value, true);
				return of.at(indexOf(index));
			}
			default:
				throw new Unclear();
		}
	}

	#name(name: string, item: Item | null): Field {
		if (item?.name === name) return item.field;
		// What is asked of an item together with something else depends on both.
		const type = this.#types.get(name);
		if (item !== null || type === undefined) throw new Unclear();
		return remember(this.#roots, name, () => new Field([name], type, null, false));
	}
}

const isOneOf = ({ type }: Field, kinds: readonly Field["type"]["kind"][]): boolean => kinds.includes(type.kind);

function indexOf(expression: Expression): number {
	if (expression.node !== "literal" || typeof expression.value !== "bigint") throw new Unclear();
	if (expression.value > maxIndex) throw new Unclear();
	return Number(expression.value);
}

/** Whether the table of activities says what it is. */
export const isOfActivity = ({ steps }: Field): boolean =>
	steps[0] === "activity" && steps.length === 2 && steps[1] !== "params";

/** Whether the table of activities says which activities have it. */
export const isParameter = ({ steps }: Field): boolean => steps[0] === "activity" && steps[1] === "params";
