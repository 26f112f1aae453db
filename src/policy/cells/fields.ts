/** What conditions read of an activity: each field, with the texts and numbers that conditions compare it with. */
import { remember } from "../../common/remember.ts";
import { printExpression } from "../language/printer.ts";
import type { Expression } from "../language/syntax.ts";
import type { Type } from "../language/types.ts";

/** Fields that are compared with each other, and what they are compared with. */
interface Peers {
	readonly fields: Set<Field>;
	readonly texts: Set<string>;
	readonly numbers: Set<bigint>;
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
	peers: Peers = { fields: new Set([this]), texts: new Set(), numbers: new Set() };
	/** Whether its value itself is compared. */
	isCompared = false;
	/** Parts of a text that are read, by their first character and the one behind their last. */
	readonly slices = new Map<string, readonly [number, number]>();
	/** Of a list: any item, and those that are read by their index. */
	item: Field | null = null;
	readonly positions = new Map<number, Field>();
	/** What `any`, `all` or `filter` asks of each item of a list, by its text. */
	readonly predicates = new Map<string, { readonly item: string; readonly expression: Expression }>();
	/** The predicates whose items are counted (empty: all items), and what the count is compared with. */
	readonly counted = new Map<string, Set<bigint>>();
	/** Of an item that is read by its index: the same of any item. */
	readonly #twin: Field | null;

	constructor(
		steps: readonly string[],
		type: Type,
		owner: Field | null,
		isOptional: boolean,
		twin: Field | null = null,
	) {
		this.steps = steps;
		this.type = type;
		this.owner = owner ?? (type.kind === "struct" && type.name !== "" ? null : this);
		this.isOptional = isOptional;
		this.#twin = twin;
	}

	get path(): string {
		return this.steps.map((step, index) => (index === 0 || step.startsWith("[") ? step : `.${step}`)).join("");
	}

	part(name: string, isKey: boolean): Field {
		const step = isKey ? `['${name}']` : name;
		return remember(this.parts, step, () => this.#makePart(name, step));
	}

	#makePart(name: string, step: string): Field {
		const { type } = this;
		const found = type.kind === "struct" ? type.fields.get(name) : type.kind === "map" ? type.of : undefined;
		const isOptional =
			found === undefined ||
			type.kind === "map" ||
			this.path === "activity.params" ||
			(this.owner === null && this.isOptional);
		// A map is no value of its own: each key has one.
		const owner = this.owner === this && type.kind === "map" ? null : this.owner;
		const twin = this.#twin?.part(name, step !== name) ?? null;
		return new Field([...this.steps, step], found ?? { kind: "any" }, owner, isOptional, twin);
	}

	itemOf(): Field {
		this.item ??= new Field([...this.steps, "[]"], this.#itemType(), this.owner, false, this.#twin?.itemOf() ?? null);
		return this.item;
	}

	at(index: number): Field {
		const make = (): Field =>
			new Field([...this.steps, `[${index}]`], this.#itemType(), this.owner, false, this.itemOf());
		return remember(this.positions, index, make);
	}

	#itemType(): Type {
		return this.type.kind === "list" ? this.type.of : { kind: "any" };
	}

	compareWith(literal: string | bigint | boolean): void {
		this.isCompared = true;
		if (typeof literal === "string") this.peers.texts.add(literal);
		if (typeof literal === "bigint") this.peers.numbers.add(literal);
		this.#twin?.compareWith(literal);
	}

	/** Notes that two fields are compared with each other: each has what the other is compared with. */
	join(other: Field): void {
		this.isCompared = true;
		other.isCompared = true;
		const [into, from] = [this.peers, other.peers];
		if (into !== from) {
			for (const text of from.texts) into.texts.add(text);
			for (const number of from.numbers) into.numbers.add(number);
			for (const field of from.fields) {
				into.fields.add(field);
				field.peers = into;
			}
		}
		if (this.#twin !== null) this.#twin.join(other);
		else if (other.#twin !== null) other.#twin.join(this);
	}

	slice(from: number, to: number): void {
		this.isCompared = true;
		this.slices.set(`${from}..${to}`, [from, to]);
		this.#twin?.slice(from, to);
	}

	ask(item: string, expression: Expression): void {
		this.predicates.set(predicateText(item, expression), { item, expression });
		this.itemOf();
		this.#twin?.ask(item, expression);
	}

	count(predicate: string, bound: bigint): void {
		this.counted.set(predicate, (this.counted.get(predicate) ?? new Set()).add(bound));
		this.#twin?.count(predicate, bound);
	}
}

export const predicateText = (item: string, expression: Expression): string =>
	`${item}, ${printExpression(expression)}`;
