/**
 * What differs about one object, as parts of the page: who gains or loses a tag, and the fields that are not as expected.
 */
import type { ReportChange } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import { describeOwner, userParts } from "../plan/user-labels.ts";
import { compareText } from "../plan/value.ts";
import { bdi, type Html, html } from "./html-text.ts";
import { differingFields } from "./text.ts";
import { wordReverted } from "./three-way-html.ts";

/** Users by their names, sorted, each with a sign and a colour; null when there is none. Some put drift back. */
export function chips(
	word: string,
	look: string,
	sign: string,
	userIds: readonly string[],
	plan: Plan,
	isReverted: (userId: string) => boolean = () => false,
): Html | null {
	if (userIds.length === 0) return null;
	const users = userIds
		.map((userId) => ({ ...userParts(userId, plan), reverted: isReverted(userId) }))
		.sort((left, right) => compareText(left.name, right.name));
	return html`<p class="people"><span class="kind">${word}</span> ${users.map(
		({ name, notes, reverted }) =>
			html`<span class="chip ${look}">${sign}\u00a0${bdi(name)}${noteOn(notes)}</span>${wordReverted(reverted)} `,
	)}</p>`;
}

/** What tells a user from others of the same name, beside the name; null where the name is enough. */
function noteOn(notes: readonly string[]): Html | null {
	return notes.length === 0 ? null : html` <span class="who">(${bdi(notes.join(", "))})</span>`;
}

/** Whose object it is, where its address alone could be mistaken; null where it is not. */
export function renderOwner(userId: string | null | undefined, plan: Plan): Html | null {
	const owner = describeOwner(userId, plan);
	return owner === "" ? null : html` <span class="who">${bdi(owner.trim())}</span>`;
}

/** The fields that differ, both sides beside each other; null when the object is not there. */
export function renderFields(change: ReportChange): Html | null {
	const fields = differingFields(change);
	if (fields.length === 0) return null;
	return html`<dl class="fields">${fields.map(
		({ field, live, document }) =>
			html`<div><dt>${field}</dt><dd><span class="kind">live</span> ${bdi(live)}</dd><dd><span class="kind">document</span> ${bdi(document)}</dd></div>`,
	)}</dl>`;
}
