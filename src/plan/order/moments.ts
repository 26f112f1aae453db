/** Which moments the steps of a plan lead to. */
import type { UnsafeState } from "../../policy/powers/between.ts";
import type { Step } from "../step.ts";

/** A state between steps that is worse than before and after the plan. */
export interface UnsafeMoment extends Omit<UnsafeState, "completed" | "open"> {
	readonly completed: readonly Step[];
	readonly open: readonly Step[];
}

/** Whether the steps can have completed while the open ones have not. A pending activity completes whenever it is approved. */
export function canReach(
	{ completed, open }: Pick<UnsafeMoment, "completed" | "open">,
	steps: readonly Step[],
): boolean {
	const byId = new Map(steps.map((step) => [step.id, step]));
	const needed = new Set<string>();
	const left = completed.map(({ id }) => id);
	for (let id = left.pop(); id !== undefined; id = left.pop()) {
		const step = byId.get(id);
		if (step === undefined || needed.has(id)) continue;
		if (step.earlierActivity?.relation === "rejected") return false;
		needed.add(id);
		if (step.earlierActivity === null) left.push(...step.dependsOn);
	}
	return !open.some(({ id }) => needed.has(id));
}
