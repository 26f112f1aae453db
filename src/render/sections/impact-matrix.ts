/** Who can do what before and after a plan, as a matrix of changed groups × users. Unknowns have a mark, never an empty cell. */

import type { PlanImpact } from "../../plan/impact/impact.ts";
import type { Plan } from "../../plan/plan.ts";
import { showUser, userParts } from "../../plan/user-labels.ts";
import { compareText } from "../../plan/value.ts";
import { printGroup } from "../../policy/powers/groups.ts";
import type { SideAbility } from "../../policy/powers/impact.ts";
import { describeGroups } from "../../say/powers.ts";
import type { Grid, GridCell } from "../../say/section.ts";
import { compareNaturally } from "../natural-order.ts";
import { describeConditions } from "./impact-words.ts";

/** How a user can do a group: `together` only with others, `quorum` only as a member of the root quorum, `no` not at all. */
type Reach = "alone" | "together" | "quorum" | "no" | "unknown";

interface ReachChange {
	readonly before: Reach;
	readonly after: Reach;
}

interface PowerRow {
	/** A finding of the power: its group, and the conditions under which the cells are so. */
	readonly finding: PlanImpact;
	/** One for each user of the matrix, in their order. */
	readonly cells: readonly ReachChange[];
}

interface PowersMatrix {
	/** Everybody who can take part in one of the groups on one side, sorted by name. */
	readonly users: readonly { readonly id: string; readonly changes: boolean }[];
	/** Worst first, as the findings of the plan. */
	readonly rows: readonly PowerRow[];
	/** How many users without changes were left out, because the matrix would be too large. */
	readonly leftOut: number;
}

const reaches: Readonly<Record<Reach, { readonly sign: string; readonly words: string }>> = {
	alone: { sign: "\u25cf", words: "alone" },
	together: { sign: "\u25d0", words: "together with others" },
	quorum: { sign: "\u25c7", words: "only in the root quorum" },
	no: { sign: "\u00b7", words: "no" },
	unknown: { sign: "?", words: "unknown" },
};

/** More users than this need a search. */
const maxWithoutSearch = 12;

/** Returns the matrix for formats that have room for it; null where there is none. */
export function powersGrid(plan: Plan): Grid | null {
	const matrix = makePowersMatrix(plan);
	if (matrix === null) return null;
	const { users, rows, leftOut } = matrix;
	const used = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ before, after }) => [before, after])));
	return {
		label: "Matrix of changed powers and users",
		caption: "Changed powers in rows, users in columns; whether each user has the power before and after.",
		corner: "Who can",
		noun: "powers",
		find: users.length > maxWithoutSearch ? "Find a power or a user" : null,
		columns: users.map(({ id, changes }) => ({ id, ...userParts(id, plan), isQuiet: !changes })),
		rows: rows.map(({ finding, cells }) => ({
			title: [...describeGroups([finding.group]), ...describeConditions(finding)],
			hint: printGroup(finding.group),
			cells: cells.map(cellOf),
		})),
		legend: [
			...(Object.keys(reaches) as Reach[]).filter((reach) => used.has(reach)).map((reach) => reaches[reach]),
			{ sign: "\u2192", words: "before and after" },
		],
		leftOut,
		maxOnPaper: 16,
	};
}

const mostFirst: readonly Reach[] = ["alone", "together", "quorum", "no"];

/** Getting a power alone is bad news, as in the sentences. */
function cellOf({ before, after }: ReachChange): GridCell {
	const [was, is] = [reaches[before], reaches[after]];
	if (before === after) return { ...is, look: "same" };
	const isLess = mostFirst.indexOf(after) > mostFirst.indexOf(before);
	const look = [before, after].includes("unknown") ? "unknown" : after === "alone" || isLess ? "loss" : "gain";
	return { sign: `${was.sign}\u2192${is.sign}`, words: `before ${was.words}, after ${is.words}`, look };
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
