/**
 * The sections of the page about one organization. A kind of section is a row of `sections`; what else has to be shown of
 * an organization is another row.
 */

import type { Problem } from "../errors.ts";
import { showRename } from "../escape.ts";
import { labelOf } from "../plan/address.ts";
import type { RemovalChange, ReportChange, TagChange } from "../plan/change.ts";
import type { Guard } from "../plan/guards.ts";
import { kinds } from "../plan/kinds/index.ts";
import { blockingGuards } from "../plan/overrides.ts";
import type { RelatedActivity } from "../plan/pending.ts";
import type { Plan } from "../plan/plan.ts";
import type { StepResult } from "../plan/report.ts";
import { driftSections } from "./drift-html.ts";
import { chips, renderFields, renderOwner } from "./html-details.ts";
import { renderMatrix } from "./html-matrix.ts";
import { heldWord, outcomeOf, renderSteps } from "./html-steps.ts";
import { bdi, type Child, curveQuotes, type Html, html, sentence } from "./html-text.ts";
import { type OrganizationResult, resultsByAddress } from "./organizations.ts";
import { describeOverride, overridesHeading } from "./overrides-text.ts";
import { reportHeadings } from "./report-text.ts";
import type { ErrorDescription } from "./result.ts";
import { describeDoubt, describeGuard, describeReported, describeUnread, headings } from "./text.ts";
import { aliasSections, partSections, undoneSections, wordReverted } from "./three-way-html.ts";
import { markUndone } from "./three-way-text.ts";
import { describeWaiting, describeWaitingEffect, sortWaiting } from "./waiting-text.ts";

type Undone = ReturnType<typeof markUndone>;

interface Section {
	readonly title: string;
	/** Shown beside the title; null when there is nothing to count. */
	readonly number: number | null;
	readonly look: "plain" | "bad" | "attention";
	/** Null leaves the section out. `id` is unique on the page. */
	readonly body: (one: OrganizationResult, id: string) => Html | null;
}

/** The sections that have something to show. `level` is that of their headings, 2 or 3. */
export function renderSections(one: OrganizationResult, level: 2 | 3, prefix: string): readonly Html[] {
	return sections(one).flatMap(({ title, number, look, body }, index) => {
		const id = `${prefix}s${index + 1}`;
		const content = body(one, id);
		if (content === null) return [];
		const heading = html`${title}${number === null ? null : html` <span class="number">${number}</span>`}`;
		// Under an organization of its own a section is no landmark: there would be as many of the same name as organizations.
		return [
			level === 2
				? html`<section class="card ${look}" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>\n${content}</section>\n`
				: html`<div class="card ${look}"><h3 id="${id}">${heading}</h3>\n${content}</div>\n`,
		];
	});
}

/** In the order in which a reader needs them: after an apply, what became of it comes first. */
function sections(one: OrganizationResult): readonly Section[] {
	const { plan, report, failed, results } = one;
	const { waits, inDoubt, rejected } = sortWaiting(plan);
	const steps: Section = {
		title:
			one.drift !== null
				? "Steps of apply, in order"
				: results === null
					? "Steps, in order"
					: "Steps and their results",
		number: (report?.steps ?? plan.steps).length,
		look: "plain",
		body: (_, id) => renderSteps(one, id),
	};
	return [
		{ title: headings.problems, number: plan.problems.length, look: "bad", body: () => renderProblems(plan.problems) },
		...aliasSections(one),
		...undoneSections(one),
		{
			title: "Why it stopped",
			number: null,
			look: "bad",
			body: () => (failed === null ? null : renderMessage(failed.error)),
		},
		{
			title: "After the last step",
			number: null,
			look: "bad",
			body: () => renderLeft(report?.left ?? [], report?.unverified ?? null),
		},
		{
			title: overridesHeading,
			number: one.overrides.length,
			look: "attention",
			body: () => list(one.overrides.map((override) => html`${describeOverride(override, plan.guards)}`)),
		},
		...driftSections(one),
		...(results === null ? [] : [steps]),
		...(one.drift === null ? guardSections(one) : []),
		...partSections(one),
		...changeSections(one),
		{
			title: headings.waiting,
			number: waits.length,
			look: "attention",
			body: () => (results === null ? renderWaiting(waits, plan) : null),
		},
		{
			title: headings.inDoubt,
			number: inDoubt.length,
			look: "attention",
			body: () => (results === null ? renderWaiting(inDoubt, plan) : null),
		},
		{
			title: headings.rejected,
			number: rejected.length,
			look: "attention",
			body: () => (results === null ? renderWaiting(rejected, plan) : null),
		},
		...(results === null ? [steps] : []),
		...(one.drift === null ? [] : guardSections(one)),
		{
			title: headings.unread,
			number: null,
			look: "attention",
			body: () => list(describeUnread(plan).map((line) => html`${line}`)),
		},
		{
			title: "Unmanaged user tags",
			number: plan.unmanaged.length,
			look: "plain",
			body: () => renderUnmanaged(plan),
		},
	];
}

