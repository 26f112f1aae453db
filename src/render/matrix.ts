/** Who gains and loses which user tag, as a matrix of tags × users. Unknowns have a mark, never an empty cell. */
import type { TagChange } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import { showUser } from "../plan/user-labels.ts";
import { compareText } from "../plan/value.ts";
import { compareNaturally } from "./natural-order.ts";

/** `mayGain` and `mayLose`: planned, but may not be needed. `none`: is no member before or after. */
export type Mark = "gains" | "loses" | "mayGain" | "mayLose" | "keeps" | "unknown" | "none";

interface MatrixUser {
	readonly id: string;
	readonly moves: boolean;
}

export interface MatrixRow {
	readonly change: TagChange;
	/** One for each user of the matrix, in their order. */
	readonly marks: readonly Mark[];
}

export interface Matrix {
	/** The users of the changed tags, sorted by name. */
	readonly users: readonly MatrixUser[];
	readonly rows: readonly MatrixRow[];
	/** How many users without changes were left out, because the matrix would be too large. */
	readonly leftOut: number;
}

/** Above so many cells users without changes are left out, and above four times as many there is no matrix. */
const maxCells = 12_000;

/** Returns the matrix of the tags whose members change; null when there is none, or when it would be too large. */
export function makeMatrix(plan: Plan): Matrix | null {
	const changes = plan.changes
		.filter((change) => change.kind === "userTag")
		.filter(({ addUserIds, removeUserIds }) => addUserIds.length + removeUserIds.length > 0);
	if (changes.length === 0) return null;
	const moving = new Set(changes.flatMap(({ addUserIds, removeUserIds }) => [...addUserIds, ...removeUserIds]));
	const known = new Set([...moving, ...changes.flatMap(({ before }) => before.members ?? [])]);
	if (moving.size * changes.length > 4 * maxCells) return null;
	const shown = known.size * changes.length > maxCells ? moving : known;
	const nameOf = (id: string): string => showUser(id, plan);
	const ids = [...shown].sort(
		(left, right) => compareNaturally(nameOf(left), nameOf(right)) || compareText(left, right),
	);
	return {
		users: ids.map((id) => ({ id, moves: moving.has(id) })),
		rows: changes
			.toSorted((left, right) => compareNaturally(left.after.name, right.after.name))
			.map((change) => ({ change, marks: marksOf(change, ids) })),
		leftOut: known.size - shown.size,
	};
}

function marksOf(change: TagChange, ids: readonly string[]): readonly Mark[] {
	const { addUserIds, removeUserIds, before, basis } = change;
	const [gaining, losing] = [new Set(addUserIds), new Set(removeUserIds)];
	const members = before.members === null ? null : new Set(before.members);
	const sure = basis !== "unknown";
	return ids.map((id) => {
		if (gaining.has(id)) return sure ? "gains" : "mayGain";
		if (losing.has(id)) return sure ? "loses" : "mayLose";
		if (members === null) return "unknown";
		return members.has(id) ? "keeps" : "none";
	});
}
