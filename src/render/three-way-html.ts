/**
 * The three-way plan on the page: sections of one organization, told apart by their headings.
 */
import type { ThreeWay } from "../plan/three-way.ts";
import { bdi, curveQuotes, type Html, html } from "./html-text.ts";
import type { OrganizationResult } from "./organizations.ts";
import { count, signsMean } from "./text.ts";
import { aliasHeading, describeMovedAliases } from "./three-way-aliases.ts";
import { describePlanned } from "./three-way-markdown.ts";
import {
	describeDocumentChanges,
	describeDrifted,
	describeDropped,
	describeEmptyPart,
	describeReverted,
	describeUnreadDrift,
	type Entry,
	type EntryLine,
	revertsDrift,
	type Sign,
	signOfUndone,
	threeWayHeadings,
} from "./three-way-text.ts";

interface Section {
	readonly title: string;
	readonly number: number | null;
	readonly look: "plain" | "attention";
	readonly body: () => Html | null;
}

/** More objects or lines than this are folded; of what apply would undo, none. */
const mostOpen = 30;

/** The aliases that mean another user; no section where there is none. */
export function aliasSections({ threeWay, results }: OrganizationResult): readonly Section[] {
	const moved = results === null ? describeMovedAliases(threeWay) : [];
	if (moved.length === 0) return [];
	const items = moved.map(
		({ alias, now, before }) =>
			html`<li>${mark("!")}<div><strong>${bdi(alias)}</strong><p><span class="kind">now</span> ${bdi(now)}</p><p><span class="kind">before</span> ${bdi(before)}</p></div></li>\n`,
	);
	return [
		{
			title: aliasHeading,
			number: items.length,
			look: "attention",
			body: () => html`<ul class="changes">${items}</ul>`,
		},
	];
}

/** What apply would undo; no section where that is nothing. */
export function undoneSections({ threeWay, results }: OrganizationResult): readonly Section[] {
	if (threeWay === null || threeWay.reverts.length === 0 || results !== null) return [];
	const items = threeWay.reverts.map((one) => {
		const words = describeReverted(one, threeWay).map((part, index) =>
			index % 2 === 0 ? part : html`<strong>${bdi(part)}</strong>`,
		);
		return html`<li>${mark(signOfUndone(one))}<div><code>${one.address}</code> ${words}</div></li>\n`;
	});
	const body = (): Html => html`<ul class="changes">${items}</ul>`;
	return [{ title: threeWayHeadings.reverts, number: items.length, look: "attention", body }];
}

/** The three parts; the sections of the plan itself stand behind the last. */
export function partSections({ threeWay, plan }: OrganizationResult): readonly Section[] {
	if (threeWay === null) return [];
	const [changed, drifted] = [describeDocumentChanges(threeWay), describeDrifted(threeWay)];
	const part = (
		which: "documentChanges" | "drifted",
		entries: readonly Entry[],
		more: readonly string[] = [],
	): Section => ({
		title: threeWayHeadings[which],
		number: entries.length === 0 ? null : entries.length,
		look: "plain",
		body: () =>
			html`${entries.length === 0 ? html`<p>${describeEmptyPart(which, threeWay)}</p>` : html`<p class="note">${signsMean}</p>${renderEntries(entries)}`}${more.map(
				(line) => html`<p class="doubt">${line}</p>`,
			)}`,
	});
	return [
		part("documentChanges", changed),
		part("drifted", drifted, describeUnreadDrift(threeWay)),
		{
			title: threeWayHeadings.planned,
			number: null,
			look: "plain",
			body: () => html`<p>${describePlanned(threeWay, plan)}</p>`,
		},
	];
}

/** The organizations that only the base speaks of, or null when there is none. */
export function renderDroppedPage(dropped: readonly ThreeWay[]): Html | null {
	if (dropped.length === 0) return null;
	return html`<section class="card attention" aria-labelledby="dropped"><h2 id="dropped">${threeWayHeadings.dropped} <span class="number">${dropped.length}</span></h2>
<ul class="lines">${dropped.map((one) => html`<li><span>${describeDropped(one)}</span></li>\n`)}</ul></section>`;
}

/** The word beside a planned part that puts drift back; null where it does not. */
export function wordReverted(reverted: boolean): Html | null {
	return reverted ? html` <span class="word attention">${revertsDrift}</span>` : null;
}

function renderEntries(entries: readonly Entry[]): Html {
	const body = html`<ul class="changes">${entries.map(renderEntry)}</ul>`;
	if (entries.length <= mostOpen) return body;
	return html`<details><summary>${count(entries.length, "object", "objects")}</summary>${body}</details>`;
}

function renderEntry({ sign, address, text, note, lines }: Entry): Html {
	const all = html`${lines.map(renderLine)}`;
	const shown =
		lines.length <= mostOpen
			? all
			: html`<details><summary>${count(lines.length, "difference", "differences")}</summary>${all}</details>`;
	return html`<li>${mark(sign)}<div><code>${address}</code> ${text === "" ? null : html`${bdi(curveQuotes(text))} `}${renderNote(note)}${shown}</div></li>\n`;
}

function renderLine({ sign, text, note }: EntryLine): Html {
	const said =
		sign === null ? bdi(text) : html`<span class="chip ${looks[sign]}">${signs[sign]}\u00a0${bdi(text)}</span>`;
	return html`<p>${said} ${renderNote(note)}</p>`;
}

function renderNote(note: string): Html | null {
	return note === "" ? null : html`<span class="soft">${note}</span>`;
}

const looks: Readonly<Record<Sign, string>> = { "+": "a", "-": "r", "~": "w", "!": "w" };

const signs: Readonly<Record<Sign, string>> = { "+": "+", "-": "\u2212", "~": "~", "!": "!" };

function mark(sign: Sign): Html {
	return html`<span class="mark ${looks[sign]}" aria-hidden="true">${signs[sign]}</span>`;
}
