/** The lists that conditions can distinguish: by which kinds of items they have, how many are counted, and what is at a place. */
import { evaluate } from "../language/evaluate.ts";
import { isUnknown, listOf, type Value } from "../language/values.ts";
import type { Field } from "./fields.ts";

/** Max values of one field. More than policies name, and quick to try. */
export const maxValues = 6_000;

/** Says that conditions distinguish more values than are tried. */
export class TooWide extends Error {}

type ValuesOf = (field: Field) => readonly Value[];

/** An item, as one of those for which all predicates are the same, and which of them hold for it. */
interface Kind {
	readonly value: Value;
	readonly outcomes: readonly string[];
}

/** Returns the lists. `valuesOf`: the values of an item. Throws TooWide where they are too many, or where no finite number of them is enough. */
export function listsOf(field: Field, valuesOf: ValuesOf): readonly Value[] {
	const kinds = kindsOf(field, valuesOf);
	const numPlaces = Math.max(0, ...[...field.positions.keys()].map((index) => index + 1));
	const isEachCounted = field.counted.size > 1 || (field.counted.size === 1 && !field.counted.has(""));
	if (numPlaces > 0 && isEachCounted) throw new TooWide();
	const rest = isEachCounted ? countedKinds(field, kinds) : setsOf(kinds);
	const lists: (readonly Value[])[] = numPlaces === 0 ? [] : placesOf(field, kinds, numPlaces, valuesOf);
	const full = lists.filter(({ length }) => length === numPlaces);
	const starts: readonly (readonly Value[])[] = numPlaces === 0 ? [[]] : full;
	if (lists.length + starts.length * rest.length > maxValues) throw new TooWide();
	for (const start of starts) {
		for (const one of rest) if (one.length > 0 || numPlaces === 0) lists.push([...start, ...one]);
	}
	if (isEachCounted) return lists.map(listOf);
	const lengths = lengthsOf(field.counted.get("") ?? new Set());
	if (lists.length * (lengths.length + 1) > maxValues) throw new TooWide();
	const longer = lists.flatMap((list) => {
		const last = list.at(-1);
		if (last === undefined || list.length < numPlaces) return [];
		return lengths.flatMap((length) =>
			length > list.length ? [[...list, ...Array.from({ length: length - list.length }, () => last)]] : [],
		);
	});
	return [...lists, ...longer].map(listOf);
}

/** Returns the lists up to the last place that is read. */
function placesOf(field: Field, kinds: readonly Kind[], numPlaces: number, valuesOf: ValuesOf): (readonly Value[])[] {
	const isAsked = field.predicates.size > 0;
	let last: readonly (readonly Value[])[] = [[]];
	const all: (readonly Value[])[] = [[]];
	for (let index = 0; index < numPlaces; index += 1) {
		const position = field.positions.get(index);
		let values: readonly Value[] = kinds.map(({ value }) => value);
		if (position !== undefined) values = valuesOf(isAsked ? field.itemOf() : position);
		if (last.length * values.length > maxValues) throw new TooWide();
		last = last.flatMap((list) => values.map((value) => [...list, value]));
		all.push(...last);
	}
	return all;
}

/** Returns one item of each kind that predicates distinguish. */
function kindsOf({ item, predicates }: Field, valuesOf: ValuesOf): readonly Kind[] {
	if (item === null || predicates.size === 0) return [{ value: "an item", outcomes: [] }];
	const kinds = new Map<string, Kind>();
	for (const value of valuesOf(item)) {
		const outcomes = [...predicates.values()].map(({ item: name, expression }) => {
			const outcome = evaluate(expression, new Map([[name, value]]));
			return isUnknown(outcome) ? outcome.cause : String(outcome);
		});
		if (!kinds.has(outcomes.join())) kinds.set(outcomes.join(), { value, outcomes });
	}
	return [...kinds.values()];
}

/** Returns the empty list, and a list of each set of kinds: a predicate is decided by one item for which it holds, or does not. */
function setsOf(kinds: readonly Kind[]): readonly (readonly Value[])[] {
	const numPredicates = kinds[0]?.outcomes.length ?? 0;
	const columns = Array.from({ length: numPredicates }, (_, at) => kinds.map(({ outcomes }) => outcomes[at]).join());
	const longest = Math.max(1, 2 * new Set(columns).size);
	const all: (readonly Value[])[] = [[]];
	let last: readonly (readonly number[])[] = [[]];
	for (let size = 1; size <= Math.min(longest, kinds.length); size += 1) {
		last = last.flatMap((set) => [...kinds.keys()].slice((set.at(-1) ?? -1) + 1).map((index) => [...set, index]));
		if (all.length + last.length > maxValues) throw new TooWide();
		all.push(...last.map((set) => set.map((index) => kinds[index]?.value ?? "")));
	}
	return all;
}

/** Returns lists with each number of items of each kind, up to the number behind the highest bound. */
function countedKinds({ counted }: Field, kinds: readonly Kind[]): readonly (readonly Value[])[] {
	const most =
		[...counted.values()].flatMap((bounds) => [...bounds]).reduce((most, one) => (one > most ? one : most), 0n) + 1n;
	if (most > maxValues) throw new TooWide();
	let all: (readonly Value[])[] = [[]];
	for (const { value } of kinds) {
		if (all.length * (Number(most) + 1) > maxValues) throw new TooWide();
		all = all.flatMap((list) =>
			Array.from({ length: Number(most) + 1 }, (_, count) => [...list, ...Array.from({ length: count }, () => value)]),
		);
	}
	return all;
}

/** Returns each bound and its neighbours. */
const lengthsOf = (bounds: ReadonlySet<bigint>): readonly number[] => [
	...new Set([...bounds].map(Number).flatMap((bound) => [bound - 1, bound, bound + 1])),
];
