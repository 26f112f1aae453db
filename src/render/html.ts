/**
 * Plans and reports as one page that needs nothing but itself: no request, and by its own policy no script or style but
 * the two that are written here. It is for whoever approves, woken up or in a meeting: on a phone, on paper, in the dark,
 * by keyboard and by ear.
 */

import { outcomesOf } from "../plan/report.ts";
import { coveredAddresses } from "../plan/step.ts";
import { groupSteps } from "../plan/step-groups.ts";
import { driftFigures } from "./drift-html.ts";
import { script } from "./html-script.ts";
import { renderMessage, renderSections } from "./html-sections.ts";
import { style } from "./html-style.ts";
import { curveQuotes, type Html, hashSource, html, trusted } from "./html-text.ts";
import {
	foldOrganizations,
	hasDetails,
	isAlone,
	type OrganizationResult,
	organizationsOf,
	resultsByAddress,
	type Tone,
	unplannedOf,
} from "./organizations.ts";
import { overridesHeading } from "./overrides-text.ts";
import { outdatedHeading } from "./report-text.ts";
import type { CommandResult, FailedOrganization } from "./result.ts";
import {
	describeAllOutdated,
	describeRunOverrides,
	describeSavedPlan,
	droppedOf,
	errorAbove,
	summarizeResult,
} from "./summary.ts";

import { count, headings } from "./text.ts";
import { renderDroppedPage } from "./three-way-html.ts";
import { sortWaiting } from "./waiting-text.ts";

