/** Compares who can do one group of activities before and after, for each condition that makes a difference. */

import type { UserSets } from "../sets/resolve.ts";
import type { GroupParts, Part, PartReading } from "./judge.ts";
import { allowedBy, withRootQuorum } from "./judge.ts";
import type { PreparedAccess } from "./prepare.ts";

/** One side of a comparison. */
export interface Side {
	readonly prepared: PreparedAccess;
	readonly found: GroupParts;
	/** Whether the root quorum is not known here, and is on the other side: then anyone may be in it. */
	readonly hidesRootQuorum: boolean;
}

/** Which conditions hold, and which unknowns that both sides share are read as true. Parts with others do not count. */
export interface Slice {
	readonly atoms: ReadonlySet<string>;
	/** The conditions among the atoms. */
	readonly conditions: ReadonlySet<string>;
	/** The conditions, as text; null where none need hold. */
	readonly condition: string | null;
}

/** What a side allows in a slice: surely, and possibly. */
export interface SideUserSets {
	readonly sureByPolicies: UserSets;
	readonly possibleByPolicies: UserSets;
	readonly sure: UserSets;
	readonly possible: UserSets;
}

const maxSlices = 2_000;

/** Max slices in which policies that deny and did not change hold: where they do, a change can be a lockout or an escalation. */
const maxDenied = 400;

/** Returns a text that is equal for parts that mean the same. */
const identityOf = (part: Part): string =>
	`${part.effect}\t${part.condition ?? ""}\t${part.unknown?.key ?? ""}\t${part.key}`;

/** Returns the keys of the unknowns that both sides have: in any reading they are the same on both. */
export function sharedUnknowns(before: GroupParts, after: GroupParts): ReadonlySet<string> {
	const keys = ({ parts }: GroupParts): string[] =>
		parts.flatMap(({ unknown }) => (unknown === null ? [] : [unknown.key]));
	const own = new Set(keys(before));
	return new Set(keys(after).filter((key) => own.has(key)));
}

/**
 * Returns whether what both sides leave unknown may differ on one of them: a consensus that is not understood may be true for any
 * sets, and what denies these sets has changed, or denies in a way that is not understood.
 */
export function dependsOnReading(
	{ parts }: GroupParts,
	changed: readonly Part[],
	shared: ReadonlySet<string>,
): boolean {
	const open = parts.filter(({ unknown }) => unknown !== null && !unknown.isAllOrNone && shared.has(unknown.key));
	return (
		open.some(({ effect }) => effect === "deny") || (open.length > 0 && changed.some(({ effect }) => effect === "deny"))
	);
}

/** Returns the parts that only one side has. */
export function changedParts(before: GroupParts, after: GroupParts): readonly Part[] {
	const [one, other] = [new Set(before.parts.map(identityOf)), new Set(after.parts.map(identityOf))];
	return [
		...before.parts.filter((part) => !other.has(identityOf(part))),
		...after.parts.filter((part) => !one.has(identityOf(part))),
	];
}

/** Max conditions of which every combination is compared. */
const maxCombined = 6;

/**
 * Returns the slices to compare; null where there are too many. Where no policy that denies has a condition, it is enough that one
 * condition holds: what is allowed under several is allowed under one of them. Else all combinations are compared; with more than
 * six conditions only those of one policy that allows with one or all of those that deny; with very many, that deny and changed.
 */
export function findSlices(
	before: GroupParts,
	after: GroupParts,
	changed: readonly Part[],
	shared: ReadonlySet<string>,
): readonly Slice[] | null {
	const all = [...before.parts, ...after.parts];
	const denying = atomSets(all.filter(isDeny), shared);
	if (denying.length > 1) {
		const atoms = new Map(atomSets(all, shared).flatMap((one) => [...one]));
		if (atoms.size <= maxCombined) return combinationsOf([...atoms]).map(makeSlice);
	}
	const changedDenies = atomSets(changed.filter(isDeny), shared);
	const allows = atomSets(
		(changed.some(isDeny) ? all : changed).filter((part) => !isDeny(part)),
		shared,
	);
	const denies = allows.length * (denying.length + 1) > maxDenied ? changedDenies : denying;
	if (allows.length * (denies.length + 1) > maxSlices) return null;
	const together = [...denies, new Map(denies.flatMap((one) => [...one]))];
	const slices = new Map<string, Slice>();
	for (const one of allows) {
		for (const other of together) {
			const atoms = new Map([...one, ...other]);
			slices.set([...atoms.keys()].sort().join("\n\n"), makeSlice(atoms));
		}
	}
	return [...slices.values()].sort((one, other) => one.atoms.size - other.atoms.size);
}

