/** What a plan means for who can do what, as it is saved and shown; policy/impact.ts finds it. */
import type { AccessState } from "../policy/access.ts";
import { compareAccess, type ImpactFinding, type ImpactVerdict, type SideAbility } from "../policy/impact.ts";
import { accessAfter, changesUnknown } from "./access-after.ts";
import type { Step } from "./step.ts";

/** One change of one power; `together` of both sides is cut to the first sets, and `thresholds` says the whole. */
export type PlanImpact = ImpactFinding;

/** Max sets that a plan writes for each power; the rest are in its thresholds. */
const maxSummarySets = 20;

interface StepsImpact {
	readonly impact: readonly PlanImpact[];
	readonly impactVerdict: ImpactVerdict;
}

/** Returns what these steps change for who can do what, once all of them have completed. `atMs`: milliseconds since 1970. */
export function findImpact(access: AccessState, steps: readonly Step[], atMs: number): StepsImpact {
	const completing = steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected");
	const { verdict, findings } = compareAccess(access, accessAfter(access, completing), atMs);
	const impact = findings.map((finding) => {
		return { ...finding, before: summarize(finding.before), after: summarize(finding.after) };
	});
	// Where a step changes what was not read, both sides are equally unknown, which is not the same.
	const isHidden = verdict !== "unknown" && completing.some((step) => changesUnknown(access, step));
	return { impact, impactVerdict: isHidden ? "unknown" : verdict };
}

function summarize(side: SideAbility): SideAbility {
	const { together, isComplete } = side;
	return {
		...side,
		together: together.slice(0, maxSummarySets),
		isComplete: isComplete && together.length <= maxSummarySets,
	};
}
