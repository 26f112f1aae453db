/** Orders the steps of a plan for the user who submits them, so that no moment between them is worse than before and after. */
import type { AccessState, Known } from "../../policy/access.ts";
import { findUnsafeStates } from "../../policy/powers/between.ts";
import type { SubmittingUser } from "../../policy/powers/forecast.ts";
import type { PendingActivity } from "../activities/pending.ts";
import { objectsOf, piecesOf } from "../activities/requests.ts";
import { accessAfter } from "../impact/access-after.ts";
import { forecastStates } from "../impact/forecast.ts";
import type { Step } from "../step.ts";
import type { UnsafeMoment } from "./moments.ts";
import { type OrderedSteps, orderSteps } from "./order-steps.ts";

export interface OrderContext {
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
	/** The first state that was not; null where all were. */
	readonly firstUnjudged: Pick<UnsafeMoment, "completed" | "open" | "group"> | null;
}

/**
 * Returns the steps in the order in which this user can submit them all. Where it is not known who submits them or who can do
 * what, only references and names decide. What becomes of activities of earlier runs does not matter: a step that waits for one,
 * or was rejected, is still to come. It is not split then, so that it still equals the activity.
 */
export function orderForSubmitter(steps: readonly Step[], context: OrderContext): PlannedOrder {
	const { access } = context;
	if (access === undefined || steps.length < 2) return { ...unordered(steps), unjudged: [], firstUnjudged: null };
	const ordered = orderIn(steps, access, context, null);
	const isSplit = ordered.steps.length > steps.length;
	const apart = ordered.steps.filter((step) => isDisputed(step, ordered)).flatMap(objectsOf);
	if (apart.length === 0 && !isSplit) return ordered;
	const split = orderIn(steps, access, context, new Set(apart));
	const isBetter = split.denied < ordered.denied || (split.denied === ordered.denied && split.wrong < ordered.wrong);
	return isSplit || isBetter ? split : ordered;
}

const unordered = (steps: readonly Step[]): OrderedSteps => ({
	...{ steps, stranded: [], unsearched: [], unsafe: [] },
	...{ denied: 0, wrong: 0 },
});

/** Whether the order could be better if the step were split. */
function isDisputed(step: Step, { unsafe, wrong }: OrderedSteps): boolean {
	if (wrong === 0 || piecesOf(step).length < 2) return false;
	if (step.operation === "create_policies") return true;
	return unsafe.some((one) => [...one.completed, ...one.open].includes(step));
}

/** `apart`: ids of objects that may be activities of their own; null: states are judged between whole steps. */
function orderIn(
	steps: readonly Step[],
	access: AccessState,
	{ submitter, atMs, waiting = [], rejected = [] }: OrderContext,
	apart: ReadonlySet<string> | null,
): PlannedOrder {
	const activities = [...waiting, ...rejected];
	const forecasts = forecastStates(steps, { access, submitter, atMs, activities, apart: apart ?? new Set() });
	const judged = judgeStates(apart === null ? steps : steps.flatMap(forecasts.partsOf), access, atMs);
	// A step that is not split is as good as its first part.
	const partOf = (step: Step): Step => (apart === null ? (forecasts.partsOf(step)[0] ?? step) : step);
	const unsafe = judged.unsafe.map((one) => ({
		...one,
		completed: one.completed.map(partOf),
		open: one.open.map(partOf),
	}));
	const isUnordered = submitter?.known !== true && unsafe.length === 0;
	const ordered = isUnordered ? unordered(steps) : orderSteps(steps, { ...forecasts, unsafe });
	return { ...judged, ...ordered };
}

export type Moments = Pick<PlannedOrder, "unsafe" | "unjudged" | "firstUnjudged">;

/** Returns the states between the steps of the plan; judged again where steps were split since they were ordered. */
export function momentsOf(
	order: Moments,
	ordered: readonly Step[],
	steps: readonly Step[],
	{ access, atMs }: OrderContext,
): Moments {
	return steps.length === ordered.length || access === undefined ? order : judgeStates(steps, access, atMs);
}

/** Returns the states between these steps that are worse than before and after, in whatever order. */
function judgeStates(steps: readonly Step[], access: AccessState, atMs: number): Moments {
	const found = findUnsafeStates(
		access,
		steps.map((step) => (state: AccessState) => accessAfter(state, [step])),
		atMs,
	);
	const pick = (numbers: readonly number[]): readonly Step[] => numbers.flatMap((number) => steps[number] ?? []);
	const { firstUnchecked: first } = found;
	return {
		unsafe: found.unsafe.map((one): UnsafeMoment => ({ ...one, completed: pick(one.completed), open: pick(one.open) })),
		unjudged: pick(found.unchecked),
		firstUnjudged: first && { ...first, completed: pick(first.completed), open: pick(first.open) },
	};
}
