/**
 * What differs about one object, as parts of the page: who gains or loses a tag, and the fields that are not as expected.
 */
import type { ReportChange } from "../change.ts";
import type { Plan } from "../plan.ts";
import { compareText } from "../value.ts";
import { bdi, type Html, html } from "./html-text.ts";
import { differingFields, showUser } from "./text.ts";

/** Users by their names, sorted, each with a sign and a colour; null when there is none. */
export function chips(word: string, look: string, sign: string, userIds: readonly string[], plan: Plan): Html | null {
	if (userIds.length === 0) return null;
	const names = userIds.map((userId) => showUser(userId, plan)).sort(compareText);
	return html`<p class="people"><span class="kind">${word}</span> ${names.map(
		(name) => html`<span class="chip ${look}">${sign}\u00a0${bdi(name)}</span> `,
	)}</p>`;
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
