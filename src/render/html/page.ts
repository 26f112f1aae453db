/**
 * Plans and reports as one self-contained page: it sends no request, and its policy allows only its own script and style. A
 * reader can approve from it on a phone, on paper, in the dark, by keyboard or with a screen reader.
 */

import { count } from "../../say/count.ts";
import { joinPhrases, type Phrase } from "../../say/phrase.ts";
import { type Summary, sayRest } from "../../say/verdict.ts";
import { type Part, partsOf, sectionsBelow, sectionsOfRun, topicsOf } from "../page.ts";
import { cardsHtml, phraseHtml } from "../print/html.ts";
import { verdictText } from "../print/text.ts";
import { foldOrganizations, isAlone, organizationsOf, type SuggestingOptions } from "../result/organizations.ts";
import { type CommandResult, isCompared } from "../result/result.ts";
import { errorAbove, summarizeResult } from "../result/summary.ts";
import { dangersOf } from "../sections/danger.ts";
import { figuresOf, headlineOf } from "../sections/figures.ts";
import { badge } from "./badge.ts";
import { type Html, hashSource, html, trusted } from "./html.ts";
import { overviewHtml } from "./overview.ts";
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
	const alone = isAlone(result);
	const parts = partsOf(foldOrganizations(result, "details", commands).full, alone, "html");
	const [headline, rest] = headOf(result, summary);
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
${dangersOf(result).map((line) => html`<p class="danger">${phraseHtml(line)}</p>`)}${rest.length === 0 ? null : html`<p class="lead">${phraseHtml(rest)}</p>`}${factsOf(result, alone ? parts : [])}
</div></header>
<main class="inside">
${alone ? null : overviewHtml(result)}${cardsHtml(sectionsOfRun(result, "html"))}${topicsOf(result, "html", commands).map(partHtml)}${parts.map(partHtml)}${cardsHtml(sectionsBelow(result))}</main>
<footer class="inside">${renderFoot(result, generatedBy)}</footer>
<script>${trusted(script)}</script>
</body>
</html>
`;
	return page.html;
}

/** Returns the headline and the text below it. Of several organizations, figures say what the headline of the verdict counts. */
function headOf(result: CommandResult, { verdict, tone }: Summary): readonly [headline: Phrase, rest: Phrase] {
	const headline = errorAbove(result) === null ? headlineOf(result, tone) : null;
	if (headline === null) return [verdict.headline, sayRest(verdict)];
	return [[headline], joinPhrases(verdict.sentences ?? [], " ")];
}

/** Returns the figures of the page, and of an only organization which it is and when it was read. */
function factsOf(result: CommandResult, parts: readonly Part[]): Html {
	const figures = figuresOf(result).map(
		([number, words, look]) => html`<div class="${look}"><dt>${words}</dt><dd>${number}</dd></div>`,
	);
	const lines = parts.flatMap(({ lead = [], notes = [] }) => [lead, ...notes]);
	const about = lines.map((line, index) => html`${index === 0 ? null : html`<br>`}${phraseHtml(line)}`);
	return html`${figures.length === 0 ? null : html`<dl class="facts">${figures}</dl>`}${lines.length === 0 ? null : html`\n<p class="soft">${about}</p>`}`;
}

function partHtml({ heading, organizationId, tone, lead, notes = [], sections }: Part): Html {
	if (heading === null) return html`${cardsHtml(sections)}`;
	const id = `o-${organizationId ?? ""}`;
	const above = [
		lead === undefined ? null : html`<p class="lead">${phraseHtml(lead)}</p>`,
		notes.map((note) => html`<p class="soft">${phraseHtml(note)}</p>`),
	];
	return html`<section class="organization" id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${tone === undefined ? null : badge(tone)}${phraseHtml(heading)}</h2>
${above}${cardsHtml(sections, 3, `${id}-`)}</section>\n`;
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
