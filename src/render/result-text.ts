/**
 * Any result as text, for a terminal or a log. Errors and problems are not in it: they go to standard error.
 */

import { showText, writeJson } from "../common/escape.ts";
import type { ThreeWay } from "../plan/base/three-way.ts";
import type { OrganizationDrift } from "../plan/drift/drift.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report, StepResult } from "../plan/report.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import { count } from "../say/count.ts";
import { renderAccess } from "./access-text.ts";
import { renderImportKey, renderInit, renderPasskey, renderValidate } from "./command-text.ts";
import { renderDiscovery } from "./discovery.ts";
import { overridesHeading, renderOverrides } from "./overrides-text.ts";
import { renderOpen, renderPlan } from "./plan-text.ts";
import { phraseText, sectionsText, stepLines } from "./print/text.ts";
import { errorOfCall } from "./result/errors.ts";
import { byOrganization, type FailedOrganization } from "./result/found.ts";
import { namedAs, noteOtherName, showOrganization } from "./result/organization-name.ts";
import type { OrganizationPowers } from "./result/organization-powers.ts";
import {
	assessFound,
	foldOrganizations,
	hasDetails,
	isAlone,
	type OrganizationResult,
	organizationsOf,
	type SuggestingOptions,
	unplannedOf,
} from "./result/organizations.ts";
import {
	type ApplyResult,
	type CommandResult,
	countUnreadByResume,
	type FailureResult,
	isCompared,
	type OrganizationsResult,
} from "./result/result.ts";
import { describeRunOverrides, describeSavedPlan, droppedOf, summarizeResult } from "./result/summary.ts";
import { deniedSection } from "./sections/approvals.ts";
import {
	droppedSection,
	partSections,
	revertSections,
	sayBase,
	summarizeAliases,
	summarizeReverted,
} from "./sections/base.ts";
import { marksIn } from "./sections/changes.ts";
import { driftSections, listUnmanaged, summarizeFindings } from "./sections/drift.ts";
import { explainSection } from "./sections/explain.ts";
import { impactSection } from "./sections/impact.ts";
import { powersSections } from "./sections/powers.ts";
import { problemsSection } from "./sections/problems.ts";
import {
	cannotConverge,
	endSections,
	notApplied,
	notRead,
	summarizeFailed,
	summarizeReport,
} from "./sections/results.ts";
import { describeWrong, stepRow } from "./sections/steps.ts";
import { summarizePlan } from "./sections/verdict.ts";
import { renderStatus, renderWait } from "./status-text.ts";
import type { Style } from "./style.ts";
import { renderVotes } from "./vote-text.ts";

export interface TextOptions extends SuggestingOptions {
	readonly style: Style;
	/** Whether steps that completed were not shown while they did. */
	readonly quiet?: boolean;
}

/** Returns the result as text, ending with a newline; empty where there is nothing but an error. */
export function renderText(result: CommandResult, options: TextOptions): string {
	const { style } = options;
	if (isFailure(result)) return "";
	switch (result.command) {
		case "plan":
		case "drift":
			return join([
				...renderOrganizations(result, style),
				...renderSavedPlan(result),
				...renderRunOverrides(result, style),
			]);
		case "show":
			return join([...renderSavedPlan(result, style), ...renderOrganizations(result, style)]);
		case "apply":
			return renderApply(result, options);
		case "grant":
		case "revoke":
			return renderAccess(result, style);
		case "validate":
			return renderValidate(result);
		case "organizations":
			return renderDiscovery(result);
		case "init":
			return renderInit(result);
		case "export":
			return result.document;
		case "query":
			return `${writeJson(result.answer, 2)}\n`;
		case "schema":
			return `${writeJson(result.schema, 2)}\n`;
		case "completion":
			return result.script;
		case "status":
			return renderStatus(result);
		case "wait":
			return renderWait(result);
		case "approve":
		case "reject":
			return renderVotes(result, style);
		case "explain":
			return sectionsText([explainSection(result, options.commands)], style).join("\n");
		case "powers":
			return join(result.organizations.map((one) => renderPowers(one, style)));
		case "import-key":
			return renderImportKey(result);
		case "passkey":
			return renderPasskey(result);
		case "emulator":
			return "";
	}
}

