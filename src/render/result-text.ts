/**
 * Any result as text, for a terminal or a log. Errors and problems are not in it: they go to standard error.
 */

import { showText, writeJson } from "../common/escape.ts";
import { type NamedOrganization, showOrganization } from "../plan/organization-name.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report } from "../plan/report.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import { count } from "../say/count.ts";
import { hasContent, type Section } from "../say/section.ts";
import {
	type Part,
	sectionsBelow,
	sectionsOf,
	sectionsOfReport,
	sectionsOfReview,
	sectionsOfRun,
	topicsOf,
} from "./page.ts";
import { phraseText, sectionsText, verdictText } from "./print/text.ts";
import { errorOfCall } from "./result/errors.ts";
import type { FoundOrganization } from "./result/found.ts";
import {
	assessFound,
	hasDetails,
	type OrganizationResult,
	organizationsOf,
	type State,
	type StreamOptions,
	type SuggestingOptions,
	states,
} from "./result/organizations.ts";
import {
	type AccessResult,
	type CommandResult,
	type ErrorDescription,
	isCompared,
	isFailure,
	type OrganizationsResult,
} from "./result/result.ts";
import { stateOfFound, summarizeResult, Tally } from "./result/summary.ts";
import type { OrganizationVotes } from "./result/votes.ts";
import { accessSections, passkeyText } from "./sections/commands.ts";
import { describeDangers } from "./sections/danger.ts";
import { sayNotes } from "./sections/organization.ts";
import { notApplied } from "./sections/results.ts";
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
		case "show":
		case "apply":
			return renderWhole(result, options);
		case "grant":
		case "revoke":
			return renderAccess(result, style);
		case "test":
		case "lint":
		case "organizations":
		case "approve":
		case "reject":
			return join([
				renderTopics(result, options),
				`${verdictText(summarizeResult(result).verdict)}
`,
			]);
		case "powers":
		case "can":
		case "credentials":
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

