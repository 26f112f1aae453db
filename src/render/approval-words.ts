/**
 * What is foretold of the approvals of a plan, in sentences (docs/powers.md#approvals). A forecast says what policies ask for
 * now; what happens is in the report of apply.
 */
import { listCovers } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import { coveredAddresses, type Step, type StepOperation } from "../plan/step.ts";
import { groupSteps } from "../plan/step-groups.ts";
import type { Approval, ApprovalVerdict } from "../policy/powers/approval.ts";
import { code, joinPhrases, type Phrase } from "../say/phrase.ts";
import { sayReason } from "../say/reason.ts";
import { describePolicies, describeThresholds, listPeople, namePerson, type PowerNames } from "./power-words.ts";
import { phraseText } from "./print/text.ts";

export const approvalHeadings = {
	denied: "Would be denied",
	open: "Approvals",
} as const;

/** A step with its forecast. */
export type ForetoldStep = Step & { readonly approval: Approval };

/** Steps of which the same is foretold. */
export interface ApprovalLine {
	readonly verdict: ApprovalVerdict;
	readonly sentence: Phrase;
	/** The same below a heading that says the verdict. */
	readonly why: Phrase;
	readonly steps: readonly ForetoldStep[];
}

type Names = PowerNames & Pick<Plan, "submitterId" | "steps">;

/** Bad news first. */
const verdictsInOrder = ["denied", "unknown", "pending", "runs"] as const satisfies readonly ApprovalVerdict[];

/** Returns what is foretold of these steps; none where policies were not asked for. */
function foretoldSteps(steps: readonly Step[]): readonly ForetoldStep[] {
	return steps.flatMap((step) => (step.approval === undefined ? [] : [{ ...step, approval: step.approval }]));
}

/**
 * Returns one line for each thing that is foretold, denied steps first: of the steps that apply submits, and of pending
 * activities that it joins.
 */
export function describeApprovals(plan: Plan): readonly ApprovalLine[] {
	const { sent, pending } = groupSteps(plan.steps);
	const joined = foretoldSteps(pending).filter(
		({ earlierActivity, approval }) => earlierActivity?.relation === "same" && approval.verdict === "pending",
	);
	return describeSteps([...foretoldSteps(sent), ...joined], plan);
}

function describeSteps(foretold: readonly ForetoldStep[], plan: Names): readonly ApprovalLine[] {
	const same = Map.groupBy(foretold, (step) => phraseText(describeApproval(step, plan)));
	const lines = [...same.values()].flatMap((steps): ApprovalLine[] => {
		const [first] = steps;
		if (first === undefined) return [];
		const { verdict } = first.approval;
		const sentence = describeApproval(first, plan);
		return [{ verdict, sentence, why: verdict === "denied" ? describeDenial(first, plan) : sentence, steps }];
	});
	return verdictsInOrder.flatMap((verdict) => lines.filter((line) => line.verdict === verdict));
}

/** Returns what is foretold of the step; null where policies were not asked for. */
export function describeForecast({ approval, operation }: Step, names: Names): Phrase | null {
	return approval === undefined ? null : describeApproval({ approval, operation }, names);
}

/** Returns what becomes of the step when it is submitted. */
function describeApproval(step: Pick<ForetoldStep, "approval" | "operation">, names: Names): Phrase {
	const { approval } = step;
	const { verdict, because } = approval;
	if (verdict === "runs") return ["runs at once"];
	if (verdict === "pending") {
		const who = describeApprovers(approval, names);
		return who.length === 0 ? ["will wait for approval"] : ["will wait for ", ...who];
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

/** Returns who can complete a pending step, as the plan foretold it; null where it did not. */
export function describeAwaited({ approval }: Step, names: Names): Phrase | null {
	const who = approval?.verdict === "pending" ? describeApprovers(approval, names) : [];
	return who.length === 0 ? null : ["foretold: waits for ", ...who];
}

/** Returns who can complete it; empty where that is not known. */
export function describeApprovers({ thresholds, approverSets }: Approval, names: PowerNames): Phrase {
	if (thresholds.length > 0) return describeThresholds(thresholds, names, "last");
	return joinPhrases(
		approverSets.slice(0, 3).map((set) => listPeople(set, names)),
		", ",
		" or ",
	);
}

/** Returns for whom denied steps are foretold, and how to ask for another; nothing where none is denied. */
export function describeForecaster(
	denied: readonly ApprovalLine[],
	{ submitterId, ...names }: Names,
): readonly Phrase[] {
	if (denied.length === 0 || submitterId === undefined) return [];
	return [
		["foretold for ", namePerson(submitterId, names), " as submitter; for another user: ", code("--submitter USER")],
	];
}

/** The policies that deny it; else who it is, what it does, and the policies that allow it to others. */
function describeDenial({ approval, operation }: Pick<ForetoldStep, "approval" | "operation">, names: Names): Phrase {
	const { policyIds, because } = approval;
	const policies = describePolicies(policyIds, names);
	const who: Phrase = names.submitterId === undefined ? ["this key"] : [namePerson(names.submitterId, names)];
	if (policies !== null && because?.kind === "not-enough-approvals") {
		const none: Phrase = ["no approvals with this user's are enough for ", ...policies];
		return ["no policy allows ", ...who, ` to ${actions[operation]}: `, ...none];
	}
	if (policies !== null) return [...policies, policyIds.length === 1 ? " denies it" : " deny it"];
	const known: Phrase = because === null ? [] : [" (", ...sayReason(because), ")"];
	return ["no policy allows ", ...who, ` to ${actions[operation]}`, ...known];
}

const actions: Readonly<Record<StepOperation, string>> = {
	update_user_tag: "change user tags",
	delete_policies: "remove policies",
	delete_oauth_providers: "remove OAuth providers",
	delete_tvc_app_and_deployments: "remove TVC apps",
};

/**
 * Returns what is foretold, to follow the number of activities: `; 1 will wait for approval`. Empty where nothing is.
 * `named` adds who can approve, for formats that show names as names.
 */
export function summarizeApprovals(plan: Plan, named = false): string {
	const { sent } = groupSteps(plan.steps);
	const lines = describeSteps(foretoldSteps(sent), plan);
	const counted = verdictsInOrder.flatMap((verdict) => {
		const same = lines.filter((line) => line.verdict === verdict);
		const number = same.reduce((sum, { steps }) => sum + steps.length, 0);
		if (number === 0 || verdict === "runs") return [];
		const [only] = same;
		const isNamed = named && verdict === "pending" && same.length === 1 && only !== undefined;
		const by = isNamed ? describeApprovers(only.steps[0]?.approval ?? nothing, plan) : [];
		return [`${number} ${summaryWords[verdict]}${by.length === 0 ? "" : ` by ${phraseText(by)}`}`];
	});
	if (counted.length > 0) return `; ${counted.join(", ")}`;
	const run = lines.flatMap(({ steps }) => steps).length;
	if (run === 0 || run < sent.length) return "";
	return run === 1 ? "; it runs at once" : "; they run at once";
}

const summaryWords = {
	denied: "would be denied",
	unknown: "with unknown approval",
	pending: "will wait for approval",
} as const;

const nothing: Approval = { verdict: "unknown", approverSets: [], thresholds: [], policyIds: [], because: null };
