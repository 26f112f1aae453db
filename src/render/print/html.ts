/** Phrases and sections as HTML: text of others is isolated, so that its direction affects nothing around it. */
import { showAddress, showSpaces, showText } from "../../common/escape.ts";
import { commandLine, overrideText } from "../../common/said.ts";
import { count } from "../../say/count.ts";
import type { Phrase, Span } from "../../say/phrase.ts";
import {
	hasContent,
	isLong,
	type Look,
	type Note,
	type Row,
	type Section,
	type Sign,
	withPlace,
} from "../../say/section.ts";
import type { DifferenceLine } from "../../say/text-difference.ts";
import { bdi, type Child, curveQuotes, type Html, html } from "../html/html.ts";
import { gridHtml } from "./grid.ts";

export function phraseHtml(phrase: Phrase): Html {
	return html`${phrase.map((span) => (typeof span === "string" ? html`${span}` : spanHtml(span)))}`;
}

function spanHtml(span: Exclude<Span, string>): Html {
	switch (span.kind) {
		case "flag":
			return html`<code>${commandLine.flag(span.flag, span.value)}</code>`;
		case "override":
			return html`<code>${overrideText(span)}</code>`;
		case "earlier-input":
			return html`${commandLine.earlierInput}`;
		// Only in a text, which keeps its spaces.
		case "line":
			return html`${showText(span.text)}`;
		case "changed":
			return html`<mark>${showText(span.text)}</mark>`;
		case "code":
		case "command":
		case "id":
			return html`<code>${showSpaces(span.text)}</code>`;
		case "title":
			return html`<strong>${bdi(span.text)}</strong>`;
		case "address": {
			const shown = showSpaces(showAddress(span.text));
			const at = shown.indexOf(":") + 1;
			return html`<code>${shown.slice(0, at)}<strong>${shown.slice(at)}</strong></code>`;
		}
		case "reason":
			return bdi(curveQuotes(span.text));
		case "quote":
			return html`\u201c${bdi(span.text)}\u201d`;
		case "time":
			return html`<time datetime="${span.text}">${span.text}</time>`;
		case "name": {
			const notes = span.notes.length === 0 ? null : html` <span class="who">(${bdi(span.notes.join(", "))})</span>`;
			return html`<strong>${bdi(span.text)}</strong>${notes}`;
		}
	}
}

/** Of sections that may be shortened, more rows than this are folded. */
const maxRowsOpen = 20;

/**
 * Returns the section as a card with a heading of `level`, a landmark where that is 2: of several organizations they would share
 * their names. Null without content. `prefix` makes ids unique on a page.
 */
export function cardHtml(section: Section, prefix = "", level: 2 | 3 = 2): Html | null {
	if (!hasContent(section)) return null;
	const { title, rows, number = rows.length, isFolded = false } = section;
	const look = section.look === "good" ? "plain" : section.look;
	const body = bodyHtml(section, prefix);
	if (title === null) return html`<div class="card ${look}">${body}</div>\n`;
	const id = `${prefix}${section.id}`;
	const words = html`${title}${number === 0 ? null : html` <span class="number">${number}</span>`}`;
	const heading = level === 2 ? html`<h2 id="${id}">${words}</h2>` : html`<h3 id="${id}">${words}</h3>`;
	const content = isFolded ? html`<details><summary>${heading}</summary>${body}</details>` : html`${heading}\n${body}`;
	return level === 2
		? html`<section class="card ${look}" aria-labelledby="${id}">${content}</section>\n`
		: html`<div class="card ${look}">${content}</div>\n`;
}

function bodyHtml(section: Section, prefix: string): Html {
	const { lead, rows, foot = [], noun, form, isFolded = false } = section;
	const all = rowsHtml(section, prefix);
	const isOpen = isFolded || form === "table" || !isLong(section, maxRowsOpen);
	const list = isOpen ? all : fold(count(rows.length, ...noun), all);
	const grid = section.grid?.() ?? null;
	return html`${lead === undefined ? null : html`<p class="lead">${phraseHtml(lead)}</p>`}${list}${restHtml(section, prefix)}${grid && gridHtml(grid, `${prefix}${section.id}`, phraseHtml)}${foot.map((phrase) => html`<p class="soft">${phraseHtml(phrase)}</p>`)}`;
}

/** Returns the sections as cards with headings of `level`; none of those without content. */
export function cardsHtml(sections: readonly Section[], level: 2 | 3 = 2, prefix = ""): readonly (Html | null)[] {
	return sections.map((section) => cardHtml(section, prefix, level));
}

/** Returns the body, which shows only its summary until a reader opens it. */
export function fold(summary: string, body: Child): Html {
	return html`<details><summary>${summary}</summary>${body}</details>`;
}

function rowsHtml({ form, columns, rows, id }: Section, prefix: string): Html | null {
	if (form === "table") return tableHtml(rows, columns);
	if (form === "steps") return roundsHtml(rows, `${prefix}${id}`);
	if (form === "differences" || form === "sentences") return differencesHtml(rows);
	return rows.length === 0 ? null : html`<ul class="lines">${rows.map((row) => html`<li>${rowHtml(row)}</li>\n`)}</ul>`;
}

