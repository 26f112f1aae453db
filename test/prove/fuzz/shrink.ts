/** Makes a failing input smaller, as long as it fails in the same way. */
import { isList, isObject, type Json } from "./input.ts";

/** Returns the smallest input that was found in `seconds`. */
export async function shrink(input: Json, fails: (candidate: Json) => Promise<boolean>, seconds = 10): Promise<Json> {
	const endMs = performance.now() + seconds * 1000;
	let best = input;
	for (let isSmaller = true; isSmaller; ) {
		isSmaller = false;
		for (const candidate of smaller(best)) {
			if (performance.now() > endMs) return best;
			if (!(await fails(candidate))) continue;
			best = candidate;
			isSmaller = true;
			break;
		}
	}
	return best;
}

/** Yields smaller inputs, the smallest first. */
function* smaller(input: Json): Generator<Json> {
	if (typeof input === "string") yield* shorterTexts(input);
	else if (isList(input)) yield* shorterLists(input);
	else if (isObject(input)) yield* smallerObjects(input);
	else if (typeof input === "number" && input !== 0)
		yield* [0, 1, Math.trunc(input / 2)].filter((one) => Math.abs(one) < Math.abs(input));
}

function* shorterTexts(text: string): Generator<string> {
	for (let size = text.length; size >= 1; size = Math.floor(size / 2)) {
		for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
	}
}

function* shorterLists(list: readonly Json[]): Generator<Json> {
	for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
		for (let at = 0; at < list.length; at += size) yield list.toSpliced(at, size);
	}
	for (const [index, item] of list.entries()) for (const one of smaller(item)) yield list.with(index, one);
}

function* smallerObjects(object: { readonly [key: string]: Json }): Generator<Json> {
	const entries = Object.entries(object);
	for (const index of entries.keys()) yield Object.fromEntries(entries.toSpliced(index, 1));
	for (const [index, [key, value]] of entries.entries()) {
		for (const one of smaller(value)) yield Object.fromEntries(entries.with(index, [key, one]));
	}
}
