/** Whether a plan that was made again says what the first one said. Pure. */
import type { Plan } from "./plan.ts";
import { sameValue } from "./value.ts";

/** Whether two plans of one organization say the same, whenever they were made and whatever overrides were given. */
export function isSamePlan(one: Plan, other: Plan): boolean {
	return sameValue(withoutMoment(one), withoutMoment(other));
}

function withoutMoment({ readAt: _readAt, serviceTime: _serviceTime, overrides: _overrides, ...plan }: Plan) {
	return plan;
}
