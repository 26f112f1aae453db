/** The plan of one step alone, for a person who signs only this one. */
import type { Change } from "../change.ts";
import type { LiveOrganization } from "../organization.ts";
import type { Plan, PlanContext } from "../plan.ts";
import { isCovered, type Step } from "../step.ts";
import { findConsequences } from "./consequences.ts";

/** What the plan was made of besides the document. */
interface EffectContext {
	readonly context: PlanContext;
	readonly live: LiveOrganization;
}

/** Returns the plan with this step only: its changes, what it means alone, and the names that the plan has. */
export function effectOfStep(step: Step, plan: Plan, { context, live }: EffectContext): Plan {
	const { impact, impactVerdict, impactModel, impactTimed, impactAtOtherTimes, ...others } = plan;
	const alone: Step = { ...step, dependsOn: [] };
	return {
		...others,
		changes: plan.changes.filter(({ address }: Change) => isCovered(address, step)),
		...findConsequences({ steps: [alone], waiting: plan.waiting }, context, live),
	};
}
