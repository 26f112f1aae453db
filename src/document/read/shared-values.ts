/** Values that several documents of one organization may write, and must then agree about. */

import type { Cell } from "../cell.ts";
import { describeCell, describePlace, quoteCell, report } from "../report.ts";

/** A value, and the cell that has it. */
export interface Located<T> {
	readonly cell: Cell;
	readonly value: T;
}

/** Returns the first value that `read` returns of these cells, and reports each that differs from it; undefined where there is none. */
export function firstAgreed<T>(cells: readonly Cell[], read: (cell: Cell) => T | undefined): Located<T> | undefined {
	const [first, ...others] = cells.flatMap((cell): readonly Located<T>[] => {
		const value = read(cell);
		return value === undefined ? [] : [{ cell, value }];
	});
	if (first === undefined) return undefined;
	for (const { cell, value } of others) {
		if (JSON.stringify(first.value) === JSON.stringify(value)) continue;
		const place = describePlace(first.cell.at, cell.at);
		const message = `${describeCell(cell)} is ${describeValue(cell)} here and ${describeValue(first.cell)} ${place}; documents of one organization must agree`;
		report(cell, "documents-disagree", message);
	}
	return first;
}

function describeValue(cell: Cell): string {
	return cell.kind === "list" ? cell.items.map(quoteCell).join(", ") : quoteCell(cell);
}