function renderTopic({ heading, sections }: Part, style: Style, margin = ""): string {
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
function countFolded(organizations: number, what: string): string {
	return organizations === 0 ? "" : `${count(organizations, "organization", "organizations")}: ${what}.\n`;
}

/** Returns how many organizations a resumed run did not read, and why. */
export function countNotRead(organizations: number): string {
	return countFolded(organizations, "not read, because this run had left them in sync when it was interrupted");
}

/** Returns the text of all parts, and in it the organizations with nothing to show, one line each. */
function renderWhole(result: OrganizationsResult, { style, quiet = false, commands }: TextOptions): string {
	const { command, organizations } = result;
	const stream = new TextStream({ command, size: organizations.length, style, quiet, commands }, true);
	// A terminal shows the end, but what only a file states says so first.
	const isBelow = command !== "show";
	const run = isBelow ? "" : renderRun(result, style);
	const parts = organizations.map((one) => stream.add(one));
	return join([run, `${parts.join("")}${stream.end(result, errorOfCall(result), isBelow)}`]);
}

/**
 * The text of `plan`, `drift` and `apply` in parts: each organization with something to show, when it is its turn, then the
 * summary, in which bad news comes first. Of an organization that is in sync, or was not read, it holds nothing but a count.
 */
export class TextStream {
	readonly #options: StreamOptions;
	/** Whether organizations with nothing to show have a line each. */
	readonly #namesAll: boolean;
	readonly #tally = new Tally();
	readonly #badNews: { readonly state: State; readonly line: string }[] = [];
	#folded = "";
	#idle = 0;
	#notRead = 0;
	/** Of `apply`: whether there is a plan that was not run, and one that was. */
	#isWithheld = false;
	#hasRun = false;
	#isEmpty = true;

	constructor(options: StreamOptions, namesAll = false) {
		this.#options = options;
		this.#namesAll = namesAll;
	}

	/** Returns the text of the next organization; empty where it is only counted. */
	add(found: FoundOrganization): string {
		const { command, size, style, quiet = false, commands } = this.#options;
		const { failed, state } = found;
		const one = assessFound(command, found, commands);
		this.#tally.add(found, one);
		if (one === null) {
			if (failed !== undefined)
				this.#addBadNews(
					stateOfFound(found, null) ?? "unread",
					failed,
					`could not be read: ${showText(failed.error.message)}`,
				);
			if (state === "inSync") this.#idle += 1;
			if (state === "notRead") this.#notRead += 1;
			return "";
		}
		const isApply = command === "apply";
		if (isApply && one.results === null) {
			this.#isWithheld = true;
			return "";
		}
		this.#hasRun = true;
		const isShown = size === 1 || hasDetails(one);
		// A whole text is read from its beginning: what it shows is not repeated.
		if (one.tone === "bad" && (isApply || !this.#namesAll))
			this.#addBadNews(one.state, one.plan, verdictText(one.verdict));
		if (!isShown) {
			this.#idle += 1;
			if (this.#namesAll) this.#folded += `Organization ${showOrganization(one.plan)}: ${verdictText(one.verdict)}\n`;
			return "";
		}
		if (!isApply) return this.#separate(renderOrganization(one, style));
		const heading = size === 1 ? "" : `${style.strong(`Organization ${showOrganization(one.plan)}`)}\n`;
		return this.#separate(`${heading}${renderOne(one, style, quiet ? "all" : "open")}`);
	}

	/** Returns the end of the text; `rest` is the result without its organizations, `error` why nothing was submitted. */
	end(rest: CommandResult, error: ErrorDescription | null, withRun = true): string {
		if (!isCompared(rest)) return "";
		const { command, style } = this.#options;
		const isApply = command === "apply";
		const ran = isApply ? (error === null ? this.#hasRun : null) : undefined;
		return [...(isApply && error !== null ? [] : this.#conclude(isApply)), withRun ? renderRun(rest, style, ran) : ""]
			.map((text) => this.#separate(text))
			.join("");
	}

	#conclude(isApply: boolean): readonly string[] {
		if (this.#isWithheld) return [`${verdictText(notApplied)}\n`];
		if (this.#options.size === 1 && !(isApply && this.#isEmpty)) return [];
		const order = Object.keys(states);
		const news = this.#badNews.toSorted((left, right) => order.indexOf(left.state) - order.indexOf(right.state));
		return [
			...(isApply ? [countFolded(this.#idle, "nothing to do"), countNotRead(this.#notRead)] : [this.#folded]),
			news.map(({ line }) => line).join(""),
			`${verdictText(this.#tally.summarize().verdict)}\n`,
		];
	}

	#addBadNews(state: State, organization: NamedOrganization, news: string): void {
		this.#badNews.push({ state, line: `Organization ${showOrganization(organization)}: ${news}\n` });
	}

	/** Returns the text with an empty line between it and what came before. */
	#separate(text: string): string {
		if (text === "") return "";
		const separator = this.#isEmpty ? "" : "\n";
		this.#isEmpty = false;
		return `${separator}${text}`;
	}
}

/** Returns one organization in full, as `plan` and `drift` show it; `summary` in place of its verdict. */
export function renderOrganization(one: OrganizationResult, style: Style, summary = verdictText(one.verdict)): string {
	const { plan, drift, threeWay } = one;
	const danger = drift === null ? describeDangers([plan]).map((line) => style.remove(phraseText(line))) : [];
	const lines = [...headOf(plan, style, threeWay), ...danger, "", ...sectionsText(sectionsOf(one, "text"), style)];
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

function headOf(one: NamedOrganization, style: Style, threeWay?: OrganizationResult["threeWay"]): readonly string[] {
	return [style.strong(`Organization ${showOrganization(one)}`), ...sayNotes(one, threeWay).map(phraseText)];
}

/** Returns what is about the run as a whole; `ran` as in `sectionsOfRun`. */
function renderRun(result: CommandResult, style: Style, ran?: boolean | null): string {
	return join(
		[...sectionsBelow(result), ...sectionsOfRun(result, "text", ran)].map((section) =>
			sectionsText([section], style).join("\n"),
		),
	);
}

/** Returns what became of an organization that has a plan; `"open"` leaves out completed steps, which were shown before. */
function renderOne(one: OrganizationResult, style: Style, which: "all" | "open"): string {
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
