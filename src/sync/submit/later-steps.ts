/** Steps after one that waited, perhaps hours: a new plan is made, and a step is submitted only if that has it too. */
import { defined } from "../../common/defined.ts";
import { OrgsyncError } from "../../common/errors.ts";
import { splitByTags } from "../../plan/activities/pending.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Step } from "../../plan/step.ts";
import { sameValue } from "../../plan/value.ts";
import { guardText } from "../../say/guards.ts";
import type { Comparison } from "../converge.ts";
import { timesOf } from "./run-step.ts";

/** A plan that was made after a wait, or why nothing more is submitted. */
export type LaterPlan =
	| { readonly plan: Plan; readonly times: ReturnType<typeof timesOf> }
	| { readonly plan: null; readonly because: string };

/** Reads the organization again. An error of the service is a reason, because what was submitted must be reported. */
export async function planLater(first: Plan, compareAgain: () => Promise<Comparison>): Promise<LaterPlan> {
	try {
		const comparison = await compareAgain();
		const { plan } = comparison;
		const guard = plan.guards.find(({ kind, found, refuses }) => {
			// What the operator allowed, or less of it, stays allowed.
			return refuses && !first.guards.some((one) => one.kind === kind && one.refuses && one.found >= found);
		});
		if (guard !== undefined) return { plan: null, because: `blocked by a guard since: ${guardText(guard)}` };
		return { plan, times: timesOf(comparison) };
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return { plan: null, because: `the organization could not be read again: ${error.message}` };
	}
}

/** Returns the step with what the later plan knows of it, or why it is not submitted. */
export function findLater(step: Step, later: LaterPlan): { readonly step: Step; readonly plan: Plan } | string {
	const { plan } = later;
	if (plan === null) return later.because;
	const same = plan.steps.find(
		({ operation, parameters, dependsOn }) =>
			operation === step.operation && sameValue(parameters, step.parameters) && dependsOn.length === 0,
	);
	if (same === undefined) {
		return "the organization changed while orgsync waited, so this step is planned differently now: run apply again";
	}
	const { earlierActivity, approval } = same;
	return { step: { ...step, earlierActivity, ...defined({ approval }) }, plan };
}

/**
 * Returns a creation of policies in two parts: those that name no pending tag, and the rest after them. Undefined where no tag
 * holds it back. `isPending`: whether the step of this id is.
 */
export function splitCreation(
	step: Step,
	steps: readonly Step[],
	isPending: (id: string) => boolean,
): readonly [first: Step, rest: Step] | undefined {
	const tags = steps.filter(({ id, earlierActivity }) => earlierActivity === null && isPending(id));
	const standIns = tags.flatMap(({ id, operation, covers }) =>
		operation === "create_user_tag" ? [[id, covers[0]?.id ?? ""] as const] : [],
	);
	const [first, rest] = splitByTags(step, new Map(standIns));
	if (first === undefined || rest === undefined) return undefined;
	const id = `step-${steps.length + 1}`;
	return [
		{ ...first, id },
		{ ...rest, dependsOn: [...rest.dependsOn, id] },
	];
}
