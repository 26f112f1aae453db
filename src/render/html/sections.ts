import type { Problem } from "../../common/errors.ts";
import { labelOf } from "../../plan/address.ts";
import type { Plan } from "../../plan/plan.ts";
import { describeOverride, overridesHeading } from "../overrides-text.ts";
import { sectionCard } from "../print/html.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import type { ErrorDescription } from "../result/result.ts";
import { approvalsSection, deniedSection } from "../sections/approvals.ts";
import { partSections, revertSections } from "../sections/base.ts";
import { marksOfResult, removalsSection, reportedSection, tagsSection } from "../sections/changes.ts";
import { driftSections } from "../sections/drift.ts";
import { expiriesSection } from "../sections/expiries.ts";
import { blockingSection, passingSection, warningGuardsSection } from "../sections/guards.ts";
import { impactSection } from "../sections/impact.ts";
import { pendingSections } from "../sections/pending.ts";
import { problemsSection, rulesSection, warningsSection } from "../sections/problems.ts";
import { endSections } from "../sections/results.ts";
import { stepsSection, wrongForecastsSection } from "../sections/steps.ts";
import { tagMatrixSection } from "../sections/tag-matrix.ts";
import { unknownSection } from "../sections/unknown.ts";
import { listSection, renderCard, type Section, section } from "./details.ts";
import { bdi, type Child, curveQuotes, type Html, html } from "./html.ts";

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
	const impact = isPlanned ? [sectionCard(impactSection(plan, drift !== null), prefix)] : [];
	return [
		...(isPlanned ? [sectionCard(deniedSection(plan))] : []),
		sectionCard(problemsSection(plan)),
		...(isPlanned ? revertSections(threeWay).map((one) => sectionCard(one)) : []),
		section("Why it stopped", "bad", failed === null ? null : renderMessage(failed.error)),
		...endSections(report, plan, one.commands).map((end) => sectionCard(end)),
		listSection(
			overridesHeading,
			"attention",
			overrides.map((override) => html`${describeOverride(override, plan.guards)}`),
		),
		...(drift === null ? [] : Object.values(driftSections(drift, plan)).map((found) => sectionCard(found))),
		...(drift === null ? [] : impact),
		...(isPlanned ? [] : [sectionCard(wrongForecastsSection(one)), steps]),
		...(drift === null
			? [...blocking, ...(isPlanned ? [sectionCard(rulesSection(plan))] : []), ...impact, ...others]
			: []),
		...partSections(threeWay, plan).map((one) => sectionCard(one)),
		...changeSections(one, prefix),
		...(isPlanned ? [...[approvalsSection(plan), ...pendingSections(plan)].map((one) => sectionCard(one)), steps] : []),
		...(drift === null ? [] : guards),
		sectionCard(passingSection(plan)),
		sectionCard(expiriesSection(plan)),
		...(isPlanned ? [sectionCard(warningsSection(plan))] : []),
		sectionCard(unknownSection(plan)),
		unmanagedSection(plan),
	];
}

/** After an apply, what blocked or warned before it is over. */
function guardSections({ plan, results }: OrganizationResult): readonly Section[] {
	return results === null
		? [blockingSection(plan), warningGuardsSection(plan)].map((guards) => sectionCard(guards))
		: [];
}

function changeSections(one: OrganizationResult, prefix: string): readonly Section[] {
	const { command, plan, results, drift } = one;
	const marks = marksOfResult(one);
	const tags = tagsSection(plan, marks);
	// A few tags are easier to read as a list, and no change is shown twice.
	const matrix = (title: string): Section => {
		const card = sectionCard(tagMatrixSection(plan, title), prefix);
		return tags.isFolded ? card : { ...card, body: null };
	};
	// Drift sections already show each difference.
	if (drift !== null) return [matrix("Who would gain and lose which user tag")];
	const hasResults = results !== null;
	const isDone = hasResults || command === "apply";
	return [
		sectionCard(removalsSection(plan, marks, hasResults)),
		matrix(isDone ? "Planned: who gains and loses which user tag" : "Who gains and loses which user tag"),
		sectionCard(tags),
		sectionCard(reportedSection(plan, marks)),
	];
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
	return html`<p>${lines(message)}</p>${sectionCard(problemsSection({ problems })).body}${more}${hint === null ? null : html`<p class="soft">Hint: ${lines(hint)}</p>`}`;
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
