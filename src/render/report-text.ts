/**
 * A report of apply as text, and the words of its results that every format shares.
 */

import { listCovers, showAddress, showName, showText, showValue } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import { type Outcome, outcomesOf, type PartResult, type Report, type StepResult } from "../plan/report.ts";
import type { EarlierActivity } from "../plan/step.ts";
import { coveredAddresses } from "../plan/step.ts";
import {
	type CommandContext,
	commandText,
	explainText,
	inOrganization,
	type SuggestedCommand,
} from "../plan/suggested-command.ts";
import type { ApprovalVerdict } from "../policy/powers/approval.ts";
import type { Phrase } from "../say/phrase.ts";
import { describeVotes } from "./activity-events.ts";
import { describeAwaited } from "./approval-words.ts";
import { count } from "./count.ts";
import { outcomeWords, toneOf } from "./outcome-words.ts";
import { renderOverrides } from "./overrides-text.ts";
import { phraseText } from "./print/text.ts";
import type { FailedOrganization } from "./result.ts";
import type { Style } from "./style.ts";

export { listCovers };

/** The verdict when the plan was not confirmed. */
export const notApplied = "Not applied: nothing was sent.";

const notRead = "Could not be read: nothing was sent.";

const leftAlone = "Cannot converge: nothing was sent.";
export const outdatedHeading = "Changed since it was planned";

export const reportHeadings = {
	left: "Still different after the last step (changed elsewhere)",
	unverified: "Not verified after the last step",
} as const;

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
	// The parts of a completed step were not shown before, and neither was what is wrong about its forecast.
	const shown = report.steps.filter(
		(one) => which === "all" || one.outcome !== "completed" || one.parts.length > 0 || describeWrong(one) !== null,
	);
	const lines = shown.flatMap((result) => renderStep(result, plan, style, { commands }));
	if (report.left !== null && report.left.length > 0) {
		lines.push("", style.remove(`${reportHeadings.left}:`));
		lines.push(...report.left.map(({ address }) => `  ${showAddress(address)}`));
	}
	if (report.unverified !== null) {
		lines.push("", style.warn(`${reportHeadings.unverified}: ${showText(report.unverified)}`));
		lines.push(`to check: ${showText(suggestFor(plan, { command: "drift" }, commands))}`);
	}
	const overrides = renderOverrides(report.overrides, style);
	return `${[...lines, "", ...overrides, summarizeReport(report)].join("\n").trimStart()}\n`;
}

/** How a step is shown. `"waiting"`: the run goes on until it ends. */
interface StepOptions {
	readonly which?: "ended" | "waiting";
	readonly commands?: CommandContext | undefined;
}

/** Returns a step and its result; more lines where a person has to act. */
export function renderStep(
	result: StepResult,
	plan: Plan,
	style: Style,
	{ which = "ended", commands }: StepOptions = {},
): readonly string[] {
	const { step, outcome, parts } = result;
	const lines = [
		`${markOf(outcome, style)} ${showText(step.reason)}  ${style.faint(listCovers(coveredAddresses([step])))}`,
	];
	if (outcome !== "completed") lines.push(`     ${describeOutcome(result)}`);
	const awaited = describeAwaitedOf(result, plan);
	if (awaited !== null) lines.push(`     ${phraseText(awaited)}`);
	const wrong = describeWrong(result);
	if (wrong !== null) lines.push(`     ${style.warn(wrong)}`);
	lines.push(...describeVotes(result, plan).map((vote) => `     ${vote}`));
	for (const { policyId, outcome: verdict } of result.policyEvaluations) {
		lines.push(`     policy ${showValue(policyId)}: ${showText(verdict ?? "no outcome given")}`);
	}
	if (parts.length > 0)
		lines.push(`     ${partsHeading}:`, ...parts.flatMap((part) => renderPart(part, plan, style, commands)));
	if (outcome.startsWith("awaiting")) {
		if (parts.length === 0) {
			const explain = describeExplainCommand(result, plan, commands);
			lines.push(`     ${describeActivity(result)}`, ...(explain === null ? [] : [`     ${explain}`]));
		}
		if (which === "ended") lines.push("     run apply again when it ends: it joins this activity and submits no other");
	}
	return lines;
}

/** Returns who can complete a step that is pending approval, where the plan foretold that; else null. */
export function describeAwaitedOf(result: StepResult, plan: Plan): Phrase | null {
	const { step, outcome } = result;
	return outcome === "awaiting-approval" && !isProcessing(result) ? describeAwaited(step, plan) : null;
}

const foretold: Readonly<Record<ApprovalVerdict, string>> = {
	runs: "runs at once",
	pending: "pending approval",
	denied: "denied",
	unknown: "unknown",
};

/** Returns what was foretold and what happened, where that differs; null where it does not, or is not known. */
export function describeWrong({ forecast, outcome }: StepResult): string | null {
	if (forecast?.wasRight !== false) return null;
	// A step that was to run at once and did not, and that others have approved since.
	const isLate = forecast.verdict === "runs" && outcome === "completed";
	return `foretold: ${foretold[forecast.verdict]}; happened: ${isLate ? "completed after approval" : outcomeWords[outcome]}`;
}

/** Heading above the parts of a removal that was submitted part by part. */
export const partsHeading = "Submitted one by one";

