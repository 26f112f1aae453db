/** Puts the steps of a plan in the order in which they are submitted, and makes the order that matters a dependency. */
import { joinable } from "../../common/joinable.ts";
import { narrowToPieces, piecesOf } from "../activities/requests.ts";
import type { Step } from "../step.ts";
import { compareText } from "../value.ts";
import { orderLarge, sortSteps } from "./large-groups.ts";
import type { UnsafeMoment } from "./moments.ts";
import { setOf } from "./partial-order.ts";
import { ranks } from "./search.ts";
import { countDenied, countWrong, findGroups } from "./split.ts";

/** What becomes of the steps in the states that they lead to. */
export interface StepForecasts {
	/** Returns the parts that the step can be split into, in any grouping: itself where it cannot. */
	readonly partsOf: (step: Step) => readonly Step[];
	/** Steps with the same key are forecast the same in every state. */
	readonly keyOf: (step: Step) => string;
	/** Returns the steps that can change what becomes of this one. */
	readonly relevantTo: (step: Step) => readonly Step[];
	/** Returns what becomes of the step when it is submitted after these have completed. */
	readonly verdictAfter: (step: Step, completed: readonly Step[]) => (typeof ranks)[number];
	/** States to avoid, of parts. */
	readonly unsafe: readonly UnsafeMoment[];
}

export interface OrderedSteps {
	readonly steps: readonly Step[];
	readonly stranded: readonly StrandedStep[];
	/** Those in groups that are too large to look at every order. */
	readonly unsearched: readonly Step[];
	/** All states to avoid, also those that this order avoids. */
	readonly unsafe: readonly UnsafeMoment[];
	/** How many steps are denied; the same, and how many states to avoid can be reached. */
	readonly denied: number;
	readonly wrong: number;
}

/** A step that is denied in this order, and need not be in another one. No order denies fewer, where all were searched. */
export interface StrandedStep {
	readonly step: Step;
	/** The step after which it is denied; null where it is denied from the first. */
	readonly by: Step | null;
}

/**
 * Returns the steps in the order in which they are submitted: after those that they depend on; then first those that run, then
 * pending ones, then denied ones. Steps that cannot change what becomes of each other are ordered apart. A step of several objects is
 * split where that keeps a step from being denied.
 */
export function orderSteps(steps: readonly Step[], forecasts: StepForecasts): OrderedSteps {
	const found = groupsOf(steps, forecasts).map((group) => orderGroup(group, forecasts));
	const pieces = new Map(found.flatMap((group) => [...group.pieces]));
	return {
		...renumber(
			steps.flatMap((step) => pieces.get(step) ?? step),
			new Map(found.flatMap((group) => [...group.steps])),
			found.flatMap(({ stranded }) => stranded),
			found.flatMap(({ unsafe }) => unsafe),
		),
		unsearched: found.flatMap(({ unsearched }) => unsearched),
		denied: found.reduce((sum, { denied }) => sum + denied, 0),
		wrong: found.reduce((sum, { wrong }) => sum + wrong, 0),
	};
}

interface Ordered {
	/** All that must have completed before it. */
	readonly before: readonly Step[];
	readonly rank: number;
}

interface OrderedGroup extends Omit<OrderedSteps, "steps"> {
	readonly steps: ReadonlyMap<Step, Ordered>;
	/** What each step is submitted as. */
	readonly pieces: ReadonlyMap<Step, readonly Step[]>;
}

/** Returns the steps in groups of those that depend on each other, or can change what becomes of each other, or what is safe. */
function groupsOf(
	steps: readonly Step[],
	{ partsOf, relevantTo, unsafe }: StepForecasts,
): readonly (readonly Step[])[] {
	const { topOf, join } = joinable<Step>();
	const byId = new Map(steps.map((step) => [step.id, step]));
	const wholes = new Map(steps.flatMap((step) => partsOf(step).map((part) => [part, step] as const)));
	for (const [part, step] of wholes) {
		for (const id of step.dependsOn) join(step, byId.get(id) ?? step);
		for (const other of relevantTo(part)) join(step, wholes.get(other) ?? step);
	}
	for (const { completed, open } of unsafe) {
		const [first, ...others] = [...completed, ...open].flatMap((part) => wholes.get(part) ?? []);
		for (const other of others) join(first ?? other, other);
	}
	return [...Map.groupBy(steps, topOf).values()];
}

