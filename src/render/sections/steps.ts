/** The steps of a plan, and what became of each. */
import { showAddress, showName } from "../../common/escape.ts";
import { nameOf } from "../../plan/activities/pending.ts";
import type { Plan } from "../../plan/plan.ts";
import type { PartResult, StepResult } from "../../plan/report.ts";
import { coveredAddresses, type EarlierActivity, type Step } from "../../plan/step.ts";
import { type CommandContext, explainText } from "../../plan/suggested-command.ts";
import type { ApprovalVerdict } from "../../policy/powers/forecast.ts";
import { sayEvent } from "../../say/activities.ts";
import { listAddresses } from "../../say/addresses.ts";
import { describeApproval, describeAwaited } from "../../say/approvals.ts";
import { lookOf, outcomeWords } from "../../say/outcomes.ts";
import { command, flag, identifier, joinPhrases, type Phrase, reason, reasonOf } from "../../say/phrase.ts";
import { listed, type Note, notesOf, type Row, type Section, section } from "../../say/section.ts";
import { stepText } from "../../say/steps.ts";
import type { PlannedOrganization } from "../result/found.ts";

type Results = Pick<PlannedOrganization, "plan" | "results" | "commands">;

/** Returns the results that `isShown` takes, in the order in which they came. */
function resultRows({ plan, results, commands }: Results, isShown: (one: StepResult) => boolean): readonly Row[] {
	return (results ?? []).filter(isShown).map((result) => stepRow(result, plan, { commands }));
}

/** All steps in the order of the plan, each with its result where it has one. */
export function stepsSection(one: PlannedOrganization): Section {
	const { command: of, drift, results, plan, report, failed, commands } = one;
	const byId = new Map((results ?? []).map((result) => [result.step.id, result]));
	const steps = report?.steps.map(({ step }) => step) ?? plan.steps;
	const inOrder = drift === null ? "Steps, in order" : "Steps of apply, in order";
	const planned = of === "apply" ? "Steps that were not submitted" : inOrder;
	const isCalm = failed === null && (results ?? []).every(isCompleted);
	const rows = steps.map((step) => {
		const result = byId.get(step.id);
		return result === undefined ? plannedRow(step, one) : stepRow(result, plan, { commands });
	});
	return section("steps", rows, {
		title: results === null ? planned : "Steps and their results",
		shorten: results !== null && isCalm ? "first" : "never",
		// Before an apply, the changes are all above, and the steps are how they are made.
		isFolded: results === null,
	});
}

function isCompleted({ outcome }: StepResult): boolean {
	return outcome === "completed";
}

/** The results in the order in which they came; `"open"` leaves out completed steps, which were shown before. */
export function resultsSection(one: Results, which: "all" | "open"): Section {
	// The parts of a completed step were not shown before, and neither was what is wrong about its forecast.
	const isShown = (result: StepResult): boolean =>
		which === "all" || !isCompleted(result) || result.parts.length > 0 || describeWrong(result) !== null;
	return section("results", resultRows(one, isShown));
}

/** The steps that a reader has to look at. */
export function openStepsSection(one: Results): Section {
	return section(
		"not-completed",
		resultRows(one, (result) => !isCompleted(result)),
	);
}

export function completedStepsSection(one: Results): Section {
	return section("completed-steps", resultRows(one, isCompleted));
}

/** The steps without a result: all of a plan, and those that an error left. */
export function plannedStepsSection(one: PlannedOrganization): Section {
	const { plan, report, failed, results } = one;
	const ended = new Set((results ?? []).map(({ step }) => step.id));
	const steps = report === null ? plan.steps.filter(({ id }) => !ended.has(id)) : [];
	return listed(
		"planned-steps",
		steps,
		(step) => plannedRow(step, one),
		failed === null ? {} : { title: "Steps without a result" },
	);
}

/** What is wrong about the forecasts of completed steps; of others it is said with the step. */
export function wrongForecastsSection({ results }: Pick<PlannedOrganization, "results">): Section {
	const rows = (results ?? []).filter(isCompleted).flatMap((result) => {
		const wrong = describeWrong(result);
		const { step } = result;
		return wrong === null ? [] : [{ said: [reason(stepText(step)), ": ", wrong], about: coveredAddresses([step]) }];
	});
	return section("wrong-forecasts", rows);
}

/** How a step is shown. `isWaiting`: the run goes on until it ends. */
interface StepOptions {
	readonly isWaiting?: boolean;
	readonly commands?: CommandContext | undefined;
}

