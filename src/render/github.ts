/**
 * Plans and reports for a pipeline on GitHub: annotations at the lines of the document, and the summary of the step.
 * Annotations are workflow commands, lines of the log that begin with `::`. Names are escaped twice, as text and as data of
 * the command.
 */

import type { Change } from "../plan/change.ts";
import type { Finding } from "../plan/drift/drift.ts";
import type { Position } from "../plan/organization.ts";
import { brokenRules } from "../plan/rules/judge.ts";
import { describeOutdated } from "../plan/stale.ts";
import { type Annotation, type Level, levelsInOrder, renderAnnotation } from "./annotation.ts";
import { describeFinding, describeGone, describeState, driftHeadings } from "./drift/words.ts";
import { impactNotes } from "./impact/github.ts";
import { type MarkdownOptions, renderMarkdown } from "./markdown.ts";
import { describeOverride } from "./overrides-text.ts";
import type { PositionOf } from "./positions.ts";
import { sectionAnnotations } from "./print/annotations.ts";
import { differenceLines } from "./print/text.ts";
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
import { describeBrokenRule } from "./rule-words.ts";
import { deniedSection } from "./sections/approvals.ts";
import { revertSections } from "./sections/base.ts";
import { changeRow, heldByRejection, holdsOf, marksIn } from "./sections/changes.ts";
import { expiriesSection } from "./sections/expiries.ts";
import { blockingSection, warningSection } from "./sections/guards.ts";
import { pendingSections } from "./sections/pending.ts";
import { unknownPowersSection } from "./sections/powers.ts";
import { endSections } from "./sections/results.ts";
import { openStepsSection, wrongForecastsSection } from "./sections/steps.ts";
import { describeUnread, headings, plainStyle } from "./text.ts";

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

/** Returns the annotations of a plan that was not started. */
function planAnnotations(one: OrganizationResult, positionOf: Positions): readonly Annotation[] {
	const { plan, threeWay, drift } = one;
	const findings = findingsOf(one);
	return [
		...plan.problems.map((problem) =>
			atProblem({ ...problem, message: withFinding(problem.message, findings.get(problem.path), one) }),
		),
		...sectionAnnotations(revertSections(threeWay), positionOf),
		...sectionAnnotations([blockingSection(plan), warningSection(plan)], positionOf),
		...sectionAnnotations([deniedSection(plan)], positionOf),
		...impactNotes(plan, drift !== null).map(({ level, title, message, addresses }) =>
			annotate(level, title, message, firstOf(addresses, positionOf)),
		),
		// That an activity is pending is said with its change.
		...sectionAnnotations(pendingSections(plan).slice(1), positionOf),
		...brokenRules(plan).map((rule) => {
			const message = withFinding(describeBrokenRule(rule, plan), findings.get(rule.address), one);
			return annotate("warning", "rule broken", message, positionOf(rule.address));
		}),
		...(plan.warnings ?? []).map((warning) => atProblem(warning, "warning")),
		...describeUnread(plan).map((message) => annotate("warning", headings.unread, message)),
		...sectionAnnotations([expiriesSection(plan)], positionOf),
	];
}

/** Returns the differences of a plan that was not started, and those of a report of drift that are gone. */
function differenceAnnotations(one: OrganizationResult, positionIn: PositionOf): readonly Annotation[] {
	const positionOf = (address: string): Position | undefined => positionIn(address, one.plan.organizationId);
	if (one.results !== null) return [];
	const gone = (one.drift?.gone ?? []).map((finding) =>
		annotate("notice", driftHeadings.gone, describeGone(finding), positionOf(finding.address)),
	);
	return [...changeAnnotations(one, positionOf), ...gone];
}

/** Returns the findings of a drift report by address; a pending one before another. */
function findingsOf({ drift }: OrganizationResult): ReadonlyMap<string, Finding> {
	return new Map([...(drift?.findings ?? []), ...(drift?.waiting ?? [])].map((one) => [one.address, one]));
}

/** Returns the message with since when, by whom and what to do; of an object without a finding the message alone. */
function withFinding(message: string, finding: Finding | undefined, { drift, plan }: OrganizationResult): string {
	const notes = drift === null || finding === undefined ? [] : describeFinding(finding, drift, plan);
	return [message, ...notes].join("; ");
}

function changeAnnotations(one: OrganizationResult, positionOf: Positions): readonly Annotation[] {
	const findings = findingsOf(one);
	const heldAt = holdsOf(one.plan);
	// New drift first: GitHub shows no more than ten.
	const rankOf = ({ address }: Change): number => (findings.get(address)?.state === "new" ? 0 : 1);
	return [...one.plan.changes]
		.sort((left, right) => rankOf(left) - rankOf(right))
		.map((change) => changeAnnotation(change, findings.get(change.address), one, heldAt, positionOf(change.address)));
}

function changeAnnotation(
	change: Change,
	finding: Finding | undefined,
	one: OrganizationResult,
	heldAt: ReturnType<typeof holdsOf>,
	at: Position | undefined,
): Annotation {
	const { command, plan, threeWay, drift } = one;
	const lines = differenceLines(changeRow(change, plan, marksIn(plan, threeWay)), plainStyle);
	const message = withFinding(lines.map((line) => line.trim()).join("; "), finding, one);
	if (drift !== null && finding !== undefined) {
		const isPending = drift.waiting.some((pending) => pending === finding);
		const state = isPending ? "pending" : describeState(finding, drift);
		return annotate(isPending ? "notice" : "warning", state === null ? "drift" : `drift, ${state}`, message, at);
	}
	return heldAt(change.address) === heldByRejection
		? annotate("notice", "on hold", message, at)
		: annotate(levelOfChange(change, command), change.action, message, at);
}

/** Returns a warning for drift and for removals, else a notice. */
function levelOfChange(change: Change, command: string): Level {
	const removes = change.action === "remove" || (change.kind === "userTag" && change.removeUserIds.length > 0);
	return command === "drift" || removes ? "warning" : "notice";
}

function firstOf(
	addresses: readonly string[],
	positionOf: (address: string) => Position | undefined,
): Position | undefined {
	return addresses.map(positionOf).find((position) => position !== undefined);
}

function withinLimit(annotations: readonly Annotation[], max: number): readonly Annotation[] {
	const [first] = annotations;
	if (first === undefined || annotations.length <= max) return annotations;
	const shown = annotations.slice(0, max - 1);
	const message = `${annotations.length - shown.length} more: the summary of this step has them`;
	return [...shown, { level: first.level, title: titleOf("more"), message, at: undefined }];
}