/** More rows that matter less than this are folded. */
const maxRestOpen = 6;

function restHtml({ rest, ...section }: Section, prefix: string): Html | null {
	if (rest === undefined || rest.rows.length === 0) return null;
	const all = rowsHtml({ ...section, rows: rest.rows }, prefix);
	return rest.rows.length > maxRestOpen ? fold(`${rest.title} (${rest.rows.length})`, all) : all;
}

function tableHtml(rows: readonly Row[], columns: Section["columns"] = ["", ""]): Html | null {
	if (rows.length === 0) return null;
	const heads = columns.map((column) => html`<th scope="col">${column}</th>`);
	const lines = rows.map(({ said, aside, rows: cells = [] }) => {
		const details = aside === undefined ? null : html`<p class="soft">${phraseHtml(aside)}</p>`;
		const second = cells.map((cell) => html`<p>${badgeHtml(cell.badge)}${phraseHtml(cell.said)}</p>`);
		return html`<tr><th scope="row">${phraseHtml(said)}${details}</th><td>${second}</td></tr>\n`;
	});
	return html`<div class="scroll"><table class="rows"><thead><tr>${heads}</tr></thead>\n<tbody>${lines}</tbody></table></div>`;
}

/** Returns steps in rounds: a round starts after the one before it, and its steps run in parallel. */
function roundsHtml(rows: readonly Row[], prefix: string): Html | null {
	if (rows.length === 0) return null;
	const rounds = [...Map.groupBy(rows, roundOf(rows))].sort(([left], [right]) => left - right);
	return html`<ol class="rounds">${rounds.map(([, steps], index) => {
		const together = steps.length === 1 ? "1 step" : `${steps.length} steps, in parallel`;
		const items = steps.map((row) => html`<li id="${prefix}-${row.order?.id ?? ""}">${stepHtml(row, prefix)}</li>\n`);
		return html`<li><p class="round">${index === 0 ? "First" : "Then"}: ${together}</p><ul class="steps">${items}</ul></li>`;
	})}</ol>`;
}

/** Returns the number of rounds before a step: one more than before the last of those it comes after. */
function roundOf(rows: readonly Row[]): (row: Row) => number {
	const rounds = new Map<string, number>();
	// A step follows those it depends on. Only a plan from a file may differ: its order is shown as far as it is known.
	for (const { order } of rows) {
		if (order !== undefined)
			rounds.set(order.id, Math.max(0, ...order.after.map((other) => (rounds.get(other) ?? 0) + 1)));
	}
	return ({ order }) => rounds.get(order?.id ?? "") ?? 0;
}

/** Returns a step or a part of one: what became of it in front, and below it why, notes and its parts. */
function stepHtml({ badge, said, aside, order, notes = [], rows = [] }: Row, prefix: string): Html {
	const id = order === undefined ? null : html`<span class="step">${order.id}</span> `;
	const operation = order === undefined ? null : html`<code>${order.operation}</code> `;
	const links = (order?.after ?? []).map(
		(other, index) => html`${index === 0 ? "" : ", "}<a href="#${prefix}-${other}">${other}</a>`,
	);
	const after = links.length === 0 ? null : html`<span class="after">after ${links}</span> `;
	const details = html`${operation}${after}${aside === undefined ? null : html`<span class="covers">${phraseHtml(aside)}</span>`}`;
	const why = badge?.why === undefined ? null : html`<p class="doubt">${phraseHtml(badge.why)}</p>`;
	const below = notes.map((note) => html`<p class="${noteClasses[note.look]}">${phraseHtml(note.said)}</p>`);
	const parts = changesHtml(rows.map((row) => html`<li><div>${stepHtml(row, prefix)}</div></li>\n`));
	return html`<p>${id}${badgeHtml(badge)}${phraseHtml(said)}</p>${details.html === "" ? null : html`<p class="soft">${details}</p>`}${why}${below}${parts}`;
}

function rowHtml({ badge, marks = [], notes = [], rows = [], ...row }: Row): Html {
	const below = notes.map((note) => html`<br>${phraseHtml(note.said)}`);
	const line = html`${badgeHtml(badge)}<span>${phraseHtml(withPlace(row))}${marks.map(markHtml)}${below}</span>`;
	if (rows.length === 0) return line;
	return html`<div>${line}<ul class="within">${rows.map((within) => html`<li>${rowHtml(within)}</li>\n`)}</ul></div>`;
}

function badgeHtml(badge: Row["badge"]): Html | null {
	return badge === undefined ? null : html`<span class="word ${badge.look}">${badge.word}</span> `;
}

const noteClasses: Readonly<Record<Look, string>> = { plain: "soft", good: "soft", attention: "doubt", bad: "doubt" };

/** Returns a remark behind a phrase: a badge where it is more than a detail. */
function markHtml({ look, said }: Note): Html {
	return html` <span class="${look === "plain" ? "soft" : `word ${look}`}">${phraseHtml(said)}</span>`;
}

