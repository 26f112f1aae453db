/** What differs between the state of a resource and its program, property by property: what the engine shows and policies read. */
import { canonicalJson, sameValue } from "../../plan/value.ts";

export interface PropertyChange {
	/** Names and indexes. The index of an added item is that in the new list, of a deleted one that in the old list. */
	readonly path: readonly (string | number)[];
	readonly kind: "add" | "delete" | "update";
	/** Whether the change replaces the resource. */
	readonly replaces?: true;
	/** Whether the old value is an input: the state does not have the property. */
	readonly isOfInputs?: true;
}

/** The differences of two values. Lists are sets: their order does not matter, and neither do items that are undefined. */
export function compareValues(
	path: PropertyChange["path"],
	before: unknown,
	after: unknown,
): readonly PropertyChange[] {
	if (sameValue(before, after)) return [];
	if (before === undefined) return [{ path, kind: "add" }];
	if (after === undefined) return [{ path, kind: "delete" }];
	if (Array.isArray(before) && Array.isArray(after)) return compareSets(path, before, after);
	if (!isObject(before) || !isObject(after)) return [{ path, kind: "update" }];
	const names = new Set([...Object.keys(before), ...Object.keys(after)]);
	return [...names].flatMap((name) => compareValues([...path, name], before[name], after[name]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function compareSets(
	path: PropertyChange["path"],
	before: readonly unknown[],
	after: readonly unknown[],
): readonly PropertyChange[] {
	const deleted = indexesOfOthers(before, after);
	const added = indexesOfOthers(after, before);
	const indexes = [...new Set([...deleted, ...added])].sort((left, right) => left - right);
	return indexes.flatMap((index): readonly PropertyChange[] => {
		const kind = !added.has(index) ? "delete" : deleted.has(index) ? "update" : "add";
		const [old, item] = [before[index], after[index]];
		if (kind === "update" && isObject(old) && isObject(item)) return compareValues([...path, index], old, item);
		return [{ path: [...path, index], kind }];
	});
}

function indexesOfOthers(list: readonly unknown[], other: readonly unknown[]): ReadonlySet<number> {
	const known = new Set(other.map(canonicalJson));
	const isOther = (item: unknown): boolean => item !== undefined && !known.has(canonicalJson(item));
	return new Set(list.flatMap((item, index) => (isOther(item) ? [index] : [])));
}

/** The changes with one for each of these properties, which are secrets: a path below one would show how many items it has. */
export function asWhole(changes: readonly PropertyChange[], names: readonly string[]): readonly PropertyChange[] {
	const isPart = ({ path: [name] }: PropertyChange): boolean => names.includes(String(name));
	const parts = Map.groupBy(changes.filter(isPart), ({ path: [name] }) => String(name));
	const wholes = [...parts].map(([name, below]): PropertyChange => {
		const whole = below.find(({ path }) => path.length === 1);
		return whole ?? { ...below[0], path: [name], kind: "update" };
	});
	return [...changes.filter((change) => !isPart(change)), ...wholes];
}

/** The changes, with one of the whole property for each of the names that no change names yet. */
export function including(
	changes: readonly PropertyChange[],
	more: readonly PropertyChange[],
): readonly PropertyChange[] {
	const known = new Set(changes.map(({ path: [name] }) => name));
	return [...changes, ...more.filter(({ path: [name] }) => !known.has(name))];
}

export function replacesOf(changes: readonly PropertyChange[]): string[] {
	return namesOf(changes.filter(({ replaces }) => replaces));
}

export function namesOf(changes: readonly PropertyChange[]): string[] {
	return [...new Set(changes.map(({ path: [name] }) => String(name)))];
}
