/**
 * Which sections a result has, in which order: the only place that says so, for every command and every format. A format prints
 * them; it may fold and shorten what a section says may be, and does not choose.
 */

import { type NamedOrganization, showOrganization } from "../plan/organization-name.ts";
import type { CommandContext } from "../plan/suggested-command.ts";
import { type Phrase, reason, time } from "../say/phrase.ts";
import type { Section } from "../say/section.ts";
import { sayVerdict } from "../say/verdict.ts";
import { type OrganizationResult, organizationsOf, type Tone, unplannedOf } from "./result/organizations.ts";
import { type CommandResult, isCompared, isFailure } from "./result/result.ts";
import { errorAbove } from "./result/summary.ts";
import type { OrganizationVotes } from "./result/votes.ts";
import { withNames } from "./sections/activity.ts";
import { approvalsSection, deniedSection } from "./sections/approvals.ts";
import { assumptionsSection } from "./sections/assumptions.ts";
import { droppedSection, partSections, revertSections } from "./sections/base.ts";
import { casesSections, plannedCasesSections, sayState } from "./sections/cases.ts";
import {
	changesSection,
	lostMembershipsSection,
	marksOfResult,
	policiesSection,
	removalsSection,
	reportedSection,
	tagsSection,
} from "./sections/changes.ts";
import { importKeySection, initSection } from "./sections/commands.ts";
import { credentialsSections } from "./sections/credentials.ts";
import { discoverySections } from "./sections/discovery.ts";
import { driftSections } from "./sections/drift.ts";
import { errorSection, staleSection, stoppedSection, unplannedSection } from "./sections/errors.ts";
import { explainSection } from "./sections/explain.ts";
import { blockingSection, passingSection, warningGuardsSection } from "./sections/guards.ts";
import { impactSection } from "./sections/impact.ts";
import { hasLint, lintSections } from "./sections/lint.ts";
import { sayNotes, sayOrganization } from "./sections/organization.ts";
import { overridesSection } from "./sections/overrides.ts";
import { pendingSections } from "./sections/pending.ts";
import { policyHistorySection } from "./sections/policy-history.ts";
import { answerSections, assumedSection, powersSections, unknownPowersSection } from "./sections/powers.ts";
import { problemsSection, rulesSection, warningsSection } from "./sections/problems.ts";
import { endSections } from "./sections/results.ts";
import { savedPlanSection } from "./sections/saved-plan.ts";
import { statusSection, waitSection } from "./sections/status.ts";
import {
	completedStepsSection,
	openStepsSection,
	plannedStepsSection,
	resultsSection,
	stepsSection,
	wrongForecastsSection,
} from "./sections/steps.ts";
import { tagMatrixSection } from "./sections/tag-matrix.ts";
import { unknownSection, unmanagedSection } from "./sections/unknown.ts";
import { validateSection } from "./sections/validate.ts";
import {
	furtherSections,
	reviewSections,
	type VoteCommand,
	votedSection,
	votedSections,
	withDecision,
} from "./sections/votes.ts";
import { expiriesSection } from "./sections/windows.ts";

/** How much room there is: a page has a matrix, a comment folds lists, a terminal has one list and an end, a log has lines. */
export type Format = "text" | "markdown" | "html" | "annotations";

/**
 * Returns what is about the run as a whole, and the organizations without a plan. In a terminal, errors are on standard error. `ran` is
 * whether `apply` ran a saved plan, for a result without its reports; null leaves the saved plan out.
 */
export function sectionsOfRun(result: CommandResult, format: Format, ran?: boolean | null): readonly Section[] {
	// A plan of this run used the same overrides as the run.
	const planned = result.command === "plan" ? [] : result.savedPlan?.overrides;
	const errors = [
		errorSection(errorAbove(result), result.problems),
		staleOf(result),
		unplannedSection(unplannedOf(result)),
	];
	return [
		...(format === "text" ? [] : errors),
		...(ran === null ? [] : [savedPlanSection(result, ran)]),
		{ ...overridesSection(result.overrides, [], planned), id: "run-overrides" },
	];
}

function staleOf(result: CommandResult): Section {
	const plans = new Map(organizationsOf(result).map(({ plan }) => [plan.organizationId, plan]));
	return staleSection(result.outdated ?? [], (organizationId) =>
		plans.size > 1 ? showOrganization(plans.get(organizationId) ?? { organizationId }) : null,
	);
}

/** Returns what is about no organization of the run: those that only the base has. */
export function sectionsBelow(result: CommandResult): readonly Section[] {
	return [droppedSection(result.dropped ?? [])];
}

