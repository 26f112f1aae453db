/**
 * Plans and reports as Markdown, for the comment of a pull request and the summary of a pipeline.
 *
 * The order is that of somebody who has to decide: the verdict in one line, what forbids it, what is taken away (never
 * folded), what waits, what is not known; everything else in folds. A kind of section is a row of `sections`; what has to
 * be shown of an organization besides is another row.
 */

import type { Problem } from "../errors.ts";
import { showAddress, showName, showText } from "../escape.ts";
import { blockingGuards } from "../plan/overrides.ts";
import { nameOf } from "../plan/pending.ts";
import type { Plan } from "../plan/plan.ts";
import type { StepResult } from "../plan/report.ts";
import type { EarlierActivity } from "../plan/step.ts";
import { coveredAddresses } from "../plan/step.ts";
import { hasFindings } from "../plan/three-way.ts";
import { changeLines, objectParts, otherParts } from "./drift-markdown.ts";
import { removalLines } from "./markdown-removals.ts";
import { type Block, codeSpan, codeSpanOf, fence, fitBlocks } from "./markdown-text.ts";
import { foldOrganizations, type OrganizationResult, unplannedOf } from "./organizations.ts";
import { describeOverride, overridesHeading } from "./overrides-text.ts";
import { renderProblem } from "./problem-text.ts";
import {
	describeEarlierActivity,
	describeHold,
	listCovers,
	outdatedHeading,
	renderStep,
	reportHeadings,
} from "./report-text.ts";
import type { CommandResult, ErrorDescription, FailedOrganization } from "./result.ts";
import {
	describeAllOutdated,
	describeRunOverrides,
	describeSavedPlan,
	droppedOf,
	errorAbove,
	summarizeResult,
} from "./summary.ts";

import { describeGuard, describeUnread, headings, needsSigns, plainStyle, signsMean } from "./text.ts";
import { aliasBlock, describeBase, droppedBlock, partBlock, plannedHead, undoneBlock } from "./three-way-markdown.ts";
import { noteUndone } from "./three-way-text.ts";
import { describeWaiting, describeWaitingEffect, sortWaiting } from "./waiting-text.ts";

/** Longest sentence of a guard, in characters: it may name many tags. */
const longestGuard = 1_000;

export interface MarkdownOptions {
	/** Tells apart comments that are kept up to date one by one; the command when left out. */
	readonly key?: string;
	/**
	 * Most bytes of UTF-8; 65,535 when left out, as a comment on GitHub has fewer than 65,536 characters. Less than 2,000 is
	 * taken as 2,000: the verdict has to fit.
	 */
	readonly limit?: number;
	/** Where the whole is when it does not fit, for example the name of an artifact; shown as code. */
	readonly whole?: string;
	/** Name and version of the program, for the foot. */
	readonly generatedBy?: string;
}

/**
 * Markdown of at most `limit` bytes. It begins with a comment that no reader sees and no name can imitate,
 * `<!-- orgsync: KEY -->`, by which the one comment is found that it replaces; the verdict follows. The same result gives
 * the same bytes.
 */
export function renderMarkdown(result: CommandResult, options: MarkdownOptions = {}): string {
	const { limit = 65_535, whole, generatedBy } = options;
	const { full, folded: calm } = foldOrganizations(result, "decisions");
	const { verdict } = summarizeResult(result);
	const unread = unplannedOf(result);
	const isOneOfSeveral = full.length + calm.length + unread.length > 1;
	const blocks = [
		paragraph([markerOf(options.key ?? result.command), `### ${verdict}`].join("\n\n")),
		...savedPlanBlock(result),
		...errorBlocks(result),
		bullets(1, ["override", "overrides"], overridesHeading, describeRunOverrides(result).map(codeSpan)),
		unreadOnes(unread),
		calmOnes(calm),
		...full.flatMap((one) => organizationBlocks(one, isOneOfSeveral)),
		droppedBlock(droppedOf(result)),
		...(generatedBy === undefined ? [] : [paragraph(`<sub>${codeSpan(generatedBy)}</sub>`, 5)]),
	].filter(({ lines }) => lines.length > 0);
	const pointer = whole === undefined ? "the output of the same command with `--format json`" : codeSpan(whole);
	return fitBlocks(blocks, Math.max(2_000, limit), pointer);
}

/** The hidden comment of a key; what could end a comment is written as `_`. */
export function markerOf(key: string): string {
	return `<!-- orgsync: ${key.replace(/[^\w./:@-]|-(?=-)|-$|^[->]/gu, "_")} -->`;
}

function paragraph(text: string, rank = 0): Block {
	return { rank, noun: ["paragraph", "paragraphs"], lines: [text], wrap: ([line = ""]) => line };
}

function bullets(rank: number, noun: Block["noun"], title: string, lines: readonly string[]): Block {
	return {
		rank,
		noun,
		lines,
		wrap: (kept, more) =>
			[`**${title}**`, "", ...kept.map((line) => `- ${line}`), ...(more === 0 ? [] : [`- … and ${more} more`])].join(
				"\n",
			),
	};
}

