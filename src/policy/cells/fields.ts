/** What conditions read of an activity: each field, with the texts and numbers that conditions compare it with. */
import type { Expression } from "../language/syntax.ts";
import { namesOf, type Type } from "../language/types.ts";

/** What `any`, `all` or `filter` asks of each item of a list. */
interface Predicate {
	readonly item: string;
	readonly expression: Expression;
}

export class Field {
	/** The names from the first to its own, a key of a map as `['key']`. */
	readonly steps: readonly string[];
	readonly type: Type;
	/** Whether an activity may lack it although what it is a part of is there. */
	readonly isOptional: boolean;
	/** The field whose value holds this one: itself, a list around it; null for a struct of the language, which only groups fields. */
	readonly owner: Field | null;
	readonly parts = new Map<string, Field>();
	/** An item of a list. */
	item: Field | null = null;
	/** Of the owner: what it and its parts are compared with. */
	readonly texts = new Set<string>();
	readonly numbers = new Set<bigint>();
	/** Parts of a text that are read, by their first character and the one behind their last. */
	readonly slices = new Map<string, readonly [number, number]>();
	/** Of a list: the index behind the last item that is read by its index, and whether items are counted. */
	indexed = 0;
	isCounted = false;
	readonly predicates: Predicate[] = [];
	/** Of an item: whether conditions ask for more than its predicates tell. */
	isJoined = false;

	constructor(steps: readonly string[], type: Type, owner: Field | null, isOptional: boolean) {
		this.steps = steps;
		this.type = type;
		this.owner = owner ?? (type.kind === "struct" && type.name !== "" ? null : this);
		this.isOptional = isOptional;
	}

	get path(): string {
		return this.steps.map((step, index) => (index === 0 || step.startsWith("[") ? step : `.${step}`)).join("");
	}

	part(name: string, isKey: boolean): Field {
		const step = isKey ? `['${name}']` : name;
		const known = this.parts.get(step);
		if (known !== undefined) return known;
		const { type } = this;
		const found = type.kind === "struct" ? type.fields.get(name) : type.kind === "map" ? type.of : undefined;
		const isOptional =
			found === undefined ||
			type.kind === "map" ||
			this.path === "activity.params" ||
			(this.owner === null && this.isOptional);
		// A map is no value of its own: each key has one.
		const owner = this.owner === this && type.kind === "map" ? null : this.owner;
		const made = new Field([...this.steps, step], found ?? { kind: "any" }, owner, isOptional);
		this.parts.set(step, made);
		return made;
	}

	itemOf(): Field {
		const of: Type = this.type.kind === "list" ? this.type.of : { kind: "any" };
		this.item ??= new Field([...this.steps, "[]"], of, this.owner, false);
		return this.item;
	}
}

/** The fields that one comparison reads. Null: it reads something in a way that is not taken apart. */
export type Reads = ReadonlySet<Field> | null;

/** A name of an item, inside the names around it. */
interface Item {
	readonly name: string;
	readonly field: Field;
	readonly outer: Item | null;
}

/** Reads comparisons one after the other; the same field is one object. */
export class FieldReader {
	/** All fields that were read. */
	readonly found = new Set<Field>();
	readonly #roots = new Map<string, Field>();
	readonly #types = namesOf("condition");
	#found = new Set<Field>();
	#texts = new Set<string>();
	#numbers = new Set<bigint>();
	#isClear = true;

	read(comparison: Expression): Reads {
		this.#found = new Set();
		this.#texts = new Set();
		this.#numbers = new Set();
		this.#isClear = true;
		const field = this.#visit(comparison, null);
		if (field !== null) this.#note(field);
		for (const one of this.#found) {
			this.found.add(one);
			for (const text of this.#texts) one.texts.add(text);
			for (const number of this.#numbers) one.numbers.add(number);
		}
		return this.#isClear ? this.#found : null;
	}

	/** Notes a field whose value is used. */
	#note({ owner }: Field): void {
		if (owner === null) this.#isClear = false;
		else this.#found.add(owner);
	}

	#use(expression: Expression, item: Item | null): void {
		const field = this.#visit(expression, item);
		if (field !== null) this.#note(field);
	}

