/** Impact on the page: sentences, and a matrix of the changed groups × users. */
import type { Plan } from "../../plan/plan.ts";
import { userParts } from "../../plan/user-labels.ts";
import { printGroup } from "../../policy/powers/groups.ts";
import { count } from "../../say/count.ts";
import { describeGroups } from "../../say/powers.ts";
import { fold, renderChanges, type Section } from "../html/details.ts";
import { bdi, escapeHtml, type Html, html, trusted } from "../html/html.ts";
import { phraseHtml } from "../print/html.ts";
import { makePowersMatrix, type PowerRow, type PowersMatrix, type Reach, type ReachChange } from "./matrix.ts";
import {
	describeConditions,
	describeImpact,
	type ImpactLine,
	type ImpactSign,
	impactHeadingOf,
	summarizeImpact,
} from "./words.ts";

/** More lines than this that are no bad news are folded. */
const maxOpen = 6;

/** Returns the verdict, the sentences worst first, and the matrix; without a body where the plan has no impact. */
export function impactSection(plan: Plan, id: string, isDrift: boolean): Section {
	const title = impactHeadingOf(isDrift);
	const summary = summarizeImpact(plan);
	if (summary === null) return { title, look: "plain", body: null, number: null };
	const lines = describeImpact(plan);
	const bad = lines.filter(({ isBad }) => isBad);
	const calm = renderChanges(lines.filter(({ isBad }) => !isBad).map(impactRow));
	const others = lines.length - bad.length;
	const folded = others > maxOpen ? fold(`${count(others, "change", "changes")} of who takes part`, calm) : calm;
	const worst = bad.some(({ sign }) => sign === "!!");
	return {
		title,
		look: worst ? "bad" : bad.length > 0 ? "attention" : "plain",
		body: html`<p class="lead">${summary}</p>${renderChanges(bad.map(impactRow))}${folded}${renderPowersMatrix(plan, id)}`,
		number: lines.length === 0 ? null : lines.length,
	};
}

const looks: Readonly<Record<ImpactSign, string>> = { "!!": "r", "+": "a", "-": "r", "?": "w" };

/** Returns one sentence of an impact with its sign. */
function impactRow({ sign, sentence, detail }: ImpactLine): Html {
	const more = detail.length === 0 ? null : html`<p class="soft">${phraseHtml(detail)}</p>`;
	return row(sign === "-" ? "\u2212" : sign, looks[sign], html`${phraseHtml(sentence)}${more}`);
}

function row(sign: string, look: string, content: Html): Html {
	return html`<li><span class="mark ${look}" aria-hidden="true">${sign}</span><div>${content}</div></li>\n`;
}

const reaches: Readonly<Record<Reach, { readonly sign: string; readonly word: string }>> = {
	alone: { sign: "\u25cf", word: "alone" },
	together: { sign: "\u25d0", word: "together with others" },
	quorum: { sign: "\u25c7", word: "only in the root quorum" },
	no: { sign: "\u00b7", word: "no" },
	unknown: { sign: "?", word: "unknown" },
};

/** More columns than this do not fit on paper: there the sentences replace the matrix. */
const maxOnPaper = 16;

/** More users than this need a search. */
const maxWithoutSearch = 12;

function renderPowersMatrix(plan: Plan, id: string): Html | null {
	const matrix = makePowersMatrix(plan);
	if (matrix === null) return null;
	const changing = matrix.users.filter(({ changes }) => changes).length;
	const quiet = matrix.users.length - changing;
	const hasSearch = matrix.users.length > maxWithoutSearch;
	const find = html`<div class="find" hidden><label for="${id}-find">Find a power or a user</label> <input id="${id}-find" type="search" data-rows="powers" autocomplete="off" spellcheck="false"> <output for="${id}-find"></output></div>`;
	const check = html`<label class="check"><input type="checkbox" class="everybody"> show ${count(quiet, "user", "users")} without changes</label>`;
	return html`<div class="matrix reach${changing > maxOnPaper ? " wide" : ""}">
<div class="bar">${hasSearch ? find : null}${quiet === 0 ? null : check}</div>
${renderLegend(matrix)}${
	matrix.leftOut === 0
		? null
		: html`<p class="note">${count(matrix.leftOut, "user", "users")} without changes are left out.</p>`
}
<div class="scroll" role="group" aria-label="Matrix of changed powers and users" tabindex="0"><table class="grid"><caption class="unseen">Changed powers in rows, users in columns; whether each user has the power before and after.</caption>
<thead><tr><th scope="col" class="corner">Who can</th>${matrix.users.map(({ id: userId, changes }) => {
		const { name, notes } = userParts(userId, plan);
		const kind = `u${notes.length === 0 ? "" : " n"}${changes ? "" : " q"}`;
		const lines = notes.map((note) => html` <span class="who">${bdi(note)}</span>`);
		return html`<th scope="col" class="${kind}"><span title="${userId}">${bdi(name)}${lines}</span></th>`;
	})}</tr></thead>
<tbody>${matrix.rows.map((one) => renderRow(one, matrix))}</tbody></table></div>
<p class="paper note">The matrix is too wide for paper; the sentences above have the same.</p>
</div>`;
}

function renderLegend({ rows }: PowersMatrix): Html {
	const used = new Set(rows.flatMap(({ cells }) => cells.flatMap(({ before, after }) => [before, after])));
	const shown = (Object.keys(reaches) as Reach[]).filter((reach) => used.has(reach));
	return html`<ul class="legend">${shown.map(
		(reach) =>
			html`<li><span class="mark" aria-hidden="true">${reaches[reach].sign}</span> ${reaches[reach].word}</li>`,
	)}<li><span class="mark" aria-hidden="true">\u2192</span> before and after</li></ul>`;
}

function renderRow({ finding, cells }: PowerRow, { users }: PowersMatrix): Html {
	const shown = cells.map((cell, index) => renderCell(cell, users[index]?.changes === false));
	return html`<tr><th scope="row"><div><span class="name" title="${printGroup(finding.group)}">${phraseHtml([...describeGroups([finding.group]), ...describeConditions(finding)])}</span></div></th>${trusted(shown.join(""))}</tr>\n`;
}

/** Returns a cell: a sign, a colour and a word for screen readers, both sides where they differ. */
function renderCell({ before, after }: ReachChange, isQuiet: boolean): string {
	const [was, is] = [reaches[before], reaches[after]];
	const names = [...(before === after ? ["k"] : [lookOf(before, after)]), ...(isQuiet ? ["q"] : [])].join(" ");
	const open = names.includes(" ") ? `<td class="${names}">` : `<td class=${names}>`;
	if (before === after) return `${open}${is.sign}<i>${escapeHtml(is.word)}</i>`;
	const said = `before ${was.word}, after ${is.word}`;
	return `${open}<span aria-hidden="true">${was.sign}\u2192${is.sign}</span><i>${escapeHtml(said)}</i>`;
}

const mostFirst: readonly Reach[] = ["alone", "together", "quorum", "no"];

/** Getting a power alone is bad news, as in the sentences. */
function lookOf(before: Reach, after: Reach): string {
	if (before === "unknown" || after === "unknown") return "x";
	if (after === "alone") return "r";
	return mostFirst.indexOf(after) > mostFirst.indexOf(before) ? "r" : "a";
}
