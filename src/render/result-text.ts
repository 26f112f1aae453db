/**
 * Any result as text, for a terminal or a log. Errors and problems are not in it: they go to standard error.
 */

import { showText, writeJson } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report } from "../plan/report.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import { count } from "../say/count.ts";
import { hasContent, type Section } from "../say/section.ts";
import {
	beginsWithRun,
	sectionsBelow,
	sectionsOf,
	sectionsOfReport,
	sectionsOfReview,
	sectionsOfRun,
	type Topic,
	topicsOf,
} from "./page.ts";
import { phraseText, sectionsText, verdictText } from "./print/text.ts";
import { errorOfCall } from "./result/errors.ts";
import { byOrganization } from "./result/found.ts";
import { type NamedOrganization, namedAs, noteOtherName, showOrganization } from "./result/organization-name.ts";
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
	type AccessResult,
	type ApplyResult,
	type CommandResult,
	countUnreadByResume,
	isFailure,
	type OrganizationsResult,
} from "./result/result.ts";
import { summarizeResult } from "./result/summary.ts";
import type { OrganizationVotes } from "./result/votes.ts";
import { sayBase } from "./sections/base.ts";
import { accessSections, passkeyText } from "./sections/commands.ts";
import { describeDangers } from "./sections/danger.ts";
import { cannotConverge, notApplied, notRead } from "./sections/results.ts";
import { summarizeReview, type VoteCommand } from "./sections/votes.ts";
import type { Style } from "./style.ts";

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
		case "show": {
			const [organizations, run] = [renderOrganizations(result, style), renderRun(result, style)];
			return join(beginsWithRun(result, "text") ? [run, ...organizations] : [...organizations, run]);
		}
		case "apply":
			return renderApply(result, options);
		case "grant":
		case "revoke":
			return renderAccess(result, style);
		case "organizations":
		case "approve":
		case "reject":
			return join([
				renderTopics(result, options),
				`${verdictText(summarizeResult(result).verdict)}
`,
			]);
		case "powers":
			return join(topicsOf(result, "text").map((topic) => renderTopic(topic, style, "  ")));
		case "export":
			return result.document;
		case "query":
			return `${writeJson(result.answer, 2)}\n`;
		case "schema":
			return `${writeJson(result.schema, 2)}\n`;
		case "completion":
			return result.script;
		case "passkey":
			return passkeyText(result);
		case "import-key":
			return result.importBundle === undefined ? renderTopics(result, options) : `${result.importBundle}\n`;
		default:
			return renderTopics(result, options);
	}
}

function renderTopics(result: CommandResult, { style, commands }: TextOptions): string {
	return join(topicsOf(result, "text", commands).map((topic) => renderTopic(topic, style)));
}

function renderTopic({ heading, sections }: Topic, style: Style, margin = ""): string {
	const lines = sectionsText(sections, style).map((line) => (line === "" ? line : `${margin}${line}`));
	const isTitled = (sections.find(hasContent)?.title ?? null) !== null;
	const head = heading === null ? [] : [style.strong(phraseText(heading)), ...(isTitled ? [""] : [])];
	return [...head, ...(lines.length === 0 ? [""] : lines)].join("\n");
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
	const all = plans.flatMap((plan) => assessPlan(plan) ?? []);
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
		folded.map(({ plan, verdict }) => `Organization ${showOrganization(plan)}: ${verdictText(verdict)}\n`).join(""),
		...(isAlone(result) ? [] : [renderUnread(result), `${verdictText(summarizeResult(result).verdict)}\n`]),
	];
}

/** Returns one organization in full, as `plan` and `drift` show it; `summary` in place of its verdict. */
export function renderOrganization(one: OrganizationResult, style: Style, summary = verdictText(one.verdict)): string {
	const { plan, drift, threeWay } = one;
	const danger = drift === null ? describeDangers([plan]).map((line) => style.remove(phraseText(line))) : [];
	const base = threeWay === null ? [] : [phraseText(sayBase(threeWay))];
	const lines = [...headOf(plan, style), ...base, ...danger, "", ...sectionsText(sectionsOf(one, "text"), style)];
	return `${[...lines, summary, ...danger].join("\n")}\n`;
}

