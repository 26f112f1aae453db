/** The plan of one step alone, for a person who signs only this one. */
import type { Change } from "../change.ts";
import type { LiveOrganization } from "../organization.ts";
import type { Plan, PlanContext } from "../plan.ts";
import { isCovered, type Step } from "../step.ts";
import { accessAfter } from "./access-after.ts";
import { findConsequences } from "./consequences.ts";

/** What the plan was made of besides the document. */
interface EffectContext {
	readonly context: PlanContext;
	readonly live: LiveOrganization;
}

/** Returns the plan with this step only: its changes, what it means alone once its tags exist, and the names that the plan has. */
export function effectOfStep(step: Step, plan: Plan, { context: given, live }: EffectContext): Plan {
	const { impact, impactVerdict, impactModel, impactTimed, impactAtOtherTimes, assumptions, ...others } = plan;
	const alone: Step = { ...step, dependsOn: [] };
	const { access } = given;
	const tags = plan.steps.filter(({ id, operation }) => operation === "create_user_tag" && step.dependsOn.includes(id));
	const context = access === undefined ? given : { ...given, access: accessAfter(access, tags) };
	return {
		...others,
		changes: plan.changes.filter(({ address }: Change) => isCovered(address, step)),
		...findConsequences({ steps: [alone], waiting: plan.waiting }, context, live),
	};
}
