/** Orders the steps of a plan for the user who submits them. */
import type { AccessState, Known } from "../../policy/access.ts";
import type { SubmittingUser } from "../../policy/powers/forecast.ts";
import type { PendingActivity } from "../activities/pending.ts";
import { forecastStates } from "../impact/forecast.ts";
import type { Step } from "../step.ts";
import { type OrderedSteps, orderSteps } from "./order-steps.ts";

interface OrderContext {
	/** Left out: it was not read. */
	readonly access?: AccessState;
	/** Left out: it was not asked for. */
	readonly submitter?: Known<SubmittingUser>;
	/** Milliseconds since 1970. */
	readonly atMs: number;
	readonly waiting?: readonly PendingActivity[];
	readonly rejected?: readonly PendingActivity[];
}

/**
 * Returns the steps in the order in which this user can submit them all. Where it is not known who submits them or who can do
 * what, only references and names decide. What becomes of activities of earlier runs does not matter: a step that waits for one,
 * or was rejected, is still to come. It is not split then, so that it still equals the activity.
 */
export function orderForSubmitter(steps: readonly Step[], context: OrderContext): OrderedSteps {
	const { access, submitter, atMs, waiting = [], rejected = [] } = context;
	const forecasts =
		access === undefined || submitter?.known !== true || steps.length < 2
			? null
			: forecastStates(steps, {
					access,
					submitter: submitter.value,
					atMs,
					activities: [...waiting, ...rejected],
				});
	return forecasts === null ? { steps, stranded: [], unsearched: [] } : orderSteps(steps, forecasts);
}
