/**
 * Plans and reports as Markdown, for the comment of a pull request and the summary of a pipeline. A reader who has to decide
 * finds in this order: the verdict, guards and errors, removals (never folded), pending activities and unknowns.
 */

import { showAddress } from "../common/escape.ts";
import type { Voice } from "../common/said.ts";
import { discoveryBlocks } from "./discovery.ts";
import { type Block, bullets, codeSpan, fitBlocks, folded, paragraph } from "./markdown-text.ts";
import { describeOverride, overridesHeading } from "./overrides-text.ts";
import { phraseMarkdown, sectionBlocks } from "./print/markdown.ts";
import type { FailedOrganization } from "./result/found.ts";
import { noteOtherName, showOrganization } from "./result/organization-name.ts";
import {
	foldOrganizations,
	type OrganizationResult,
	organizationsOf,
	type SuggestingOptions,
	unplannedHeading,
	unplannedOf,
} from "./result/organizations.ts";
import { type CommandResult, type ErrorDescription, isPowers } from "./result/result.ts";
import {
	describeAllOutdated,
	describeRunOverrides,
	describeSavedPlan,
	droppedOf,
	errorAbove,
	summarizeResult,
} from "./result/summary.ts";
import { isVotes } from "./result/votes.ts";
import { approvalsSection, deniedSection } from "./sections/approvals.ts";
import { droppedSection, partSections, revertSections, sayBase } from "./sections/base.ts";
import { changesSection, lostMembershipsSection, marksOfResult, removalsSection } from "./sections/changes.ts";
import { describeDangers } from "./sections/danger.ts";
import { driftSections } from "./sections/drift.ts";
import { expiriesSection } from "./sections/expiries.ts";
import { blockingSection, warningGuardsSection } from "./sections/guards.ts";
import { impactSection } from "./sections/impact.ts";
import { pendingSections } from "./sections/pending.ts";
import { powersSections } from "./sections/powers.ts";
import { problemsSection, rulesSection, warningsSection } from "./sections/problems.ts";
import { endSections, staleHeading } from "./sections/results.ts";
import {
	completedStepsSection,
	openStepsSection,
	plannedStepsSection,
	wrongForecastsSection,
} from "./sections/steps.ts";
import { unknownSection } from "./sections/unknown.ts";
import { furtherSections, votedSections } from "./sections/votes.ts";

/** Longest sentence of a guard, in characters: it may name many tags. */
const longestGuard = 1_000;

export interface MarkdownOptions extends SuggestingOptions {
	/** Distinguishes comments that are updated separately; the command when left out. */
	readonly key?: string;
	/** Max bytes of UTF-8, at least 2,000; 65,535 when left out, the longest comment on GitHub. */
	readonly limit?: number;
	/** Where the full output is, for example the name of an artifact; shown as code. */
	readonly whole?: string;
	/** Name and version of the program, for the foot. */
	readonly generatedBy?: string;
	/** How the reader gives flags; the command line's when left out. */
	readonly voice?: Voice;
}

/**
 * Returns Markdown of at most `limit` bytes. It begins with `<!-- orgsync: KEY -->`, which identifies the comment to replace
 * and which no name can imitate. The same result gives the same bytes.
 */
export function renderMarkdown(result: CommandResult, options: MarkdownOptions = {}): string {
	const { limit = 65_535, whole, generatedBy, voice } = options;
	const { full, folded: calm } = foldOrganizations(result, "decisions", options.commands);
	const unread = unplannedOf(result);
	const isOneOfSeveral = full.length + calm.length + unread.length > 1;
	const blocks = [
		paragraph(
			[markerOf(options.key ?? result.command), ...caution(result), `### ${summarizeResult(result).verdict}`].join(
				"\n\n",
			),
		),
		...savedPlanBlock(result),
		...errorBlocks(result),
		bullets(
			1,
			["override", "overrides"],
			overridesHeading,
			describeRunOverrides(result).map((line) => codeSpan(line)),
		),
		unplannedBlock(unread),
		foldedBlock(calm),
		...full.flatMap((one) => organizationBlocks(one, isOneOfSeveral, voice)),
		...sectionBlocks([droppedSection(droppedOf(result))]),
		...powersBlocks(result),
		...discoveryBlocks(result),
		...votesBlocks(result),
		...(generatedBy === undefined ? [] : [paragraph(`<sub>${codeSpan(generatedBy)}</sub>`, 5)]),
	].filter(({ lines }) => lines.length > 0);
	const pointer = whole === undefined ? "the output of the same command with `--format json`" : codeSpan(whole);
	return fitBlocks(blocks, Math.max(2_000, limit), pointer);
}

