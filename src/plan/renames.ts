/**
 * Orders renames. Names are unique (docs/internals/service.md#server-side-validation), so dependent renames form chains, which run
 * from the free end, and cycles, which cost exactly one activity more: one object takes a temporary name first. Fewer is
 * impossible: every object of a cycle needs its own activity, and whichever runs first meets a name that is still taken.
 */
import type { AddressText } from "./address.ts";
import { compareText } from "./value.ts";

export interface Rename {
	readonly id: string;
	readonly address: AddressText;
	readonly from: string;
	readonly to: string;
}

export interface OrderedRenames {
	/** In an order in which each finds its name free, those with a temporary name last. */
	readonly order: readonly Rename[];
	/** The first of each cycle: it takes a temporary name before all others. */
	readonly asides: readonly Rename[];
	/** Returns the keys of the drafts that a rename comes after: `asideKey` of an object, or its id. */
	readonly after: (rename: Rename) => readonly string[];
	/** Returns the key of the draft that frees a live name; none where its holder keeps it. */
	readonly freedBy: (name: string) => readonly string[];
}

type Blocker = (rename: Rename) => Rename | undefined;

/** By the id of an object, temporary names that an earlier plan chose; used only while they are free. */
export type TemporaryNames = Readonly<Record<string, string>>;

/** Returns the order of the renames; `holders` has the id of each live name. */
export function orderRenames(renames: readonly Rename[], holders: ReadonlyMap<string, string>): OrderedRenames {
	const byId = new Map(renames.map((rename) => [rename.id, rename]));
	const blocker = ({ id, to }: Rename): Rename | undefined => {
		const holder = holders.get(to);
		return holder === undefined || holder === id ? undefined : byId.get(holder);
	};
	const asides = renames.filter((rename) => isFirstOfCycle(rename, blocker));
	const aside = new Set(asides.map(({ id }) => id));
	const after = (rename: Rename): readonly string[] => {
		const other = blocker(rename);
		const own = aside.has(rename.id) ? [asideKey(rename.id)] : [];
		return other === undefined ? own : [...own, aside.has(other.id) ? asideKey(other.id) : other.id];
	};
	const freedBy = (name: string): readonly string[] => {
		const holder = holders.get(name) ?? "";
		return byId.has(holder) ? [aside.has(holder) ? asideKey(holder) : holder] : [];
	};
	return { order: inChainOrder(renames, aside, blocker), asides, after, freedBy };
}

export function asideKey(id: string): string {
	return `aside:${id}`;
}

/** The key of what an object becomes that takes its new name first, in the draft with its id. */
export function changedKey(id: string): string {
	return `changed:${id}`;
}

/** Whether the rename is in a cycle, and has the smallest address there. */
function isFirstOfCycle(rename: Rename, blocker: Blocker): boolean {
	const seen = new Set<string>([rename.id]);
	let smallest = rename.address;
	for (let next = blocker(rename); next !== undefined; next = blocker(next)) {
		if (next.id === rename.id) return smallest === rename.address;
		if (seen.has(next.id)) return false;
		seen.add(next.id);
		if (compareText(next.address, smallest) < 0) smallest = next.address;
	}
	return false;
}

/** Every rename after the one that frees its name; the last of a cycle is the one with a temporary name. */
function inChainOrder(renames: readonly Rename[], aside: ReadonlySet<string>, blocker: Blocker): readonly Rename[] {
	const ordered: Rename[] = [];
	const done = new Set<string>();
	for (const start of renames) {
		const chain: Rename[] = [];
		for (
			let next: Rename | undefined = start;
			next !== undefined && !done.has(next.id);
			next = aside.has(blocker(next)?.id ?? "") ? undefined : blocker(next)
		) {
			chain.push(next);
			done.add(next.id);
		}
		ordered.push(...chain.reverse());
	}
	// Objects with a temporary name depend on a chain that is walked from another one: they come last, in their own order.
	return [...ordered.filter(({ id }) => !aside.has(id)), ...ordered.filter(({ id }) => aside.has(id))];
}

/**
 * Returns a free name, the same every time for the same object. Unverified, chosen: letters, digits and hyphens only,
 * because the service's rules for the characters and length of names are not known (docs/internals/service.md#not-documented).
 */
export function temporaryName(id: string, taken: Set<string>, chosen: TemporaryNames): string {
	const stem = temporaryStem(id);
	const before = chosen[id];
	if (before !== undefined && !taken.has(before)) {
		taken.add(before);
		return before;
	}
	const ofOthers = new Set(Object.values(chosen));
	let name = stem;
	for (let count = 2; taken.has(name) || ofOthers.has(name); count += 1) name = `${stem}-${count}`;
	taken.add(name);
	return name;
}

function temporaryStem(id: string): string {
	return `orgsync-temporary-${id.slice(0, 8)}`;
}

/** Whether this can be a temporary name that orgsync gives the object. */
export function isTemporaryName(name: string, id: string): boolean {
	const stem = temporaryStem(id);
	return name === stem || (name.startsWith(`${stem}-`) && /^([2-9]|[1-9]\d+)$/.test(name.slice(stem.length + 1)));
}