/** Those that keep apply from sending anything, and apart from them those that do not. */
function guardSections({ plan, results }: OrganizationResult): readonly Section[] {
	const refusing = results === null ? blockingGuards(plan) : [];
	const others = plan.guards.filter((guard) => !refusing.includes(guard));
	return [
		{
			title: headings.guards,
			number: refusing.length,
			look: "bad",
			body: () => renderGuards(refusing, false),
		},
		{
			title: refusing.length === 0 ? "Guards" : "Other guards",
			number: others.length,
			look: "plain",
			body: () => renderGuards(others, true),
		},
	];
}

function changeSections({ command, plan, threeWay, results, drift }: OrganizationResult): readonly Section[] {
	const matrix = (title: string): Section => {
		return { title, number: null, look: "plain", body: (_, id) => renderMatrix(plan, id) };
	};
	// Each difference is told with what is said of it above.
	if (drift !== null) return [matrix("Who would gain and lose which user tag")];
	const tags = plan.changes.filter((change) => change.kind === "userTag");
	const removals = plan.changes.filter((change) => change.action === "remove");
	const reported = plan.changes.filter((change) => change.action === "report");
	const byAddress = resultsByAddress(results);
	const isReverted = markUndone(threeWay);
	const isDone = results !== null || command === "apply";
	return [
		{
			title: "Removals",
			number: removals.length,
			look: "plain",
			body: () => renderRemovals(removals, plan, byAddress, isReverted),
		},
		matrix(isDone ? "Planned: who gains and loses which user tag" : "Who gains and loses which user tag"),
		{
			title: "User tags",
			number: tags.length,
			look: "plain",
			body: () => renderTags(tags, plan, byAddress, isReverted),
		},
		{
			title: "Report-only differences",
			number: reported.length,
			look: "attention",
			body: () => renderReported(reported, plan),
		},
	];
}

type Results = ReadonlyMap<string, StepResult>;

function list(items: readonly Html[]): Html | null {
	return items.length === 0 ? null : html`<ul class="lines">${items.map((item) => html`<li>${item}</li>\n`)}</ul>`;
}

