/**
 * The forecast of a plan's approvals, in sentences (docs/powers.md#approvals). A forecast says what policies ask for now; the
 * report of apply says what happened.
 */

import { listCovers } from "../common/escape.ts";
import { groupBy } from "../common/group-by.ts";
import type { Plan } from "../plan/plan.ts";
import { coveredAddresses, type Step, type StepOperation } from "../plan/step.ts";
import { groupSteps } from "../plan/step-groups.ts";
import type { Approval, ApprovalVerdict } from "../policy/powers/forecast.ts";
import { flag, joinPhrases, listOf, type Phrase, time } from "./phrase.ts";
import { describePolicies, describeThresholds, listPeople, namePerson, type PowerNames } from "./powers.ts";
import { sayReason } from "./reason.ts";

type ForecastStep = Step & { readonly approval: Approval };

export interface ApprovalLine {
	readonly verdict: ApprovalVerdict;
	readonly sentence: Phrase;
	/** The same below a heading that says the verdict. */
	readonly why: Phrase;
	readonly steps: readonly ForecastStep[];
}

type Names = PowerNames & Pick<Plan, "submitterId" | "steps">;

/** Bad news first. */
const verdictsInOrder = ["denied", "unknown", "pending", "runs"] as const satisfies readonly ApprovalVerdict[];

/** Returns the steps that have a forecast; none where no policies were read. */
function withForecast(steps: readonly Step[]): readonly ForecastStep[] {
	return steps.flatMap((step) => (step.approval === undefined ? [] : [{ ...step, approval: step.approval }]));
}

/**
 * Returns one line for each forecast, denied steps first: of the steps that apply submits, and of pending activities that it
 * joins.
 */
export function describeApprovals(plan: Plan): readonly ApprovalLine[] {
	const { sent, pending } = groupSteps(plan.steps);
	const joined = withForecast(pending).filter(
		({ earlierActivity, approval }) => earlierActivity?.relation === "same" && approval.verdict === "pending",
	);
	return describeSteps([...withForecast(sent), ...joined], plan);
}

function describeSteps(steps: readonly ForecastStep[], plan: Names): readonly ApprovalLine[] {
	const same = groupBy(steps, (step) => JSON.stringify(describeApproval(step, plan)));
	const lines = same.map((alike): ApprovalLine => {
		const [first] = alike;
		const { verdict } = first.approval;
		const sentence = describeApproval(first, plan);
		return { verdict, sentence, why: verdict === "denied" ? describeDenial(first, plan) : sentence, steps: alike };
	});
	return verdictsInOrder.flatMap((verdict) => lines.filter((line) => line.verdict === verdict));
}

/** Returns the forecast of a step that has one. */
export function describeApproval(step: Pick<ForecastStep, "approval" | "operation">, names: Names): Phrase {
	const { approval } = step;
	const { verdict, because } = approval;
	if (verdict === "runs") return ["runs at once"];
	if (verdict === "pending") {
		const who = describeApprovers(approval, names);
		return who.length === 0 ? ["will be pending approval"] : ["will be pending approval by ", ...who];
	}
	if (verdict === "unknown")
		return [
			"approval unknown",
			...(because === null ? [] : [": ", ...sayReason(because, { ...names, nameStep: (id) => nameStep(id, names) })]),
		];
	return ["would be denied: ", ...describeDenial(step, names)];
}

function nameStep(stepId: string, { steps }: Pick<Plan, "steps">): string {
	const step = steps.find(({ id }) => id === stepId);
	return step === undefined ? stepId : `the change of ${listCovers(coveredAddresses([step]))}`;
}

/** Returns who can complete a pending step, by the forecast of the plan; null without one. */
export function describeAwaited({ approval }: Step, names: Names): Phrase | null {
	const who = approval?.verdict === "pending" ? describeApprovers(approval, names) : [];
	return who.length === 0 ? null : ["forecast: pending approval by ", ...who];
}

/** Returns who can complete it; empty where that is not known. */
export function describeApprovers({ thresholds, approverSets }: Approval, names: PowerNames): Phrase {
	if (thresholds.length > 0) return describeThresholds(thresholds, names, "last");
	return listOf(approverSets.slice(0, 3), (set) => listPeople(set, names), ", ", " or ");
}