function renderPowers(one: OrganizationPowers, style: Style): string {
	const head = style.strong(`Organization ${showOrganization(one)}, at ${showText(one.at)}`);
	const lines = sectionsText(powersSections(one), style).map((line) => (line === "" ? line : `  ${line}`));
	return [head, ...lines].join("\n");
}

/** Returns the parts with an empty line between them. Each ends with a newline. */
function join(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join("\n");
}

/**
 * Returns the plans that `apply` asks about, of `size` organizations; those with nothing to show, and `unchanged` others, are
 * only counted, in one line.
 */
export function renderPlansToApply(plans: readonly Plan[], size: number, unchanged: number, style: Style): string {
	const all = plans.flatMap((plan) => {
		const { organizationId } = plan;
		return assessFound("plan", { organizationId, exitCode: 0, plan }) ?? [];
	});
	const full = size === 1 ? all : all.filter(hasDetails);
	const idle = unchanged + all.length - full.length;
	return join([...full.map((one) => renderOrganization(one, style)), countFolded(idle, "no changes")]);
}

/** Returns how many organizations are not shown one by one, and why. */
export function countFolded(organizations: number, what: string): string {
	return organizations === 0 ? "" : `${count(organizations, "organization", "organizations")}: ${what}.\n`;
}

/** Returns how many organizations a resumed run did not read, and why. */
export function countNotRead(organizations: number): string {
	return countFolded(organizations, "not read, because this run had left them in sync when it was interrupted");
}

/** Returns every organization, those with something to show first and in full; of several, the verdict at the end. */
function renderOrganizations(result: OrganizationsResult, style: Style): readonly string[] {
	const { full, folded } = foldOrganizations(result);
	return [
		...full.map((one) => renderOrganization(one, style)),
		folded.map(({ plan, verdict }) => `Organization ${showOrganization(plan)}: ${verdict}\n`).join(""),
		...(isAlone(result) ? [] : [renderUnread(result), `${summarizeResult(result).verdict}\n`]),
		sectionsText([droppedSection(droppedOf(result))], style).join("\n"),
	];
}

/** Returns one organization in full, as `plan` and `drift` show it. */
export function renderOrganization({ plan, drift, threeWay }: OrganizationResult, style: Style): string {
	if (drift !== null) return renderDrift(plan, drift, style);
	return threeWay === null ? renderPlan(plan, style) : renderThreeWay(plan, threeWay, style, summarizePlan(plan));
}

/** Returns the plan after its comparison with the base, ending with a newline. */
export function renderThreeWay(plan: Plan, threeWay: ThreeWay, style: Style, summary: string): string {
	const lead = [
		phraseText(sayBase(threeWay)),
		"",
		...sectionsText([...revertSections(threeWay), ...partSections(threeWay, plan)], style),
	];
	const more = `${summarizeAliases(threeWay)}${summarizeReverted(threeWay, plan)}`;
	return renderPlan(plan, style, `${summary}${more}`, lead, marksIn(plan, threeWay));
}

function renderUnread(result: OrganizationsResult): string {
	return unplannedOf(result)
		.map((one) => `Organization ${showOrganization(one)}: could not be read: ${showText(one.error.message)}\n`)
		.join("");
}

/** Returns which saved plan it is and, where they are shown with it, the overrides of the run that made it. */
export function renderSavedPlan(result: OrganizationsResult, style?: Style, ran?: boolean): readonly string[] {
	const described = describeSavedPlan(result, ran);
	if (described === null) return [];
	const overrides = style === undefined ? [] : renderRunOverrides(result, style);
	return [[`${described}\n`, ...overrides].join("")];
}

export function renderRunOverrides(result: OrganizationsResult, style: Style): readonly string[] {
	const lines = describeRunOverrides(result);
	return lines.length === 0
		? []
		: [[style.warn(`${overridesHeading}:`), ...lines.map((line) => `  ${line}`), ""].join("\n")];
}

