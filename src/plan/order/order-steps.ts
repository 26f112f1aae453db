/** Puts the steps of a plan in the order in which they are submitted, and makes the order that matters a dependency. */
import type { Step } from "../step.ts";
import { compareText } from "../value.ts";
import { orderGreedily } from "./greedy.ts";
import { type FoundOrder, ranks, searchOrders } from "./search.ts";

/** What becomes of the steps in the states that they lead to. */
export interface StepForecasts {
	/** Steps with the same key are forecast the same in every state. */
	readonly keyOf: (step: Step) => string;
	/** Returns the steps that can change what becomes of this one. */
	readonly relevantTo: (step: Step) => readonly Step[];
	/** Returns what becomes of the step when it is submitted after these have completed. */
	readonly verdictAfter: (step: Step, completed: readonly Step[]) => (typeof ranks)[number];
}

export interface OrderedSteps {
	readonly steps: readonly Step[];
	readonly stranded: readonly StrandedStep[];
	/** Those in groups that are too large to look at every order. */
	readonly unsearched: readonly Step[];
}

/** A step that is denied in this order, and need not be in another one. No order denies fewer, where all were searched. */
export interface StrandedStep {
	readonly step: Step;
	/** The step after which it is denied; null where it is denied from the first. */
	readonly by: Step | null;
}

/** Max steps of a group of which every order is looked at. */
const maxSearched = 8;

/** Max steps of a group that is ordered at all: each of them is judged in many states. */
const maxOrdered = 24;

/**
 * Returns the steps in the order in which they are submitted: after those that they depend on; then first those that run, then
 * pending ones, then denied ones. Steps that cannot change what becomes of each other are ordered apart.
 */
export function orderSteps(steps: readonly Step[], forecasts: StepForecasts): OrderedSteps {
	const found = groupsOf(steps, forecasts).map((group) => orderGroup(group, forecasts));
	const ordered = new Map(found.flatMap((group) => [...group.steps]));
	return {
		...renumber(
			steps,
			ordered,
			found.flatMap(({ stranded }) => stranded),
		),
		unsearched: found.flatMap(({ unsearched }) => unsearched),
	};
}

interface Ordered {
	/** All that must have completed before it. */
	readonly before: readonly Step[];
	readonly rank: number;
}

interface OrderedGroup {
	readonly steps: ReadonlyMap<Step, Ordered>;
	readonly stranded: readonly StrandedStep[];
	readonly unsearched: readonly Step[];
}

/** Returns the steps in groups of those that depend on each other, or can change what becomes of each other. */
function groupsOf(steps: readonly Step[], { relevantTo }: StepForecasts): readonly (readonly Step[])[] {
	const parents = new Map<Step, Step>();
	const rootOf = (step: Step): Step => {
		let root = step;
		for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
		if (root !== step) parents.set(step, root);
		return root;
	};
	const join = (one: Step, other: Step): void => {
		const [root, otherRoot] = [rootOf(one), rootOf(other)];
		if (root !== otherRoot) parents.set(root, otherRoot);
	};
	const byId = new Map(steps.map((step) => [step.id, step]));
	for (const step of steps) {
		for (const other of [...step.dependsOn.flatMap((id) => byId.get(id) ?? []), ...relevantTo(step)]) join(step, other);
	}
	return [...Map.groupBy(steps, rootOf).values()];
}

