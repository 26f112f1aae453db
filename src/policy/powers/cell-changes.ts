/** What both sides of a comparison allow in each cell, and what changes between them. */
import type { Literal } from "../cells/regions.ts";
import { bound } from "../sets/formula.ts";
import { difference, type UserSets } from "../sets/resolve.ts";
import { type Bits, membersOf, subsetsOf } from "../sets/sets.ts";
import { aloneIn, fewestIn, findSmallestSets, hasAll, participantsIn } from "../sets/user-sets.ts";
import type { ActivityFacts } from "./activity.ts";
import { whyOpen } from "./conditional.ts";
import { cellsOf, literalsOf, partsIn } from "./group-cells.ts";
import {
	allowedBy,
	type GroupParts,
	ownCredentials,
	ownCredentialsRight,
	type Part,
	type PartReading,
	withRootQuorum,
} from "./judge.ts";
import type { PreparedAccess } from "./prepare.ts";
import { isUndocumented, notRead, type Reason } from "./reason.ts";

/** One side of a comparison. */
export interface Side {
	readonly prepared: PreparedAccess;
	readonly found: GroupParts;
	/** Whether the root quorum is not known here, and is on the other side: then anyone may be in it. */
	readonly hidesRootQuorum: boolean;
}

/** What a side allows in a cell: surely, and possibly. */
interface SideUserSets {
	readonly sureByPolicies: UserSets;
	readonly possibleByPolicies: UserSets;
	readonly sure: UserSets;
	readonly possible: UserSets;
}

/** A cell, in one reading of what both sides leave unknown. */
export interface JudgedCell {
	/** The conditions and unknowns that hold. */
	readonly holding: ReadonlySet<string>;
	/** The unknowns among all conditions. */
	readonly unknowns: ReadonlySet<string>;
	/** Those that no documentation says. */
	readonly undocumented: ReadonlySet<string>;
	readonly before: SideUserSets;
	readonly after: SideUserSets;
	/** Whether what only one side leaves unknown matters. */
	readonly isUnknown: boolean;
}

interface Question {
	readonly facts: ActivityFacts;
	readonly changed: readonly Part[];
	readonly apart: ReadonlySet<string>;
}

interface FoundCells {
	readonly cells: readonly JudgedCell[];
	readonly literals: readonly Literal[];
	/** Whether what both sides leave unknown may differ on one of them. */
	readonly isOpen: boolean;
	/** Why something of a cell is unknown; null where all is known. */
	readonly because: Reason | null;
}

/** Returns all cells, those in which the fewest conditions hold first. Throws TooComplex. */
export function findCellsOf(before: Side, after: Side, { facts, changed, apart }: Question): FoundCells {
	const all = [...before.found.parts, ...after.found.parts];
	const judged: JudgedCell[] = [];
	let isOpen = [before, after].some(({ prepared }) => !prepared.access.users.known);
	let open: Reason | null = null;
	const found = cellsOf(all, facts, apart);
	for (const cell of found) {
		const [one, other] = [partsIn(before.found.parts, cell), partsIn(after.found.parts, cell)];
		const shared = sharedUnknowns(one, other);
		const isEach = shared.size <= maxShared && found.length * 2 ** shared.size <= maxReadings;
		isOpen ||= !isEach || dependsOnReading(one, changed, shared);
		open ??= whyOpen([...other, ...one]);
		const undocumented = new Set(
			one.flatMap(({ unknown }) => (unknown !== null && isUndocumented(unknown.because) ? [unknown.text] : [])),
		);
		for (const read of readingsOf([...shared.keys()], isEach)) {
			const [was, is] = [userSetsIn(before, one, shared, read), userSetsIn(after, other, shared, read)];
			const users = before.prepared;
			// Whether policies allow it at all decides about a lockout, though the root quorum can do it.
			const isLockoutOpen =
				was.sureByPolicies.length > 0 &&
				is.sureByPolicies.length === 0 &&
				is.possibleByPolicies.length > 0 &&
				!hasAll(was.sure, is.sure, users.users, users.budget);
			const isUnknown =
				isLockoutOpen || [was, is].some(({ sure, possible }) => !hasAll(possible, sure, users.users, users.budget));
			judged.push({
				holding: new Set([...cell.holding, ...read.map((key) => shared.get(key) ?? "")]),
				unknowns: new Set(shared.values()),
				undocumented,
				before: was,
				after: is,
				isUnknown,
			});
		}
	}
	judged.sort((one, other) => one.holding.size - other.holding.size);
	const cells = judged.map(({ holding }) => ({ holding, open: new Map<string, string>() }));
	return { cells: judged, literals: literalsOf(cells, changed), isOpen, because: open };
}

