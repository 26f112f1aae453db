/** What the readers of lists share: limits, and how they report problems and rows. */
import type { Position } from "../../plan/organization.ts";
import type { Problems } from "../problems.ts";
import type { ListRow } from "./each.ts";

export const listLimits = {
	bytes: 64 * 1024 * 1024,
	rows: 500_000,
	columns: 200,
	/** Characters of one row. */
	rowLength: 1024 * 1024,
} as const;

/** The rest of a list cannot be read; its problem is reported. */
export class StopReading extends Error {}

/** Takes the rows of one list. */
export class ListReading {
	/** The list as the user would write it. */
	readonly file: string;
	readonly #problems: Problems;
	readonly #onRow: (row: ListRow) => void;
	#rows = 0;

	constructor(file: string, problems: Problems, onRow: (row: ListRow) => void) {
		this.file = file;
		this.#problems = problems;
		this.#onRow = onRow;
	}

	get rows(): number {
		return this.#rows;
	}

	onRow(row: ListRow): void {
		this.#rows += 1;
		if (this.#rows > listLimits.rows) {
			const max = listLimits.rows.toLocaleString("en");
			this.refuse(row.at, "too-many-rows", `the list has more than ${max} rows; split it and its document`);
		}
		// Nothing more would be reported.
		if (this.#problems.isFull) throw new StopReading();
		this.#onRow(row);
	}

	report(at: Position, code: string, message: string): void {
		this.#problems.add(at, "", code, message);
	}

	/** Reports a problem that ends the list. */
	refuse(at: Position, code: string, message: string): never {
		this.report(at, code, message);
		throw new StopReading();
	}
}
