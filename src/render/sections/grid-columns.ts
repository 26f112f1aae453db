import type { Plan } from "../../plan/plan.ts";
import { showUser, userParts } from "../../plan/user-labels.ts";
import { compareText } from "../../plan/value.ts";
import type { Grid } from "../../say/section.ts";
import { compareNaturally } from "../natural-order.ts";

/**
 * Returns the users of a grid of so many rows, sorted by name. Above `maxCells`, users without changes are left out; above four
 * times as many there is no grid: then null.
 */
export function gridColumns(
	known: ReadonlySet<string>,
	changing: ReadonlySet<string>,
	rows: number,
	maxCells: number,
	plan: Plan,
): Pick<Grid, "columns" | "leftOut"> | null {
	if (changing.size === 0 || changing.size * rows > 4 * maxCells) return null;
	const shown = known.size * rows > maxCells ? changing : known;
	const named = [...shown].map((id) => ({ id, name: showUser(id, plan) }));
	named.sort((left, right) => compareNaturally(left.name, right.name) || compareText(left.id, right.id));
	return {
		columns: named.map(({ id }) => ({ id, ...userParts(id, plan), isQuiet: !changing.has(id) })),
		leftOut: known.size - shown.size,
	};
}
