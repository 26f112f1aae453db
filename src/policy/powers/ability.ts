/** Writes user sets as abilities: users alone, smallest sets together, thresholds. */

import type { UserSets } from "../sets/resolve.ts";
import { sizeOf } from "../sets/sets.ts";
import { aloneIn, findSmallestSets } from "../sets/user-sets.ts";
import { idsOf, type Votes } from "../sets/votes.ts";
import type { Budget } from "../sets/work.ts";
import type { Reason } from "./reason.ts";

/** At least so many of these users. */
export interface Threshold {
	readonly atLeast: number;
	/** User ids, sorted. */
	readonly of: readonly string[];
	/** The tag that these users have in common and by which the policy names them; null where there is none. */
	readonly tagId: string | null;
	readonly isRootQuorum: boolean;
}

/** Who can do something. All lists are sorted; a set is a list of user ids. */
export interface Ability {
	/** Users whose own approval is enough. */
	readonly alone: readonly string[];
	/** The smallest sets of two and more users, by size and then by their ids; at most `maxWrittenSets` of them. */
	readonly together: readonly (readonly string[])[];
	/** The same sets and the users of `alone`, written short: each alternative is a list of thresholds that all must hold. */
	readonly thresholds: readonly (readonly Threshold[])[];
	/** Whether `together` holds all sets; where it does not, `thresholds` says what else there is. */
	readonly isComplete: boolean;
}

/** Who can do it, so far as that is known. */
export interface KnownAbility extends Ability {
	/** Why not everything is known; null where it is. */
	readonly unknown: Reason | null;
}

/** Returns the user sets as an ability. */
export function abilityOf(userSets: UserSets, users: Votes, budget: Budget): Ability {
	const { together, isComplete } = findSmallestSets(userSets, budget);
	const alone = aloneIn(userSets);
	// Sets that have a user who is enough alone are not smallest.
	const isSmallest = (alternative: UserSets[number]): boolean =>
		aloneIn([alternative]) !== 0n || alternative.every(({ count, set }) => count <= sizeOf(set & ~alone));
	return {
		alone: idsOf(users, alone),
		together: together.map((set) => idsOf(users, set)),
		thresholds: thresholdsOf(userSets.filter(isSmallest), users),
		isComplete,
	};
}

/** Returns the alternatives of user sets, those with the fewest thresholds and users first. */
export function thresholdsOf(userSets: UserSets, users: Votes): readonly (readonly Threshold[])[] {
	const written = userSets.map((alternative) =>
		alternative
			.map(({ count, set, tagId, isRootQuorum }) => ({ atLeast: count, of: idsOf(users, set), tagId, isRootQuorum }))
			.sort(compareThresholds),
	);
	return written.sort((one, other) => {
		const [first, second] = [one[0], other[0]];
		if (one.length !== other.length || first === undefined || second === undefined) return one.length - other.length;
		return compareThresholds(first, second) || (one.map(print).join() < other.map(print).join() ? -1 : 1);
	});
}

const print = (threshold: Threshold): string => `${threshold.atLeast}:${threshold.of.join()}`;

/** The root quorum comes last. */
function compareThresholds(one: Threshold, other: Threshold): number {
	if (one.isRootQuorum !== other.isRootQuorum) return one.isRootQuorum ? 1 : -1;
	if (one.atLeast !== other.atLeast) return one.atLeast - other.atLeast;
	const [left, right] = [one.of.join(), other.of.join()];
	if (left === right) return 0;
	return left < right ? -1 : 1;
}

/** Returns the smallest number of users who can do it; null where no one can. */
export function fewestApprovers({ alone, together, thresholds }: Ability): number | null {
	if (alone.length > 0) return 1;
	if (together[0] !== undefined) return together[0].length;
	// Where no set could be written out, an alternative needs as many as its largest threshold at least.
	const least = thresholds.map((alternative) => Math.max(...alternative.map(({ atLeast }) => atLeast)));
	return least.length === 0 ? null : Math.min(...least);
}