/** Returns a plan as text, ending with a newline; `summary` in place of its verdict. */
export function renderPlan(plan: Plan, style: Style, summary?: string): string {
	const one = assessPlan(plan);
	return one === null ? "" : renderOrganization(one, style, summary);
}

function assessPlan(plan: Plan): OrganizationResult | null {
	return assessFound("plan", { organizationId: plan.organizationId, exitCode: 0, plan });
}

function headOf(one: NamedOrganization, style: Style): readonly string[] {
	return [style.strong(`Organization ${showOrganization(one)}`), ...noteOtherName(one)];
}

function renderUnread(result: OrganizationsResult): string {
	return unplannedOf(result)
		.map((one) => `Organization ${showOrganization(one)}: could not be read: ${showText(one.error.message)}\n`)
		.join("");
}

/** Returns what is about the run as a whole; `ran` as in `sectionsOfRun`. */
export function renderRun(result: CommandResult, style: Style, ran?: boolean | null): string {
	return join(
		[...sectionsBelow(result), ...sectionsOfRun(result, "text", ran)].map((section) =>
			sectionsText([section], style).join("\n"),
		),
	);
}

function renderApply(result: ApplyResult, options: TextOptions): string {
	if (errorOfCall(result) !== null) return renderRun(result, options.style, null);
	return join([...renderApplied(result, options), renderRun(result, options.style)]);
}

/** Returns the report of every organization, or that the plan was not confirmed. */
function renderApplied(result: ApplyResult, { style, quiet = false, commands }: TextOptions): readonly string[] {
	if (organizationsOf(result).some(({ results }) => results === null)) return [`${verdictText(notApplied)}\n`];
	const { full, folded } = foldOrganizations(result, "details", commands);
	const reported = full.map((one) => ({
		...namedAs(one.plan),
		text: renderOne(one, style, quiet ? "all" : "open"),
	}));
	const unplanned = unplannedOf(result).map((one) => ({
		...one,
		text: `${verdictText(one.error.code === "live-problem" ? cannotConverge : notRead)}\n`,
	}));
	const all = [...reported, ...unplanned].sort(byOrganization);
	if (isAlone(result)) return all.map(({ text }) => text);
	return [
		...all.map((one) => `${style.strong(`Organization ${showOrganization(one)}`)}\n${one.text}`),
		countNotRead(countUnreadByResume(result)),
		countFolded(folded.length, "nothing to do"),
		`${verdictText(summarizeResult(result).verdict)}\n`,
	];
}

/** Returns what became of an organization that has a plan; `"open"` leaves out completed steps, which were shown before. */
export function renderOne(one: OrganizationResult, style: Style, which: "all" | "open"): string {
	return `${[...sectionsText(sectionsOfReport(one, which), style), verdictText(one.verdict)].join("\n")}\n`;
}

/** Returns the report of a plan as text, ending with a newline. Suggested commands repeat the flags of `commands`. */
export function renderReport(
	report: Report,
	plan: Plan,
	style: Style,
	which: "all" | "open" = "all",
	commands?: CommandContext,
): string {
	const one = assessFound("apply", { organizationId: plan.organizationId, exitCode: 0, plan, report }, commands);
	return one === null ? "" : renderOne(one, style, which);
}

/** Returns what `grant` and `revoke` wrote, the plan, and what to do next. */
function renderAccess(result: AccessResult, style: Style): string {
	const { written, next } = accessSections(result);
	const [above, below] = [written, next].map((section: Section) => sectionsText([section], style).join("\n"));
	return join([above ?? "", ...organizationsOf(result).map((one) => renderOrganization(one, style)), below ?? ""]);
}

/** Returns everything that a person reviews before a vote, ending with a newline. */
export function renderVoteReview(
	organizations: readonly OrganizationVotes[],
	command: VoteCommand,
	style: Style,
): string {
	const shown = organizations.flatMap((one) => [
		...headOf(one, style),
		"",
		...sectionsText(sectionsOfReview(one, command), style),
	]);
	return `${[...shown, verdictText(summarizeReview(organizations, command))].join("\n")}\n`;
}
