/** Access with an end on the page: what ends or begins soon, and the windows of members whom a plan adds or removes. */
import type { TagChange } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import { describeExpiries, describeMemberWindow, expiriesHeading, findExpiry } from "./expiry-words.ts";
import { foldAbove, listSection, type Section } from "./html-details.ts";
import { type Html, html } from "./html-text.ts";
import { namePerson } from "./power-words.ts";
import { phraseHtml } from "./print/html.ts";

/** Returns what ends or begins soon; without a body where nothing does. */
export function expiriesSection(plan: Plan): Section {
	const lines = describeExpiries(plan).map(({ address, sentence, state }) => {
		const word = html`<span class="word attention">${state === "not-begun" ? "begins" : "ends"}</span>`;
		return html`${word} <span><code>${address}</code> ${phraseHtml(sentence)}</span>`;
	});
	const section = listSection(expiriesHeading, "attention", lines);
	return { ...section, body: foldAbove(maxLinesOpen, lines.length, ["member", "members"], section.body) };
}

/** More members than this are folded. */
const maxLinesOpen = 20;

/** More windows of one tag than this are folded. */
const maxOpen = 8;

/** Returns until when and why, of each member with a window whom the change adds or removes; null where there is none. */
export function renderMemberWindows({ address, addUserIds, removeUserIds }: TagChange, plan: Plan): Html | null {
	const lines = [...addUserIds, ...removeUserIds].flatMap((userId) => {
		const expiry = findExpiry(plan, address, userId);
		if (expiry === undefined) return [];
		return [html`<p class="soft">${phraseHtml([namePerson(userId, plan), ": ", ...describeMemberWindow(expiry)])}</p>`];
	});
	return lines.length === 0
		? null
		: foldAbove(maxOpen, lines.length, ["access with an end", "accesses with an end"], html`${lines}`);
}