function renderApply(result: ApplyResult, options: TextOptions): string {
	const { style } = options;
	if (errorOfCall(result) !== null) return renderOverrides(result.overrides, style).join("\n");
	return join([...renderApplied(result, options), ...renderSavedPlan(result), ...renderRunOverrides(result, style)]);
}

/** Returns the report of every organization, or that the plan was not confirmed. */
function renderApplied(result: ApplyResult, { style, quiet = false, commands }: TextOptions): readonly string[] {
	const which = quiet ? "all" : "open";
	if (organizationsOf(result).some(({ results }) => results === null)) return [`${notApplied}\n`];
	const { full, folded } = foldOrganizations(result, "details", commands);
	const reported = full.map((one) => ({ ...namedAs(one.plan), text: renderOne(one, style, which) }));
	const unplanned = unplannedOf(result).map((one) => ({
		...one,
		text: `${one.error.code === "live-problem" ? cannotConverge : notRead}\n`,
	}));
	const all = [...reported, ...unplanned].sort(byOrganization);
	if (isAlone(result)) return all.map(({ text }) => text);
	return [
		...all.map((one) => `${style.strong(`Organization ${showOrganization(one)}`)}\n${one.text}`),
		countNotRead(countUnreadByResume(result)),
		countFolded(folded.length, "nothing to do"),
		`${summarizeResult(result).verdict}\n`,
	];
}

/** Returns what became of an organization that has a plan. */
export function renderOne(one: OrganizationResult, style: Style, which: "all" | "open"): string {
	const { plan, report, failed, commands } = one;
	if (report !== null) return renderReport(report, plan, style, which, commands);
	const { steps } = failed as FailedOrganization;
	const lines = renderResults(steps, plan, style, which, commands);
	return `${[...lines, ...(lines.length === 0 ? [] : [""]), summarizeFailed(steps.length, plan.steps.length)].join("\n")}\n`;
}

/**
 * Returns the report of a plan as text, ending with a newline. `"open"` leaves out completed steps, which were shown before.
 * Suggested commands repeat the flags of `commands`.
 */
export function renderReport(
	report: Report,
	plan: Plan,
	style: Style,
	which: "all" | "open" = "all",
	commands?: CommandContext,
): string {
	const lines = [
		...renderResults(report.steps, plan, style, which, commands),
		"",
		...sectionsText(endSections(report, plan, commands), style),
		...renderOverrides(report.overrides, style),
		summarizeReport(report),
	];
	return `${lines.join("\n").trimStart()}\n`;
}

function renderResults(
	results: readonly StepResult[],
	plan: Plan,
	style: Style,
	which: "all" | "open",
	commands?: CommandContext,
): readonly string[] {
	// The parts of a completed step were not shown before, and neither was what is wrong about its forecast.
	return results
		.filter(
			(one) => which === "all" || one.outcome !== "completed" || one.parts.length > 0 || describeWrong(one) !== null,
		)
		.flatMap((result) => stepLines(stepRow(result, plan, { commands }), style));
}

/** Whether an error ended the command before it had anything else to show. */
function isFailure(result: CommandResult): result is FailureResult {
	return result.error !== null && !isCompared(result);
}

/** Returns a report of drift as text, ending with a newline. */
export function renderDrift(plan: Plan, drift: OrganizationDrift, style: Style): string {
	const unmanaged = listUnmanaged(drift);
	const lines = [
		style.strong(`Organization ${showOrganization(plan)}`),
		...noteOtherName(plan),
		"",
		...sectionsText([problemsSection(plan), ...Object.values(driftSections(drift, plan))], style),
		...sectionsText([deniedSection(plan), impactSection(plan, true)], style),
		...renderOpen(plan, style),
		...(unmanaged === "" ? [] : [style.faint(unmanaged), ""]),
		summarizeFindings(drift, plan),
	];
	return `${lines.join("\n")}\n`;
}
