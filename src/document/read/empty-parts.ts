/** Reports lists and maps of rules in which nothing is written. */

import type { Cell } from "../cell.ts";
import { describeCell, report } from "../report.ts";

/** Whether the list has no item; reports it. `items`: what can be written. */
export function isEmptyList(cell: Cell, items = "the names of tags"): boolean {
	if (cell.items.length > 0) return false;
	report(cell, "empty-list", `${describeCell(cell)} is an empty list; write ${items}, or remove it`);
	return true;
}

/** Whether the map has no key; reports it. `keys`: what can be written, without the outer backticks. */
export function isEmptyMap(cell: Cell, keys: string): boolean {
	if (cell.entries.size > 0 || cell.intendedKeys.size > 0) return false;
	report(cell, "empty-rule", `${describeCell(cell)} is empty; write \`${keys}\`, or remove it`);
	return true;
}
