/** What is true of a power today, as the beginning of a file of cases. */
import type { Reason } from "../../policy/powers/reason.ts";
import { aloneIn, findSmallestSets, participantsIn } from "../../policy/sets/user-sets.ts";
import { idsOf } from "../../policy/sets/votes.ts";
import type { Point } from "./finding.ts";

/** Ids of users, sorted. */
export interface Survey {
	/** Who can alone for each activity of the power. */
	readonly alone: readonly string[];
	/** The tags by which policies let them. */
	readonly tagIds: readonly string[];
	/** Whether no one else can alone, for any of them. */
	readonly isExact: boolean;
	/** Who can take part in none of them. */
	readonly never: readonly string[];
}

/** Returns what holds at all of these points; the reason where something is unknown. Throws TooComplex. */
export function surveyOf(points: readonly Point[]): Survey | { readonly unknown: Reason } {
	const [first] = points;
	if (first === undefined) return { unknown: { kind: "too-many-conditions" } };
	const { users } = first.prepared;
	let [always, ever, taking] = [users.all, 0n, 0n];
	for (const { prepared, sure, possible, because } of points) {
		const { isComplete } = findSmallestSets(possible, prepared.budget);
		if (because !== null && aloneIn(sure) !== aloneIn(possible)) return { unknown: because };
		always &= aloneIn(sure);
		ever |= aloneIn(possible);
		taking |= isComplete
			? participantsIn(possible, prepared.budget)
			: possible.flat().reduce((all, { set }) => all | set, 0n);
	}
	const named = points.flatMap(({ sure }) =>
		sure.flatMap((all) => (all.length === 1 && all[0]?.count === 1 ? (all[0].tagId ?? []) : [])),
	);
	const tagIds = [...new Set(named)];
	return { alone: idsOf(users, always), tagIds, isExact: always === ever, never: idsOf(users, users.all & ~taking) };
}
