/**
 * A result as one entry for each organization: its state, its verdict, and whether every format folds it into one line.
 */
import { type ExitCode, exitCodes } from "../../common/errors.ts";
import { failingCases } from "../../plan/access-cases/planned.ts";
import { hasFindings } from "../../plan/base/three-way.ts";
import type { OrganizationDrift } from "../../plan/drift/drift.ts";
import { blockingGuards, type Override } from "../../plan/guards/overrides.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import { exitCodeOf, type Report } from "../../plan/report.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { Tone } from "../../say/outcomes.ts";
import { type Verdict, withSentences } from "../../say/verdict.ts";
import { summarizeAliases, summarizeReverted } from "../sections/base.ts";
import { summarizeFindings } from "../sections/drift.ts";
import { notApplied, summarizeFailed, summarizeReport } from "../sections/results.ts";
import { summarizePlan } from "../sections/verdict.ts";
import { expiriesSection } from "../sections/windows.ts";
import type { Style } from "../style.ts";
import type { FailedOrganization, FoundOrganization, PlannedOrganization } from "./found.ts";
import { type CommandResult, isCompared, type ResumableRun } from "./result.ts";

export type { Tone };

export interface SuggestingOptions {
	/** What suggested commands repeat of the call; nothing when left out. */
	readonly commands?: CommandContext | undefined;
}

/** Options of a format that shows one organization after the other, as soon as it is known, and keeps none. */
export interface StreamOptions extends SuggestingOptions {
	readonly command: string;
	/** How many organizations the result is about. One is shown in full, without a summary. */
	readonly size: number;
	readonly style: Style;
	/** Whether steps that completed were not shown while they did. */
	readonly quiet?: boolean;
	/** Which run it is, where it can be resumed. */
	readonly resumable?: ResumableRun | undefined;
}

/** An organization with a plan, as every format shows it. */
export interface OrganizationResult extends PlannedOrganization {
	/** Overrides that were used: of a report those of the report, else those that the plan uses. */
	readonly overrides: readonly Override[];
	readonly state: State;
	readonly tone: Tone;
	readonly verdict: Verdict;
}

/** What an organization is counted as, in the order in which it matters to a reader. */
export const states = {
	impossible: ["cannot converge", "bad"],
	unread: ["could not be read", "bad"],
	blocked: ["blocked by a guard", "bad"],
	failingCases: ["with access cases that do not hold", "bad"],
	interrupted: ["interrupted", "bad"],
	failed: ["failed", "bad"],
	stopped: ["stopped by an error", "bad"],
	unknown: ["with unreadable objects", "bad"],
	partlyApplied: ["partly applied", "bad"],
	rejected: ["rejected or denied", "bad"],
	foretoldDenied: ["with a step that would be denied", "attention"],
	inDoubt: ["with a request in doubt", "attention"],
	rejectedBefore: ["rejected before", "attention"],
	pending: ["pending approval", "attention"],
	changing: ["with changes", "attention"],
	drifted: ["drifted", "attention"],
	reported: ["with report-only differences", "attention"],
	notApplied: ["not applied", "attention"],
	notRead: ["not read", "attention"],
	applied: ["applied", "good"],
	inSync: ["in sync", "good"],
} as const satisfies Readonly<Record<string, readonly [words: string, tone: Tone]>>;

export type State = keyof typeof states;

const statesAfterApply: Readonly<Partial<Record<ExitCode, State>>> = {
	[exitCodes.inSync]: "applied",
	[exitCodes.pendingApproval]: "pending",
	[exitCodes.rejectedOrDenied]: "rejected",
	[exitCodes.partlyApplied]: "partlyApplied",
	[exitCodes.interrupted]: "interrupted",
};

/** Returns every organization of the result that has a plan, in its order. */
export function organizationsOf(result: CommandResult, commands?: CommandContext): readonly OrganizationResult[] {
	if (!isCompared(result)) return [];
	return result.organizations.flatMap((one) => assessFound(result.command, one, commands) ?? []);
}

/** Returns the organization with its state, tone and verdict; null where it has no plan, because it could not be read. */
export function assessFound(
	command: string,
	organization: FoundOrganization,
	commands?: CommandContext,
): OrganizationResult | null {
	const { plan, report = null, failed = null, threeWay = null, drift = null } = organization;
	if (plan === undefined) return null;
	const results = (report ?? failed)?.steps ?? null;
	const found: PlannedOrganization = { command, plan, report, failed, threeWay, drift, results, commands };
	const state = drift === null ? stateOf(found) : stateOfDrift(drift, plan);
	const aliases = results === null ? summarizeAliases(threeWay) : "";
	const reverted = results === null ? summarizeReverted(threeWay, plan) : "";
	const verdict =
		drift === null ? withSentences(summarizeOne(found), aliases, reverted) : summarizeFindings(drift, plan);
	// An alias that now means another user needs a look, also where nothing is to be done.
	const tone = states[state][1] === "good" && aliases !== "" ? "attention" : states[state][1];
	const overrides = report?.overrides ?? plan.overrides ?? [];
	return { ...found, overrides, state, tone, verdict };
}

