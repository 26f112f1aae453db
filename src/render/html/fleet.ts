/**
 * Several organizations on one page: the verdict in figures, a list of all of them with a search, then those with something
 * to look at in full. What needs attention comes first, and organizations in sync are folded.
 */

import type { CommandContext } from "../../plan/suggested-command.ts";
import { count } from "../../say/count.ts";
import { sayVerdict } from "../../say/verdict.ts";
import { sectionsOf } from "../page.ts";
import { cardsHtml, phraseHtml } from "../print/html.ts";
import type { FailedOrganization } from "../result/found.ts";
import { noteOtherName } from "../result/organization-name.ts";
import {
	foldOrganizations,
	hasDetails,
	type OrganizationResult,
	organizationsOf,
	type State,
	states,
	type Tone,
	unplannedOf,
} from "../result/organizations.ts";
import { type CommandResult, countUnreadByResume } from "../result/result.ts";
import { tallyOf } from "../result/summary.ts";
import { countNotRead } from "../result-text.ts";
import { badge, fold, organizationHtml } from "./details.ts";
import { type Html, html } from "./html.ts";

const looks = { bad: "r", attention: "w", good: "a" } as const;

/** Returns the headline and the figures of several organizations; null when none of them needs attention. */
export function fleetHeadline(result: CommandResult, tone: Tone): string | null {
	const counted = countStates(result);
	const sum = (of: typeof counted): number => of.reduce((total, { number }) => total + number, 0);
	const urgent = sum(counted.filter((one) => one.tone !== "good"));
	if (sum(counted) < 2 || urgent === 0) return null;
	const verb = urgent === 1 ? "needs" : "need";
	return `${urgent} of ${count(sum(counted), "organization", "organizations")} ${verb} ${tone === "bad" ? "action" : "attention"}`;
}

/** Returns how many organizations are in each state, the most urgent first; null if all are in the same. */
export function renderFleetFigures(result: CommandResult): Html | null {
	const counted = countStates(result);
	if (counted.length < 2) return null;
	return html`<dl class="facts">${counted.map(({ number, words, tone }) => {
		return html`<div class="${looks[tone]}"><dt>${words}</dt><dd>${number}</dd></div>`;
	})}</dl>`;
}

function countStates(result: CommandResult) {
	return Object.entries(tallyOf(result).states).map(([state, number]) => {
		const [words, tone] = states[state as State];
		return { number, words, tone };
	});
}

/** Returns every organization with its verdict, the most urgent first; null when there is none. */
export function renderOverview(result: CommandResult): Html | null {
	const organizations = byUrgency(organizationsOf(result));
	const unplanned = unplannedOf(result);
	const notRead = countUnreadByResume(result);
	const total = organizations.length + unplanned.length + notRead;
	if (total === 0) return null;
	const isIdle = (one: OrganizationResult): boolean => one.tone === "good" && !hasDetails(one);
	const idle = organizations.filter(isIdle);
	const busy = organizations.filter((one) => !isIdle(one));
	const rows = [...unplanned.map(renderUnplannedRow), ...busy.map(renderRow)];
	const list = rows.length === 0 ? null : html`<ul class="overview">${rows}</ul>`;
	const folded =
		idle.length === 0 ? null : fold(describeIdle(idle), html`<ul class="overview">${idle.map(renderRow)}</ul>`);
	return html`<nav class="card fleet" aria-labelledby="overview"><h2 id="overview">Organizations <span class="number">${total}</span></h2>
<div class="bar"><div class="find" hidden><label for="fleet-find">Find an organization</label> <input id="fleet-find" type="search" autocomplete="off" spellcheck="false"> <output for="fleet-find"></output></div></div>
${list}${folded}${notRead === 0 ? null : html`<p class="soft">${countNotRead(notRead)}</p>`}</nav>`;
}

/** Returns the organizations with something to look at, in full, the most urgent first. */
export function renderOrganizations(result: CommandResult, commands?: CommandContext): readonly Html[] {
	return byUrgency(foldOrganizations(result, "details", commands).full).map(renderOrganization);
}

function byUrgency(organizations: readonly OrganizationResult[]): readonly OrganizationResult[] {
	return (["bad", "attention", "good"] as const).flatMap((tone) => organizations.filter((one) => one.tone === tone));
}

function describeIdle(idle: readonly OrganizationResult[]): string {
	const [first] = idle;
	const one = first === undefined ? "" : states[first.state][0];
	const isSame = idle.every(({ state }) => state === first?.state);
	return `${count(idle.length, "organization", "organizations")} ${isSame ? one : "with nothing to look at"}`;
}

function renderUnplannedRow(failed: FailedOrganization): Html {
	return html`<li>${badge("bad")}<div><a href="#unplanned">${organizationHtml(failed)}</a> <span>Could not be read.</span></div></li>\n`;
}

function renderRow(one: OrganizationResult): Html {
	const id = organizationHtml(one.plan);
	const name = hasDetails(one) ? html`<a href="#${sectionOf(one)}">${id}</a>` : id;
	return html`<li>${badge(one.tone)}<div>${name} <span>${phraseHtml(sayVerdict(one.verdict))}</span></div></li>\n`;
}

function sectionOf({ plan }: OrganizationResult): string {
	return `o-${plan.organizationId}`;
}

function renderOrganization(one: OrganizationResult): Html {
	const id = sectionOf(one);
	return html`<section class="organization" id="${id}" aria-labelledby="${id}-name"><h2 id="${id}-name">${badge(one.tone)}Organization ${organizationHtml(one.plan)}</h2>
<p class="lead">${phraseHtml(sayVerdict(one.verdict))}</p>${noteOtherName(one.plan).map((line) => html`<p class="soft">${line}</p>`)}${cardsHtml(sectionsOf(one, "html"), 3, id)}</section>\n`;
}
