/**
 * The values of a field that conditions can distinguish, all of them: each text that is named, and others; each bound of a number, and
 * its neighbours; lists with each kind of item that decides something.
 */
import { maxNumber, minNumber } from "../language/syntax.ts";
import { structOf, type Value } from "../language/values.ts";
import type { Field } from "./fields.ts";
import { listsOf, maxValues, TooWide } from "./lists.ts";

/** Returns the values; `undefined` where an activity may lack the field. Throws TooWide. */
export function valuesOf(field: Field): readonly (Value | undefined)[] {
	const values: (Value | undefined)[] = [...presentValues(field)];
	if (values.length > maxValues) throw new TooWide();
	if (field.isOptional) values.push(undefined);
	return values;
}

function presentValues(field: Field): readonly Value[] {
	switch (field.type.kind) {
		case "bool":
			return [true, false];
		case "number":
			return numbersOf(field);
		case "list":
			return listsOf(field, presentValues);
		case "struct":
		case "map":
			return structsOf(field);
		case "any":
			return anyOf(field);
		default:
			return textsOf(field);
	}
}

/** Returns values of each type, where the type is not documented; one of another type is there for what errs with it. */
function anyOf(field: Field): readonly Value[] {
	const isList = field.item !== null || field.counted.size > 0;
	const isStruct = field.parts.size > 0;
	if ((isList && isStruct) || ((isList || isStruct) && field.isCompared)) throw new TooWide();
	if (isList) return [...listsOf(field, presentValues), true];
	return isStruct ? [...structsOf(field), true] : [...textsOf(field), ...numbersOf(field), true, false];
}

/**
 * Returns each bound and the numbers beside it, as many above as fields that are compared with each other have. Unverified, chosen: a
 * number whose type is documented is not negative.
 */
function numbersOf({ type, peers }: Field): readonly bigint[] {
	const least = type.kind === "any" ? minNumber : 0n;
	const count = BigInt(peers.fields.size);
	const bounds = peers.numbers.size === 0 ? [0n] : peers.numbers;
	const near = new Set<bigint>();
	for (const bound of bounds) {
		for (let number = bound - count; number <= bound + count; number += 1n) {
			if (number >= least && number <= maxNumber) near.add(number);
		}
	}
	return [...near];
}

/** Returns the texts that are named, and others that are equal to none of them: one for each field that is compared with the others. */
function textsOf({ slices, peers }: Field): readonly string[] {
	const all = new Set(peers.texts);
	if (slices.size > 0) {
		if (peers.fields.size > 1) throw new TooWide();
		for (const text of slicedTexts([...slices.values()], [...peers.texts])) all.add(text);
	}
	for (let count = 0, number = 1; count < peers.fields.size; number += 1) {
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
	const filler = ["~", "^", "_", "`"].find((one) => !texts.some((text) => text.includes(one)));
	if (filler === undefined) throw new TooWide();
	// One longer than the parts: with all of them, and yet no text that is named.
	let made = [filler.repeat(length + 1)];
	for (const [from, to] of slices) {
		const fitting = texts.filter((text) => text.length === to - from);
		made = made.flatMap((text) => [text, ...fitting.map((one) => text.slice(0, from) + one + text.slice(to))]);
		if (made.length > maxValues) throw new TooWide();
	}
	const short = slices.flatMap(([, to]) => (to === 0 ? [] : made.map((text) => text.slice(0, to - 1))));
	return [...made, ...short];
}

function structsOf({ parts }: Field): readonly Value[] {
	let made: readonly Readonly<Record<string, Value>>[] = [{}];
	for (const [step, part] of parts) {
		const name = nameOf(step);
		const values = valuesOf(part);
		made = made.flatMap((fields) =>
			values.map((value) => (value === undefined ? fields : { ...fields, [name]: value })),
		);
		if (made.length > maxValues) throw new TooWide();
	}
	return made.map((fields) => structOf(fields));
}

/** Values by the names on the way to them. */
export interface Tree<V> extends Map<string, Tree<V> | V> {}

export function treeOf<V>(values: Iterable<readonly [steps: readonly string[], value: V]>): Tree<V> {
	const tree: Tree<V> = new Map();
	for (const [steps, value] of values) {
		let place = tree;
		for (const step of steps.slice(0, -1)) {
			const inner = place.get(nameOf(step));
			const next: Tree<V> = inner instanceof Map ? inner : new Map();
			place.set(nameOf(step), next);
			place = next;
		}
		place.set(nameOf(steps.at(-1) ?? ""), value);
	}
	return tree;
}

/** Returns the name of a step: `['key']` is `key`. */
export const nameOf = (step: string): string => (step.startsWith("['") ? step.slice(2, -2) : step);
