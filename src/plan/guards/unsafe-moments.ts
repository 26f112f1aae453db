/** The guard `unsafeMoments`: a state between two steps that is worse than before and after the plan (docs/guards.md). */
import type { Moments, PlannedOrder } from "../order/for-submitter.ts";
import { canReach } from "../order/moments.ts";
import { coveredAddresses, type Step } from "../step.ts";
import { groupSteps } from "../step-groups.ts";
import type { UserNames } from "../users.ts";
import { compareText } from "../value.ts";
import type { Guard } from "./guards.ts";
import { judgeStranded } from "./stranded.ts";

/** Returns the guards of what the order of the steps leads to. */
export function judgeOrder(order: PlannedOrder, steps: readonly Step[], names: UserNames): readonly Guard[] {
	return [...judgeStranded(order, steps), ...judgeMoments(order, steps, names)];
}

/** Returns the guard where the best order leads to such a state, or not every state was judged. `steps` are those of the plan. */
function judgeMoments(
	{ unsafe, unjudged, firstUnjudged }: Moments,
	steps: readonly Step[],
	names: UserNames,
): readonly Guard[] {
	if (groupSteps(steps).sent.length === 0) return [];
	const reached = unsafe.filter((moment) => canReach(moment, steps));
	if (reached.length + unjudged.length === 0) return [];
	const moments = reached.map(({ completed, open, change, group, condition, userIds }) => ({
		...{ change, group, condition, userIds },
		completed: coveredAddresses(completed),
		open: coveredAddresses(open),
	}));
	const where =
		moments.length === 0 ? coveredAddresses(unjudged) : moments.flatMap((one) => [...one.completed, ...one.open]);
	return [
		{
			kind: "unsafeMoments",
			found: moments.length,
			refuses: moments.length > 0,
			where: [...new Set(where)].sort(compareText),
			finding: {
				...{ what: "unsafe-moments", moments, unjudged: unjudged.length, names },
				firstUnjudged: firstUnjudged && {
					completed: coveredAddresses(firstUnjudged.completed),
					open: coveredAddresses(firstUnjudged.open),
					group: firstUnjudged.group,
				},
			},
		},
	];
}