/** Returns the sections of one organization, in their order; those without content are left out by every format. */
export function sectionsOf(one: OrganizationResult, format: Format): readonly Section[] {
	const [decisions, findings] = [decisionsIn(one, format), findingsIn(one, format)];
	// A terminal shows the end of a text, and a report of drift begins with what drifted.
	const isLast = format === "text" || one.drift !== null;
	return [...(isLast ? [...findings, ...decisions] : [...decisions, ...findings]), ...detailsIn(one, format)];
}

/** Returns what a reader has to decide or to mend: what stops it, what it ended with, and what it means. */
export function decisionsIn(one: OrganizationResult, format: Format): readonly Section[] {
	const { plan, report, failed, results, drift, overrides, commands } = one;
	const ended = [
		format === "html" ? stepsSection(one) : openStepsSection(one),
		...endSections(report, plan, commands),
		wrongForecastsSection(one),
	];
	const planned = [
		deniedSection(plan),
		blockingSection(plan),
		...plannedCasesSections(plan).slice(0, 3),
		impactSection(plan, drift !== null),
		assumptionsSection(plan.assumptions ?? [], plan, format === "annotations"),
		...(drift === null
			? [format === "annotations" ? { ...rulesSection(plan), look: "attention" as const } : rulesSection(plan)]
			: []),
		warningGuardsSection(plan),
		warningsSection(plan),
	];
	return [
		problemsSection(plan),
		stoppedSection(failed),
		...(results === null ? planned : ended),
		...(results === null || format !== "annotations" ? [unknownSection(plan)] : []),
		overridesSection(overrides, plan.guards),
	];
}

/** Returns what differs, and what else touches it. */
export function findingsIn(one: OrganizationResult, format: Format): readonly Section[] {
	const { plan, threeWay, results, drift } = one;
	const isPlanned = results === null;
	// After an apply, a log has the steps that did not complete.
	if (format === "annotations" && !isPlanned) return [];
	return [
		...(isPlanned ? revertSections(threeWay) : []),
		...(drift === null ? [] : driftSections(drift, plan)),
		...(format === "annotations" ? [] : partSections(threeWay, plan)),
		...changesIn(one, format),
		...(isPlanned && format !== "annotations" ? [approvalsSection(plan)] : []),
		...(isPlanned ? pendingSections(plan) : []),
		expiriesSection(plan),
	];
}

/** Returns the changes as the format has room for them; a report of drift has each difference in its own sections. */
function changesIn(one: OrganizationResult, format: Format): readonly Section[] {
	const { command, plan, results, drift } = one;
	const marks = marksOfResult(one);
	const hasResults = results !== null;
	const removals = removalsSection(plan, marks, hasResults);
	if (format === "html") {
		const tags = tagsSection(plan, marks);
		const gains = drift === null ? "Who gains and loses which user tag" : "Who would gain and lose which user tag";
		const title = hasResults || command === "apply" ? "Planned: who gains and loses which user tag" : gains;
		// A few tags are easier to read as a list, and no change is shown twice.
		const matrix = tags.isFolded === true ? [tagMatrixSection(plan, title)] : [];
		if (drift !== null) return matrix;
		return [removals, policiesSection(plan, marks), ...matrix, tags, reportedSection(plan, marks)];
	}
	if (drift !== null) return [];
	return format === "markdown"
		? [removals, lostMembershipsSection(plan, marks, hasResults)]
		: [changesSection(plan, marks)];
}

/** Returns what a reader opens where a format can fold it: the whole of what is above. */
function detailsIn(one: OrganizationResult, format: Format): readonly Section[] {
	const { plan, drift, results } = one;
	const unmanaged = unmanagedSection(plan);
	if (format === "annotations") return [];
	if (format === "text") return drift === null ? [] : [unmanaged];
	const planned = results === null ? [stepsSection(one)] : [];
	const steps = format === "html" ? planned : [completedStepsSection(one), plannedStepsSection(one)];
	const isShort = format === "html" || drift !== null;
	const changes: readonly Section[] = isShort
		? []
		: [{ ...changesSection(plan, marksOfResult(one)), title: "Changes", isFolded: true, shorten: "first" }];
	const passing = plannedCasesSections(plan).slice(3);
	return [...changes, ...steps, ...passing, passingSection(plan), unmanaged];
}

