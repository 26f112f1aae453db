/** Orders the steps of a plan for the user who submits them, so that no moment between them is worse than before and after. */
import type { AccessState, Known } from "../../policy/access.ts";
import { findUnsafeStates } from "../../policy/powers/between.ts";
import type { SubmittingUser } from "../../policy/powers/forecast.ts";
import type { PendingActivity } from "../activities/pending.ts";
import { listParameter, objectsOf } from "../activities/requests.ts";
import { accessAfter } from "../impact/access-after.ts";
import { forecastStates } from "../impact/forecast.ts";
import type { Step } from "../step.ts";
import { canReach } from "./moments.ts";
import { type OrderedSteps, orderSteps, type StepForecasts, type UnsafeMoment } from "./order-steps.ts";

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

/** The steps in their order, and what could not be decided of it. */
export interface PlannedOrder extends OrderedSteps {
	/** Steps of which not every state was judged. */
	readonly unjudged: readonly Step[];
}

/**
 * Returns the steps in the order in which this user can submit them all. Where it is not known who submits them or who can do
 * what, only references and names decide. What becomes of activities of earlier runs does not matter: a step that waits for one,
 * or was rejected, is still to come. It is not split then, so that it still equals the activity.
 */
export function orderForSubmitter(steps: readonly Step[], context: OrderContext): PlannedOrder {
	const { access } = context;
	if (access === undefined || steps.length < 2)
		return { steps, stranded: [], unsearched: [], unsafe: [], unjudged: [] };
	const ordered = orderIn(steps, access, context, new Set());
	const reached = ordered.unsafe.filter((moment) => canReach(moment, ordered.steps));
	const joint = [...new Set(reached.flatMap(({ completed, open }) => [...completed, ...open]))].filter(
		(step) => listParameter(step.operation) !== undefined && objectsOf(step).length > 1,
	);
	if (joint.length === 0) return ordered;
	const split = orderIn(steps, access, context, new Set(joint.flatMap(objectsOf)));
	return split.unsafe.filter((moment) => canReach(moment, split.steps)).length < reached.length ? split : ordered;
}

/** `apart`: ids of objects that may be activities of their own. */
function orderIn(
	steps: readonly Step[],
	access: AccessState,
	{ submitter, atMs, waiting = [], rejected = [] }: OrderContext,
	apart: ReadonlySet<string>,
): PlannedOrder {
	const activities = [...waiting, ...rejected];
	const forecasts: StepForecasts = forecastStates(steps, { access, submitter, atMs, activities, apart });
	const parts = steps.flatMap(forecasts.partsOf);
	const found = findUnsafeStates(
		access,
		parts.map((part) => (state: AccessState) => accessAfter(state, [part])),
		atMs,
	);
	const pick = (numbers: readonly number[]): readonly Step[] => numbers.flatMap((number) => parts[number] ?? []);
	const unsafe = found.unsafe.map(
		(one): UnsafeMoment => ({ ...one, completed: pick(one.completed), open: pick(one.open) }),
	);
	const isDecided = submitter?.known !== true && unsafe.length === 0;
	const ordered = isDecided
		? { steps, stranded: [], unsearched: [], unsafe: [] }
		: orderSteps(steps, { ...forecasts, unsafe });
	return { ...ordered, unjudged: pick(found.unchecked) };
}
