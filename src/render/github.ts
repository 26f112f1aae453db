/**
 * Plans and reports for a pipeline on GitHub: annotations at the lines of the document, and the summary of the step.
 * Annotations are workflow commands, lines of the log that begin with `::`. Names are escaped twice, as text and as data of
 * the command.
 */

import type { Change } from "../plan/change.ts";
import type { Position } from "../plan/organization.ts";
import { describeOutdated } from "../plan/stale.ts";
import type { Section } from "../say/section.ts";
import { type Annotation, type Level, levelsInOrder, renderAnnotation } from "./annotation.ts";
import { type MarkdownOptions, renderMarkdown } from "./markdown.ts";
import { describeOverride } from "./overrides-text.ts";
import type { PositionOf } from "./positions.ts";
import { sectionAnnotations } from "./print/annotations.ts";
import { differenceText, phraseText } from "./print/text.ts";
import { showOrganization } from "./result/organization-name.ts";
import { type OrganizationResult, organizationsOf, type Tone, unplannedOf } from "./result/organizations.ts";
import { type CommandResult, type ErrorDescription, isPowers } from "./result/result.ts";
import {
	describeRunOverrides,
	describeSavedPlan,
	errorAbove,
	outdatedIn,
	savedPlanOf,
	summarizeResult,
} from "./result/summary.ts";
import { deniedSection } from "./sections/approvals.ts";
import { revertSections } from "./sections/base.ts";
import { changeRow, heldByRejection, holdsOf, marksIn } from "./sections/changes.ts";
import { driftSections } from "./sections/drift.ts";
import { expiriesSection } from "./sections/expiries.ts";
import { blockingSection, warningGuardsSection } from "./sections/guards.ts";
import { impactSection } from "./sections/impact.ts";
import { pendingSections } from "./sections/pending.ts";
import { unknownPowersSection } from "./sections/powers.ts";
import { rulesSection } from "./sections/problems.ts";
import { endSections } from "./sections/results.ts";
import { openStepsSection, wrongForecastsSection } from "./sections/steps.ts";
import { unknownSection } from "./sections/unknown.ts";

export interface GithubOptions extends MarkdownOptions {
	readonly positionOf?: PositionOf;
}

export interface GithubResult {
	/** Lines for the log, each a workflow command; at most ten of a level, as GitHub shows no more of one step. */
	readonly annotations: string;
	/** Markdown to append to the file that `GITHUB_STEP_SUMMARY` names. */
	readonly summary: string;
}

/** Max annotations of a level that GitHub shows of one step. */
const maxOfALevel = 10;

/** Returns annotations, the verdict first, and the summary. No name can begin, end or extend a workflow command. */
export function renderGithub(result: CommandResult, options: GithubOptions = {}): GithubResult {
	const [verdict, ...others] = annotationsOf(result, options);
	const byLevel = Map.groupBy(others, ({ level }) => level);
	const lines = levelsInOrder.flatMap((level) =>
		withinLimit(byLevel.get(level) ?? [], maxOfALevel - (verdict.level === level ? 1 : 0)),
	);
	return {
		annotations: [verdict, ...lines].map((annotation) => `${renderAnnotation(annotation)}\n`).join(""),
		summary: renderMarkdown(result, options),
	};
}

const levels: Readonly<Record<Tone, Level>> = { good: "notice", attention: "warning", bad: "error" };

function annotationsOf(
	result: CommandResult,
	{ positionOf = () => undefined, commands }: GithubOptions,
): readonly [verdict: Annotation, ...others: Annotation[]] {
	const { verdict, tone } = summarizeResult(result);
	const { problems = [], command } = result;
	const error = errorAbove(result);
	return [
		// A plan with changes is normal: a warning on every pull request would be ignored.
		{
			level: (command === "plan" || command === "show") && tone === "attention" ? "notice" : levels[tone],
			title: titleOf(command),
			message: error === null ? verdict : renderMessageText(error),
			at: undefined,
		},
		...problems.map((problem) => atProblem(problem)),
		...(command === "show" && savedPlanOf(result)?.statedByFile !== undefined
			? [annotate("notice", "as stated by the file", describeSavedPlan(result) ?? "")]
			: []),
		...describeRunOverrides(result).map((line) => annotate("warning", overrideTitle, line)),
		...unplannedOf(result).map((one) =>
			annotate("error", "could not be read", `organization ${showOrganization(one)}: ${renderMessageText(one.error)}`),
		),
		...outdatedIn(result).map((one) =>
			annotate(
				"error",
				"changed since it was planned",
				describeOutdated(one),
				positionOf(one.address, one.organizationId),
			),
		),
		...organizationsOf(result, commands).flatMap((one) => organizationAnnotations(one, positionOf)),
		// After what is to be decided in all of them: GitHub shows no more than ten of a level.
		...organizationsOf(result).flatMap((one) => differenceAnnotations(one, positionOf)),
		...sectionAnnotations(isPowers(result) ? result.organizations.map(unknownPowersSection) : [], () => undefined),
	];
}