const isDeny = ({ effect }: Part): boolean => effect === "deny";

function makeSlice(atoms: ReadonlyMap<string, string>): Slice {
	const texts = [...new Set(atoms.values())];
	const condition = texts.length === 0 ? null : texts.map((text) => wrap(text, texts.length)).join(" && ");
	const conditions = new Set([...atoms].flatMap(([atom, text]) => (atom === conditionAtom(text) ? [text] : [])));
	return { atoms: new Set(atoms.keys()), conditions, condition };
}

/** Returns all combinations of the atoms, those of fewer atoms first. */
function combinationsOf(atoms: readonly (readonly [string, string])[]): readonly ReadonlyMap<string, string>[] {
	const all = Array.from(
		{ length: 2 ** atoms.length },
		(_, number) => new Map(atoms.filter((_atom, index) => (number >> index) & 1)),
	);
	return all.sort((one, other) => one.size - other.size);
}

const wrap = (text: string, count: number): string => (count > 1 && text.includes("||") ? `(${text})` : text);

/** Returns what may have to hold for each part: nothing, its condition, its condition and its unknown. */
function atomSets(parts: readonly Part[], shared: ReadonlySet<string>): readonly ReadonlyMap<string, string>[] {
	const sets = new Map<string, ReadonlyMap<string, string>>([["", new Map()]]);
	for (const { condition, unknown } of parts) {
		const atoms = new Map<string, string>();
		if (condition !== null) {
			atoms.set(conditionAtom(condition), condition);
			sets.set([...atoms.keys()].join(), new Map(atoms));
		}
		if (unknown !== null && shared.has(unknown.key)) {
			atoms.set(unknownAtom(unknown.key), unknown.text);
			sets.set([...atoms.keys()].join(), atoms);
		}
	}
	return [...sets.values()];
}

/** Returns the atom of a slice in which the condition holds. */
const conditionAtom = (condition: string): string => `condition ${condition}`;
const unknownAtom = (key: string): string => `unknown ${key}`;

/** Returns what the side allows in the slice. Throws TooComplex. */
export function userSetsIn(
	{ prepared, found, hidesRootQuorum }: Side,
	slice: Slice,
	shared: ReadonlySet<string>,
): SideUserSets {
	const reading =
		(allow: PartReading, deny: PartReading) =>
		({ effect, condition, unknown }: Part): PartReading => {
			if (condition !== null && !slice.conditions.has(condition)) return "off";
			if (unknown === null) return "sure";
			if (shared.has(unknown.key)) return slice.atoms.has(unknownAtom(unknown.key)) ? "possible" : "sure";
			return effect === "allow" ? allow : deny;
		};
	const sureByPolicies = allowedBy(prepared, found.parts, reading("sure", "possible"));
	const possibleByPolicies =
		found.missing === null ? allowedBy(prepared, found.parts, reading("possible", "sure")) : anyone(prepared);
	return {
		sureByPolicies,
		possibleByPolicies,
		sure: withRootQuorum(prepared, sureByPolicies),
		possible: hidesRootQuorum ? anyone(prepared) : withRootQuorum(prepared, possibleByPolicies),
	};
}

const anyone = ({ users }: PreparedAccess): UserSets =>
	users.all === 0n ? [] : [[{ count: 1, set: users.all, tagId: null, isRootQuorum: false }]];

/** Returns the condition under which a change is so; null where it always is. */
export function writeCondition({ condition }: Slice, unless: readonly string[]): string | null {
	const texts = [...(condition === null ? [] : [condition]), ...unless.map((text) => `!(${text})`)];
	return texts.length === 0 ? null : texts.join(" && ");
}