/** Returns the report of an organization in a terminal, which showed its plan before. `isQuiet`: not its completed steps. */
export function sectionsOfReport(one: OrganizationResult, which: "all" | "open"): readonly Section[] {
	const { plan, report, commands } = one;
	return [
		resultsSection(one, which),
		...endSections(report, plan, commands),
		overridesSection(report === null ? [] : report.overrides),
	];
}

/** A part of a page: an organization with a plan, or what a command shows that makes none. */
export interface Part {
	/** Null where the page is about nothing else. */
	readonly heading: Phrase | null;
	readonly organizationId: string | null;
	/** Of an organization with a plan. */
	readonly tone?: Tone;
	/** A sentence below the heading. */
	readonly lead?: Phrase;
	/** What else to know, without full stops. */
	readonly notes?: readonly Phrase[];
	readonly sections: readonly Section[];
}

/** Returns these organizations of a result, the most urgent first. The verdict on an only one is that on the result. */
export function partsOf(organizations: readonly OrganizationResult[], isAlone: boolean, format: Format) {
	return byUrgency(organizations).map((one): Part => {
		const { plan, threeWay, tone, verdict } = one;
		const named: Phrase = ["Organization ", ...sayOrganization(plan)];
		return {
			heading: isAlone ? null : named,
			organizationId: plan.organizationId,
			tone,
			lead: isAlone ? [...named, ", read ", time(plan.readAt), "."] : sayVerdict(verdict),
			notes: sayNotes(plan, threeWay),
			sections: sectionsOf(one, format),
		};
	});
}

export function byUrgency(organizations: readonly OrganizationResult[]): readonly OrganizationResult[] {
	return (["bad", "attention", "good"] as const).flatMap((tone) => organizations.filter((one) => one.tone === tone));
}

/** Returns the topics of a result, in their order; none of a result with plans. */
export function topicsOf(result: CommandResult, format: Format, commands?: CommandContext): readonly Part[] {
	const of = (one: NamedOrganization, sections: readonly Section[], more: Phrase = []): Part => ({
		heading: ["Organization ", ...sayOrganization(one), ...more],
		organizationId: one.organizationId,
		sections,
	});
	const only = (...sections: readonly Section[]): readonly Part[] => [
		{ heading: null, organizationId: null, sections },
	];
	const atTime = ({ at }: { readonly at: string }): Phrase => [", at ", reason(at)];
	if (isFailure(result) || isCompared(result)) return [];
	switch (result.command) {
		case "powers":
			return result.organizations.map((one) =>
				of(
					one,
					format === "annotations" ? [unknownPowersSection(one), assumedSection(one, true)] : powersSections(one),
					atTime(one),
				),
			);
		case "can":
			return result.organizations.map((one) => of(one, answerSections(one, result.because), atTime(one)));
		case "test":
			return result.organizations.map((one) => of(one, casesSections(one, format), sayState(result.state)));
		case "credentials":
			return result.organizations.map((one) => of(one, credentialsSections(one), atTime(one)));
		case "organizations":
			return [of(result, discoverySections(result))];
		case "approve":
		case "reject":
			return result.votes.map((one) => {
				const voted =
					format === "text" || format === "annotations"
						? [votedSection(one, result.command)]
						: votedSections(one, result.command);
				const isEmpty = one.activities.length === 0 && one.unlisted === null;
				return of(one, [...voted, ...furtherSections(one)], isEmpty ? [": nothing is pending"] : []);
			});
		case "explain":
			return only("history" in result ? policyHistorySection(result) : explainSection(result, commands));
		case "status":
			return only(...result.open.map(statusSection));
		case "wait":
			return only(waitSection(result));
		case "lint":
			return result.organizations.filter(hasLint).map((one) => of(one, lintSections(one, format === "text")));
		case "validate":
			return only(validateSection(result));
		case "init":
			return only(initSection(result));
		case "import-key":
			return only(importKeySection(result));
		default:
			return [];
	}
}

/** Returns everything that a person reviews before a vote: each activity, then what they change together, and what blocks it. */
export function sectionsOfReview(one: OrganizationVotes, command: VoteCommand): readonly Section[] {
	const effect = one.effect === null || command === "reject" ? null : withNames(one.effect, one);
	const together = "What all of them together change for who can do what";
	return [
		...reviewSections(one, command),
		...(effect === null || withDecision(one, "vote").length < 2 ? [] : [impactSection(effect, false, together)]),
		assumptionsSection(effect?.assumptions ?? [], effect ?? {}, false),
		...(effect === null ? [] : [blockingSection(effect, "approve")]),
		...furtherSections(one),
	];
}
