/**
 * Plans and reports as one self-contained page: it sends no request, and its policy allows only its own script and style. A
 * reader can approve from it on a phone, on paper, in the dark, by keyboard or with a screen reader.
 */

import { type Counted, countChanges } from "../../plan/change-counts.ts";
import { outcomesOf, resultsByAddress } from "../../plan/report.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { count } from "../../say/count.ts";
import { joinPhrases, type Phrase } from "../../say/phrase.ts";
import { sayRest } from "../../say/verdict.ts";
import { sectionsBelow, sectionsOf, sectionsOfRun, type Topic, topicsOf } from "../page.ts";
import { cardsHtml, phraseHtml } from "../print/html.ts";
import { verdictText } from "../print/text.ts";
import { noteOtherName } from "../result/organization-name.ts";
import { isAlone, type OrganizationResult, organizationsOf, type SuggestingOptions } from "../result/organizations.ts";
import { type CommandResult, isCompared } from "../result/result.ts";
import { errorAbove, type Summary, summarizeResult } from "../result/summary.ts";
import { sayBase } from "../sections/base.ts";
import { dangersOf } from "../sections/danger.ts";
import { driftFigures, type Figure } from "../sections/drift.ts";
import { pendingSections } from "../sections/pending.ts";
import { badge, organizationHtml } from "./details.ts";
import { fleetHeadline, renderFleetFigures, renderOrganizations, renderOverview } from "./fleet.ts";
import { type Html, hashSource, html, trusted } from "./html.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