function fenced(rank: number, noun: Block["noun"], title: string, lines: readonly string[], language = ""): Block {
	return {
		rank,
		noun,
		lines,
		wrap: (kept, more) => `**${title}**\n\n${fence(more === 0 ? kept : [...kept, `… and ${more} more`], language)}`,
	};
}

/** As `fenced`, but closed until its reader opens it. */
function folded(rank: number, noun: Block["noun"], title: string, lines: readonly string[], language = ""): Block {
	return {
		rank,
		noun,
		lines,
		wrap: (kept, more) => {
			const body = fence(more === 0 ? kept : [...kept, `… and ${more} more`], language);
			return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
		},
	};
}

function savedPlanBlock(result: CommandResult): readonly Block[] {
	const said = describeSavedPlan(result);
	return said === null ? [] : [paragraph(codeSpan(said), 1)];
}

function errorBlocks(result: CommandResult): readonly Block[] {
	const { problems = [] } = result;
	const error = errorAbove(result);
	if (error === null) return [];
	return [
		...(problems.length > 0 ? [problemList("What is wrong", problems)] : [paragraph(renderMessageText(error)[0])]),
		bullets(1, ["changed object", "changed objects"], outdatedHeading, describeAllOutdated(result).map(codeSpan)),
		...renderMessageText(error)
			.slice(1)
			.map((hint) => paragraph(hint, 1)),
	];
}

/** The message and, where there is one, the hint. */
function renderMessageText({ message, hint }: ErrorDescription): readonly [message: string, ...hint: string[]] {
	const said = codeSpan(onOneLine(message));
	return hint === null ? [said] : [said, `Hint: ${codeSpan(onOneLine(hint))}`];
}

function onOneLine(text: string): string {
	return text.trim().replace(/\s*\n\s*/g, " ");
}

function problemList(title: string, problems: readonly Problem[]): Block {
	return bullets(
		1,
		["problem", "problems"],
		title,
		problems.map((problem) => codeSpan(renderProblem(problem))),
	);
}

/** Of many organizations those of which nothing is known but why, one line each. */
function unreadOnes(unread: readonly FailedOrganization[]): Block {
	return bullets(
		1,
		["organization that could not be read", "organizations that could not be read"],
		headings.unlooked,
		unread.map(({ organizationId, error }) => `${codeSpan(organizationId)}: ${renderMessageText(error).join("; ")}`),
	);
}

/** Of many organizations those without anything to decide, one line each. */
function calmOnes(organizations: readonly OrganizationResult[]): Block {
	const lines = organizations.map(({ plan, verdict }) => `${showText(plan.organizationId)}  ${verdict}`);
	return folded(6, ["organization", "organizations"], `Nothing to decide (${lines.length})`, lines);
}

function organizationBlocks(one: OrganizationResult, amongOthers: boolean): readonly Block[] {
	const { plan, threeWay, drift, verdict } = one;
	const organization = codeSpan(plan.organizationId);
	// Where something had drifted a reader could take the signs for what was done before.
	const hasSigns = drift === null ? hasFindings(threeWay) : needsSigns(plan);
	const about = `${describeBase(threeWay)}${hasSigns ? ` ${signsMean}` : ""}`;
	const head = amongOthers
		? `#### Organization ${organization}\n\n${verdict}${about}`
		: `Organization ${organization}, read ${codeSpan(plan.readAt)}.${about}`;
	const group = plan.organizationId;
	const blocks = sections.map((section) => ({ ...section(one), group })).filter(({ lines }) => lines.length > 0);
	// Of a thousand organizations those come first that a guard or a removal speaks of.
	const rank = amongOthers ? Math.min(3, ...blocks.map((block) => block.rank)) : 0;
	return [{ ...paragraph(head, rank), noun: ["organization", "organizations"], group }, ...blocks];
}