function renderPart(
	part: PartResult,
	plan: Plan,
	style: Style,
	commands: CommandContext | undefined,
): readonly string[] {
	const lines = [`       ${markOf(part.outcome, style)} ${showAddress(part.address)}: ${describePart(part)}`];
	const named = describePartActivity(part);
	if (named !== null) lines.push(`          ${named}`);
	const explain = part.outcome.startsWith("awaiting") ? describeExplainCommand(part, plan, commands) : null;
	if (explain !== null) lines.push(`          ${explain}`);
	return lines;
}

function markOf(outcome: Outcome, style: Style): string {
	if (outcome === "not-attempted") return style.warn("--");
	const marks = { good: style.add("ok"), attention: style.warn(".."), bad: style.remove("!!") };
	return marks[toneOf({ outcome })];
}

export function describePart({ outcome, message }: PartResult): string {
	return message === null ? outcomeWords[outcome] : `${outcomeWords[outcome]}: ${showText(message)}`;
}

type Named = Pick<StepResult, "activityId" | "fingerprint">;

/** Returns the activity and the fingerprint by which it is approved. */
export function describeActivity({ activityId, fingerprint }: Named): string {
	const id = activityId === null ? "(no id)" : showName(activityId);
	return `activity ${id}, fingerprint ${fingerprint === null ? "(none)" : showName(fingerprint)}`;
}

/** Returns the same for a part: the fingerprint alone without an activity, null where nothing was sent. */
export function describePartActivity(part: PartResult): string | null {
	if (part.activityId !== null) return describeActivity(part);
	return part.fingerprint === null ? null : `fingerprint ${showName(part.fingerprint)}`;
}

/** Returns the command that explains an activity of the plan's organization; null without an activity that it can name. */
export function describeExplainCommand(
	{ activityId }: Pick<Named, "activityId">,
	plan: Plan,
	commands?: CommandContext,
): string | null {
	if (activityId === null) return null;
	const command = explainText(activityId, plan.organizationId, commands ?? {});
	return command === null ? null : `${showText(command)} shows what it is waiting for`;
}

function suggestFor({ organizationId }: Plan, suggested: SuggestedCommand, commands: CommandContext = {}): string {
	return commandText(suggested, inOrganization(commands, organizationId));
}

/** Returns the outcome of a step and, where known, why. */
export function describeOutcome(result: StepResult): string {
	const { outcome, message } = result;
	const text = isProcessing(result) ? "has not ended" : outcomeWords[outcome];
	return message === null ? text : `${text}: ${showText(message)}`;
}

/** Whether the service is still processing the activity: it is not pending approval. */
function isProcessing({ step, outcome, message }: StepResult): boolean {
	return outcome.startsWith("awaiting") && message !== null && step.earlierActivity === null;
}

/** Returns why a step is on hold, in words before the name of the activity. */
export function describeHold(earlierActivity: EarlierActivity): string {
	if (earlierActivity.relation === "rejected") return "already rejected as activity";
	return `${earlierActivity.relation === "same" ? "joins" : "conflicts with"} ${describeEarlierActivity(earlierActivity)}`;
}

/** Returns what the name of an earlier activity identifies. */
export function describeEarlierActivity({ activityId }: EarlierActivity): string {
	return activityId === null ? "request" : "activity";
}

/** Returns one sentence: whether the organization is in sync, and what is missing. */
export function summarizeReport(report: Report): string {
	const byOutcome = Map.groupBy(outcomesOf(report.steps), (outcome) => outcome);
	const counts = (Object.keys(outcomeWords) as Outcome[]).flatMap((outcome) => {
		const number = byOutcome.get(outcome)?.length ?? 0;
		return number === 0 ? [] : [`${number} ${outcomeWords[outcome]}`];
	});
	const { queries, submits, retries } = report.stats;
	const requests = `${queries} ${queries === 1 ? "query" : "queries"}, ${submits} ${submits === 1 ? "submit" : "submits"}${retries === 0 ? "" : `, ${retries} retried`}`;
	const verdict = report.interrupted ? "Interrupted" : report.inSync ? "Applied" : "Not in sync";
	const wrong = report.steps.filter((result) => describeWrong(result) !== null).length;
	const forecasts = wrong === 0 ? "" : ` ${count(wrong, "forecast was", "forecasts were")} wrong.`;
	return `${verdict}: ${counts.join(", ") || "nothing to do"} (${requests}).${forecasts}`;
}

/** Returns one sentence on an organization in which an error ended the work; the error is shown beside it. */
export function summarizeFailed(finished: number, total: number): string {
	if (total === 0) return leftAlone;
	return `Stopped: ${finished} of ${total} ${total === 1 ? "step" : "steps"} finished; see the error.`;
}

/** Returns the steps that finished before an error ended the work, ending with a newline. */
export function renderFailed(
	{ steps }: FailedOrganization,
	plan: Plan,
	style: Style,
	which: "all" | "open",
	commands?: CommandContext,
): string {
	const shown = steps.filter(({ outcome }) => which === "all" || outcome !== "completed");
	const lines = shown.flatMap((result) => renderStep(result, plan, style, { commands }));
	return `${[...lines, ...(lines.length === 0 ? [] : [""]), summarizeFailed(steps.length, plan.steps.length)].join("\n")}\n`;
}

/** Returns one sentence on an organization without a plan, ending with a newline. */
export function renderUnplanned({ error }: FailedOrganization): string {
	return `${error.code === "live-problem" ? leftAlone : notRead}\n`;
}
