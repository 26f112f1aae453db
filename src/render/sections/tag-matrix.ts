/** Who gains and loses which user tag, as a matrix of tags × users. Unknowns have a mark, never an empty cell. */
import { showRename } from "../../common/escape.ts";
import type { TagChange } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import { showUser, userParts } from "../../plan/user-labels.ts";
import { compareText } from "../../plan/value.ts";
import { type Phrase, title } from "../../say/phrase.ts";
import { type Grid, type GridCell, type Section, section } from "../../say/section.ts";
import { compareNaturally } from "../natural-order.ts";

/** `mayGain` and `mayLose`: planned, but may not be needed. `none`: is no member before or after. */
type Mark = "gains" | "loses" | "mayGain" | "mayLose" | "keeps" | "unknown" | "none";

interface MatrixUser {
	readonly id: string;
	readonly moves: boolean;
}

interface MatrixRow {
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

const marks: Readonly<Record<Mark, GridCell>> = {
	gains: { sign: "+", words: "gains", look: "gain" },
	loses: { sign: "\u2212", words: "loses", look: "loss" },
	mayGain: { sign: "+?", words: "gains, may not be needed", look: "mayGain" },
	mayLose: { sign: "\u2212?", words: "loses, may not be needed", look: "mayLose" },
	keeps: { sign: "\u2022", words: "keeps", look: "same" },
	unknown: { sign: "?", words: "unknown", look: "unknown" },
	none: { sign: "", words: "", look: "none" },
};

/** Returns the section of the matrix; without content where there is none. */
export function tagMatrixSection(plan: Plan, heading: string): Section {
	const matrix = makeMatrix(plan);
	return section("matrix", heading, ["user tag", "user tags"], {
		...(matrix === null ? {} : { grid: () => gridOf(matrix, plan) }),
	});
}

function gridOf({ users, rows, leftOut }: Matrix, plan: Plan): Grid {
	const used = new Set(rows.flatMap((row) => row.marks));
	const hasLastApplied = rows.some(({ change }) => change.lastApplied !== null);
	return {
		label: "Matrix of user tags and users",
		caption: "User tags in rows, users in columns; what each user gains, loses or keeps.",
		corner: "User tag",
		noun: "tags",
		find: "Find a tag or a user",
		columns: users.map(({ id, moves }) => ({ id, ...userParts(id, plan), isQuiet: !moves })),
		rows: rows.map(({ change, marks: row }) => ({
			title: titleOf(change),
			hint: change.tagId,
			balance: balanceOf(change),
			cells: row.map((mark) => marks[mark]),
		})),
		legend: [
			...(Object.keys(marks) as Mark[]).filter((mark) => mark !== "none" && used.has(mark)).map((mark) => marks[mark]),
			...(hasLastApplied ? [{ sign: "*", words: "members as last applied, not live" }] : []),
		],
		leftOut,
		maxOnPaper: 24,
	};
}

function titleOf({ before, after }: TagChange): Phrase {
	const [from, to] = showRename(before.name, after.name);
	return before.name === after.name ? [title(after.name)] : [title(from), " \u2192 ", title(to)];
}

function balanceOf({
	addUserIds,
	removeUserIds,
	lastApplied,
}: TagChange): readonly { readonly text: string; readonly words?: string }[] {
	return [
		...(lastApplied === null ? [] : [{ text: "*", words: "as last applied" }]),
		...(addUserIds.length === 0 ? [] : [{ text: `+${addUserIds.length}` }]),
		...(removeUserIds.length === 0 ? [] : [{ text: `\u2212${removeUserIds.length}` }]),
	];
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