/** Returns a row with its sign, and below it what belongs to it. */
function differenceHtml(row: Row): Html {
	const { sign, badge, said, aside, marks = [] } = row;
	const quiet = aside === undefined ? null : html` <span class="who kind">${phraseHtml(aside)}</span>`;
	const mark = sign && html`<span class="mark ${signClasses[sign]}" aria-hidden="true">${showSign(sign)}</span>`;
	return html`<li>${mark ?? null}<div>${phraseHtml(said)}${quiet} ${badgeHtml(badge)}${marks.map(markHtml)}${belowHtml(row)}</div></li>\n`;
}

const signClasses: Readonly<Record<Sign, string>> = { "+": "a", "-": "r", "~": "w", "!": "w", "!!": "r", "?": "w" };

function showSign(sign: Sign): string {
	return sign === "-" ? "\u2212" : sign;
}

/** Returns rows with signs; null where there is none. */
export function differencesHtml(rows: readonly Row[]): Html | null {
	return changesHtml(rows.map(differenceHtml));
}

function changesHtml(items: readonly Html[]): Html | null {
	return items.length === 0 ? null : html`<ul class="changes">${items}</ul>`;
}

/** Returns a row as a paragraph, with its rows and notes below it. */
export function rowCardHtml({ said, rows = [], notes = [] }: Row): Html {
	return html`<p>${phraseHtml(said)}</p>${differencesHtml(rows)}${belowHtml({ said, notes })}`;
}

/** Returns what belongs to a row: rows with signs as chips, one line for each sign, and fields with both sides beside each other. */
function belowHtml({ rows = [], notes = [], extra }: Row): Html {
	const [fields, others] = [rows.filter(isField), rows.filter((row) => !isField(row))];
	const within = [...Map.groupBy(others, ({ sign }) => sign)].map(([sign, group]) =>
		sign === undefined ? group.map((row) => html`<p>${rowHtml(row)}</p>`) : chipsHtml(group),
	);
	const below = notes.map((note) => html`<p class="${noteClasses[note.look]}">${phraseHtml(note.said)}</p>`);
	const more = extra === undefined ? null : html`<p class="soft">${phraseHtml(extra)}</p>`;
	const lists = fields.length === 0 ? null : html`<dl class="fields">${fields.map(fieldHtml)}</dl>`;
	return html`${within}${lists}${more}${below}`;
}

function isField({ sides, difference }: Row): boolean {
	return sides !== undefined || difference !== undefined;
}

/** Returns both texts beside each other, each with the lines of its own and those that both have. */
function textsHtml(difference: readonly DifferenceLine[]): Html {
	const side = (word: string, own: "-" | "+"): Html | null => {
		const lines = difference.filter(({ sign }) => sign === own || sign === " ");
		const isEmpty = !difference.some(({ sign }) => sign === own) && own === "-";
		if (isEmpty) return null;
		return html`<dd class="${word}"><span class="kind">${word}</span><pre>${lines.map(({ said }) => html`${phraseHtml(said)}\n`)}</pre></dd>`;
	};
	return html`${side("live", "-")}${side("document", "+")}`;
}

function fieldHtml({ said, sides = [], difference, marks = [] }: Row): Html {
	if (difference !== undefined) return html`<div><dt>${phraseHtml(said)}</dt>${textsHtml(difference)}</div>`;
	const both = sides.map((side) => html`<dd><span class="kind">${side.word}</span> ${phraseHtml(side.said)}</dd>`);
	return html`<div><dt>${phraseHtml(said)}${marks.map(markHtml)}</dt>${both}</div>`;
}

/** More chips with remarks than this are folded. */
const maxRemarksOpen = 30;

/** Returns rows of one sign as chips: on one line, and those with a quiet remark each on its own. */
function chipsHtml(rows: readonly Row[]): Html {
	const isQuiet = ({ marks = [] }: Row): boolean => marks.some(({ look }) => look === "plain");
	const [short, long] = [rows.filter((row) => !isQuiet(row)), rows.filter(isQuiet)];
	const line = (chips: readonly Row[]): Html =>
		html`<p class="people">${nounHtml(chips)}${chips.map((row) => html`${chipHtml(row)} `)}</p>`;
	const lines = long.map((row) => line([row]));
	const summary = count(long.length, ...(rows[0]?.noun ?? ["more", "more"]));
	return html`${short.length === 0 ? null : line(short)}${long.length > maxRemarksOpen ? fold(summary, lines) : lines}`;
}

function nounHtml([first, ...others]: readonly Row[]): Html | null {
	if (first?.noun === undefined) return null;
	return html`<span class="kind">${first.noun[others.length === 0 ? 0 : 1]}</span> `;
}

function chipHtml({ sign = "~", badge, said, marks = [] }: Row): Html {
	const chip = html`<span class="chip ${signClasses[sign]}">${showSign(sign)}\u00a0${phraseHtml(said)}</span>`;
	return html`${chip}${badge === undefined ? null : html` ${badgeHtml(badge)}`}${marks.map(markHtml)}`;
}
