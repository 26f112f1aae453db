/** Groups the steps of a plan by what apply does with them. */
import { isCovered, type Step } from "./step.ts";

interface StepGroups {
	/** Steps that apply submits. */
	readonly sent: readonly Step[];
	/** Steps that a pending activity, or one in doubt, holds back. */
	readonly pending: readonly Step[];
	/** Steps that were rejected before: apply submits them only with `--retry-rejected`. */
	readonly rejected: readonly Step[];
	/** Steps that come after a rejected one, so that apply does not submit them either. */
	readonly behind: readonly Step[];
}

/** Returns every step in exactly one group. A step may depend only on steps before it, as in every plan. */
export function groupSteps(steps: readonly Step[]): StepGroups {
	const groups = { sent: [] as Step[], pending: [] as Step[], rejected: [] as Step[], behind: [] as Step[] };
	const stuck = new Set<string>();
	for (const step of steps) {
		const { id, earlierActivity, dependsOn } = step;
		const isRejected = earlierActivity?.relation === "rejected";
		const isBehind = dependsOn.some((other) => stuck.has(other));
		if (isRejected || isBehind) stuck.add(id);
		if (isRejected) groups.rejected.push(step);
		else if (earlierActivity !== null) groups.pending.push(step);
		else if (isBehind) groups.behind.push(step);
		else groups.sent.push(step);
	}
	return groups;
}

/** Whether every step that makes the change at this address was rejected before, or comes after one that was. */
export function isHeldByRejection(address: string, { steps }: { readonly steps: readonly Step[] }): boolean {
	const { rejected, behind } = groupSteps(steps);
	const covering = steps.filter((step) => isCovered(address, step));
	return covering.length > 0 && covering.every((step) => rejected.includes(step) || behind.includes(step));
}

/** Whether apply submits something of the plan. */
export function isSending({ steps }: { readonly steps: readonly Step[] }): boolean {
	return groupSteps(steps).sent.length > 0;
}