/** Returns the unknowns that both sides have, with their texts: in any reading they are the same on both. */
function sharedUnknowns(before: readonly Part[], after: readonly Part[]): ReadonlyMap<string, string> {
	const own = new Set(before.flatMap(({ unknown }) => unknown?.key ?? []));
	return new Map(
		after.flatMap(({ unknown }) => (unknown !== null && own.has(unknown.key) ? [[unknown.key, unknown.text]] : [])),
	);
}

/** Max unknowns of a cell of which each combination is read. */
const maxShared = 3;

/** Max readings of all cells together. */
const maxReadings = 300;

/** Returns which unknowns are read as true: each combination, or else none, each and all. */
export const readingsOf = (keys: readonly string[], isEach: boolean): readonly (readonly string[])[] =>
	isEach ? subsetsOf(keys) : [[], ...keys.map((key) => [key]), keys];

/**
 * Returns whether what both sides leave unknown may differ on one of them: a consensus that is not understood may be true for any
 * sets, and what denies these sets has changed, or denies in a way that is not understood.
 */
function dependsOnReading(
	parts: readonly Part[],
	changed: readonly Part[],
	shared: ReadonlyMap<string, string>,
): boolean {
	const open = parts.filter(({ unknown }) => unknown !== null && !unknown.isAllOrNone && shared.has(unknown.key));
	return open.length > 0 && [...open, ...changed].some(({ effect }) => effect === "deny");
}

/** Returns what the side allows. Throws TooComplex. */
function userSetsIn(
	{ prepared, found, hidesRootQuorum }: Side,
	parts: readonly Part[],
	shared: ReadonlyMap<string, string>,
	read: readonly string[],
): SideUserSets {
	const reading =
		(allow: PartReading, deny: PartReading) =>
		({ effect, unknown }: Part): PartReading => {
			if (unknown === null) return "sure";
			if (shared.has(unknown.key)) return read.includes(unknown.key) ? "possible" : "sure";
			return effect === "allow" ? allow : deny;
		};
	const sureByPolicies = allowedBy(prepared, parts, reading("sure", "possible"));
	const possibleByPolicies =
		found.missing === null ? allowedBy(prepared, parts, reading("possible", "sure")) : anyone(prepared);
	return {
		sureByPolicies,
		possibleByPolicies,
		sure: withRootQuorum(prepared, sureByPolicies),
		possible: hidesRootQuorum ? anyone(prepared) : withRootQuorum(prepared, possibleByPolicies),
	};
}

const anyone = ({ users }: PreparedAccess): UserSets => (users.all === 0n ? [] : [[bound(1, users.all)]]);

/** What changes in one cell. */
export interface CellChanges {
	/** Sets that are new, and sets that are gone. */
	readonly more: UserSets;
	readonly less: UserSets;
	/** Users who can do it alone now; whether that is an escalation. */
	readonly alone: Bits;
	readonly escalates: boolean;
	/** The users who were enough by policies, where only the root quorum is now. */
	readonly lockedOut: Bits;
	readonly fewer: { readonly users: Bits; readonly witness: Bits } | null;
	readonly gains: Bits;
	readonly loses: Bits;
}

/** Returns what changes in the cell. `isSensitive`: whether one user alone, where two were needed, is an escalation. Throws TooComplex. */
export function changesBetween(cell: JudgedCell, prepared: PreparedAccess, isSensitive: boolean): CellChanges {
	const { before, after } = cell;
	const { users, budget } = prepared;
	const usersIn = (userSets: UserSets): Bits => participantsIn(userSets, budget);
	const more = difference(after.sure, before.possible, users, budget);
	const less = difference(before.sure, after.possible, users, budget);
	const alone = aloneIn(after.sure) & ~aloneIn(before.possible);
	const isLockout = less.length > 0 && before.sureByPolicies.length > 0 && after.possibleByPolicies.length === 0;
	return {
		more,
		less,
		alone,
		escalates: isSensitive && !isOwn(cell) && alone !== 0n && neededTwo(before.possibleByPolicies, prepared),
		lockedOut: isLockout ? usersIn(before.sureByPolicies) : 0n,
		fewer: more.length === 0 ? null : findFewer(cell, more, prepared),
		gains: more.length === 0 ? 0n : usersIn(more) & ~usersIn(before.possible) & ~aloneIn(more),
		loses: less.length === 0 || isLockout ? 0n : usersIn(less) & ~usersIn(after.possible),
	};
}

