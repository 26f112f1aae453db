/** Who can do what before and after a plan, as a matrix of changed groups × users. Unknowns have a mark, never an empty cell. */

import type { PlanImpact } from "../../plan/impact/impact.ts";
import type { Plan } from "../../plan/plan.ts";
import { showUser } from "../../plan/user-labels.ts";
import { compareText } from "../../plan/value.ts";
import { printGroup } from "../../policy/powers/groups.ts";
import type { SideAbility } from "../../policy/powers/impact.ts";
import { compareNaturally } from "../natural-order.ts";

/** How a user can do a group: `together` only with others, `quorum` only as a member of the root quorum, `no` not at all. */
export type Reach = "alone" | "together" | "quorum" | "no" | "unknown";

export interface ReachChange {
	readonly before: Reach;
	readonly after: Reach;
}

export interface PowerRow {
	/** A finding of the power: its group, and the conditions under which the cells are so. */
	readonly finding: PlanImpact;
	/** One for each user of the matrix, in their order. */
	readonly cells: readonly ReachChange[];
}

export interface PowersMatrix {
	/** Everybody who can take part in one of the groups on one side, sorted by name. */
	readonly users: readonly { readonly id: string; readonly changes: boolean }[];
	/** Worst first, as the findings of the plan. */
	readonly rows: readonly PowerRow[];
	/** How many users without changes were left out, because the matrix would be too large. */
	readonly leftOut: number;
}

/** Above so many cells users without changes are left out, and above four times as many there is no matrix. */
const maxCells = 6_000;

/** Returns the matrix; null where no group changes, or where it would be too large. */
export function makePowersMatrix(plan: Plan): PowersMatrix | null {
	const found = new Map((plan.impact ?? []).map((one) => [keyOf(one), one]));
	const sides = [...found.values()].map((one) => ({ one, before: reachIn(one.before), after: reachIn(one.after) }));
	const known = new Set(sides.flatMap(({ before, after }) => [...before.named, ...after.named]));
	const changes = (userId: string): boolean =>
		sides.some(({ before, after }) => before.of(userId) !== after.of(userId));
	const changing = new Set([...known].filter(changes));
	if (changing.size === 0 || changing.size * sides.length > 4 * maxCells) return null;
	const shown = known.size * sides.length > maxCells ? changing : known;
	const nameOf = (userId: string): string => showUser(userId, plan);
	const ids = [...shown].sort(
		(left, right) => compareNaturally(nameOf(left), nameOf(right)) || compareText(left, right),
	);
	return {
		users: ids.map((userId) => ({ id: userId, changes: changing.has(userId) })),
		rows: sides.map(({ one: finding, before, after }) => ({
			finding,
			cells: ids.map((userId) => ({ before: before.of(userId), after: after.of(userId) })),
		})),
		leftOut: known.size - shown.size,
	};
}

function keyOf({ group, condition }: PlanImpact): string {
	return JSON.stringify([printGroup(group), condition]);
}

interface Reaches {
	/** Users who can take part. */
	readonly named: ReadonlySet<string>;
	readonly of: (userId: string) => Reach;
}

/** What is unknown may let anybody take part who is not known to. */
function reachIn({ alone, together, thresholds, unknown }: SideAbility): Reaches {
	const single = new Set(alone);
	const usersOf = (isRoot: boolean): readonly string[] =>
		thresholds.flat().flatMap(({ of, isRootQuorum }) => (isRootQuorum === isRoot ? of : []));
	// Sets do not say which of them are of the root quorum; thresholds, where they are known, say the same and that.
	const byPolicies = new Set(thresholds.length === 0 ? together.flat() : usersOf(false));
	const root = new Set(usersOf(true));
	const other: Reach = unknown === null ? "no" : "unknown";
	return {
		named: new Set([...single, ...byPolicies, ...root]),
		of: (userId) => {
			if (single.has(userId)) return "alone";
			if (byPolicies.has(userId)) return "together";
			return unknown === null && root.has(userId) ? "quorum" : other;
		},
	};
}