/** Returns the organizations that failed before there was a plan: there is nothing to show of them but the error. */
export function unplannedOf(result: CommandResult): readonly FailedOrganization[] {
	if (!isCompared(result)) return [];
	return result.organizations.flatMap(({ plan, failed }) => (plan === undefined ? (failed ?? []) : []));
}

/**
 * Returns the organizations to show in full and those to fold; a single one is never folded. `"decisions"`, for
 * formats of limited size, also folds those in which all went well and no access ends soon.
 */
export function foldOrganizations(
	result: CommandResult,
	shown: "details" | "decisions" = "details",
	commands?: CommandContext,
): Readonly<Record<"full" | "folded", readonly OrganizationResult[]>> {
	const all = organizationsOf(result, commands);
	if (isAlone(result)) return { full: all, folded: [] };
	const isFull = (one: OrganizationResult): boolean =>
		shown === "details"
			? hasDetails(one)
			: needsDecision(one) || expiriesSection(one.plan).rows.length > 0 || one.plan.warnings !== undefined;
	return { full: all.filter(isFull), folded: all.filter((one) => !isFull(one)) };
}

export function isAlone(result: CommandResult): boolean {
	return isCompared(result) && result.organizations.length === 1;
}

/** Whether there is more to show of an organization than its verdict. */
export function hasDetails(one: OrganizationResult): boolean {
	const { plan, failed, results, drift } = one;
	const { findings = [], gone = [], unread = [], unmanaged = [] } = drift ?? {};
	return (
		needsDecision(one) ||
		findsDifference(plan) ||
		plan.expiries !== undefined ||
		plan.warnings !== undefined ||
		failed !== null ||
		(results ?? []).length > 0 ||
		findings.length + gone.length + unread.length + unmanaged.length > 0
	);
}

/** Whether a reader has something to decide or, for a change of the document, something to see: limits, for example. */
function needsDecision({ tone, plan, threeWay, overrides }: OrganizationResult): boolean {
	const isTouching = plan.accessCases?.cases.some(({ change }) => change !== null) === true;
	return tone !== "good" || isTouching || hasFindings(threeWay) || overrides.length > 0;
}

function stateOf(found: PlannedOrganization): State {
	const { plan, report, failed } = found;
	if (report !== null) return stateOfReport(report, plan);
	if (failed === null) return stateOfPlan(found);
	if (plan.problems.length > 0) return "impossible";
	return failed.steps.some(({ outcome }) => outcome === "completed") ? "partlyApplied" : "stopped";
}

function stateOfDrift({ verdict }: OrganizationDrift, plan: Plan): State {
	if (verdict === "could-not-look") return "unknown";
	if (verdict === "waiting") return "pending";
	if (verdict === "as-documented") return "inSync";
	if (plan.problems.length > 0) return "impossible";
	return plan.steps.length === 0 ? "reported" : "drifted";
}

/** An organization without steps does not count as applied. */
function stateOfReport(report: Report, plan: Plan): State {
	const state = statesAfterApply[exitCodeOf(report)] ?? "failed";
	if (state !== "applied" || report.steps.length > 0) return state;
	return findsDifference(plan) ? "reported" : "inSync";
}

function stateOfPlan({ plan, command }: PlannedOrganization): State {
	if (plan.problems.length > 0) return "impossible";
	const isFailing = command === "plan" && failingCases(plan).length > 0;
	if (isFailing && blockingGuards(plan).length === 0) return "failingCases";
	if (!findsDifference(plan)) return "inSync";
	if (blockingGuards(plan).length > 0) return "blocked";
	if (command === "apply") return "notApplied";
	if (plan.steps.length === 0) return "reported";
	const { sent, rejected } = groupSteps(plan.steps);
	if (sent.some(({ approval }) => approval?.verdict === "denied")) return "foretoldDenied";
	if (sent.length > 0) return "changing";
	if (plan.steps.some(({ earlierActivity }) => earlierActivity?.state === "in-doubt")) return "inDoubt";
	return rejected.length > 0 ? "rejectedBefore" : "pending";
}

function summarizeOne({ command, plan, report, failed }: PlannedOrganization): Verdict {
	if (report !== null) return summarizeReport(report);
	if (failed !== null) return summarizeFailed(failed.steps.length, plan.steps.length);
	if (command === "apply") return notApplied;
	return summarizePlan(plan);
}