	/** Returns the field that the expression is; null where it is another value. */
	#visit(expression: Expression, item: Item | null): Field | null {
		switch (expression.node) {
			case "literal":
				if (typeof expression.value === "string") this.#texts.add(expression.value);
				if (typeof expression.value === "bigint") this.#numbers.add(expression.value);
				return null;
			case "list":
				for (const one of expression.items) this.#use(one, item);
				return null;
			case "name":
				return this.#name(expression.name, item);
			case "field":
				return this.#visit(expression.of, item)?.part(expression.name, false) ?? null;
			case "index":
				return this.#index(expression, item);
			case "slice":
				return this.#slice(expression, item);
			case "call":
				return this.#call(expression, item);
			case "not":
				this.#use(expression.of, item);
				return null;
			case "binary":
				this.#use(expression.left, item);
				if (expression.operator === "in") this.#contain(this.#visit(expression.right, item));
				else this.#use(expression.right, item);
				return null;
			default:
				this.#isClear = false;
				return null;
		}
	}

	#name(name: string, item: Item | null): Field | null {
		for (let inner = item; inner !== null; inner = inner.outer) if (inner.name === name) return inner.field;
		const type = this.#types.get(name);
		if (type === undefined) {
			this.#isClear = false;
			return null;
		}
		const root = this.#roots.get(name) ?? new Field([name], type, null, false);
		this.#roots.set(name, root);
		return root;
	}

	#index(expression: Expression & { readonly node: "index" }, item: Item | null): Field | null {
		const of = this.#visit(expression.of, item);
		const { index } = expression;
		if (of === null || index.node !== "literal") return this.#unclear();
		if (typeof index.value === "string") return of.part(index.value, true);
		if (typeof index.value !== "bigint" || index.value > 1_000n) return this.#unclear();
		const at = Number(index.value);
		if (of.type.kind === "string") return this.#part(of, at, at + 1);
		of.indexed = Math.max(of.indexed, at + 1);
		return of.itemOf();
	}

	#slice(expression: Expression & { readonly node: "slice" }, item: Item | null): Field | null {
		const of = this.#visit(expression.of, item);
		const [from, to] = [expression.from, expression.to].map((one) =>
			one.node === "literal" && typeof one.value === "bigint" && one.value <= 1_000n ? Number(one.value) : null,
		);
		if (of === null || from == null || to == null) return this.#unclear();
		if (of.type.kind === "string") return this.#part(of, from, to);
		of.indexed = Math.max(of.indexed, to);
		return of;
	}

	/** A part of a text is no field of its own: the whole text decides. */
	#part(of: Field, from: number, to: number): null {
		of.slices.set(`${from}..${to}`, [from, to]);
		this.#note(of);
		return null;
	}

	#call(expression: Expression & { readonly node: "call" }, item: Item | null): Field | null {
		const of = this.#visit(expression.of, item);
		const [argument] = expression.arguments;
		if (of === null) {
			// A list that is written out is asked whether it contains a field.
			if (argument !== undefined && expression.item === null) this.#use(argument, item);
			else if (argument !== undefined) this.#isClear = false;
			return null;
		}
		if (expression.method === "count") of.isCounted = true;
		else if (argument !== undefined && expression.item === null) {
			this.#contain(of);
			this.#use(argument, item);
		} else if (argument !== undefined && expression.item !== null) this.#ask(of, expression.item, argument, item);
		if (expression.method === "filter") return of;
		this.#note(of);
		return null;
	}

	/** Notes a list that is asked whether it contains a value: each item matters as it is. */
	#contain(of: Field | null): void {
		if (of === null) return;
		of.itemOf().isJoined = true;
		this.#note(of);
	}

	#ask(of: Field, name: string, expression: Expression, outer: Item | null): void {
		const field = of.itemOf();
		field.predicates.push({ item: name, expression });
		const before = this.#found.size;
		this.#use(expression, { name, field, outer });
		const owners = new Set([...this.#found].slice(before));
		owners.delete(of.owner ?? of);
		if (owners.size > 0 || outer !== null) field.isJoined = true;
	}

	#unclear(): null {
		this.#isClear = false;
		return null;
	}
}