const policy = [
	"default-src 'none'",
	`style-src ${hashSource(style)}`,
	`script-src ${hashSource(script)}`,
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");

interface HtmlOptions extends SuggestingOptions {
	/** Name and version of the program, for the foot of the page. */
	readonly generatedBy?: string;
}

/** Returns the page. The same result gives the same bytes, and every name is only ever text on it. */
export function renderHtml(result: CommandResult, { generatedBy = "orgsync", commands }: HtmlOptions = {}): string {
	const summary = summarizeResult(result);
	const { verdict, tone } = summary;
	const organizations = organizationsOf(result, commands);
	const alone = isAlone(result);
	const [headline, rest] = headlineOf(result, summary);
	const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${generatedBy}">
<title>orgsync ${result.command}: ${verdictText(verdict)}</title>
<style>${trusted(style)}</style>
</head>
<body>
<header class="head ${tone}"><div class="inside">
<p class="brand">orgsync <b>${result.command}</b></p>
<h1>${badge(tone)}<span>${phraseHtml(headline)}</span></h1>
${dangersOf(result).map((line) => html`<p class="danger">${phraseHtml(line)}</p>`)}${rest.length === 0 ? null : html`<p class="lead">${phraseHtml(rest)}</p>`}${alone ? organizations.map(factsOf) : renderFleetFigures(result)}
</div></header>
<main class="inside">
${alone ? null : renderOverview(result)}${cardsHtml(sectionsOfRun(result, "html"))}${topicsOf(result, "html", commands).map(topicHtml)}${
	alone ? organizations.map((one) => cardsHtml(sectionsOf(one, "html"))) : renderOrganizations(result, commands)
}${cardsHtml(sectionsBelow(result))}</main>
<footer class="inside">${renderFoot(result, generatedBy)}</footer>
<script>${trusted(script)}</script>
</body>
</html>
`;
	return page.html;
}

/** Returns the headline and the text below it. Of several organizations, figures say what the headline of the verdict counts. */
function headlineOf(result: CommandResult, { verdict, tone }: Summary): readonly [headline: Phrase, rest: Phrase] {
	const headline = errorAbove(result) === null ? fleetHeadline(result, tone) : null;
	if (headline === null) return [verdict.headline, sayRest(verdict)];
	return [[headline], joinPhrases(verdict.sentences ?? [], " ")];
}

/** Returns the figures of an organization, and when it was read; after an apply only what was done counts. */
function factsOf(one: OrganizationResult): Html {
	const { plan, threeWay, drift } = one;
	const figures = (drift === null ? figuresOf(one) : driftFigures(drift)).map(
		([number, words, look]) => html`<div class="${look}"><dt>${words}</dt><dd>${number}</dd></div>`,
	);
	return html`${figures.length === 0 ? null : html`<dl class="facts">${figures}</dl>`}
<p class="soft">Organization ${organizationHtml(plan)}, read <time datetime="${plan.readAt}">${plan.readAt}</time>${noteOtherName(plan).map((line) => html`<br>${line}`)}${threeWay === null ? null : html`<br>${phraseHtml(sayBase(threeWay))}`}</p>`;
}

/** Returns the figures of a plan as in its verdict: only what would be submitted counts, of all that the sections show. */
function figuresOf(one: OrganizationResult): readonly Figure[] {
	const { plan, threeWay, results } = one;
	const { gained, lost, removals, reported } = countChanges(plan, countedIn(one));
	const [waiting = 0, inDoubt = 0, rejected = 0] = pendingSections(plan).map(({ rows: { length } }) => length);
	const awaiting = outcomesOf(results ?? []).filter((outcome) => outcome.startsWith("awaiting"));
	const beforeApply = (number: number): number => (results === null ? number : 0);
	type Row = readonly [sign: string, number: Counted | number, one: string, many: string, look: string];
	const rows: readonly Row[] = [
		["+", gained, "membership gained", "memberships gained", "a"],
		["\u2212", lost, "membership lost", "memberships lost", "r"],
		["\u2212", removals, "removal", "removals", "r"],
		["", reported, "report-only", "report-only", "w"],
		["", beforeApply(threeWay?.reverts.length ?? 0), "outside change reverted", "outside changes reverted", "w"],
		["", results === null ? waiting : awaiting.length, "pending activity", "pending activities", "w"],
		["", beforeApply(inDoubt), "request in doubt", "requests in doubt", "w"],
		["", beforeApply(rejected), "rejected", "rejected", "w"],
	];
	const figures = rows.flatMap(([sign, number, single, many, look]): Figure[] => {
		const { counted, all } = typeof number === "number" ? { counted: number, all: number } : number;
		const shown = counted === all ? `${sign}${all}` : `${sign}${counted} of ${all}`;
		return counted === 0 ? [] : [[shown, all === 1 ? single : many, look]];
	});
	return [...firstFigure(one), ...figures];
}

/** Returns whether a change counts: of a plan what it would submit, after an apply what completed. */
function countedIn({ command, plan, results }: OrganizationResult): (address: string) => boolean {
	if (results !== null) {
		const byAddress = resultsByAddress(results);
		return (address) => byAddress.get(address)?.outcome === "completed";
	}
	if (command === "apply") return () => false;
	const covered = new Set<string>(coveredAddresses(groupSteps(plan.steps).sent));
	return (address) => covered.has(address);
}

/** Returns how much is to be submitted, or was; nothing where there was nothing to do. */
function firstFigure({ command, plan, report, results }: OrganizationResult): readonly Figure[] {
	const sent = groupSteps(plan.steps).sent.length;
	if (results === null && command === "apply") return [[`0 of ${sent}`, "activities submitted", ""]];
	if (results === null) return [[String(sent), sent === 1 ? "activity to submit" : "activities to submit", ""]];
	const total = (report?.steps ?? plan.steps).length;
	const completed = results.filter(({ outcome }) => outcome === "completed").length;
	return total === 0 ? [] : [[`${completed} of ${total}`, "steps completed", ""]];
}

function topicHtml({ heading, organizationId, sections }: Topic): Html {
	if (heading === null) return html`${cardsHtml(sections)}`;
	const id = `o-${organizationId ?? ""}`;
	return html`<section class="organization" id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${phraseHtml(heading)}</h2>
${cardsHtml(sections, 3, `${id}-`)}</section>\n`;
}

function renderFoot(result: CommandResult, generatedBy: string): Html {
	const [only] = organizationsOf(result);
	const looked = isCompared(result) ? result.organizations.length : 0;
	const what =
		only === undefined
			? null
			: looked > 1
				? html`<p>${count(looked, "organization", "organizations")}</p>`
				: html`<p>Document <code>${only.plan.documentDigest}</code>${only.report === null ? null : html`<br>Plan <code>${only.report.planDigest}</code>`}</p>`;
	return html`${what}<p>${generatedBy}. This page is self-contained: it sends no requests.</p>`;
}