/** Returns a step and what became of it, with what a person has to know or do. */
export function stepRow(result: StepResult, plan: Plan, { isWaiting = false, commands }: StepOptions = {}): Row {
	const { step, outcome, message, parts, policyEvaluations } = result;
	const awaited = outcome === "awaiting-approval" && !isProcessing(result) ? describeAwaited(step, plan) : null;
	const wrong = describeWrong(result);
	const isOpen = outcome.startsWith("awaiting");
	const votes = (result.events ?? []).filter(({ event }) => event === "vote");
	const notes = [
		...notesOf("attention", awaited, wrong === null ? null : [wrong]),
		...notesOf("plain", ...votes.map((vote) => sayEvent(vote, plan)), ...policyEvaluations.map(sayEvaluation)),
		...(parts.length > 0 || outcome === "completed" ? [] : activityNotes(result, plan, commands)),
		...notesOf("plain", isOpen && !isWaiting ? [joinsLater] : null),
		...notesOf("plain", parts.length === 0 ? null : ["submitted one by one:"]),
	];
	const badge = badgeOf(result, message);
	return {
		badge: isProcessing(result) ? { ...badge, word: "has not ended" } : badge,
		...describeStep(step),
		notes,
		rows: parts.map(
			(part): Row => ({
				badge: badgeOf(part, part.message),
				said: [identifier(showAddress(part.address))],
				notes: activityNotes(part, plan, commands),
				about: [part.address],
			}),
		),
	};
}

const joinsLater = "run apply again when it ends: it joins this activity and submits no other";

function sayEvaluation({ policyId, outcome = "no outcome given" }: StepResult["policyEvaluations"][number]): Phrase {
	return ["policy ", policyId === undefined ? "(not set)" : identifier(showName(policyId)), ": ", reason(outcome)];
}

function badgeOf({ outcome }: Pick<StepResult, "outcome">, message: PartResult["message"]): NonNullable<Row["badge"]> {
	const why = message === null ? {} : { why: reasonOf(message) };
	return { word: outcomeWords[outcome], look: lookOf({ outcome }), ...why };
}

function plannedRow(step: Step, { plan, command: of, failed, results }: PlannedOrganization): Row {
	const { earlierActivity, approval, operation } = step;
	const forecast = approval === undefined ? null : describeApproval({ approval, operation }, plan);
	const isWithheld = earlierActivity === null && (failed !== null || (of === "apply" && results === null));
	const look = earlierActivity === null && approval?.verdict === "runs" ? "plain" : "attention";
	return {
		...describeStep(step),
		...(isWithheld ? { badge: { word: failed === null ? "not submitted" : "no result", look: "attention" } } : {}),
		notes: notesOf(look, earlierActivity === null ? forecast : describeHold(earlierActivity)),
	};
}

function describeStep(step: Step): Pick<Row, "said" | "aside" | "order" | "about"> {
	const covers = coveredAddresses([step]);
	return {
		said: [reason(stepText(step))],
		aside: listAddresses(covers),
		order: { id: step.id, operation: step.operation, after: step.dependsOn },
		about: covers,
	};
}

function describeHold(earlier: EarlierActivity): Phrase {
	const which: Phrase = [earlier.activityId === null ? "request " : "activity ", identifier(showName(nameOf(earlier)))];
	if (earlier.relation === "rejected")
		return ["already rejected as ", ...which, ": submitted again only with ", flag("retry-rejected")];
	return [earlier.relation === "same" ? "joins " : "conflicts with ", ...which, ": nothing is submitted"];
}

const forecasts: Readonly<Record<ApprovalVerdict, string>> = {
	runs: "runs at once",
	pending: "pending approval",
	denied: "denied",
	unknown: "unknown",
};

/** Returns the forecast and what happened, where they differ; null where they do not, or that is unknown. */
export function describeWrong({ forecast, outcome }: StepResult): string | null {
	if (forecast?.wasRight !== false) return null;
	// A step whose forecast was to run at once, and that others have approved since.
	const isLate = forecast.verdict === "runs" && outcome === "completed";
	return `forecast: ${forecasts[forecast.verdict]}; happened: ${isLate ? "completed after approval" : outcomeWords[outcome]}`;
}

/** Returns the activity, the fingerprint by which it is approved, and the command that explains it; nothing where nothing was submitted. */
function activityNotes(
	{ activityId, fingerprint, outcome }: Pick<StepResult, "activityId" | "fingerprint" | "outcome">,
	{ organizationId }: Plan,
	commands: CommandContext = {},
): readonly Note[] {
	const named: readonly Phrase[] = [
		...(activityId === null ? [] : [["activity ", identifier(showName(activityId))]]),
		...(fingerprint === null ? [] : [["fingerprint ", identifier(showName(fingerprint))]]),
	];
	const isOpen = activityId !== null && outcome.startsWith("awaiting");
	const explain = isOpen ? explainText(activityId, organizationId, commands) : null;
	const shows: Phrase | null = explain === null ? null : [command(explain), " shows what it is waiting for"];
	return notesOf("plain", joinPhrases(named, ", "), shows);
}

/** Whether the service is still processing the activity: it is not pending approval. */
function isProcessing({ step, outcome, message }: StepResult): boolean {
	return outcome.startsWith("awaiting") && message !== null && step.earlierActivity === null;
}
