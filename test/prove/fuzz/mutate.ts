/** Changes texts and trees by chance: what hand-made and generated inputs have in common is made wrong here. */
import type { Dice } from "./dice.ts";
import { characters, numbers, texts, values } from "./hostile.ts";
import { isList, isObject, type Json, type JsonObject } from "./input.ts";

/** What the inputs of a target are made of, so that a change can put a sound part in the wrong place. */
export interface Words {
	readonly keys: readonly string[];
	readonly values: readonly Json[];
	/** Parts of a text. */
	readonly tokens: readonly string[];
}

/** Returns the words of these trees, and of these texts. */
export function wordsOf(trees: readonly Json[], sources: readonly string[] = []): Words {
	const keys = new Set<string>();
	const found = new Map<string, Json>();
	const collect = (value: Json): void => {
		found.set(JSON.stringify(value), value);
		if (isList(value)) value.forEach(collect);
		else if (isObject(value)) {
			for (const [key, entry] of Object.entries(value)) {
				keys.add(key);
				collect(entry);
			}
		}
	};
	trees.forEach(collect);
	const tokens = new Set(sources.flatMap((source) => source.match(/[\w-]+|\s+|[^\w\s]+/g) ?? []));
	return { keys: [...keys], values: [...found.values()], tokens: [...tokens] };
}

/** Returns the text with `count` changes. */
export function mutateText(text: string, dice: Dice, words: Words, count: number): string {
	let changed = text;
	for (let left = count; left > 0; left -= 1) changed = changeText(changed, dice, words);
	return changed;
}

type ChangeText = (text: string, at: number, dice: Dice, words: Words) => string;

const insert = (text: string, at: number, part: string): string => text.slice(0, at) + part + text.slice(at);

const textChanges: readonly ChangeText[] = [
	(text, at, dice) => insert(text, at, dice.pick(characters)),
	(text, at, dice, { tokens }) => insert(text, at, tokens.length === 0 ? dice.pick(texts) : dice.pick(tokens)),
	(text, at, dice) => insert(text, at, dice.pick(texts)),
	(text, at, dice) => text.slice(0, at) + text.slice(at + 1 + dice.small(8)),
	(text, at, dice) => text.slice(0, at) + text.slice(at + dice.int(text.length - at + 1)),
	(text, at, dice) => text.slice(0, at) + dice.pick(characters) + text.slice(at + 1),
	(text, at, dice) => insert(text, at, text.slice(at, at + 1 + dice.small(200))),
	(text, at, dice) => insert(text, dice.int(text.length + 1), text.slice(at, at + 1 + dice.small(60))),
	(text, at, dice) =>
		insert(text, at, text.slice(at, at + 1 + dice.int(3)).repeat(dice.pick([3, 20, 70, 300, 1500, 20_000]))),
	(text, at, dice) => text.slice(0, at) + text.slice(at).replace(/\d+/, () => String(dice.pick(numbers))),
	(text, at) => text.slice(0, at),
	(text, at) => text.slice(at),
	(text, at, dice) => swapLines(text, at, dice),
	(text, at, dice) => {
		const code = text.charCodeAt(at) ^ (1 << dice.int(8));
		return Number.isNaN(code) ? text : text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
	},
];

function changeText(text: string, dice: Dice, words: Words): string {
	return dice.pick(textChanges)(text, dice.int(text.length + 1), dice, words);
}

function swapLines(text: string, at: number, dice: Dice): string {
	const lines = text.split("\n");
	const [from, to] = [Math.min(lines.length - 1, at), dice.int(lines.length)];
	const [line = ""] = lines.splice(from, 1);
	lines.splice(to, 0, `${" ".repeat(dice.int(5))}${line.trimStart()}`);
	return lines.join("\n");
}

/** Returns the tree with `count` changes, each at a place of its own. */
export function mutateTree(tree: Json, dice: Dice, words: Words, count: number): Json {
	let changed = tree;
	for (let left = count; left > 0; left -= 1) changed = changeTree(changed, dice, words);
	return changed;
}

function changeTree(tree: Json, dice: Dice, words: Words): Json {
	const keys = typeof tree === "object" && tree !== null ? Object.keys(tree) : [];
	if (keys.length === 0 || !dice.chance(0.85)) return changeHere(tree, dice, words);
	const key = dice.pick(keys);
	if (isList(tree)) return tree.with(Number(key), changeTree(tree[Number(key)] ?? null, dice, words));
	return withEntry(tree as JsonObject, key, changeTree((tree as JsonObject)[key] ?? null, dice, words));
}

/** Returns the object with this entry as its own, also for `__proto__`. */
function withEntry(object: JsonObject, key: string, value: Json): JsonObject {
	return Object.fromEntries([...Object.entries(object).filter(([name]) => name !== key), [key, value]]);
}

/** Numbers in texts that no clock and no count has. */
const digits = ["9999999999999999", "99999999999999999999", "0", "00", "-1", "1e21", "0.5", ""];

function changeHere(tree: Json, dice: Dice, words: Words): Json {
	const other = (): Json =>
		words.values.length === 0 || dice.chance(0.4) ? dice.pick(values) : dice.pick(words.values);
	if (dice.chance(0.3)) return other();
	if (typeof tree === "string" && /^\d+$/.test(tree) && dice.chance(0.7)) return dice.pick(digits);
	if (typeof tree === "string") return mutateText(tree, dice, words, 1);
	if (typeof tree === "number") return dice.chance(0.5) ? dice.pick(numbers) : tree + dice.pick([1, -1, 0.5]);
	if (isList(tree)) return changeList(tree, dice, other);
	if (isObject(tree)) return changeObject(tree, dice, words, other);
	return other();
}

function changeList(list: readonly Json[], dice: Dice, other: () => Json): Json {
	const at = dice.int(list.length + 1);
	switch (dice.int(6)) {
		case 0:
			return list.toSpliced(at, 1);
		case 1:
			return list.toSpliced(at, 0, other());
		case 2:
			return [...list, ...list];
		case 3:
			return list.toReversed();
		case 4:
			return dice.chance(0.1) ? nest(list, dice) : [list];
		default:
			return list.length === 0 ? [other()] : Array(dice.pick([2, 10, 120])).fill(dice.pick(list));
	}
}

function changeObject(object: JsonObject, dice: Dice, words: Words, other: () => Json): Json {
	const entries = Object.entries(object);
	const key = (): string => (words.keys.length === 0 || dice.chance(0.3) ? dice.pick(texts) : dice.pick(words.keys));
	const at = dice.int(entries.length + 1);
	switch (dice.int(6)) {
		case 0:
			return Object.fromEntries(entries.toSpliced(at, 1));
		case 1:
			return withEntry(object, key(), other());
		case 2:
			return Object.fromEntries(entries.map((entry, index) => (index === at ? [key(), entry[1]] : entry)));
		case 3:
			return Object.fromEntries(entries.map((entry, index) => (index === at ? [entry[0], other()] : entry)));
		case 4:
			return dice.chance(0.1) ? nest(object, dice) : { [key()]: object };
		default:
			return Object.fromEntries(entries.toReversed());
	}
}

/** Returns the value at the end of many levels. */
function nest(value: Json, dice: Dice): Json {
	let nested = value;
	const isOfLists = dice.chance(0.5);
	for (let left = dice.pick([10, 65, 200, 600]); left > 0; left -= 1) nested = isOfLists ? [nested] : { a: nested };
	return nested;
}