function titleOf(what: string): string {
	return `orgsync: ${what}`;
}

function renderMessageText({ message, hint }: ErrorDescription): string {
	return hint === null ? message : `${message}; ${hint}`;
}

function atProblem(
	problem: Position & { readonly code: string; readonly message: string },
	level: Level = "error",
): Annotation {
	return { level, title: titleOf(problem.code), message: problem.message, at: problem };
}

function organizationAnnotations(one: OrganizationResult, positionIn: PositionOf): readonly Annotation[] {
	const positionOf = (address: string): Position | undefined => positionIn(address, one.plan.organizationId);
	const { plan, failed, overrides } = one;
	const used = overrides.map((override) => annotate("warning", overrideTitle, describeOverride(override, plan.guards)));
	if (one.results === null) return [...used, ...planAnnotations(one, positionOf)];
	return [
		...used,
		...(failed === null
			? []
			: [annotate("error", "stopped", `organization ${showOrganization(plan)}: ${renderMessageText(failed.error)}`)]),
		...sectionAnnotations(
			[openStepsSection(one), wrongForecastsSection(one), ...endSections(one.report, plan, one.commands)],
			positionOf,
		),
	];
}

function annotate(level: Level, title: string, message: string, at?: Position): Annotation {
	return { level, title: titleOf(title), message, at };
}

const overrideTitle = "override used";

type Positions = (address: string) => Position | undefined;

/** Returns the bad news on who can do what, worst first, and then the verdict; none where nothing changes. */
function impactAnnotations({ plan, drift }: OrganizationResult, positionOf: Positions): readonly Annotation[] {
	const section = impactSection(plan, drift !== null);
	if (section.title === null) return [];
	const what = drift === null ? "who can do what" : "apply would change who can do what";
	// The sentence says what the sign shows.
	const rows = section.rows.map(({ sign: _, ...row }) => row);
	const bad = sectionAnnotations([{ ...section, rows, look: "attention", noun: [what, what] }], positionOf);
	return [...bad, annotate("notice", what, phraseText(section.lead ?? []))];
}

/** Returns the annotations of a plan that was not started. */
function planAnnotations(one: OrganizationResult, positionOf: Positions): readonly Annotation[] {
	const { plan, threeWay, drift } = one;
	return [
		...plan.problems.map((problem) => atProblem(problem)),
		...sectionAnnotations(revertSections(threeWay), positionOf),
		...sectionAnnotations([blockingSection(plan), warningGuardsSection(plan)], positionOf),
		...sectionAnnotations([deniedSection(plan)], positionOf),
		...impactAnnotations(one, positionOf),
		// That an activity is pending is said with its change.
		...sectionAnnotations(pendingSections(plan).slice(1), positionOf),
		...sectionAnnotations(drift === null ? [{ ...rulesSection(plan), look: "attention" }] : [], positionOf),
		...(plan.warnings ?? []).map((warning) => atProblem(warning, "warning")),
		...sectionAnnotations([unknownSection(plan), expiriesSection(plan)], positionOf),
	];
}

/** Returns the differences of a plan that was not started, or what a report of drift says. */
function differenceAnnotations(one: OrganizationResult, positionIn: PositionOf): readonly Annotation[] {
	const { plan, drift } = one;
	const positionOf = (address: string): Position | undefined => positionIn(address, plan.organizationId);
	if (one.results !== null) return [];
	if (drift === null) return changeAnnotations(one, positionOf);
	const { found, pending, unknown, resolved, kept } = driftSections(drift, plan);
	const titled = [
		["drift", found],
		["drift, pending", pending],
		["drift, unknown", unknown],
		["resolved", resolved],
		["not checked", kept],
	] as const;
	return sectionAnnotations(
		titled.map(([title, section]): Section => ({ ...section, noun: [title, title] })),
		positionOf,
	);
}

function changeAnnotations(
	{ command, plan, threeWay }: OrganizationResult,
	positionOf: Positions,
): readonly Annotation[] {
	const [heldAt, marks] = [holdsOf(plan), marksIn(plan, threeWay)];
	return plan.changes.map((change) => {
		const message = differenceText(changeRow(change, plan, marks));
		const isHeld = heldAt(change.address) === heldByRejection;
		const [level, title] = isHeld
			? (["notice", "on hold"] as const)
			: ([levelOfChange(change, command), change.action] as const);
		return annotate(level, title, message, positionOf(change.address));
	});
}

/** Returns a warning for drift and for removals, else a notice. */
function levelOfChange(change: Change, command: string): Level {
	const removes = change.action === "remove" || (change.kind === "userTag" && change.removeUserIds.length > 0);
	return command === "drift" || removes ? "warning" : "notice";
}

function withinLimit(annotations: readonly Annotation[], max: number): readonly Annotation[] {
	const [first] = annotations;
	if (first === undefined || annotations.length <= max) return annotations;
	const shown = annotations.slice(0, max - 1);
	const message = `${annotations.length - shown.length} more: the summary of this step has them`;
	return [...shown, { level: first.level, title: titleOf("more"), message, at: undefined }];
}
