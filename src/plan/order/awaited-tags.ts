/** Holds steps back, and lets policies go first that name no tag under approval. */
import { canTakeEffect, type Held, holdSteps } from "../activities/pending.ts";
import { findPending } from "../impact/forecast.ts";
import type { LivePolicy } from "../organization.ts";
import type { Step } from "../step.ts";
import { momentsOf, type OrderContext, type PlannedOrder } from "./for-submitter.ts";
import { canReach } from "./moments.ts";

/** Returns the ordered steps with what each waits for. Policies are not split where that leads to more moments to avoid. */
export function holdOrdered(order: PlannedOrder, livePolicies: readonly LivePolicy[], context: OrderContext): Held {
	const { steps } = order;
	const activities = (context.waiting ?? []).filter((one) => canTakeEffect(one, livePolicies));
	const whole = holdSteps(steps, activities, null);
	const split = holdSteps(steps, activities, findAwaited(steps, context));
	if (split.steps.length === whole.steps.length) return whole;
	const countReached = (held: Held): number =>
		momentsOf(order, steps, held.steps, context).unsafe.filter((one) => canReach(one, held.steps)).length;
	return countReached(split) <= countReached(whole) ? split : whole;
}

/** Returns the ids of the steps whose tags are forecast to be pending; none where it is not known who submits them. */
function findAwaited(steps: readonly Step[], { access, submitter, atMs }: OrderContext): ReadonlySet<string> {
	const created = steps.filter(({ operation }) => operation === "create_user_tag");
	const isSplittable = steps.some((step) => step.operation === "create_policies" && step.covers.length > 1);
	if (access === undefined || submitter?.known !== true || created.length === 0 || !isSplittable) return new Set();
	return new Set(findPending(created, steps, { access, submitter, atMs, waiting: [] }).map(({ id }) => id));
}
