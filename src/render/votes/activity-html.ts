/** A pending activity on a page: the same words as in text, with the looks of a plan's page. */
import type { ReviewedActivity } from "../../plan/activities/reviewed-activity.ts";
import { markedRow, renderChanges, renderList } from "../html/details.ts";
import { type Html, html } from "../html/html.ts";
import { impactRow } from "../impact/html.ts";
import { impactHeadingOf } from "../impact/words.ts";
import { phraseHtml } from "../print/html.ts";
import { type ActivityOptions, describeActivity, type RequestLine } from "./activity-words.ts";

/** Returns one activity: what it changes, what that means, who voted and what is missing. */
export function renderActivityHtml(activity: ReviewedActivity, options: ActivityOptions = {}): Html {
	const words = describeActivity(activity, options);
	const bad = words.mistakes.map((mistake) => html`<p class="doubt">${phraseHtml(mistake)}</p>`);
	const heading = words.impactLines.length === 0 ? null : html`<p class="kind">${impactHeadingOf(false)}</p>`;
	const impact =
		words.impact === null
			? null
			: html`${heading}<p class="lead">${words.impact}</p>${renderChanges(words.impactLines.map(impactRow))}`;
	const missing = words.missing === null ? [] : [phraseHtml(words.missing)];
	return html`<p>${phraseHtml(words.title)}</p>${bad}${renderRequestHtml(words.request)}${impact}${renderList([
		...[...words.votes.map(phraseHtml), ...missing].map((line) => html`<span>${line}</span>`),
	])}<p class="soft">${phraseHtml(words.fingerprint)}</p>`;
}

/** Returns what a request changes: one row for each object, with its parts below it. */
export function renderRequestHtml(lines: readonly RequestLine[]): Html | null {
	const rows = lines.flatMap((line, index) => {
		if (line.isPart) return [];
		const next = lines.findIndex(({ isPart }, at) => at > index && !isPart);
		const parts = lines.slice(index + 1, next < 0 ? lines.length : next);
		const below = renderChanges(parts.map(({ sign, text }) => markedRow(sign, phraseHtml(text))));
		return [markedRow(line.sign, html`${phraseHtml(line.text)}${below}`)];
	});
	return renderChanges(rows);
}