/** Returns what is dangerous in the plans, as a block that GitHub shows in red; nothing after an apply, and of drift. */
function caution(result: CommandResult): readonly string[] {
	if (result.command !== "plan" && result.command !== "show") return [];
	const lines = describeDangers(organizationsOf(result).map(({ plan }) => plan));
	return lines.length === 0 ? [] : [["> [!CAUTION]", ...lines.map((line) => `> ${phraseMarkdown(line)}`)].join("\n")];
}

/** Returns the hidden comment of a key; what could end a comment is written as `_`. */
export function markerOf(key: string): string {
	return `<!-- orgsync: ${key.replace(/[^\w./:@-]|-(?=-)|-$|^[->]/gu, "_")} -->`;
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
		...(problems.length > 0
			? sectionBlocks([{ ...problemsSection({ problems }), title: "What is wrong" }])
			: [paragraph(renderMessageText(error)[0])]),
		bullets(
			1,
			["changed object", "changed objects"],
			staleHeading,
			describeAllOutdated(result).map((line) => codeSpan(line)),
		),
		...renderMessageText(error)
			.slice(1)
			.map((hint) => paragraph(hint, 1)),
	];
}

function renderMessageText({ message, hint }: ErrorDescription): readonly [message: string, ...hint: string[]] {
	const said = codeSpan(onOneLine(message));
	return hint === null ? [said] : [said, `Hint: ${codeSpan(onOneLine(hint))}`];
}

function onOneLine(text: string): string {
	return text.trim().replace(/\s*\n\s*/g, " ");
}

/** Returns the organizations without a plan, one line each. */
function unplannedBlock(unread: readonly FailedOrganization[]): Block {
	return bullets(
		1,
		["organization that could not be read", "organizations that could not be read"],
		unplannedHeading,
		unread.map((one) => `${codeSpan(showOrganization(one))}: ${renderMessageText(one.error).join("; ")}`),
	);
}

/** Returns the organizations without anything to decide, one line each. */
function foldedBlock(organizations: readonly OrganizationResult[]): Block {
	const lines = organizations.map(({ plan, verdict }) => `${showOrganization(plan)}  ${verdict}`);
	return folded(6, ["organization", "organizations"], `Nothing to decide (${lines.length})`, lines);
}

/** Returns what `approve` and `reject` would do or did in each organization; none for results of other commands. */
function votesBlocks(result: CommandResult): readonly Block[] {
	if (!isVotes(result)) return [];
	return result.votes.flatMap((one) => {
		const names = noteOtherName(one).map((line) => codeSpan(line));
		const head = paragraph([`Organization ${codeSpan(showOrganization(one))}`, ...names].join("; "), 1);
		const blocks = sectionBlocks([...votedSections(one, result.command), ...furtherSections(one)]);
		return [head, ...blocks].map((block) => ({ ...block, group: one.organizationId }));
	});
}

/** Returns who can do what in each organization; none for results of other commands. */
function powersBlocks(result: CommandResult): readonly Block[] {
	if (!isPowers(result)) return [];
	return result.organizations.flatMap((one) => {
		const head = paragraph(`Organization ${codeSpan(showOrganization(one))}, at ${codeSpan(one.at)}.`, 1);
		return [head, ...sectionBlocks(powersSections(one))].map((block) => ({ ...block, group: one.organizationId }));
	});
}