function orderGroup(group: readonly Step[], forecasts: StepForecasts): OrderedGroup {
	const { partsOf, verdictAfter } = forecasts;
	const alike = findAlike(group, forecasts);
	const first = alike.map(([part]) => part as Step);
	const wholes = new Map(group.flatMap((step) => partsOf(step).map((part) => [part, step] as const)));
	const rankOf = (part: number, isCompleted: (other: number) => boolean): number =>
		ranks.indexOf(
			verdictAfter(
				first[part] as Step,
				alike.flatMap((same, other) => (isCompleted(other) ? same : [])),
			),
		);
	const required = first.map(({ dependsOn }) =>
		[...first.keys()].filter((other) => dependsOn.includes(wholes.get(first[other] as Step)?.id ?? "")),
	);
	const batches = group
		.filter((step) => partsOf(step).length > 1)
		.map((step) => partsOf(step).map((part) => first.indexOf(part)));
	const own = forecasts.unsafe.filter(({ completed }) => completed.some((part) => wholes.has(part)));
	const placesOf = (parts: readonly Step[]): readonly number[] => parts.map((part) => first.indexOf(part));
	const unsafe = own.map(({ completed, open }) => ({
		completed: setOf(placesOf(completed)),
		open: setOf(placesOf(open)),
	}));
	const found = findGroups({ required, rankOf, unsafe }, batches);
	if (found === null) {
		const merged = mergeMoments(own, (part) => wholes.get(part) ?? part);
		const large = [...orderLarge(group, merged)].map(([step, before]) => [step, { before, rank: 0 }] as const);
		return {
			...{ steps: new Map(large), pieces: new Map(), stranded: [], unsearched: group, unsafe: merged },
			...{ denied: 0, wrong: 0 },
		};
	}
	const { groups, order } = found;
	const activities = groups.map((parts) =>
		joinParts(
			parts.flatMap((part) => alike[part] ?? []),
			wholes,
		),
	);
	const all = (some: readonly number[]): readonly Step[] => some.flatMap((one) => activities[one] ?? []);
	const wholeOf = (activity: number): Step | undefined => wholes.get(first[groups[activity]?.[0] ?? 0] as Step);
	const split = Map.groupBy(activities.keys(), (activity) => wholeOf(activity) as Step);
	return {
		steps: new Map(
			activities.flatMap((same, index) =>
				same.map((step) => [step, { before: all(order.before[index] ?? []), rank: order.ranks[index] ?? 0 }] as const),
			),
		),
		pieces: new Map([...split].filter(([step]) => partsOf(step).length > 1).map(([step, some]) => [step, all(some)])),
		stranded: order.stranded.flatMap(({ step, by }) =>
			all([step]).map((one) => ({ step: one, by: by === null ? null : (activities[by]?.[0] ?? null) })),
		),
		unsearched: order.isExact ? [] : activities.flat(),
		denied: countDenied(order),
		wrong: countWrong(order),
		unsafe: mergeMoments(own, (part) => {
			const at = groups.findIndex((some) => some.includes(first.indexOf(part)));
			return activities[at]?.[0] ?? part;
		}),
	};
}

/** Returns the moments of the activities that the parts are in; without those that such activities cannot lead to. */
function mergeMoments(moments: readonly UnsafeMoment[], activityOf: (part: Step) => Step): readonly UnsafeMoment[] {
	const merged = moments.map((one) => ({
		...one,
		completed: [...new Set(one.completed.map(activityOf))],
		open: [...new Set(one.open.map(activityOf))],
	}));
	return merged.filter(({ completed, open }) => !completed.some((step) => open.includes(step)));
}

/** Returns the steps of these parts: one for the parts of one step, the step itself where they are all of it. */
function joinParts(parts: readonly Step[], wholes: ReadonlyMap<Step, Step>): readonly Step[] {
	return [...Map.groupBy(parts, (part) => wholes.get(part) ?? part)].map(([whole, some]) => {
		if (some.includes(whole)) return whole;
		const all = piecesOf(whole);
		const own = all.filter((id) => some.some((part) => piecesOf(part).includes(id)));
		return own.length === all.length ? whole : { ...narrowToPieces(whole, own), id: some[0]?.id ?? whole.id };
	});
}

/**
 * Returns the parts of the steps in lists of those that can stand for each other: nothing depends on them, and they change
 * nothing.
 */
function findAlike(
	group: readonly Step[],
	{ keyOf, partsOf, relevantTo, unsafe }: StepForecasts,
): readonly (readonly Step[])[] {
	const changing = new Set([
		...group.flatMap(partsOf).flatMap(relevantTo),
		...unsafe.flatMap(({ completed, open }) => [...completed, ...open]),
	]);
	const needed = new Set(group.flatMap(({ dependsOn }) => dependsOn));
	const isPlain = (step: Step): boolean =>
		step.dependsOn.length === 0 &&
		!needed.has(step.id) &&
		partsOf(step).every((part) => part === step && !changing.has(part));
	return [
		...Map.groupBy(
			group.flatMap((step) => partsOf(step).map((part) => [part, isPlain(step)] as const)),
			([part, plain]) => (plain ? keyOf(part) : part),
		).values(),
	].map((same) => same.map(([part]) => part));
}

/** Returns the steps in their order, with ids and dependencies by it. */
function renumber(
	steps: readonly Step[],
	ordered: ReadonlyMap<Step, Ordered>,
	stranded: readonly StrandedStep[],
	unsafe: readonly UnsafeMoment[],
): Omit<OrderedSteps, "unsearched" | "denied" | "wrong"> {
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
		unsafe: unsafe.map((one) => ({ ...one, completed: one.completed.map(nowOf), open: one.open.map(nowOf) })),
	};
}

function numberOf(id: string): number {
	return Number(id.slice("step-".length));
}
