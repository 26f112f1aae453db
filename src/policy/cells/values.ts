/** The values of a field that conditions can tell apart, or more of them: each text that is named, and another; each bound of a number, and its neighbours. */
import { evaluate } from "../language/evaluate.ts";
import type { Type } from "../language/types.ts";
import { isUnknown, listOf, structOf, type Value } from "../language/values.ts";
import type { Field } from "./fields.ts";

/** Max values of one field. More than policies name, and quick to try. */
const maxValues = 6_000;

/** Says that conditions tell apart more values than are tried. */
export class TooWide extends Error {}

/** Returns the values; `undefined` where an activity may lack the field. Throws TooWide. */
export function valuesOf(field: Field): readonly (Value | undefined)[] {
	const values: (Value | undefined)[] = [...presentValues(field, field.owner ?? field)];
	if (values.length > maxValues) throw new TooWide();
	if (field.isOptional) values.push(undefined);
	return values;
}

function presentValues(field: Field, owner: Field): readonly Value[] {
	switch (kindOf(field, owner)) {
		case "bool":
			return [true, false];
		case "number":
			return numbersOf(owner);
		case "list":
			return listsOf(field, owner);
		case "struct":
			return structsOf(field, owner);
		case "mixed":
			return [...textsOf(field, owner), ...numbersOf(owner)];
		default:
			return textsOf(field, owner);
	}
}

/** Returns what the field holds: its type, or what conditions take it for where its type is not documented. */
function kindOf({ type, parts, item }: Field, { texts, numbers }: Field): Type["kind"] | "mixed" {
	if (type.kind === "map") return "struct";
	if (type.kind !== "any") return type.kind;
	if (parts.size > 0) return "struct";
	if (item !== null) return "list";
	if (texts.size > 0) return numbers.size > 0 ? "mixed" : "string";
	return numbers.size > 0 ? "number" : "bool";
}

function numbersOf({ numbers }: Field): readonly bigint[] {
	const near = [...numbers].flatMap((number) => [number, number + 1n, number + 2n, number - 1n]);
	return [...new Set([...near, 0n, 1n])].filter((number) => number >= 0n);
}

/** Returns the texts that are named, and two others that are equal to none of them. */
function textsOf({ slices }: Field, { texts }: Field): readonly string[] {
	const all = new Set(texts);
	if (slices.size > 0) for (const text of slicedTexts([...slices.values()], [...texts])) all.add(text);
	for (let count = 0, number = 1; count < 2; number += 1) {
		const text = number === 1 ? "another" : `another ${number}`;
		if (all.has(text)) continue;
		all.add(text);
		count += 1;
	}
	return [...all];
}

/** Returns texts that have each named text in each part that is as long, in all combinations, and texts that lack the parts. */
function slicedTexts(slices: readonly (readonly [number, number])[], texts: readonly string[]): readonly string[] {
	const length = Math.max(...slices.map(([, to]) => to));
	let made = ["~".repeat(length)];
	for (const [from, to] of slices) {
		const fitting = texts.filter((text) => text.length === to - from);
		made = made.flatMap((text) => [text, ...fitting.map((one) => text.slice(0, from) + one + text.slice(to))]);
		if (made.length > maxValues) throw new TooWide();
	}
	const short = slices.flatMap(([, to]) => (to === 0 ? [] : made.map((text) => text.slice(0, to - 1))));
	return [...made, ...short];
}

function structsOf({ parts }: Field, owner: Field): readonly Value[] {
	let made: readonly Readonly<Record<string, Value>>[] = [{}];
	for (const [step, part] of parts) {
		const name = nameOf(step);
		const values: readonly (Value | undefined)[] = [
			...presentValues(part, owner),
			...(part.isOptional ? [undefined] : []),
		];
		made = made.flatMap((fields) =>
			values.map((value) => (value === undefined ? fields : { ...fields, [name]: value })),
		);
		if (made.length > maxValues) throw new TooWide();
	}
	return made.map((fields) => structOf(fields));
}

/** Returns the name of a step: `['key']` is `key`. */
export const nameOf = (step: string): string => (step.startsWith("['") ? step.slice(2, -2) : step);

/** Max items that differ of one list. */
const maxItems = 40;

/** Max items of a list, apart from those that are counted. */
const maxLength = 3;

/**
 * Returns lists of up to three items that conditions tell apart, one with all of them, and, where items are counted, longer ones.
 * Unverified, chosen: what only a list of four different items shows is not found.
 */
function listsOf(field: Field, owner: Field): readonly Value[] {
	const items = field.item === null ? ["an item"] : distinctItems(field.item, owner);
	if (items.length > maxItems) throw new TooWide();
	const isOrdered = field.indexed > 0;
	let last: readonly (readonly number[])[] = [[]];
	const all: (readonly number[])[] = [[]];
	const longest = Math.max(2, Math.min(maxLength, Math.max(field.indexed, field.item?.predicates.length ?? 0)));
	for (let length = 1; length <= longest; length += 1) {
		last = last.flatMap((list) =>
			items.flatMap((_, index) => (isOrdered || index >= (list.at(-1) ?? 0) ? [[...list, index]] : [])),
		);
		all.push(...last);
		if (all.length > maxValues) throw new TooWide();
	}
	all.push([...items.keys()]);
	if (field.isCounted) all.push(...countedLists(all, owner.numbers));
	if (all.length > maxValues) throw new TooWide();
	return all.map((list) => listOf(list.map((index) => items[index] ?? "")));
}

/** Returns the lists with one of their items repeated up to each bound and its neighbours. */
function countedLists(lists: readonly (readonly number[])[], numbers: ReadonlySet<bigint>): readonly number[][] {
	const lengths = new Set([...numbers].flatMap((number) => [Number(number), Number(number) + 1]));
	return [...lengths]
		.filter((length) => length > 2 && length < 100)
		.flatMap((length) =>
			lists.flatMap((list) =>
				list.length < length
					? [...new Set(list)].map((index) => [...list, ...Array.from({ length: length - list.length }, () => index)])
					: [],
			),
		);
}

/** Returns the items that predicates tell apart: one of those for which all predicates are the same. */
function distinctItems(item: Field, owner: Field): readonly Value[] {
	const items = presentValues(item, owner);
	if (item.isJoined || item.predicates.length === 0 || (owner.item === item && owner.indexed > 0)) return items;
	const distinct = new Map<string, Value>();
	for (const value of items) {
		const outcomes = item.predicates.map(({ item: name, expression }) => {
			const outcome = evaluate(expression, new Map([[name, value]]));
			return isUnknown(outcome) ? outcome.cause : String(outcome);
		});
		if (!distinct.has(outcomes.join())) distinct.set(outcomes.join(), value);
	}
	return [...distinct.values()];
}