/** What is shown of an organization, in this order. A section without lines is left out. */
const sections: readonly ((one: OrganizationResult) => Block)[] = [
	({ plan }) => problemList(headings.problems, plan.problems),
	({ threeWay, results }) => aliasBlock(results === null ? threeWay : null),
	({ threeWay, results }) => undoneBlock(results === null ? threeWay : null),
	({ failed }) =>
		bullets(1, ["error", "errors"], "Why it stopped", failed === null ? [] : renderMessageText(failed.error)),
	({ plan, results }) =>
		bullets(
			1,
			["guard", "guards"],
			headings.guards,
			(results === null ? blockingGuards(plan) : []).map((guard) => {
				const { found, allowed, meant } = describeGuard(guard);
				return `${codeSpanOf(found, longestGuard)} (${allowed}); to override: \`${meant}\``;
			}),
		),
	({ overrides, plan }) =>
		bullets(
			1,
			["override", "overrides"],
			overridesHeading,
			overrides.map((one) => codeSpanOf(describeOverride(one, plan.guards), longestGuard)),
		),
	({ results }) =>
		fenced(
			1,
			["step that did not complete", "steps that did not complete"],
			"Not completed",
			(results ?? []).filter(({ outcome }) => outcome !== "completed").flatMap(renderStepResult),
		),
	({ report }) =>
		bullets(
			1,
			["difference", "differences"],
			reportHeadings.left,
			(report?.left ?? []).map(({ address }) => codeSpan(showAddress(address))),
		),
	({ report }) =>
		bullets(1, ["warning", "warnings"], "Not verified", [
			...(report === null || report.unverified === null
				? []
				: [`${reportHeadings.unverified}: ${codeSpan(report.unverified)}`]),
		]),
	({ threeWay }) => partBlock("documentChanges", threeWay),
	({ threeWay }) => partBlock("drifted", threeWay),
	({ threeWay, plan }) => plannedHead(threeWay, plan),
	...[0, 1, 2].map((index) => (one: OrganizationResult) => {
		const { title = "", lines = [] } = objectParts(one)[index] ?? {};
		return fenced(2 + index, ["line of differences", "lines of differences"], title, lines, "diff");
	}),
	...[0, 1, 2].map((index) => (one: OrganizationResult) => {
		const { title = "", lines = [] } = otherParts(one)[index] ?? {};
		return bullets(3, ["line on the last report", "lines on the last report"], title, lines.map(codeSpan));
	}),
	(one) => {
		const title = one.results === null ? "Removals" : "Removals and their results";
		return fenced(2, ["line of removals", "lines of removals"], title, removalLines(one), "diff");
	},
	(one) => bullets(3, ["pending activity", "pending activities"], headings.waiting, waitingLines(one, "waits")),
	(one) => bullets(3, ["activity in doubt", "activities in doubt"], headings.inDoubt, waitingLines(one, "inDoubt")),
	(one) => bullets(3, ["rejected activity", "rejected activities"], headings.rejected, waitingLines(one, "rejected")),
	({ plan }) => bullets(4, ["unknown", "unknowns"], headings.unread, describeUnread(plan).map(codeSpan)),
	({ plan, threeWay, drift }) => {
		const note = noteUndone(threeWay, plainStyle);
		const lines = drift === null ? plan.changes.flatMap((change) => changeLines(change, plan, note)) : [];
		return folded(6, ["line of changes", "lines of changes"], `Changes (${plan.changes.length})`, lines, "diff");
	},
	({ results }) => {
		const completed = (results ?? []).filter(({ outcome }) => outcome === "completed");
		return folded(7, ["step", "steps"], `Completed steps (${completed.length})`, completed.flatMap(renderStepResult));
	},
	({ plan, report, failed, results }) => {
		const over = new Set((results ?? []).map(({ step }) => step.id));
		const steps = report === null ? plan.steps.filter(({ id }) => !over.has(id)) : [];
		const title = failed === null ? "Steps, in order" : "Steps without a result";
		return folded(7, ["step", "steps"], `${title} (${steps.length})`, steps.map(describePlannedStep));
	},
	({ plan }) =>
		folded(
			8,
			["user tag", "user tags"],
			`Unmanaged user tags (${plan.unmanaged.length})`,
			plan.unmanaged.map(({ address }) => showAddress(address)),
		),
];

/** What stands in the way of a plan that was not begun, an activity a line; each part is short enough never to be cut. */
function waitingLines(
	{ plan, results }: OrganizationResult,
	which: "waits" | "inDoubt" | "rejected",
): readonly string[] {
	if (results !== null) return [];
	return sortWaiting(plan)[which].map((activity) => {
		const means = describeWaitingEffect(activity, listCovers(coveredAddresses([activity])));
		return [...describeWaiting(activity, plan), means.map(codeSpan).join("; ")]
			.map((part, index, { length }) => (index === length - 1 ? part : codeSpan(part)))
			.join(": ");
	});
}

function renderStepResult(result: StepResult): readonly string[] {
	const lines = renderStep(result, plainStyle);
	if (result.step.earlierActivity?.state !== "in-doubt") return lines;
	// What to do about a step in doubt is told in shorter lines, so that the name to give up is never cut.
	return lines.flatMap((line, index) => (index === 1 ? line.split(/(?<=:) (?=the )|(?<=;) /).map(indent) : [line]));
}

function indent(line: string): string {
	return `     ${line.trim()}`;
}

function describeNamedHold(earlierActivity: EarlierActivity): string {
	const name = showName(nameOf(earlierActivity));
	if (earlierActivity.relation === "rejected")
		return `${describeHold(earlierActivity)} ${name}, needs --retry-rejected`;
	return `waiting for ${describeEarlierActivity(earlierActivity)} ${name}`;
}

/** A step, what it comes after, and the activity that stands for it. */
function describePlannedStep({ id, operation, reason, dependsOn, earlierActivity }: Plan["steps"][number]): string {
	const after = dependsOn.length === 0 ? "" : `, after ${dependsOn.join(", ")}`;
	const waits = earlierActivity === null ? "" : `, ${describeNamedHold(earlierActivity)}`;
	return `${id}  ${showText(reason)}  (${operation}${after}${waits})`;
}
