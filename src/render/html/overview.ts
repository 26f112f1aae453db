/** The list of several organizations, with a search: those to look at first, and the others folded. */

import type { NamedOrganization } from "../../plan/organization-name.ts";
import { count } from "../../say/count.ts";
import type { Phrase } from "../../say/phrase.ts";
import { sayVerdict } from "../../say/verdict.ts";
import { byUrgency } from "../page.ts";
import { fold, phraseHtml } from "../print/html.ts";
import { hasDetails, type OrganizationResult, organizationsOf, states, unplannedOf } from "../result/organizations.ts";
import type { CommandResult } from "../result/result.ts";
import { tallyOf } from "../result/summary.ts";
import { countNotRead } from "../result-text.ts";
import { sayOrganization } from "../sections/organization.ts";
import { badge } from "./badge.ts";
import { type Html, html } from "./html.ts";

/** Returns every organization with its verdict, the most urgent first; null when there is none. */
export function overviewHtml(result: CommandResult): Html | null {
	const organizations = byUrgency(organizationsOf(result));
	const unplanned = unplannedOf(result);
	const { notRead = 0 } = tallyOf(result).states;
	const total = organizations.length + unplanned.length + notRead;
	if (total === 0) return null;
	const isIdle = (one: OrganizationResult): boolean => one.tone === "good" && !hasDetails(one);
	const [idle, busy] = [organizations.filter(isIdle), organizations.filter((one) => !isIdle(one))];
	const rows = [
		...unplanned.map((one) => rowHtml(one, "bad", "unplanned", ["Could not be read."])),
		...busy.map(resultHtml),
	];
	return html`<nav class="card fleet" aria-labelledby="overview"><h2 id="overview">Organizations <span class="number">${total}</span></h2>
<div class="bar"><div class="find" hidden><label for="fleet-find">Find an organization</label> <input id="fleet-find" type="search" autocomplete="off" spellcheck="false"> <output for="fleet-find"></output></div></div>
${listHtml(rows)}${idle.length === 0 ? null : fold(countIdle(idle), listHtml(idle.map(resultHtml)))}${notRead === 0 ? null : html`<p class="soft">${countNotRead(notRead)}</p>`}</nav>`;
}

function listHtml(rows: readonly Html[]): Html | null {
	return rows.length === 0 ? null : html`<ul class="overview">${rows}</ul>`;
}

function countIdle(idle: readonly OrganizationResult[]): string {
	const [first, ...others] = new Set(idle.map(({ state }) => states[state][0]));
	return `${count(idle.length, "organization", "organizations")} ${others.length === 0 ? first : "with nothing to look at"}`;
}

function resultHtml(one: OrganizationResult): Html {
	const target = hasDetails(one) ? `o-${one.plan.organizationId}` : null;
	return rowHtml(one.plan, one.tone, target, sayVerdict(one.verdict));
}

function rowHtml(one: NamedOrganization, tone: OrganizationResult["tone"], target: string | null, said: Phrase): Html {
	const name = phraseHtml(sayOrganization(one));
	return html`<li>${badge(tone)}<div>${target === null ? name : html`<a href="#${target}">${name}</a>`} <span>${phraseHtml(said)}</span></div></li>\n`;
}
