/** Who gains and loses which user tag, as a matrix of tags × users. Unknowns have a mark, never an empty cell. */
import { showRename } from "../../common/escape.ts";
import type { TagChange } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import { type Phrase, title } from "../../say/phrase.ts";
import { type Grid, type GridCell, type Section, section } from "../../say/section.ts";
import { compareNaturally } from "../natural-order.ts";
import { gridColumns } from "./grid-columns.ts";

const marks = {
	gains: { sign: "+", words: "gains", look: "gain" },
	loses: { sign: "\u2212", words: "loses", look: "loss" },
	mayGain: { sign: "+?", words: "gains, may not be needed", look: "mayGain" },
	mayLose: { sign: "\u2212?", words: "loses, may not be needed", look: "mayLose" },
	keeps: { sign: "\u2022", words: "keeps", look: "same" },
	unknown: { sign: "?", words: "unknown", look: "unknown" },
	none: { sign: "", words: "", look: "none" },
} as const satisfies Readonly<Record<string, GridCell>>;

/** Returns the section of the matrix; without content where there is none. */
export function tagMatrixSection(plan: Plan, heading: string): Section {
	const grid = tagGrid(plan);
	return section("matrix", [], { title: heading, ...(grid === null ? {} : { grid: () => grid }) });
}

/** Above so many cells users without changes are left out. */
const maxCells = 12_000;

/** Returns the matrix of the tags whose members change; null when there is none, or when it would be too large. */
export function tagGrid(plan: Plan): Grid | null {
	const changes = plan.changes
		.filter((change) => change.kind === "userTag")
		.filter(({ addUserIds, removeUserIds }) => addUserIds.length + removeUserIds.length > 0)
		.sort((left, right) => compareNaturally(left.after.name, right.after.name));
	const moving = new Set(changes.flatMap(({ addUserIds, removeUserIds }) => [...addUserIds, ...removeUserIds]));
	const known = new Set([...moving, ...changes.flatMap(({ before }) => before.members ?? [])]);
	const shown = gridColumns(known, moving, changes.length, maxCells, plan);
	if (shown === null) return null;
	const ids = shown.columns.map(({ id }) => id);
	const rows = changes.map((change) => ({
		title: titleOf(change),
		hint: change.tagId,
		balance: balanceOf(change),
		cells: cellsOf(change, ids),
	}));
	const used = new Set<GridCell>(rows.flatMap(({ cells }) => cells));
	const hasLastApplied = changes.some(({ lastApplied }) => lastApplied !== null);
	return {
		label: "Matrix of user tags and users",
		caption: "User tags in rows, users in columns; what each user gains, loses or keeps.",
		corner: "User tag",
		noun: "tags",
		find: "Find a tag or a user",
		...shown,
		rows,
		legend: [
			...Object.values(marks).filter((mark) => mark !== marks.none && used.has(mark)),
			...(hasLastApplied ? [{ sign: "*", words: "members as last applied, not live" }] : []),
		],
		maxOnPaper: 24,
	};
}

function titleOf({ before, after }: TagChange): Phrase {
	const [from, to] = showRename(before.name, after.name);
	return before.name === after.name ? [title(after.name)] : [title(from), " \u2192 ", title(to)];
}

function balanceOf({ addUserIds, removeUserIds, lastApplied }: TagChange): Grid["rows"][number]["balance"] & object {
	return [
		...(lastApplied === null ? [] : [{ text: "*", words: "as last applied" }]),
		...(addUserIds.length === 0 ? [] : [{ text: `+${addUserIds.length}` }]),
		...(removeUserIds.length === 0 ? [] : [{ text: `\u2212${removeUserIds.length}` }]),
	];
}

function cellsOf(change: TagChange, ids: readonly string[]): readonly GridCell[] {
	const { addUserIds, removeUserIds, before, basis } = change;
	const [gaining, losing] = [new Set(addUserIds), new Set(removeUserIds)];
	const members = before.members === null ? null : new Set(before.members);
	const sure = basis !== "unknown";
	return ids.map((id) => {
		if (gaining.has(id)) return sure ? marks.gains : marks.mayGain;
		if (losing.has(id)) return sure ? marks.loses : marks.mayLose;
		if (members === null) return marks.unknown;
		return members.has(id) ? marks.keeps : marks.none;
	});
}
