/** Phrases and sections as HTML: text of others is isolated, so that its direction affects nothing around it. */
import { showSpaces } from "../../common/escape.ts";
import type { Phrase, Span } from "../../say/phrase.ts";
import { hasContent, type Look, type Row, type Section } from "../../say/section.ts";
import { commandLine } from "../../say/voice.ts";
import { type Section as Card, chip, foldAbove, markedRow, renderChanges, renderList } from "../html-details.ts";
import { bdi, type Html, html } from "../html-text.ts";

export function phraseHtml(phrase: Phrase): Html {
	return html`${phrase.map((span) => (typeof span === "string" ? html`${span}` : spanHtml(span)))}`;
}

function spanHtml(span: Exclude<Span, string>): Html {
	switch (span.kind) {
		case "flag":
			return html`<code>${commandLine.flag(span.flag, span.value)}</code>`;
		case "code":
		case "command":
		case "id":
			return html`<code>${showSpaces(span.text)}</code>`;
		case "reason":
			return bdi(span.text);
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

/** Returns the section as a card; without a body where it has no content. */
export function sectionCard(section: Section): Card {
	const { title, look, lead, rows, foot = [], form, noun, shorten, isFolded = false } = section;
	const all = form === "differences" ? renderChanges(rows.map(differenceHtml)) : renderList(rows.map(rowHtml));
	const list = shorten === "never" || isFolded ? all : foldAbove(maxRowsOpen, rows.length, noun, all);
	const body = html`${lead === undefined ? null : html`<p class="lead">${phraseHtml(lead)}</p>`}${list}${foot.map((phrase) => html`<p class="soft">${phraseHtml(phrase)}</p>`)}`;
	return {
		title: title ?? "",
		look: look === "good" ? "plain" : look,
		body: hasContent(section) ? body : null,
		number: rows.length === 0 ? null : rows.length,
		isFolded,
	};
}

function rowHtml({ badge, said, notes = [] }: Row): Html {
	const below = notes.map((note) => html`<br>${phraseHtml(note.said)}`);
	return html`${badgeHtml(badge)}<span>${phraseHtml(said)}${below}</span>`;
}

function badgeHtml(badge: Row["badge"]): Html | null {
	return badge === undefined ? null : html`<span class="word ${badge.look}">${badge.word}</span> `;
}

const noteClasses: Readonly<Record<Look, string>> = { plain: "soft", good: "soft", attention: "doubt", bad: "doubt" };

/** Returns a row with its sign; rows within it are chips, in one line for each sign. */
function differenceHtml({ sign = "~", badge, said, rows = [], notes = [] }: Row): Html {
	const bySign = [...Map.groupBy(rows, (row) => row.sign).values()];
	const within = bySign.map((group) => html`<p class="people">${group.map(chipHtml)}</p>`);
	const below = notes.map((note) => html`<p class="${noteClasses[note.look]}">${phraseHtml(note.said)}</p>`);
	return markedRow(sign, html`${phraseHtml(said)} ${badgeHtml(badge)}${within}${below}`);
}

function chipHtml({ sign = "~", said, badge }: Row): Html {
	return html`${chip(sign, phraseHtml(said))}${badge === undefined ? null : html` ${badgeHtml(badge)}`} `;
}
