import type { Finding, OrganizationDrift } from "../../plan/drift/drift.ts";
import type { Plan } from "../../plan/plan.ts";
import { brokenRules } from "../../plan/rules/judge.ts";
import { renderImpact } from "../impact/text.ts";
import { differenceLines } from "../print/text.ts";
import { renderProblem } from "../problem-text.ts";
import { noteOtherName, showOrganization } from "../result/organization-name.ts";
import { describeBrokenRule, rulesHeading } from "../rule-words.ts";
import { changeRow } from "../sections/changes.ts";
import { renderUnder, type Style } from "../style.ts";
import { capitalize, count, headings, needsSigns, renderOpen, signsMean } from "../text.ts";
import { describeFinding, describeUnattributed, reportedLists, summarizeFindings, unmanagedNames } from "./words.ts";

/** Returns the report as text, ending with a newline. */
export function renderDrift(plan: Plan, drift: OrganizationDrift, style: Style): string {
	const marks = { plain: style.add, attention: style.warn };
	const unattributed = describeUnattributed(drift, plan);
	const lines = [
		style.strong(`Organization ${showOrganization(plan)}`),
		...noteOtherName(plan),
		...(needsSigns(plan) ? [style.faint(signsMean)] : []),
		"",
		...plan.changes.flatMap((change) => [
			...differenceLines(changeRow(change, plan), style),
			...notesOn(change.address, drift, plan, style),
			"",
		]),
		...renderProblems(plan, drift, style),
		...renderRules(plan, drift, style),
		...reportedLists(drift).flatMap((list) => renderUnder(marks[list.look](`${list.title}:`), list.lines)),
		...(unattributed === null ? [] : [capitalize(unattributed), ""]),
		...renderImpact(plan, style, true),
		...renderOpen(plan, style),
		...renderUnmanaged(drift, style),
		summarizeFindings(drift, plan),
	];
	return `${lines.join("\n")}\n`;
}

/** Returns since when, by whom and what to do; nothing for an object that did not drift in this run. */
function notesOn(address: string, drift: OrganizationDrift, plan: Plan, style: Style): readonly string[] {
	const isThis = (one: Finding): boolean => one.address === address && one.state !== "not-looked-at";
	const finding = drift.findings.find(isThis) ?? drift.waiting.find(isThis);
	return finding === undefined ? [] : describeFinding(finding, drift, plan).map((line) => `    ${style.faint(line)}`);
}

function renderProblems(plan: Plan, drift: OrganizationDrift, style: Style): readonly string[] {
	const changed = new Set<string>(plan.changes.map(({ address }) => address));
	const lines = plan.problems.flatMap((problem) => [
		renderProblem(problem),
		...(changed.has(problem.path) ? [] : notesOn(problem.path, drift, plan, style).map((line) => line.slice(2))),
	]);
	return renderUnder(style.remove(`${headings.problems}:`), lines);
}

function renderRules(plan: Plan, drift: OrganizationDrift, style: Style): readonly string[] {
	const lines = brokenRules(plan).flatMap((rule) => [
		describeBrokenRule(rule, plan),
		...notesOn(rule.address, drift, plan, style).map((line) => line.slice(2)),
	]);
	return renderUnder(style.remove(`${rulesHeading}:`), lines);
}

/** More names than this are only counted: the other formats and the JSON have them all. */
const maxUnmanaged = 20;

function renderUnmanaged(drift: OrganizationDrift, style: Style): readonly string[] {
	const names = unmanagedNames(drift);
	if (names.length === 0) return [];
	const shown = names.slice(0, maxUnmanaged).join(", ");
	const more = names.length > maxUnmanaged ? ` and ${names.length - maxUnmanaged} more` : "";
	const what = count(names.length, "unmanaged user tag", "unmanaged user tags");
	return [style.faint(`${what}: ${shown}${more}`), ""];
}