const policy = [
	"default-src 'none'",
	`style-src ${hashSource(style)}`,
	`script-src ${hashSource(script)}`,
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

export interface HtmlOptions {
	/** Name and version of the program, for the foot of the page. */
	readonly generatedBy?: string;
}

/** The page, whole. The same result gives the same bytes; nothing that a name holds is anything but text on it. */
export function renderHtml(result: CommandResult, { generatedBy = "orgsync" }: HtmlOptions = {}): string {
	const { verdict, tone } = summarizeResult(result);
	const organizations = organizationsOf(result);
	const unread = unplannedOf(result);
	const alone = isAlone(result);
	const { full } = foldOrganizations(result);
	const savedPlan = describeSavedPlan(result);
	const [headline, rest] = splitVerdict(verdict);
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${generatedBy}">
<title>orgsync ${result.command}: ${verdict}</title>
<style>${trusted(style)}</style>
</head>
<body>
<header class="head ${tone}"><div class="inside">
<p class="brand">orgsync <b>${result.command}</b></p>
<h1>${badge(tone)}<span>${headline}</span></h1>
${rest === "" ? null : html`<p class="lead">${rest}</p>`}${savedPlan === null ? null : html`<p class="soft">${savedPlan}</p>`}${alone ? organizations.map(factsOf) : null}
</div></header>
<main class="inside">
${renderError(result)}${renderRunOverrides(result)}${alone ? null : renderOverview(result)}${renderUnread(unread)}${
	alone ? full.map((one) => renderSections(one, 2, "")) : full.map(renderOrganization)
}${renderDroppedPage(droppedOf(result))}</main>
<footer class="inside">${renderFoot(result, generatedBy)}</footer>
<script>${trusted(script)}</script>
</body>
</html>
`;
	return page.html;
}

/** Longest headline, in characters. */
const longestHeadline = 70;

/** The beginning of the verdict as the headline, what follows as the text below it. */
function splitVerdict(verdict: string): readonly [headline: string, rest: string] {
	// What stands in brackets is no part of a headline.
	const bracket = /^(.*?) \((.*?)\)([.;] .*)$/.exec(verdict);
	if (bracket !== null && (bracket[1] ?? "").length <= longestHeadline)
		return [bracket[1] ?? "", startSentence(`${bracket[2]}${bracket[3]}`)];
	const sentence = /^(.*?)[.;] (.*)$/.exec(verdict);
	if (sentence !== null && (sentence[1] ?? "").length <= longestHeadline)
		return [sentence[1] ?? "", startSentence(sentence[2] ?? "")];
	const clause = /^(.*?): (.*)$/.exec(verdict);
	return clause === null || verdict.length <= longestHeadline
		? [verdict.replace(/\.$/, ""), ""]
		: [clause[1] ?? "", startSentence(clause[2] ?? "")];
}

function startSentence(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const badges: Readonly<Record<Tone, readonly [sign: string, word: string]>> = {
	good: ["\u2713", "Good"],
	attention: ["!", "Attention"],
	bad: ["\u00d7", "Stop"],
};

function badge(tone: Tone): Html {
	const [sign, word] = badges[tone];
	return html`<span class="badge ${tone}"><span aria-hidden="true">${sign}</span><span class="unseen">${word}: </span></span>`;
}

/** What can be counted, in large figures; after an apply only what was done. */
function factsOf(one: OrganizationResult): Html {
	const { plan, threeWay, drift } = one;
	const figures = drift === null ? figuresOf(one) : driftFigures(drift).map((figure) => fact(...figure));
	return html`${figures.length === 0 ? null : html`<dl class="facts">${figures}</dl>`}
<p class="soft">Organization <code>${plan.organizationId}</code>, read <time datetime="${plan.readAt}">${plan.readAt}</time>${threeWay === null ? null : html`<br>Base <code>${threeWay.base.name}</code>`}</p>`;
}

/** The figures of a plan are those of its verdict: only what would be submitted counts. */
function figuresOf(one: OrganizationResult): readonly Html[] {
	const { plan, threeWay, results } = one;
	const counts = countedIn(one);
	const changes = plan.changes.filter(({ address, action }) => action === "report" || counts(address));
	const tags = changes.filter((change) => change.kind === "userTag");
	const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
	const { waits, inDoubt, rejected } = sortWaiting(plan);
	const waiting = results === null ? waits : outcomesOf(results).filter((outcome) => outcome.startsWith("awaiting"));
	const counted: readonly (readonly [sign: string, number: number, words: readonly [string, string], look: string])[] =
		[
			["+", sum(tags.map(({ addUserIds }) => addUserIds.length)), ["membership gained", "memberships gained"], "a"],
			[
				"\u2212",
				sum(tags.map(({ removeUserIds }) => removeUserIds.length)),
				["membership lost", "memberships lost"],
				"r",
			],
			["\u2212", changes.filter(({ action }) => action === "remove").length, ["removal", "removals"], "r"],
			["", changes.filter(({ action }) => action === "report").length, ["report-only", "report-only"], "w"],
			[
				"",
				results === null ? (threeWay?.reverts.length ?? 0) : 0,
				["outside change reverted", "outside changes reverted"],
				"w",
			],
			["", waiting.length, ["pending activity", "pending activities"], "w"],
			["", results === null ? inDoubt.length : 0, ["activity in doubt", "activities in doubt"], "w"],
			["", results === null ? rejected.length : 0, ["rejected", "rejected"], "w"],
		];
	return [
		...firstFigure(one),
		...counted
			.filter(([, number]) => number > 0)
			.map(([sign, number, [one, many], look]) => fact(`${sign}${number}`, number === 1 ? one : many, look)),
	];
}

/** Whether a change counts: of a plan what it would submit, after an apply what completed, of one that began nothing none. */
function countedIn({ command, plan, results }: OrganizationResult): (address: string) => boolean {
	if (results !== null) {
		const byAddress = resultsByAddress(results);
		return (address) => byAddress.get(address)?.outcome === "completed";
	}
	if (command === "apply") return () => false;
	const covered = new Set<string>(coveredAddresses(groupSteps(plan.steps).sent));
	return (address) => covered.has(address);
}

/** How much is to be submitted, or was; nothing where there was nothing to do. */
function firstFigure({ command, plan, report, results }: OrganizationResult): readonly Html[] {
	const sent = groupSteps(plan.steps).sent.length;
	if (results === null && command === "apply") return [fact(`0 of ${sent}`, "activities submitted", "")];
	if (results === null) return [fact(String(sent), sent === 1 ? "activity to submit" : "activities to submit", "")];
	const total = (report?.steps ?? plan.steps).length;
	const completed = results.filter(({ outcome }) => outcome === "completed").length;
	return total === 0 ? [] : [fact(`${completed} of ${total}`, "steps completed", "")];
}

function fact(number: string, words: string, look: string): Html {
	return html`<div class="${look}"><dt>${words}</dt><dd>${number}</dd></div>`;
}

function renderError(result: CommandResult): Html | null {
	const error = errorAbove(result);
	if (error === null) return null;
	const outdated = describeAllOutdated(result);
	const list =
		outdated.length === 0
			? null
			: html`<p>${outdatedHeading}:</p><ul class="lines">${outdated.map((line) => html`<li>${curveQuotes(line)}</li>\n`)}</ul>`;
	return html`<section class="card bad" aria-labelledby="error"><h2 id="error">What is wrong</h2>
${renderMessage(error, result.problems, list)}</section>`;
}

/** Overrides that are no organization's own. */
function renderRunOverrides(result: CommandResult): Html | null {
	const lines = describeRunOverrides(result);
	if (lines.length === 0) return null;
	return html`<section class="card attention" aria-labelledby="overrides"><h2 id="overrides">${overridesHeading}</h2>
<ul class="lines">${lines.map((line) => html`<li>${line}</li>\n`)}</ul></section>`;
}

/** Organizations of which nothing is known but why. */
function renderUnread(unread: readonly FailedOrganization[]): Html | null {
	if (unread.length === 0) return null;
	return html`<section class="card bad" aria-labelledby="unlooked"><h2 id="unlooked">${headings.unlooked} <span class="number">${unread.length}</span></h2>
<ul>${unread.map(({ organizationId, error }) => html`<li><code>${organizationId}</code>${renderMessage(error)}</li>\n`)}</ul></section>`;
}

/** Those that need somebody first; whoever has nothing to show but its verdict has it here. Null when there is none. */
function renderOverview(result: CommandResult): Html | null {
	const organizations = organizationsOf(result);
	const unread = unplannedOf(result);
	const total = organizations.length + unread.length;
	if (total === 0) return null;
	const ordered = (["bad", "attention", "good"] as const).flatMap((tone) =>
		organizations.filter((one) => one.tone === tone),
	);
	const nameOf = ({ plan }: OrganizationResult): Html => html`<code>${plan.organizationId}</code>`;
	return html`<nav class="card" aria-labelledby="overview"><h2 id="overview">Organizations <span class="number">${total}</span></h2>
<ul class="overview">${unread.map(
		({ organizationId }) =>
			html`<li>${badge("bad")}<div><a href="#unlooked"><code>${organizationId}</code></a> <span>Could not be read.</span></div></li>\n`,
	)}${ordered.map((one) => {
		const name = hasDetails(one) ? html`<a href="#${sectionOf(one)}">${nameOf(one)}</a>` : nameOf(one);
		return html`<li>${badge(one.tone)}<div>${name} <span>${one.verdict}</span></div></li>\n`;
	})}</ul></nav>`;
}

function sectionOf({ plan }: OrganizationResult): string {
	return `o-${plan.organizationId}`;
}

function renderOrganization(one: OrganizationResult): Html {
	const id = sectionOf(one);
	return html`<section class="organization" id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${badge(one.tone)}Organization <code>${one.plan.organizationId}</code></h2>
<p class="lead">${one.verdict}</p>${renderSections(one, 3, id)}</section>\n`;
}

function renderFoot(result: CommandResult, generatedBy: string): Html {
	const organizations = organizationsOf(result);
	const [only] = organizations;
	const looked = organizations.length + unplannedOf(result).length;
	const what =
		only === undefined
			? null
			: looked > 1
				? html`<p>${count(looked, "organization", "organizations")}</p>`
				: html`<p>Document <code>${only.plan.documentDigest}</code>${only.report === null ? null : html`<br>Plan <code>${only.report.planDigest}</code>`}</p>`;
	return html`${what}<p>${generatedBy}. This page is self-contained: it sends no requests.</p>`;
}
