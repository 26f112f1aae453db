/**
 * What a set of approvers must be, as "at least" and "at most so many of these votes" with `and` and `or`. A set of votes has two
 * bounds: the votes that surely count, and those that possibly do.
 */
import type { Doubt } from "../access.ts";
import type { Bits } from "./sets.ts";
import { sizeOf } from "./sets.ts";

/** So many of this set. */
export interface Bound {
	readonly count: number;
	readonly set: Bits;
	/** The tag by which a policy names the set; null where there is none. */
	readonly tagId: string | null;
	readonly isRootQuorum: boolean;
}

export type Formula =
	| { readonly is: "constant"; readonly value: boolean }
	/** May be true or false for each set of approvers. */
	| { readonly is: "unknown"; readonly because: Doubt }
	| {
			readonly is: "atLeast" | "atMost";
			readonly count: number;
			readonly sure: Bits;
			readonly possible: Bits;
			readonly tagId: string | null;
			/** Why some only possibly count; null where no reason was found. */
			readonly because: Doubt | null;
	  }
	| { readonly is: "and" | "or"; readonly parts: readonly Formula[] };

/** All bounds hold, at least and at most. Without any, it holds for every set. */
export interface Conjunction {
	readonly atLeast: readonly Bound[];
	readonly atMost: readonly Bound[];
}

/** Which reading of what is unknown: `sure` is true only where every reading is, `possible` where any is. */
export type Reading = "sure" | "possible";

export const always: Formula = { is: "constant", value: true };
export const never: Formula = { is: "constant", value: false };

/** Says that an expression, or what follows from it, is too large to be judged exactly. */
export class TooComplex extends Error {
	readonly limit: ComplexityLimit;

	constructor(limit: ComplexityLimit) {
		super(limit);
		this.limit = limit;
	}
}

/** Returns what is found; what `otherwise` says of it where that is too complex. */
export function orTooComplex<T, U>(find: () => T, otherwise: (error: TooComplex) => U): T | U {
	try {
		return find();
	} catch (error) {
		if (error instanceof TooComplex) return otherwise(error);
		throw error;
	}
}

/** What there is too much of. */
export type ComplexityLimit =
	| "alternatives"
	| "consensus-alternatives"
	| "deny-alternatives"
	| "smallest-sets"
	| "steps";

const maxAlternatives = 2_000;

const anySet: Conjunction = { atLeast: [], atMost: [] };

export function bound(count: number, set: Bits, tagId: string | null = null, isRootQuorum = false): Bound {
	return { count, set, tagId, isRootQuorum };
}

/** Returns the formula that is true where this one is false. */
export function negate(formula: Formula): Formula {
	switch (formula.is) {
		case "constant":
			return formula.value ? never : always;
		case "unknown":
			return formula;
		case "atLeast":
			return { ...formula, is: "atMost", count: formula.count - 1 };
		case "atMost":
			return { ...formula, is: "atLeast", count: formula.count + 1 };
		default:
			return { is: formula.is === "and" ? "or" : "and", parts: formula.parts.map(negate) };
	}
}

/** Returns the formula as alternatives. Throws TooComplex where there are too many. */
export function alternativesOf(formula: Formula, reading: Reading): readonly Conjunction[] {
	switch (formula.is) {
		case "constant":
			return formula.value ? [anySet] : [];
		case "unknown":
			return reading === "possible" ? [anySet] : [];
		case "atLeast":
			return atLeast(formula.count, reading === "sure" ? formula.sure : formula.possible, formula.tagId);
		case "atMost":
			return atMost(formula.count, reading === "sure" ? formula.possible : formula.sure, formula.tagId);
		case "or":
			return checked(formula.parts.flatMap((part) => alternativesOf(part, reading)));
		case "and":
			return formula.parts.reduce<readonly Conjunction[]>(
				(all, part) => multiply(all, alternativesOf(part, reading)),
				[anySet],
			);
	}
}

function atLeast(count: number, set: Bits, tagId: string | null): readonly Conjunction[] {
	if (count <= 0) return [anySet];
	return count > sizeOf(set) ? [] : [{ atLeast: [bound(count, set, tagId)], atMost: [] }];
}

function atMost(count: number, set: Bits, tagId: string | null): readonly Conjunction[] {
	if (count < 0) return [];
	return [{ atLeast: [], atMost: count >= sizeOf(set) ? [] : [bound(count, set, tagId)] }];
}

function multiply(left: readonly Conjunction[], right: readonly Conjunction[]): readonly Conjunction[] {
	if (left.length * right.length > maxAlternatives) throw new TooComplex("consensus-alternatives");
	return left.flatMap((one) =>
		right.map((other) => ({
			atLeast: [...one.atLeast, ...other.atLeast],
			atMost: [...one.atMost, ...other.atMost],
		})),
	);
}

function checked(alternatives: readonly Conjunction[]): readonly Conjunction[] {
	if (alternatives.length > maxAlternatives) throw new TooComplex("consensus-alternatives");
	return alternatives;
}