/** Whether users may change the credentials because they are their own. */
const isOwn = ({ holding, unknowns }: JudgedCell): boolean =>
	holding.has(ownCredentials) && (holding.has(ownCredentialsRight) || !unknowns.has(ownCredentialsRight));

/** Returns whether sets are new or gone where users may change their own credentials that are not where they may not. Throws TooComplex. */
export function differsForOwn(
	cells: readonly JudgedCell[],
	changes: readonly CellChanges[],
	{ users, budget }: PreparedAccess,
): boolean {
	const isIn = (some: UserSets, all: UserSets): boolean => hasAll(some, all, users, budget);
	return cells.some((cell, index) => {
		const own = changes[index];
		if (own === undefined || !cell.holding.has(ownCredentialsRight)) return false;
		return changes.some((other, at) => {
			const holding = new Set(cells[at]?.holding).add(ownCredentialsRight);
			const isTwin = holding.size === cell.holding.size && [...holding].every((text) => cell.holding.has(text));
			return isTwin && !(isIn(own.more, other.more) && isIn(own.less, other.less));
		});
	});
}

function findFewer({ before, after }: JudgedCell, more: UserSets, { budget }: PreparedAccess): CellChanges["fewer"] {
	if (aloneIn(more) !== 0n) return null;
	const [least, most] = [fewestIn(after.sureByPolicies, budget), fewestIn(before.possibleByPolicies, budget)];
	if (least === null || least >= (most ?? 0)) return null;
	const sets = findSmallestSets(more, budget).together;
	const witness = sets[0] ?? 0n;
	const users = sets.filter((set) => membersOf(set).length === least).reduce((all, set) => all | set, 0n);
	return { users: users || witness, witness };
}

/** Returns whether two or more were needed: by policies, or by the root quorum where no one could by policies. */
function neededTwo(byPolicies: UserSets, { access: { rootQuorum } }: PreparedAccess): boolean {
	if (byPolicies.length > 0) return aloneIn(byPolicies) === 0n;
	return !rootQuorum.known || rootQuorum.value.threshold >= 2;
}

/** Returns a text that is equal for parts that mean the same. */
const identityOf = (part: Part): string =>
	`${part.effect}\t${part.condition ?? ""}\t${part.unknown?.key ?? ""}\t${part.key}`;

/** Returns the parts that only one side has. */
export function changedParts(before: GroupParts, after: GroupParts): readonly Part[] {
	const [one, other] = [new Set(before.parts.map(identityOf)), new Set(after.parts.map(identityOf))];
	return [
		...before.parts.filter((part) => !other.has(identityOf(part))),
		...after.parts.filter((part) => !one.has(identityOf(part))),
	];
}

/** Returns whether the root quorum is the same on both sides, and policies that are not known are too. */
export function isSameBase(one: Side, other: Side): boolean {
	const [before, after] = [one.prepared, other.prepared];
	if (JSON.stringify(before.access.rootQuorum) !== JSON.stringify(after.access.rootQuorum)) return false;
	if (one.found.missing === null && other.found.missing === null) return true;
	return (
		JSON.stringify(one.found.missing) === JSON.stringify(other.found.missing) &&
		JSON.stringify(before.access.users) === JSON.stringify(after.access.users)
	);
}

/** Returns why something is unknown: what was not read, then what changed, then what is so in some cells. Null: all is known. */
export function whyUnknown(before: Side, after: Side, changed: readonly Part[], inCells: Reason | null): Reason | null {
	for (const { prepared, found } of [after, before]) {
		const { users } = prepared.access;
		if (found.missing !== null) return notRead(found.missing);
		if (!users.known) return notRead(users.because);
		// What both sides leave unknown is named only where nothing that changed is unknown.
		const because = whyOpen([...changed, ...found.parts]);
		if (because !== null) return because;
	}
	if (inCells !== null) return inCells;
	for (const { prepared } of [after, before]) {
		const { rootQuorum } = prepared.access;
		if (!rootQuorum.known) return notRead(rootQuorum.because);
	}
	return null;
}
