/** Who can do what before and after a plan, as a matrix of changed groups × users. Unknowns have a mark, never an empty cell. */

import type { Plan } from "../../plan/plan.ts";
import type { KnownAbility } from "../../policy/powers/ability.ts";
import { printGroup } from "../../policy/powers/groups.ts";
import { describeGroups } from "../../say/powers.ts";
import type { Grid, GridCell } from "../../say/section.ts";
import { gridColumns } from "./grid-columns.ts";
import { describeConditions } from "./impact-words.ts";

/** How a user can do a group: `together` only with others, `quorum` only as a member of the root quorum, `no` not at all. */
type Reach = "alone" | "together" | "quorum" | "no" | "unknown";

const reaches: Readonly<Record<Reach, { readonly sign: string; readonly words: string }>> = {
	alone: { sign: "\u25cf", words: "alone" },
	together: { sign: "\u25d0", words: "together with others" },
	quorum: { sign: "\u25c7", words: "only in the root quorum" },
	no: { sign: "\u00b7", words: "no" },
	unknown: { sign: "?", words: "unknown" },
};

/** More users than this need a search. */
const maxWithoutSearch = 12;

/** Above so many cells users without changes are left out. */
const maxCells = 6_000;

/** Returns the matrix of users who can take part on one side; null where no group changes, or where it would be too large. */
export function powersGrid(plan: Plan): Grid | null {
	const found = new Map(
		(plan.impact ?? []).map((one) => [JSON.stringify([printGroup(one.group), one.condition]), one]),
	);
	const sides = [...found.values()].map((one) => ({ one, before: reachIn(one.before), after: reachIn(one.after) }));
	const known = new Set(sides.flatMap(({ before, after }) => [...before.named, ...after.named]));
	const changing = [...known].filter((id) => sides.some(({ before, after }) => before.of(id) !== after.of(id)));
	const shown = gridColumns(known, new Set(changing), sides.length, maxCells, plan);
	if (shown === null) return null;
	const { columns } = shown;
	const used = new Set(
		sides.flatMap(({ before, after }) => columns.flatMap(({ id }) => [before.of(id), after.of(id)])),
	);
	return {
		label: "Matrix of changed powers and users",
		caption: "Changed powers in rows, users in columns; whether each user has the power before and after.",
		corner: "Who can",
		noun: "powers",
		find: columns.length > maxWithoutSearch ? "Find a power or a user" : null,
		...shown,
		rows: sides.map(({ one, before, after }) => ({
			title: [...describeGroups([one.group]), ...describeConditions(one)],
			hint: printGroup(one.group),
			cells: columns.map(({ id }) => cellOf(before.of(id), after.of(id))),
		})),
		legend: [
			...(Object.keys(reaches) as Reach[]).filter((reach) => used.has(reach)).map((reach) => reaches[reach]),
			{ sign: "\u2192", words: "before and after" },
		],
		maxOnPaper: 16,
	};
}

const mostFirst: readonly Reach[] = ["alone", "together", "quorum", "no"];

/** Getting a power alone is bad news, as in the sentences. */
function cellOf(before: Reach, after: Reach): GridCell {
	const [was, is] = [reaches[before], reaches[after]];
	if (before === after) return { ...is, look: "same" };
	const isLess = mostFirst.indexOf(after) > mostFirst.indexOf(before);
	const look = [before, after].includes("unknown") ? "unknown" : after === "alone" || isLess ? "loss" : "gain";
	return { sign: `${was.sign}\u2192${is.sign}`, words: `before ${was.words}, after ${is.words}`, look };
}

/** What is unknown may let anybody take part who is not known to. */
function reachIn({ alone, together, thresholds, unknown }: KnownAbility) {
	const single = new Set(alone);
	const usersOf = (isRoot: boolean): readonly string[] =>
		thresholds.flat().flatMap(({ of, isRootQuorum }) => (isRootQuorum === isRoot ? of : []));
	// Sets do not say which of them are of the root quorum; thresholds, where they are known, say the same and that.
	const byPolicies = new Set(thresholds.length === 0 ? together.flat() : usersOf(false));
	const root = new Set(usersOf(true));
	const other: Reach = unknown === null ? "no" : "unknown";
	return {
		named: new Set([...single, ...byPolicies, ...root]),
		of: (userId: string): Reach => {
			if (single.has(userId)) return "alone";
			if (byPolicies.has(userId)) return "together";
			return unknown === null && root.has(userId) ? "quorum" : other;
		},
	};
}
