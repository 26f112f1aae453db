/** Finds what is allowed only in some cells of a group of activities, with policies that allow and policies that deny together. */

import { remember } from "../../common/remember.ts";
import { describeRegion } from "../cells/regions.ts";
import { bound } from "../sets/formula.ts";
import type { UserSets } from "../sets/resolve.ts";
import { type Bits, bit, hasBit, membersOf, placesOf, sizeOf } from "../sets/sets.ts";
import { aloneIn, findSmallestSets, hasAll, isMember, participantsIn } from "../sets/user-sets.ts";
import { type Ability, abilityOf } from "./ability.ts";
import type { ActivityExample } from "./fields.ts";
import { allOf, cellsOf, conditionOf, type GroupCell, literalsOf, partsIn, withoutOwn } from "./group-cells.ts";
import { allowedBy, type GroupParts, type Part, possibly, surely, withRootQuorum } from "./judge.ts";
import type { PreparedAccess } from "./prepare.ts";
import type { Reason } from "./reason.ts";

export interface ConditionalPower extends Ability {
	/** For example `wallet.id == '…'`; with what must not hold where a policy denies it there. */
	readonly condition: string;
	/** Whether the power is there where the condition holds, or where it does not (a conditional deny). */
	readonly holds: boolean;
	readonly policyIds: readonly string[];
	/** An activity of which it is so, where it was asked for and is found. */
	readonly example?: ActivityExample;
}

/** What is allowed where these parts have their conditions, surely and possibly. */
export interface Allowed {
	readonly parts: readonly Part[];
	readonly sure: UserSets;
	readonly possible: UserSets;
	/** Why the two may differ; null where they do not. */
	readonly because: Reason | null;
}

export type PowerCell = GroupCell & Allowed;

/** Returns why a part is unknown; null where all is known. */
export const whyOpen = (parts: readonly Part[]): Reason | null =>
	parts.find(({ unknown }) => unknown !== null)?.unknown?.because ?? null;

const judged = new WeakMap<GroupParts, readonly PowerCell[]>();

/** Returns what policies allow in each cell. Throws TooComplex. */
export function judgeCells(prepared: PreparedAccess, found: GroupParts): readonly PowerCell[] {
	return remember(judged, found, () =>
		cellsOf(found.parts, found.facts, new Set()).map((cell): PowerCell => {
			const parts = partsIn(found.parts, cell);
			return {
				...{ ...cell, parts },
				sure: allowedBy(prepared, parts, surely),
				possible: allowedBy(prepared, parts, possibly),
				because: whyOpen(parts),
			};
		}),
	);
}

/** Max parts that are unknown of which every combination is tried; so many are 64. */
const maxOpen = 6;

/**
 * Returns the users who may be in a smallest set, and who surely are: a set that is smallest where a part that is unknown applies may
 * not be so where it does not. `hasRoot`: whether the root quorum counts. Throws TooComplex.
 */
export function takingPart(prepared: PreparedAccess, parts: readonly Part[], hasRoot: boolean) {
	const { users, budget, rootQuorum } = prepared;
	const open = parts.filter(({ unknown }) => unknown !== null);
	const isOpenRoot = hasRoot && rootQuorum === null;
	const read = (readingOf: typeof surely): UserSets => {
		const allowed = allowedBy(prepared, parts, readingOf);
		return hasRoot ? withRootQuorum(prepared, allowed) : allowed;
	};
	let may = isOpenRoot || open.length > maxOpen ? users.all : 0n;
	for (let applying = 0; may !== users.all && applying < 2 ** open.length; applying += 1) {
		const sets = read((part) => (((applying >> open.indexOf(part)) & 1) === 1 ? "possible" : "sure"));
		// Of too many sets only some are tried: whoever is named in one may be in a smallest one.
		const { isComplete } = findSmallestSets(sets, budget);
		may |= isComplete ? participantsIn(sets, budget) : sets.flat().reduce((all, { set }) => all | set, 0n);
	}
	const sure = read(surely);
	if (isOpenRoot) return { may, surely: aloneIn(sure) };
	if (open.length === 0) return { may, surely: participantsIn(sure, budget) };
	const possible = read(possibly);
	const { alone, together } = findSmallestSets(sure, budget);
	const needed = together.flatMap((set) =>
		membersOf(set)
			.map(bit)
			.filter((user) => !isMember(possible, set & ~user)),
	);
	return { may, surely: needed.reduce((all, user) => all | user, alone) };
}

/** Returns what every cell allows. Where cells have no such sets in common that are found, those of users who can alone. Throws TooComplex. */
export function alwaysAllowed(prepared: PreparedAccess, found: GroupParts): UserSets {
	const { users, budget } = prepared;
	const distinct = [...new Set(judgeCells(prepared, found).map(({ sure }) => sure))];
	const least = distinct.find((one) => distinct.every((other) => hasAll(one, other, users, budget)));
	if (least !== undefined) return least;
	const alone = distinct.reduce((all, one) => all & aloneIn(one), users.all);
	return alone === 0n ? [] : [[bound(1, alone)]];
}

export const policyIdsOf = (parts: readonly Part[]): readonly string[] =>
	[...new Set(parts.flatMap(({ policyId }) => (policyId === null ? [] : [policyId])))].sort();

/** Returns what some cells allow beyond what is always allowed, each in the fewest words. Throws TooComplex. */
export function findConditional(
	prepared: PreparedAccess,
	parts: readonly Part[],
	cells: readonly PowerCell[],
	base: UserSets,
): readonly ConditionalPower[] {
	const { users, budget } = prepared;
	const adds = (sets: UserSets, known: UserSets): boolean => !hasAll(sets, known, users, budget);
	const literals = literalsOf(cells, []);
	const distinct = [...new Set(cells.map(({ sure }) => sure))];
	const regions = distinct
		.map((sure) => ({ sure, within: placesOf(cells, (one) => one.sure === sure || !adds(sure, one.sure)) }))
		.sort((one, other) => sizeOf(other.within) - sizeOf(one.within));
	const told: { readonly cells: Bits; readonly sure: UserSets }[] = [];
	const found: { readonly power: ConditionalPower; readonly rank: number }[] = [];
	for (const { sure, within } of regions) {
		const isNew = (index: number): boolean => {
			const known = told.filter((one) => hasBit(one.cells, index)).flatMap((one) => one.sure);
			return adds(sure, [...base, ...known]);
		};
		if (!membersOf(within).some(isNew)) continue;
		for (const { holding, failing: all, cells: own } of describeRegion(within, allOf(cells), literals)) {
			const failing = withoutOwn(all);
			const holds = holding.length > 0 || failing.length !== 1;
			const condition = holds ? conditionOf(holding, failing) : (failing[0] ?? null);
			if (condition === null || !membersOf(own).some(isNew)) continue;
			told.push({ cells: own, sure });
			const deciding = parts.filter((part) =>
				(part.effect === "allow" ? holding : failing).includes(part.condition ?? ""),
			);
			const ability = abilityOf(withRootQuorum(prepared, sure), users, budget);
			found.push({
				power: { condition, holds, ...ability, policyIds: policyIdsOf(deciding) },
				rank: (holding.length + failing.length) * 1_000 + failing.length,
			});
		}
	}
	return found.toSorted((one, other) => one.rank - other.rank).map(({ power }) => power);
}
