/** Matches pending activities with the steps of a saved plan: each step takes one activity that equals it. Pure. */

import { isRecord } from "../../common/json.ts";
import type { Step } from "../step.ts";
import { commonObjects, idsIn, isSameRequest, sameParameters } from "./requests.ts";
import type { Disagreement, ReviewedActivity, StepDifference } from "./reviewed-activity.ts";

type Activity = Pick<ReviewedActivity, "activityId" | "operation" | "parameters">;

/** How one activity relates to the saved plan. */
type PlanMatch =
	| { readonly stepId: string; readonly disagreement: null }
	| { readonly stepId: null; readonly disagreement: Disagreement };

export interface PlanMatches {
	/** By activity id. */
	readonly byActivity: ReadonlyMap<string, PlanMatch>;
	/** Steps that no activity equals, in the order of the plan. */
	readonly unmatched: readonly Step[];
}

/** Returns how these activities, the oldest first, relate to the steps. Only the oldest matches a step, ended or not. */
export function matchSteps(steps: readonly Step[], activities: readonly Activity[]): PlanMatches {
	const taken = new Map<string, string>();
	const byActivity = new Map(
		activities.map((activity): [string, PlanMatch] => {
			const equal = steps.filter((step) => equals(step, activity));
			const free = equal.find(({ id }) => !taken.has(id));
			if (free !== undefined) {
				taken.set(free.id, activity.activityId);
				return [activity.activityId, { stepId: free.id, disagreement: null }];
			}
			const [first] = equal;
			const disagreement: Disagreement =
				first === undefined
					? compareWithSteps(steps, activity)
					: { code: "duplicate", stepId: first.id, activityId: taken.get(first.id) ?? "" };
			return [activity.activityId, { stepId: null, disagreement }];
		}),
	);
	return { byActivity, unmatched: steps.filter(({ id }) => !taken.has(id)) };
}

function equals(step: Step, { operation, parameters }: Activity): boolean {
	return step.operation === operation && isSameRequest(step, parameters);
}

/** Returns how the activity differs from the step that it resembles most; `no-step` where none is about its objects. */
function compareWithSteps(steps: readonly Step[], { operation, parameters }: Activity): Disagreement {
	const [nearest] = steps
		.map((step) => ({ step, common: commonObjects(step, { operation: operation ?? "", parameters }).length }))
		.filter(({ common }) => common > 0)
		.map(({ step }) => ({ step, differences: findDifferences(step.parameters, parameters) }))
		.sort((left, right) => left.differences.length - right.differences.length);
	if (nearest === undefined) return { code: "no-step" };
	return { code: "differs-from-step", stepId: nearest.step.id, differences: nearest.differences };
}

function findDifferences(
	planned: Readonly<Record<string, unknown>>,
	found: Readonly<Record<string, unknown>>,
): readonly StepDifference[] {
	const names = [...new Set([...Object.keys(planned), ...Object.keys(found)])];
	return names.flatMap((parameter): readonly StepDifference[] => {
		const [before, after] = [planned[parameter], found[parameter]];
		if (sameParameters({ [parameter]: before }, { [parameter]: after })) return [];
		if ([before, after].some((list) => Array.isArray(list) && list.some(isRecord))) return findInRecords(before, after);
		if (Array.isArray(before) || Array.isArray(after)) {
			const [wanted, is] = [idsIn(before), idsIn(after)];
			const more = is.filter((id) => !wanted.includes(id));
			return [{ parameter, more, missing: wanted.filter((id) => !is.includes(id)) }];
		}
		const text = (value: unknown): string | null =>
			value === undefined || value === null || value === "" ? null : String(value);
		return [{ parameter, is: text(after), planned: text(before) }];
	});
}

/** Compares policies, each by its place: `policies.NAME.consensus`. */
function findInRecords(planned: unknown, found: unknown): readonly StepDifference[] {
	const [before, after] = [recordsIn(planned), recordsIn(found)];
	return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) => {
		const [one, other] = [before[index] ?? {}, after[index] ?? {}];
		const name = String(one.policyName ?? other.policyName ?? "");
		return findDifferences(one, other).map((difference) => ({
			...difference,
			parameter: `policies.${name}.${difference.parameter}`,
		}));
	});
}

function recordsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
	return Array.isArray(list) ? list.map((value) => (isRecord(value) ? value : {})) : [];
}
