/** Finds what is allowed only under a condition on the activity, with policies that allow and policies that deny together. */

import { difference, type UserSets } from "../sets/resolve.ts";
import { type Ability, abilityOf } from "./ability.ts";
import { allowedBy, certain, ownCredentials, type Part, type PartReading, withRootQuorum } from "./judge.ts";
import type { PreparedAccess } from "./prepare.ts";

export interface ConditionalPower extends Ability {
	/** For example `wallet.id == '…'`; with what must not hold where a policy denies it there. */
	readonly condition: string;
	/** Whether the power is there where the condition holds, or where it does not (a conditional deny). */
	readonly holds: boolean;
	readonly policyIds: readonly string[];
}

/** What is allowed under one combination of conditions. */
interface Slice {
	readonly condition: string;
	readonly holds: boolean;
	/** Parts that are read in another way than where nothing is certain of the activity. */
	readonly own: readonly Part[];
	readonly userSets: UserSets;
}

/** Max pairs of a condition and a policy's condition that denies, of which each is tried. */
const maxTries = 500;

/** Returns what each condition adds to what is always allowed, and what combinations with conditions that deny add to these. */
export function findConditional(
	prepared: PreparedAccess,
	parts: readonly Part[],
	base: UserSets,
): readonly ConditionalPower[] {
	const singles = findSingles(prepared, parts).filter(({ userSets }) => addsTo(prepared, userSets, base));
	return [...singles, ...findCombined(prepared, parts, base, singles)].map(({ condition, holds, own, userSets }) => ({
		condition,
		holds,
		...abilityOf(withRootQuorum(prepared, userSets), prepared.users, prepared.budget),
		policyIds: policyIdsOf(own),
	}));
}

export const policyIdsOf = (parts: readonly Part[]): readonly string[] =>
	[...new Set(parts.flatMap(({ policyId }) => (policyId === null ? [] : [policyId])))].sort();

const addsTo = ({ users, budget }: PreparedAccess, userSets: UserSets, known: UserSets): boolean =>
	difference(userSets, known, users, budget).length > 0;

/** One condition: where it holds, for policies that allow; where it does not, for those that deny. */
function findSingles(prepared: PreparedAccess, parts: readonly Part[]): readonly Slice[] {
	const slices = new Map<string, { readonly condition: string; readonly holds: boolean; readonly own: Part[] }>();
	for (const part of parts) {
		if (part.condition === null) continue;
		const holds = part.effect === "allow";
		const key = `${holds} ${part.condition}`;
		const slice = slices.get(key) ?? { condition: part.condition, holds, own: [] };
		slice.own.push(part);
		slices.set(key, slice);
	}
	return [...slices.values()].map(({ condition, holds, own }) => {
		const changed = new Set(own);
		const userSets = allowedBy(prepared, parts, (part) => {
			if (!changed.has(part)) return certain(part);
			return holds ? "sure" : "off";
		});
		return { condition, holds, own, userSets };
	});
}

/**
 * What is allowed only where several policies that deny do not apply, or where a condition holds and these do not. Two conditions of
 * policies that allow need no combination: what both allow, one of them does.
 */
function findCombined(
	prepared: PreparedAccess,
	parts: readonly Part[],
	base: UserSets,
	singles: readonly Slice[],
): readonly Slice[] {
	const denying = conditionsOf(parts, "deny");
	const slices: Slice[] = [];
	if (denying.length === 0) return slices;
	for (const condition of [null, ...conditionsOf(parts, "allow")]) {
		const off = denying.filter((one) => one !== condition);
		if (off.length === 0 || condition === ownCredentials) continue;
		const userSets = allowedBy(prepared, parts, readingUnder(condition, off));
		const known = [...singles.filter((one) => (one.holds ? one.condition === condition : off.includes(one.condition)))];
		const without = slices.filter(({ own }) => own.every(({ effect }) => effect === "deny"));
		const reached = [...known, ...without].flatMap((one) => one.userSets);
		if (!addsTo(prepared, userSets, [...base, ...reached])) continue;
		const isShort = slices.length * denying.length < maxTries;
		const needed = isShort
			? off.filter((one) => {
					const others = off.filter((other) => other !== one);
					return addsTo(prepared, userSets, allowedBy(prepared, parts, readingUnder(condition, others)));
				})
			: off;
		const own = parts.filter((part) =>
			part.effect === "allow"
				? condition !== null && part.condition === condition
				: part.condition !== null && needed.includes(part.condition),
		);
		slices.push({ condition: write(condition, needed), holds: true, own, userSets });
	}
	return slices;
}

function conditionsOf(parts: readonly Part[], effect: Part["effect"]): readonly string[] {
	return [...new Set(parts.flatMap((part) => (part.effect === effect ? (part.condition ?? []) : [])))];
}

/** Where the condition holds, and none of those of `off` does. */
const readingUnder =
	(condition: string | null, off: readonly string[]) =>
	(part: Part): PartReading => {
		if (part.condition === null) return certain(part);
		if (part.effect === "deny") return off.includes(part.condition) ? "off" : "possible";
		return part.condition === condition ? "sure" : "off";
	};

function write(condition: string | null, off: readonly string[]): string {
	const denials = off.map((one) => `!(${one})`);
	if (condition === null) return denials.join(" && ");
	return [denials.length > 0 && condition.includes("||") ? `(${condition})` : condition, ...denials].join(" && ");
}
