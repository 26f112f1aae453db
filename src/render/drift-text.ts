/**
 * A report of drift as text: every difference with since when, by whom and what to do, what is gone, what is not known.
 */

import { showText } from "../escape.ts";
import type { Finding, OrganizationDrift } from "../plan/drift.ts";
import type { Plan } from "../plan/plan.ts";
import {
	describeFinding,
	describeGone,
	describeKept,
	describeUnattributed,
	driftHeadings,
	summarizeFindings,
	unmanagedNames,
} from "./drift-words.ts";
import { renderOverrides } from "./overrides-text.ts";
import { renderProblem } from "./problem-text.ts";
import {
	capitalize,
	count,
	headings,
	needsSigns,
	renderChange,
	renderGuards,
	renderPlan,
	renderUnread,
	type Style,
	signsMean,
	summarizeDrift,
} from "./text.ts";
import { renderWaiting } from "./waiting-text.ts";

/** The report as text, ending with a newline; of a plan without one, the plan. */
export function renderDrift(plan: Plan, drift: OrganizationDrift | undefined, style: Style): string {
	if (drift === undefined) return renderPlan(plan, style, summarizeDrift(plan));
	const kept = drift.findings.filter(({ state }) => state === "not-looked-at");
	const nobody = describeUnattributed(drift, plan);
	const lines = [
		style.strong(`Organization ${showText(plan.organizationId)}`),
		...(needsSigns(plan) ? [style.faint(signsMean)] : []),
		"",
		...plan.changes.flatMap((change) => [
			...renderChange(change, plan, style),
			...notesOn(change.address, drift, plan, style),
			"",
		]),
		...renderProblems(plan, drift, style),
		...list(driftHeadings.gone, drift.gone.map(describeGone), style.add),
		...list(driftHeadings.kept, kept.map(describeKept), style.warn),
		...(nobody === null ? [] : [capitalize(nobody), ""]),
		...renderUnread(plan, style),
		...renderWaiting(plan, style),
		...renderGuards(plan, style),
		...renderOverrides(plan.overrides, style, plan.guards),
		...renderUnmanaged(drift, style),
		summarizeFindings(drift, plan),
	];
	return `${lines.join("\n")}\n`;
}

/** What is said of the object beside what differs; nothing where that is not known to differ. */
function notesOn(address: string, drift: OrganizationDrift, plan: Plan, style: Style): readonly string[] {
	const isThis = (one: Finding): boolean => one.address === address && one.state !== "not-looked-at";
	const finding = drift.findings.find(isThis) ?? drift.waiting.find(isThis);
	return finding === undefined ? [] : describeFinding(finding, drift, plan).map((line) => `    ${style.faint(line)}`);
}

function renderProblems(plan: Plan, drift: OrganizationDrift, style: Style): readonly string[] {
	if (plan.problems.length === 0) return [];
	const changed = new Set<string>(plan.changes.map(({ address }) => address));
	const lines = plan.problems.flatMap((problem) => [
		`  ${renderProblem(problem)}`,
		...(changed.has(problem.path) ? [] : notesOn(problem.path, drift, plan, style)),
	]);
	return [style.remove(`${headings.problems}:`), ...lines, ""];
}

function list(heading: string, items: readonly string[], mark: (text: string) => string): readonly string[] {
	return items.length === 0 ? [] : [mark(`${heading}:`), ...items.map((item) => `  ${item}`), ""];
}

/** More names than this are counted only: the other formats and the JSON have them all. */
const mostUnmanaged = 20;

function renderUnmanaged(drift: OrganizationDrift, style: Style): readonly string[] {
	const names = unmanagedNames(drift);
	if (names.length === 0) return [];
	const shown = names.slice(0, mostUnmanaged).join(", ");
	const more = names.length > mostUnmanaged ? ` and ${names.length - mostUnmanaged} more` : "";
	const what = count(names.length, "unmanaged user tag", "unmanaged user tags");
	return [style.faint(`${what}: ${shown}${more}`), ""];
}
