/** Whether a plan that was made again says what the first one said. Pure. */
import type { Plan } from "./plan.ts";
import { sameValue } from "./value.ts";

/** Whether two plans of one organization say the same, whenever they were made, whatever overrides were given and whatever else is pending. */
export function isSamePlan(one: Plan, other: Plan): boolean {
	return sameValue(withoutMoment(one), withoutMoment(other));
}

function withoutMoment({
	readAt: _readAt,
	serviceTime: _serviceTime,
	overrides: _overrides,
	otherPending: _pending,
	accessCases: _cases,
	...plan
}: Plan) {
	return plan;
}