function organizationBlocks(one: OrganizationResult, amongOthers: boolean, voice?: Voice): readonly Block[] {
	const { plan, threeWay, verdict } = one;
	const organization = codeSpan(showOrganization(plan));
	const base = threeWay === null ? "" : ` ${phraseMarkdown(sayBase(threeWay))}.`;
	const other = noteOtherName(plan).map((line) => ` ${codeSpan(line)}.`);
	const about = `${other.join("")}${base}`;
	const head = amongOthers
		? `#### Organization ${organization}\n\n${verdict}${about}`
		: `Organization ${organization}, read ${codeSpan(plan.readAt)}.${about}`;
	const group = plan.organizationId;
	const blocks = sectionsOf(one, voice)
		.map((block) => ({ ...block, group }))
		.filter(({ lines }) => lines.length > 0);
	// Of a thousand organizations those with a guard or a removal come first.
	const rank = amongOthers ? Math.min(3, ...blocks.map((block) => block.rank)) : 0;
	return [{ ...paragraph(head, rank), noun: ["organization", "organizations"], group }, ...blocks];
}

/** Returns what is shown of an organization, in this order; blocks without lines are left out. */
function sectionsOf(one: OrganizationResult, voice?: Voice): readonly Block[] {
	const { plan, results, drift } = one;
	const meaning = sectionBlocks(results === null ? [impactSection(plan, drift !== null)] : [], voice);
	const denied = sectionBlocks(results === null ? [deniedSection(plan)] : [], voice);
	// What drifted comes before what apply would change.
	const [before, after] = drift === null ? [meaning, []] : [[], meaning];
	return [
		...(drift === null ? denied : []),
		...decisionBlocks(one, voice),
		...before,
		...sectionBlocks(partSections(one.threeWay, plan), voice),
		...sectionBlocks(drift === null ? [] : Object.values(driftSections(drift, plan)), voice),
		...(drift === null ? [] : denied),
		...after,
		...changeBlocks(one, voice),
	];
}

function decisionBlocks(one: OrganizationResult, voice?: Voice): readonly Block[] {
	const { plan, threeWay, failed, results, drift, overrides } = one;
	return [
		...sectionBlocks([problemsSection(plan), ...(results === null ? revertSections(threeWay) : [])], voice),
		bullets(1, ["error", "errors"], "Why it stopped", failed === null ? [] : renderMessageText(failed.error)),
		...sectionBlocks(
			results === null ? [blockingSection(plan), warningGuardsSection(plan), warningsSection(plan)] : [],
			voice,
		),
		...sectionBlocks(results === null && drift === null ? [rulesSection(plan)] : [], voice),
		bullets(
			1,
			["override", "overrides"],
			overridesHeading,
			overrides.map((override) => codeSpan(describeOverride(override, plan.guards, voice), longestGuard)),
		),
		...sectionBlocks(
			[openStepsSection(one), ...endSections(one.report, plan, one.commands), wrongForecastsSection(one)],
			voice,
		),
	];
}

/** Removals in full, what else is open, and everything else in folds. */
function changeBlocks(one: OrganizationResult, voice?: Voice): readonly Block[] {
	const { plan, drift, results } = one;
	// A report of drift has each difference in its own sections.
	const shown = drift === null ? plan : { ...plan, changes: [] };
	const marks = marksOfResult(one);
	const unmanaged = plan.unmanaged.map(({ address }) => showAddress(address));
	return [
		...sectionBlocks(
			[removalsSection(shown, marks, results !== null), lostMembershipsSection(shown, marks, results !== null)],
			voice,
		),
		...sectionBlocks(results === null ? [approvalsSection(plan), ...pendingSections(plan)] : [], voice),
		...sectionBlocks(
			[
				expiriesSection(plan),
				unknownSection(plan),
				{
					...changesSection(shown, marks),
					title: "Changes",
					noun: ["line of changes", "lines of changes"],
					isFolded: true,
					shorten: "first",
				},
			],
			voice,
		),
		...sectionBlocks([completedStepsSection(one), plannedStepsSection(one)], voice),
		folded(8, ["user tag", "user tags"], `Unmanaged user tags (${unmanaged.length})`, unmanaged),
	];
}
