import type { ThreeWay } from "../../plan/base/three-way.ts";
import {
	changesSection,
	chip,
	foldAbove,
	listSection,
	markedRow,
	renderChanges,
	renderDoubt,
	type Section,
	section,
} from "../html/details.ts";
import { bdi, curveQuotes, type Html, html } from "../html/html.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import { signsMean } from "../text.ts";
import { aliasHeading, describeMovedAliases } from "./aliases.ts";
import {
	describeDropped,
	describePlanned,
	describeReverted,
	type Entry,
	partsOf,
	signOfReverted,
	threeWayHeadings,
} from "./text.ts";

/** More objects or differences than this are folded. Changes that apply would revert never are. */
const maxOpen = 30;

export function aliasSection(threeWay: ThreeWay): Section {
	const rows = describeMovedAliases(threeWay).map(({ alias, now, before }) =>
		markedRow(
			"!",
			html`<strong>${bdi(alias)}</strong><p><span class="kind">now</span> ${bdi(now)}</p><p><span class="kind">before</span> ${bdi(before)}</p>`,
		),
	);
	return changesSection(aliasHeading, "attention", rows);
}

export function revertedSection(threeWay: ThreeWay): Section {
	const rows = threeWay.reverts.map((one) => {
		const words = describeReverted(one, threeWay).map((part, index) =>
			index % 2 === 0 ? part : html`<strong>${bdi(part)}</strong>`,
		);
		return markedRow(signOfReverted(one), html`<code>${one.address}</code> ${words}`);
	});
	return changesSection(threeWayHeadings.reverts, "attention", rows);
}

/** Returns the three parts; the sections of the plan itself follow the last. */
export function partSections({ threeWay, plan }: OrganizationResult): readonly Section[] {
	if (threeWay === null) return [];
	const parts = partsOf(threeWay).map(({ title, entries, empty, unread }): Section => {
		const body =
			entries.length === 0 ? html`<p>${empty}</p>` : html`<p class="note">${signsMean}</p>${renderEntries(entries)}`;
		return {
			title,
			look: "plain",
			body: html`${body}${unread.map(renderDoubt)}`,
			number: entries.length === 0 ? null : entries.length,
		};
	});
	return [...parts, section(threeWayHeadings.planned, "plain", html`<p>${describePlanned(threeWay, plan)}</p>`)];
}

export function droppedSection(dropped: readonly ThreeWay[]): Section {
	return listSection(
		threeWayHeadings.dropped,
		"attention",
		dropped.map((one) => html`<span>${describeDropped(one)}</span>`),
	);
}

function renderEntries(entries: readonly Entry[]): Html | null {
	return foldAbove(maxOpen, entries.length, ["object", "objects"], renderChanges(entries.map(renderEntry)));
}

function renderEntry({ sign, address, text, note, lines }: Entry): Html {
	const differences = html`${lines.map((line) => {
		const content = line.sign === null ? bdi(line.text) : chip(line.sign, bdi(line.text));
		return html`<p>${content} ${renderNote(line.note)}</p>`;
	})}`;
	return markedRow(
		sign,
		html`<code>${address}</code> ${text === "" ? null : html`${bdi(curveQuotes(text))} `}${renderNote(note)}${foldAbove(maxOpen, lines.length, ["difference", "differences"], differences)}`,
	);
}

function renderNote(note: string): Html | null {
	return note === "" ? null : html`<span class="soft">${note}</span>`;
}
