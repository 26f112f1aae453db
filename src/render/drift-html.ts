/**
 * A report of drift on the page: each object with what is wrong, since when, by whom and what to do; what is gone; and the
 * figures above them.
 */

import { showRename } from "../escape.ts";
import { labelOf, printScope } from "../plan/address.ts";
import type { Change } from "../plan/change.ts";
import type { Finding, OrganizationDrift } from "../plan/drift.ts";
import type { Plan } from "../plan/plan.ts";
import { quoteForShell } from "../plan/shell.ts";
import {
	describeActor,
	describeDifference,
	describeGone,
	describeKept,
	describeSince,
	describeState,
	describeUnattributed,
	driftHeadings,
	formatDuration,
	seenFindings,
} from "./drift-words.ts";
import { chips, renderFields, renderOwner } from "./html-details.ts";
import { bdi, type Html, html } from "./html-text.ts";
import type { OrganizationResult } from "./organizations.ts";
import { describeDoubt, needsSigns, signsMean } from "./text.ts";

/** A section of the page as html-sections.ts has them. */
export interface DriftSection {
	readonly title: string;
	readonly number: number | null;
	readonly look: "plain" | "bad" | "attention";
	readonly body: () => Html | null;
}

/** What moved, what waits to be moved back, what is gone; none of a command that looks for no drift. */
export function driftSections({ drift, plan }: OrganizationResult): readonly DriftSection[] {
	if (drift === null) return [];
	const seen = seenFindings(drift);
	const kept = drift.findings.filter(({ state }) => state === "not-looked-at");
	const waiting = drift.waiting.filter(({ state }) => state !== "not-looked-at");
	return [
		{
			title: driftHeadings.findings,
			number: seen.length,
			look: "attention",
			body: () => renderFindings(seen, drift, plan),
		},
		{
			title: driftHeadings.waiting,
			number: waiting.length,
			look: "plain",
			body: () => renderFindings(waiting, drift, plan),
		},
		{
			title: driftHeadings.unknown,
			number: drift.unread.length,
			look: "attention",
			body: () => lines(drift.unread.map((one) => `${printScope(one)}: ${one.because}`)),
		},
		{
			title: driftHeadings.gone,
			number: drift.gone.length,
			look: "plain",
			body: () => lines(drift.gone.map(describeGone)),
		},
		{ title: driftHeadings.kept, number: kept.length, look: "attention", body: () => lines(kept.map(describeKept)) },
	];
}

function renderFindings(findings: readonly Finding[], drift: OrganizationDrift, plan: Plan): Html | null {
	if (findings.length === 0) return null;
	const nobody = describeUnattributed(drift, plan);
	return html`${needsSigns(plan) ? html`<p class="note">${signsMean}</p>` : null}<ul class="changes">${findings.map((finding) => renderFinding(finding, drift, plan))}</ul>${
		nobody === null ? null : html`<p class="note">${nobody}</p>`
	}`;
}

function renderFinding(finding: Finding, drift: OrganizationDrift, plan: Plan): Html {
	const state = describeState(finding, drift);
	const since = finding.state === "new" ? null : describeSince(finding, drift);
	const by = describeActor(finding, drift, plan);
	const chip =
		state === null ? null : html`<span class="word ${finding.state === "new" ? "bad" : "attention"}">${state}</span> `;
	const change = plan.changes.find(({ address }) => address === finding.address);
	const sign = signs[change?.action ?? "report"];
	return html`<li><span class="mark ${sign.look}" aria-hidden="true">${sign.text}</span><div><code>${finding.address}</code>${change !== undefined && "userId" in change ? renderOwner(change.userId, plan) : null} ${chip}${describeDifference(finding)}${
		change === undefined ? null : renderDifference(change, plan)
	}${since === null ? null : html`<p>${since}</p>`}${by === null ? null : html`<p>${by}</p>`}<p><span class="kind">to do:</span> ${renderTodo(finding)}</p></div></li>\n`;
}

/** As everywhere: what apply would do (`signsMean`). */
const signs: Readonly<Record<Change["action"], { readonly text: string; readonly look: string }>> = {
	update: { text: "~", look: "w" },
	remove: { text: "\u2212", look: "r" },
	report: { text: "!", look: "w" },
};

/** What apply would do about it: names, and users with the signs of every other page. */
function renderDifference(change: Change, plan: Plan): Html | null {
	if (change.action === "report") return renderFields(change);
	if (change.action === "remove") {
		const name = change.before?.name ?? "";
		return name === "" ? null : html` <strong>${bdi(name)}</strong>`;
	}
	const { before, after, addUserIds, removeUserIds } = change;
	const doubt = describeDoubt(change);
	const [from, to] = showRename(before.name, after.name);
	return html`${
		before.name === after.name
			? null
			: html`<p><span class="kind">apply would rename</span> <strong>${bdi(from)}</strong> <span class="kind">to</span> <strong>${bdi(to)}</strong></p>`
	}${chips("apply would add", "a", "+", addUserIds, plan)}${chips("apply would remove", "r", "\u2212", removeUserIds, plan)}${
		doubt === null ? null : html`<p class="doubt">${doubt}</p>`
	}`;
}

/** Commands between back quotes as code. Back quotes in the object's own name are set aside meanwhile: they mean nothing. */
function renderTodo({ todo, address }: Finding): readonly Html[] {
	const names = [quoteForShell(address), labelOf(address)];
	const marked = names.reduce((text, name, index) => text.replaceAll(name, asides[index] ?? ""), todo);
	const restored = (part: string): string =>
		names.reduceRight((text, name, index) => text.replaceAll(asides[index] ?? "", () => name), part);
	return marked
		.split("`")
		.map((part, index) => (index % 2 === 0 ? html`${restored(part)}` : html`<code>${restored(part)}</code>`));
}

/** Characters that no sentence of ours holds. */
const asides = ["\u0001", "\u0002"] as const;

function lines(items: readonly string[]): Html | null {
	return items.length === 0 ? null : html`<ul class="lines">${items.map((item) => html`<li>${bdi(item)}</li>\n`)}</ul>`;
}

/** The large figures above the page: number, words, look. */
export function driftFigures(drift: OrganizationDrift): readonly (readonly [string, string, string])[] {
	const seen = seenFindings(drift);
	const isOld = ({ state }: Finding): boolean => state !== "new";
	const [oldest] = seen
		.filter(isOld)
		.sort((left, right) => Date.parse(left.firstSeenAt) - Date.parse(right.firstSeenAt));
	const compared = drift.comparedWith !== null;
	const figures: readonly (readonly [number | string, string, string, boolean])[] = [
		[seen.length, seen.length === 1 ? "object drifted" : "objects drifted", seen.length === 0 ? "a" : "w", true],
		[seen.filter((one) => !isOld(one)).length, "new", "r", compared],
		[seen.filter(isOld).length, "from before", "w", compared],
		[oldest === undefined ? 0 : formatDuration(oldest.firstSeenAt, oldest.lastSeenAt), "oldest", "w", compared],
		[drift.gone.length, "resolved", "a", drift.gone.length > 0],
		[drift.waiting.length, "pending", "", drift.waiting.length > 0],
		[drift.unread.length, "unknown", "w", drift.unread.length > 0],
	];
	return figures
		.filter(([value, , , shown], index) => shown && (value !== 0 || index === 0))
		.map(([value, name, look]) => [String(value), name, look]);
}
