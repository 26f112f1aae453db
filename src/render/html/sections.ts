import type { Problem } from "../../common/errors.ts";
import { showRename } from "../../common/escape.ts";
import type { RelatedActivity } from "../../plan/activities/pending.ts";
import { labelOf } from "../../plan/address.ts";
import type { RemovalChange, ReportChange, TagChange } from "../../plan/change.ts";
import { kinds } from "../../plan/kinds/index.ts";
import type { Plan } from "../../plan/plan.ts";
import { aliasSection, partSections, revertedSection } from "../base/html.ts";
import { markReverted } from "../base/text.ts";
import { wordsOfChanges } from "../change-words.ts";
import { driftSections } from "../drift/html.ts";
import { impactSection } from "../impact/html.ts";
import { compareNaturally } from "../natural-order.ts";
import { describeOverride, overridesHeading } from "../overrides-text.ts";
import { sectionCard } from "../print/html.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import type { ErrorDescription } from "../result/result.ts";
import { describeBrokenRules, rulesHeading } from "../rule-words.ts";
import { approvalsSection, deniedSection } from "../sections/approvals.ts";
import { expiriesSection } from "../sections/expiries.ts";
import { blockingSection, passingSection, warningSection } from "../sections/guards.ts";
import { endSections } from "../sections/results.ts";
import { stepsSection, wrongForecastsSection } from "../sections/steps.ts";
import { count, describeDoubt, describeReported, describeUnread, headings } from "../text.ts";
import { describeWaiting, describeWaitingEffect, sortWaiting, waitingGroups } from "../waiting-text.ts";
import {
	changesSection,
	chips,
	fold,
	listSection,
	markedRow,
	renderCard,
	renderChanges,
	renderDoubt,
	renderFields,
	renderList,
	renderOwner,
	type Section,
	section,
	wordReverted,
} from "./details.ts";
import { renderMemberWindows } from "./expiries.ts";
import { bdi, type Child, curveQuotes, type Html, html, sentence } from "./html.ts";
import { renderMatrix } from "./matrix.ts";

/** Returns the sections that have something to show. `level` is that of their headings; `prefix` makes ids unique. */
export function renderSections(one: OrganizationResult, level: 2 | 3, prefix: string): readonly (Html | null)[] {
	const shown = sectionsOf(one, prefix).filter(({ body }) => body !== null);
	return shown.map((shownSection, index) => renderCard(shownSection, `${prefix}s${index + 1}`, level));
}

/** Returns the sections in the order in which a reader needs them: after an apply, the results of its steps come first. */
function sectionsOf(one: OrganizationResult, prefix: string): readonly Section[] {
	const { plan, threeWay, report, failed, results, drift, overrides } = one;
	const guards = guardSections(one);
	const [blocking, others] = [guards.slice(0, 1), guards.slice(1)];
	const steps = sectionCard(stepsSection(one), prefix);
	const isPlanned = results === null;
	const impact = isPlanned ? [impactSection(plan, `${prefix}powers`, drift !== null)] : [];
	return [
		...(isPlanned ? [sectionCard(deniedSection(plan))] : []),
		listSection(headings.problems, "bad", renderProblems(plan.problems)),
		...(threeWay === null || results !== null ? [] : [aliasSection(threeWay), revertedSection(threeWay)]),
		section("Why it stopped", "bad", failed === null ? null : renderMessage(failed.error)),
		...endSections(report, plan, one.commands).map((end) => sectionCard(end)),
		listSection(
			overridesHeading,
			"attention",
			overrides.map((override) => html`${describeOverride(override, plan.guards)}`),
		),
		...driftSections(one),
		...(drift === null ? [] : impact),
		...(isPlanned ? [] : [sectionCard(wrongForecastsSection(one)), steps]),
		...(drift === null ? [...blocking, rulesSection(one), ...impact, ...others] : []),
		...partSections(one),
		...changeSections(one, prefix),
		...(isPlanned ? [sectionCard(approvalsSection(plan)), ...waitingSections(plan), steps] : []),
		...(drift === null ? [] : guards),
		sectionCard(passingSection(plan)),
		sectionCard(expiriesSection(plan)),
		listSection(headings.missing, "attention", renderProblems((isPlanned && plan.warnings) || [])),
		section(headings.unread, "attention", renderList(describeUnread(plan).map((line) => html`${line}`))),
		unmanagedSection(plan),
	];
}

function rulesSection({ plan, results }: OrganizationResult): Section {
	return listSection(rulesHeading, "bad", results === null ? describeBrokenRules(plan).map(sentence) : []);
}

/** After an apply, what blocked or warned before it is over. */
function guardSections({ plan, results }: OrganizationResult): readonly Section[] {
	return results === null ? [blockingSection(plan), warningSection(plan)].map((guards) => sectionCard(guards)) : [];
}

function changeSections(one: OrganizationResult, prefix: string): readonly Section[] {
	const { command, plan, results, drift } = one;
	const isLarge = plan.changes.filter(({ kind }) => kind === "userTag").length > maxTagsOpen;
	// A few tags are easier to read as a list, and no change is shown twice.
	const matrix = (title: string): Section =>
		section(title, "plain", isLarge ? renderMatrix(plan, `${prefix}matrix`) : null);
	// Drift sections already show each difference.
	if (drift !== null) return [matrix("Who would gain and lose which user tag")];
	const notes = notesOf(one);
	const tags = plan.changes
		.filter((change) => change.kind === "userTag")
		.sort((left, right) => compareNaturally(left.after.name, right.after.name))
		.map((change) => renderTag(change, plan, notes));
	const removals = plan.changes.filter((change) => change.action === "remove");
	const reported = plan.changes.filter((change) => change.action === "report");
	const isDone = results !== null || command === "apply";
	return [
		changesSection(
			"Removals",
			"plain",
			removals.map((change) => renderRemoval(change, plan, notes)),
		),
		matrix(isDone ? "Planned: who gains and loses which user tag" : "Who gains and loses which user tag"),
		{ ...changesSection("User tags", "plain", tags), body: foldTags(tags) },
		changesSection(
			"Report-only differences",
			"attention",
			reported.map((change) => renderReported(change, plan)),
		),
	];
}

