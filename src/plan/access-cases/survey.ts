/** What is true of a power today, as the beginning of a file of cases. */
import { takingPart } from "../../policy/powers/conditional.ts";
import type { Reason } from "../../policy/powers/reason.ts";
import { aloneIn } from "../../policy/sets/user-sets.ts";
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
	for (const point of points) {
		const { sure, possible, because } = point;
		if (because !== null && aloneIn(sure) !== aloneIn(possible)) return { unknown: because };
		always &= aloneIn(sure);
		ever |= aloneIn(possible);
		taking |= takingPart(point.prepared, point.parts, point.hasRootQuorum).may;
	}
	const named = points.flatMap(({ sure }) =>
		sure.flatMap((all) => (all.length === 1 && all[0]?.count === 1 ? (all[0].tagId ?? []) : [])),
	);
	const tagIds = [...new Set(named)];
	return { alone: idsOf(users, always), tagIds, isExact: always === ever, never: idsOf(users, users.all & ~taking) };
}
