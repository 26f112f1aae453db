/** A grid as an HTML table: each cell a sign, a colour and a word for screen readers, in few bytes for ten thousand. */
import { count } from "../../say/count.ts";
import type { Phrase } from "../../say/phrase.ts";
import type { CellLook, Grid, GridCell, GridColumn } from "../../say/section.ts";
import { bdi, escapeHtml, type Html, html, trusted } from "../html/html.ts";

const classes: Readonly<Record<CellLook, string>> = {
	gain: "a",
	loss: "r",
	mayGain: "a m",
	mayLose: "r m",
	same: "k",
	unknown: "x",
	none: "",
};

/** Returns the grid with its legend and search. `id` is unique on the page; `print` prints a title. */
export function gridHtml(grid: Grid, id: string, print: (phrase: Phrase) => Html): Html {
	const { label, caption, corner, noun, find, columns, rows, leftOut, maxOnPaper } = grid;
	const quiet = columns.filter(({ isQuiet }) => isQuiet).length;
	const isWide = columns.length - quiet > maxOnPaper;
	const search =
		find === null
			? null
			: html`<div class="find" hidden><label for="${id}-find">${find}</label> <input id="${id}-find" type="search" data-rows="${noun}" autocomplete="off" spellcheck="false"> <output for="${id}-find"></output></div>`;
	const check = html`<label class="check"><input type="checkbox" class="everybody"> show ${count(quiet, "user", "users")} without changes</label>`;
	return html`<div class="matrix${noun === "powers" ? " reach" : ""}${isWide ? " wide" : ""}">
<div class="bar">${search}${quiet === 0 ? null : check}</div>
${legendHtml(grid)}${leftOut === 0 ? null : html`<p class="note">${count(leftOut, "user", "users")} without changes are left out.</p>`}
<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table class="grid"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col" class="corner">${corner}</th>${columns.map(columnHtml)}</tr></thead>
<tbody>${rows.map((row) => rowHtml(row, columns, print))}</tbody></table></div>
<p class="paper note">The matrix is too wide for paper; the list on this page has the same.</p>
</div>`;
}

function legendHtml({ legend }: Grid): Html {
	return html`<ul class="legend">${legend.map(
		({ sign, words, look = "none" }) =>
			html`<li><span class="${`mark ${classes[look]}`.trim()}" aria-hidden="true">${sign}</span> ${words}</li>`,
	)}</ul>`;
}

function columnHtml({ id, name, notes, isQuiet }: GridColumn): Html {
	const lines = notes.map((note) => html` <span class="who">${bdi(note)}</span>`);
	return html`<th scope="col" class="${`u${notes.length === 0 ? "" : " n"}${isQuiet ? " q" : ""}`}"><span title="${id}">${bdi(name)}${lines}</span></th>`;
}

function rowHtml(
	{ title, hint, balance = [], cells }: Grid["rows"][number],
	columns: readonly GridColumn[],
	print: (phrase: Phrase) => Html,
): Html {
	// The end tags of cells may be left out, and ten thousand of them are a tenth of the page.
	const shown = cells.map((cell, index) => cellHtml(cell, columns[index]?.isQuiet === true));
	const behind = balance.map(
		({ text, words }, index) =>
			html`${index === 0 ? "" : " "}${text}${words === undefined ? null : html`<i>${words}</i>`}`,
	);
	return html`<tr><th scope="row"><div><span class="name" title="${hint}">${print(title)}</span>${behind.length === 0 ? null : html` <span class="balance">${behind}</span>`}</div></th>${trusted(shown.join(""))}</tr>\n`;
}

function cellHtml({ sign, words, look }: GridCell, isQuiet: boolean): string {
	const names = `${classes[look]}${isQuiet ? " q" : ""}`.trim();
	const open = names === "" ? "<td>" : names.includes(" ") ? `<td class="${names}">` : `<td class=${names}>`;
	if (words === "") return open;
	const shown = sign.includes("\u2192") ? `<span aria-hidden="true">${sign}</span>` : sign;
	return `${open}${shown}<i>${escapeHtml(words)}</i>`;
}
