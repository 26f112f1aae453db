/**
 * Who gains and loses which user tag, as a matrix of tags × users. Data only; what is not known is a mark of its own,
 * never an empty cell.
 */
import type { TagChange } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import { showUser } from "../plan/user-labels.ts";
import { compareText } from "../plan/value.ts";

/** `mayGain` and `mayLose`: planned without knowing whether it is needed. `none`: has not and gets not. */
export type Mark = "gains" | "loses" | "mayGain" | "mayLose" | "keeps" | "unknown" | "none";

interface MatrixUser {
	readonly id: string;
	/** Whether the user gains or loses any tag. */
	readonly moves: boolean;
}

export interface MatrixRow {
	readonly change: TagChange;
	/** One for each user of the matrix, in their order. */
	readonly marks: readonly Mark[];
}

export interface Matrix {
	/** Everybody whom the changed tags speak of, sorted by name. */
	readonly users: readonly MatrixUser[];
	readonly rows: readonly MatrixRow[];
	/** Users who only keep a tag and were left out, because the matrix would be too large to look at. */
	readonly leftOut: number;
}

/** Above so many cells users without a change are left out, and above four times as many there is no matrix. */
const mostCells = 12_000;

/**
 * The matrix of the tags whose members change; null when there is none, or when it has more cells than anybody can look
 * at (then the list of changes has to do).
 */
export function makeMatrix(plan: Plan): Matrix | null {
	const changes = plan.changes
		.filter((change) => change.kind === "userTag")
		.filter(({ addUserIds, removeUserIds }) => addUserIds.length + removeUserIds.length > 0);
	if (changes.length === 0) return null;
	const moving = new Set(changes.flatMap(({ addUserIds, removeUserIds }) => [...addUserIds, ...removeUserIds]));
	const known = new Set([...moving, ...changes.flatMap(({ before }) => before.members ?? [])]);
	if (moving.size * changes.length > 4 * mostCells) return null;
	const shown = known.size * changes.length > mostCells ? moving : known;
	const nameOf = (id: string): string => showUser(id, plan);
	const ids = [...shown].sort((left, right) => compareText(nameOf(left), nameOf(right)) || compareText(left, right));
	return {
		users: ids.map((id) => ({ id, moves: moving.has(id) })),
		rows: changes.map((change) => ({ change, marks: marksOf(change, ids) })),
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
