/**
 * The matrix of tags × users as an HTML table. Every mark is a sign, a colour and a word for screen readers. A cell takes a
 * few bytes, since there may be ten thousand.
 */

import { showRename } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { userParts } from "../../plan/user-labels.ts";
import { type Mark, type Matrix, type MatrixRow, makeMatrix } from "../matrix.ts";
import { count } from "../text.ts";
import { bdi, escapeHtml, type Html, html, trusted } from "./html.ts";

const marks: Readonly<Record<Mark, { readonly name: string; readonly sign: string; readonly word: string }>> = {
	gains: { name: "a", sign: "+", word: "gains" },
	loses: { name: "r", sign: "\u2212", word: "loses" },
	mayGain: { name: "a m", sign: "+?", word: "gains, may not be needed" },
	mayLose: { name: "r m", sign: "\u2212?", word: "loses, may not be needed" },
	keeps: { name: "k", sign: "\u2022", word: "keeps" },
	unknown: { name: "x", sign: "?", word: "unknown" },
	none: { name: "", sign: "", word: "" },
};

/** More columns than this do not fit on paper: there the list of changes replaces the matrix. */
const maxOnPaper = 24;

/** Returns the matrix with its legend and search; null when there is none. `id` is unique on the page. */
export function renderMatrix(plan: Plan, id: string): Html | null {
	const matrix = makeMatrix(plan);
	if (matrix === null) return null;
	const moving = matrix.users.filter(({ moves }) => moves).length;
	const quiet = matrix.users.length - moving;
	return html`<div class="matrix${moving > maxOnPaper ? " wide" : ""}">
<div class="bar"><div class="find" hidden><label for="${id}-find">Find a tag or a user</label> <input id="${id}-find" type="search" autocomplete="off" spellcheck="false"> <output for="${id}-find"></output></div>${
		quiet === 0
			? null
			: html`<label class="check"><input type="checkbox" class="everybody"> show ${count(quiet, "user", "users")} without changes</label>`
	}</div>
${renderLegend(matrix)}${
	matrix.leftOut === 0
		? null
		: html`<p class="note">${count(matrix.leftOut, "user", "users")} without changes are left out.</p>`
}
<div class="scroll" role="group" aria-label="Matrix of user tags and users" tabindex="0"><table class="grid"><caption class="unseen">User tags in rows, users in columns; what each user gains, loses or keeps.</caption>
<thead><tr><th scope="col" class="corner">User tag</th>${matrix.users.map(({ id: userId, moves }) => {
		const { name, notes } = userParts(userId, plan);
		const kind = `u${notes.length === 0 ? "" : " n"}${moves ? "" : " q"}`;
		const lines = notes.map((note) => html` <span class="who">${bdi(note)}</span>`);
		return html`<th scope="col" class="${kind}"><span title="${userId}">${bdi(name)}${lines}</span></th>`;
	})}</tr></thead>
<tbody>${matrix.rows.map((row) => renderRow(row, matrix))}</tbody></table></div>
<p class="paper note">The matrix is too wide for paper; the list of user tags has the same.</p>
</div>`;
}

function renderLegend({ rows }: Matrix): Html {
	const used = new Set(rows.flatMap((row) => row.marks));
	return html`<ul class="legend">${(Object.keys(marks) as Mark[])
		.filter((mark) => mark !== "none" && used.has(mark))
		.map(
			(mark) =>
				html`<li><span class="mark ${marks[mark].name}" aria-hidden="true">${marks[mark].sign}</span> ${marks[mark].word}</li>`,
		)}${
		rows.some(({ change }) => change.lastApplied !== null)
			? html`<li><span class="mark" aria-hidden="true">*</span> members as last applied, not live</li>`
			: null
	}</ul>`;
}

function renderRow({ change, marks: row }: MatrixRow, { users }: Matrix): Html {
	const { before, after, addUserIds, removeUserIds } = change;
	const [from, to] = showRename(before.name, after.name);
	const name = before.name === after.name ? bdi(after.name) : html`${bdi(from)} \u2192 ${bdi(to)}`;
	// The end tags of cells may be left out, and ten thousand of them are a tenth of the page.
	const cells = row.map((mark, index) => {
		const quiet = users[index]?.moves === false;
		const { name: kind, sign, word } = marks[mark];
		const names = `${kind}${quiet ? " q" : ""}`.trim();
		const open = names === "" ? "<td>" : names.includes(" ") ? `<td class="${names}">` : `<td class=${names}>`;
		return word === "" ? open : `${open}${sign}<i>${escapeHtml(word)}</i>`;
	});
	const balance = [
		...(addUserIds.length === 0 ? [] : [`+${addUserIds.length}`]),
		...(removeUserIds.length === 0 ? [] : [`\u2212${removeUserIds.length}`]),
	];
	return html`<tr><th scope="row"><div><span class="name" title="${change.tagId}">${name}</span> <span class="balance">${change.lastApplied === null ? null : html`*<i>as last applied</i> `}${balance.join(" ")}</span></div></th>${trusted(cells.join(""))}</tr>\n`;
}