function orderGroup(group: readonly Step[], forecasts: StepForecasts): OrderedGroup {
	const alike = findAlike(group, forecasts);
	const first = alike.map(([step]) => step as Step);
	const rankOf = (step: number, isCompleted: (other: number) => boolean): number =>
		ranks.indexOf(
			forecasts.verdictAfter(
				first[step] as Step,
				alike.flatMap((same, other) => (isCompleted(other) ? same : [])),
			),
		);
	const required = first.map(({ dependsOn }) =>
		[...first.keys()].filter((other) => dependsOn.includes(first[other]?.id ?? "")),
	);
	if (first.length > maxOrdered) return { steps: new Map(), stranded: [], unsearched: group };
	const isSearched = first.length <= maxSearched;
	const order: FoundOrder = isSearched ? searchOrders({ required, rankOf }) : orderGreedily({ required, rankOf });
	const all = (some: readonly number[]): readonly Step[] => some.flatMap((one) => alike[one] ?? []);
	return {
		steps: new Map(
			alike.flatMap((same, index) =>
				same.map((step) => [step, { before: all(order.before[index] ?? []), rank: order.ranks[index] ?? 0 }] as const),
			),
		),
		stranded: order.stranded.flatMap(({ step, by }) =>
			all([step]).map((one) => ({ step: one, by: by === null ? null : (first[by] ?? null) })),
		),
		unsearched: isSearched ? [] : group,
	};
}

/** Returns the steps in lists of those that can stand for each other: nothing depends on them, and they change nothing. */
function findAlike(group: readonly Step[], { keyOf, relevantTo }: StepForecasts): readonly (readonly Step[])[] {
	const changing = new Set(group.flatMap(relevantTo));
	const needed = new Set(group.flatMap(({ dependsOn }) => dependsOn));
	const isPlain = (step: Step): boolean => step.dependsOn.length === 0 && !needed.has(step.id) && !changing.has(step);
	return [...Map.groupBy(group, (step) => (isPlain(step) ? keyOf(step) : step)).values()];
}

/** Returns the steps in their order, with ids and dependencies by it. */
function renumber(
	steps: readonly Step[],
	ordered: ReadonlyMap<Step, Ordered>,
	stranded: readonly StrandedStep[],
): Omit<OrderedSteps, "unsearched"> {
	const beforeOf = (step: Step): readonly Step[] => ordered.get(step)?.before ?? [];
	const sorted = sortSteps(steps, beforeOf, (step) => ordered.get(step)?.rank ?? 0);
	const byOld = new Map(sorted.map((step, index) => [step, `step-${index + 1}`]));
	const idOf = (step: Step): string => byOld.get(step) ?? step.id;
	const renamed = new Map(
		sorted.map((step) => {
			const before = beforeOf(step);
			// A dependency that follows from another is left out, unless names need it.
			const last = before.filter(
				(one) => step.dependsOn.includes(one.id) || !before.some((other) => beforeOf(other).includes(one)),
			);
			const dependsOn = last.map(idOf).sort((one, other) => numberOf(one) - numberOf(other) || compareText(one, other));
			return [step, { ...step, id: idOf(step), dependsOn }] as const;
		}),
	);
	const nowOf = (step: Step): Step => renamed.get(step) ?? step;
	return {
		steps: sorted.map(nowOf),
		stranded: stranded.map(({ step, by }) => ({ step: nowOf(step), by: by === null ? null : nowOf(by) })),
	};
}

/** Returns the steps so that each comes after those before it; of several the one of the lowest rank, then the first. */
function sortSteps(
	steps: readonly Step[],
	beforeOf: (step: Step) => readonly Step[],
	rankOf: (step: Step) => number,
): readonly Step[] {
	const places = new Map(steps.map((step, index) => [step, index]));
	const isSorted = steps.every((step, index) => {
		const isLater = index === 0 || rankOf(steps[index - 1] ?? step) <= rankOf(step);
		return isLater && beforeOf(step).every((one) => (places.get(one) ?? 0) < index);
	});
	if (isSorted) return steps;
	const left = new Set(steps);
	const isNext = (step: Step): boolean => beforeOf(step).every((one) => !left.has(one));
	const sorted: Step[] = [];
	while (left.size > 0) {
		let next: Step | undefined;
		for (const step of left) if (isNext(step) && (next === undefined || rankOf(step) < rankOf(next))) next = step;
		if (next === undefined) throw new RangeError("steps depend on each other");
		sorted.push(next);
		left.delete(next);
	}
	return sorted;
}

function numberOf(id: string): number {
	return Number(id.slice("step-".length));
}
