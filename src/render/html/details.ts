import { count } from "../../say/count.ts";
import type { Tone } from "../../say/outcomes.ts";
import type { Sign } from "../../say/section.ts";
import { type NamedOrganization, nameOfOrganization, showOrganizationName } from "../result/organization-name.ts";
import { type Html, html } from "./html.ts";

export interface Section {
	readonly title: string;
	readonly look: "plain" | "bad" | "attention";
	/** Null leaves the section out. */
	readonly body: Html | null;
	/** Shown beside the title; null when there is nothing to count. */
	readonly number: number | null;
	/** Whether only the title shows until the reader opens the section. */
	readonly isFolded?: boolean;
}

/** Returns a section as a card with a heading of `level`; null without a body. */
export function renderCard(
	{ title, look, body, number, isFolded = false }: Section,
	id: string,
	level: 2 | 3 = 2,
): Html | null {
	if (body === null) return null;
	if (title === "") return html`<div class="card ${look}">${body}</div>\n`;
	const words = html`${title}${number === null ? null : html` <span class="number">${number}</span>`}`;
	const heading = level === 2 ? html`<h2 id="${id}">${words}</h2>` : html`<h3 id="${id}">${words}</h3>`;
	const content = isFolded ? html`<details><summary>${heading}</summary>${body}</details>` : html`${heading}\n${body}`;
	// Only the sections of a single organization are landmarks: those of several would share their names.
	return level === 2
		? html`<section class="card ${look}" aria-labelledby="${id}">${content}</section>\n`
		: html`<div class="card ${look}">${content}</div>\n`;
}

/** Returns the items as lines; null when there is none. */
export function renderList(items: readonly Html[]): Html | null {
	return items.length === 0 ? null : html`<ul class="lines">${items.map((item) => html`<li>${item}</li>\n`)}</ul>`;
}

/** Returns the rows as a list; null when there is none. */
export function renderChanges(rows: readonly Html[]): Html | null {
	return rows.length === 0 ? null : html`<ul class="changes">${rows}</ul>`;
}

export function foldAbove(
	max: number,
	number: number,
	words: readonly [string, string],
	body: Html | null,
): Html | null {
	return number <= max ? body : fold(count(number, ...words), body);
}

export function fold(summary: string, body: Html | null): Html {
	return html`<details><summary>${summary}</summary>${body}</details>`;
}

const looks: Readonly<Record<Sign, string>> = { "+": "a", "-": "r", "~": "w", "!": "w", "!!": "r", "?": "w" };

function showSign(sign: Sign): string {
	return sign === "-" ? "\u2212" : sign;
}

export function markedRow(sign: Sign | undefined, content: Html): Html {
	const mark = sign && html`<span class="mark ${looks[sign]}" aria-hidden="true">${showSign(sign)}</span>`;
	return html`<li>${mark ?? null}<div>${content}</div></li>\n`;
}

export function chip(sign: Sign, content: Html): Html {
	return html`<span class="chip ${looks[sign]}">${showSign(sign)}\u00a0${content}</span>`;
}

const badges: Readonly<Record<Tone, readonly [sign: string, word: string]>> = {
	good: ["\u2713", "Good"],
	attention: ["!", "Attention"],
	bad: ["\u00d7", "Stop"],
};

/** Returns the sign of a tone, with its word for screen readers. */
export function badge(tone: Tone): Html {
	const [sign, word] = badges[tone];
	return html`<span class="badge ${tone}"><span aria-hidden="true">${sign}</span><span class="unseen">${word}: </span></span>`;
}

/** Returns the name, if there is one, and the id. */
export function organizationHtml(organization: NamedOrganization): Html {
	const id = html`<code>${organization.organizationId}</code>`;
	const name = nameOfOrganization(organization);
	return name === undefined ? id : html`${showOrganizationName(name)} ${id}`;
}