/** Returns for which submitter steps are denied, and how to ask for another user; nothing without denied steps. */
export function describeForecaster(
	denied: readonly ApprovalLine[],
	{ submitterId, ...names }: Names,
): readonly Phrase[] {
	if (denied.length === 0 || submitterId === undefined) return [];
	return [
		["forecast for ", namePerson(submitterId, names), " as submitter; for another user: ", flag("submitter", "USER")],
	];
}

/** Returns why the step is denied now, and its verdict from the moment when a time window opens or closes. */
function describeDenial(step: Pick<ForecastStep, "approval" | "operation">, names: Names): Phrase {
	const { later } = step.approval;
	const from: Phrase = later === undefined ? [] : ["; from ", time(later.at), laterWords[later.verdict]];
	return [...describeDenialNow(step, names), ...from];
}

const laterWords = { runs: " on it would run at once", pending: " on it would be pending approval" } as const;

/** Returns the policies that deny the step; else its submitter, its operation, and the policies that allow it to others. */
function describeDenialNow(
	{ approval, operation }: Pick<ForecastStep, "approval" | "operation">,
	names: Names,
): Phrase {
	const { policyIds, because } = approval;
	const policies = describePolicies(policyIds, names);
	const who: Phrase = names.submitterId === undefined ? ["this key"] : [namePerson(names.submitterId, names)];
	if (policies.length > 0 && because?.kind === "not-enough-approvals") {
		const none: Phrase = ["no set of approvals that includes this user's satisfies ", ...policies];
		return ["no policy allows ", ...who, ` to ${actions[operation]}: `, ...none];
	}
	if (policies.length > 0) return [...policies, policyIds.length === 1 ? " denies it" : " deny it"];
	const known: Phrase = because === null ? [] : [" (", ...sayReason(because), ")"];
	return ["no policy allows ", ...who, ` to ${actions[operation]}`, ...known];
}

const actions: Readonly<Record<StepOperation, string>> = {
	update_user_tag: "change user tags",
	delete_policies: "remove policies",
	create_user_tag: "create user tags",
	delete_user_tags: "remove user tags",
	create_policies: "create policies",
	update_policy: "change policies",
	delete_oauth_providers: "remove OAuth providers",
	delete_tvc_app_and_deployments: "remove TVC apps",
};

/** Returns how many steps need whom, as clauses of a verdict; none where that is not known of all. */
export function summarizeApprovals(plan: Plan): readonly Phrase[] {
	const { sent } = groupSteps(plan.steps);
	const lines = describeSteps(withForecast(sent), plan);
	const counted = verdictsInOrder.flatMap((verdict): Phrase[] => {
		const same = lines.filter((line) => line.verdict === verdict);
		const number = same.reduce((sum, { steps }) => sum + steps.length, 0);
		if (number === 0 || verdict === "runs") return [];
		const approval = same.length === 1 ? same[0]?.steps[0]?.approval : undefined;
		const by = verdict === "pending" && approval !== undefined ? describeApprovers(approval, plan) : [];
		return [[`${number} ${summaryWords[verdict]}`, ...(by.length === 0 ? [] : [" by ", ...by])]];
	});
	if (counted.length > 0) return [joinPhrases(counted, ", ")];
	const run = lines.flatMap(({ steps }) => steps).length;
	if (run === 0 || run < sent.length) return [];
	const ids = new Set(sent.map(({ id }) => id));
	const before = sent.flatMap(({ dependsOn }) => dependsOn);
	const isWaiting = before.some((id) => !ids.has(id));
	if (run === 1)
		return [[isWaiting ? "it needs no approval, but waits for a step that is pending" : "it runs at once"]];
	if (isWaiting) return [["none needs approval, but some wait for steps that are pending"]];
	return [[before.length > 0 ? "they run in order, none needs approval" : "they run at once"]];
}

const summaryWords = {
	denied: "would be denied",
	unknown: "with unknown approval",
	pending: "will be pending approval",
} as const;