/** An error with what to do about it; `more` stands before that. */
export function renderMessage(
	{ message, hint }: ErrorDescription,
	problems: readonly Problem[] = [],
	more: Html | null = null,
): Html {
	const lines = (text: string): Child =>
		curveQuotes(text)
			.split("\n")
			.map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`);
	return html`<p>${lines(message)}</p>${renderProblems(problems)}${more}${hint === null ? null : html`<p class="soft">Hint: ${lines(hint)}</p>`}`;
}

/** Problems with their places, or null when there is none. */
function renderProblems(problems: readonly Problem[]): Html | null {
	return list(
		problems.map(({ file, line, column, message }) => {
			return html`<span><code>${file}:${line}:${column}</code> ${curveQuotes(message)}</span>`;
		}),
	);
}

/** `applied`: somebody acknowledged what the guards found, or nothing would have been sent. */
function renderGuards(guards: readonly Guard[], applied: boolean): Html | null {
	return list(
		guards.map((guard) => {
			const { found, allowed, meant } = describeGuard(guard);
			const said = html`${found} <span class="soft">(${allowed})</span>`;
			if (!guard.refuses) return html`<span class="word good">passes</span> <span>${said}</span>`;
			return applied
				? html`<span class="word attention">overridden</span> <span>${said}</span>`
				: html`<span class="word bad">blocks</span> <span>${said}<br>to override: <code>${meant}</code></span>`;
		}),
	);
}

function renderLeft(left: readonly { readonly address: string }[], unverified: string | null): Html | null {
	if (left.length === 0 && unverified === null) return null;
	return html`${left.length === 0 ? null : html`<p>${reportHeadings.left}:</p>${list(left.map(({ address }) => html`<code>${address}</code>`))}`}${
		unverified === null ? null : html`<p>${reportHeadings.unverified}: ${unverified}</p>`
	}`;
}

function renderRemovals(
	removals: readonly RemovalChange[],
	plan: Plan,
	results: Results,
	isReverted: Undone,
): Html | null {
	if (removals.length === 0) return null;
	const words = new Map(kinds.map((kind) => [kind.name, kind.words[0]]));
	return html`<ul class="changes">${removals.map((change) => {
		const doubt = describeDoubt(change);
		return html`<li><span class="mark r" aria-hidden="true">\u2212</span><div><span class="kind">remove ${words.get(change.kind) ?? change.kind}</span> ${
			change.before === null || change.before.name === "" ? null : html`<strong>${bdi(change.before.name)}</strong> `
		}<code>${change.address}</code>${renderOwner(change.userId, plan)} ${outcomeOf(results.get(change.address)) ?? heldWord(change.address, plan)}${wordReverted(isReverted(change, "remove", null))}${doubt === null ? null : html`<p class="doubt">${doubt}</p>`}</div></li>\n`;
	})}</ul>`;
}

/** More tags than this are folded: the matrix has them already. */
const mostTagsOpen = 8;

function renderTags(tags: readonly TagChange[], plan: Plan, results: Results, isReverted: Undone): Html | null {
	if (tags.length === 0) return null;
	const body = html`<ul class="changes">${tags.map((change) => renderTag(change, plan, results, isReverted))}</ul>`;
	return tags.length <= mostTagsOpen
		? body
		: html`<details><summary>Each user tag with who gains and who loses it</summary>${body}</details>`;
}

function renderTag(change: TagChange, plan: Plan, results: Results, isReverted: Undone): Html {
	const { before, after, addUserIds, removeUserIds, tagId } = change;
	const renamed = before.name !== after.name;
	const doubt = describeDoubt(change);
	const [from, to] = showRename(before.name, after.name);
	const name = renamed
		? html`<strong>${bdi(from)}</strong> <span class="kind">becomes</span> <strong>${bdi(to)}</strong>`
		: html`<strong>${bdi(after.name)}</strong>`;
	return html`<li><span class="mark w" aria-hidden="true">~</span><div>${name} <code>${tagId}</code> ${outcomeOf(results.get(change.address)) ?? heldWord(change.address, plan)}${wordReverted(isReverted(change, "rename", null))}${chips("gained by", "a", "+", addUserIds, plan, (userId) => isReverted(change, "add-member", userId))}${chips("lost by", "r", "\u2212", removeUserIds, plan, (userId) => isReverted(change, "remove-member", userId))}${
		doubt === null ? null : html`<p class="doubt">${doubt}</p>`
	}</div></li>\n`;
}

function renderReported(changes: readonly ReportChange[], plan: Plan): Html | null {
	if (changes.length === 0) return null;
	return html`<ul class="changes">${changes.map((change) => {
		return html`<li><span class="mark w" aria-hidden="true">!</span><div><code>${change.address}</code>${renderOwner(change.userId, plan)} ${describeReported(change)}${renderFields(change)}</div></li>\n`;
	})}</ul>`;
}

function renderWaiting(activities: readonly RelatedActivity[], plan: Plan): Html | null {
	return list(
		activities.map((activity) => {
			const relation = { same: "joins", conflicting: "conflicts", rejected: "rejected" }[activity.relation];
			const word = activity.state === "in-doubt" ? "in doubt" : relation;
			const means = describeWaitingEffect(activity).map(
				(line) => html`<br><span class="soft">${sentence(line)}</span>`,
			);
			return html`<span class="word attention">${word}</span> <span>${describeWaiting(activity, plan).join(": ")}${means}</span>`;
		}),
	);
}

function renderUnmanaged({ unmanaged }: Plan): Html | null {
	if (unmanaged.length === 0) return null;
	const names = unmanaged.map(({ address }) => html`<span class="chip">${bdi(labelOf(address))}</span> `);
	return html`<details><summary>apply does not touch them</summary><p class="people">${names}</p></details>`;
}