/** What is shown beside a change: its result, or why no step makes it now, and which of its parts revert drift. */
interface Notes {
	readonly outcome: (address: string) => Html | null;
	readonly isReverted: ReturnType<typeof markReverted>;
}

function notesOf(one: OrganizationResult): Notes {
	const wordOf = wordsOfChanges(one);
	return {
		outcome: (address) => {
			const said = wordOf(address);
			return said === null ? null : html`<span class="word ${said.tone}">${said.word}</span> `;
		},
		isReverted: markReverted(one.threeWay),
	};
}

/** Returns an error with its problems, `more`, and its hint. */
export function renderMessage(
	{ message, hint }: ErrorDescription,
	problems: readonly Problem[] = [],
	more: Html | null = null,
): Html {
	const lines = (text: string): Child =>
		curveQuotes(text)
			.split("\n")
			.map((line, index) => html`${index === 0 ? null : html`<br>`}${line}`);
	return html`<p>${lines(message)}</p>${renderList(renderProblems(problems))}${more}${hint === null ? null : html`<p class="soft">Hint: ${lines(hint)}</p>`}`;
}

function renderProblems(problems: readonly Problem[]): readonly Html[] {
	return problems.map(({ file, line, column, message }) => {
		return html`<span><code>${file}:${line}:${column}</code> ${curveQuotes(message)}</span>`;
	});
}

const kindWords: ReadonlyMap<string, string> = new Map(kinds.map(({ name, words }) => [name, words[0]]));

function renderRemoval(change: RemovalChange, plan: Plan, { outcome, isReverted }: Notes): Html {
	const { kind, address, before, userId } = change;
	const name = before === null || before.name === "" ? null : html`<strong>${bdi(before.name)}</strong> `;
	return markedRow(
		"-",
		html`<span class="kind">remove ${kindWords.get(kind) ?? kind}</span> ${name}<code>${address}</code>${renderOwner(userId, plan)} ${outcome(address)}${wordReverted(isReverted(change, "remove", null))}${renderDoubt(describeDoubt(change))}`,
	);
}

/** More tags than this are a matrix, and their list is folded. */
const maxTagsOpen = 8;

function foldTags(tags: readonly Html[]): Html | null {
	const body = renderChanges(tags);
	return tags.length <= maxTagsOpen ? body : fold("Each user tag with who gains and who loses it", body);
}

function renderTag(change: TagChange, plan: Plan, { outcome, isReverted }: Notes): Html {
	const { address, before, after, addUserIds, removeUserIds, tagId } = change;
	const [from, to] = showRename(before.name, after.name);
	const name =
		before.name === after.name
			? html`<strong>${bdi(after.name)}</strong>`
			: html`<strong>${bdi(from)}</strong> <span class="kind">becomes</span> <strong>${bdi(to)}</strong>`;
	const gained = chips("gained by", "+", addUserIds, plan, (userId) => isReverted(change, "add-member", userId));
	const lost = chips("lost by", "-", removeUserIds, plan, (userId) => isReverted(change, "remove-member", userId));
	const stays = before.members?.filter((userId) => !removeUserIds.includes(userId)).length ?? 0;
	const windows = renderMemberWindows(change, plan);
	const kept = stays === 0 ? null : html`<p class="soft">kept by ${count(stays, "user", "users")}</p>`;
	return markedRow(
		"~",
		html`${name} <code>${tagId}</code> ${outcome(address)}${wordReverted(isReverted(change, "rename", null))}${gained}${lost}${windows}${kept}${renderDoubt(describeDoubt(change))}`,
	);
}

function renderReported(change: ReportChange, plan: Plan): Html {
	const owner = renderOwner(change.userId, plan);
	return markedRow(
		"!",
		html`<code>${change.address}</code>${owner} ${describeReported(change)}${renderFields(change)}`,
	);
}

function waitingSections(plan: Plan): readonly Section[] {
	const sorted = sortWaiting(plan);
	const render = (activity: RelatedActivity): Html => {
		const relation = { same: "joins", conflicting: "conflicts", rejected: "rejected" }[activity.relation];
		const word = activity.state === "in-doubt" ? "in doubt" : relation;
		const effect = describeWaitingEffect(activity).map((line) => html`<br><span class="soft">${sentence(line)}</span>`);
		return html`<span class="word attention">${word}</span> <span>${describeWaiting(activity, plan).join(": ")}${effect}</span>`;
	};
	return waitingGroups.map((group) => listSection(headings[group], "attention", sorted[group].map(render)));
}

function unmanagedSection({ unmanaged }: Plan): Section {
	const names = unmanaged.map(({ address }) => html`<span class="chip">${bdi(labelOf(address))}</span> `);
	const body = names.length === 0 ? null : html`<p class="people">${names}</p>`;
	return {
		title: "Unmanaged user tags, which apply does not touch",
		look: "plain",
		body,
		number: names.length,
		isFolded: true,
	};
}
