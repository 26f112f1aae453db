/**
 * Groups the objects of a step into activities: as few as let every step run. A step of several objects stays one activity
 * where a split avoids no denial.
 */
import { orderGreedily } from "./greedy.ts";
import { closedSets, closeRelation, has, isReady, setOf, stepsIn } from "./partial-order.ts";
import { denied, type FoundOrder, type OrderProblem, searchOrders } from "./search.ts";

/** The parts that each activity is made of. */
type Grouping = readonly (readonly number[])[];

interface FoundGroups {
	readonly groups: Grouping;
	/** The order of these activities. */
	readonly order: FoundOrder;
}

/** Max parts of which every grouping and order is looked at. */
const maxSearched = 8;

/** Max parts that are ordered at all: each of them is judged in many states. */
const maxOrdered = 24;

/**
 * Returns the activities and their order; null where there are too many to order them. `problem` is about parts, `batches` are
 * the parts of each step that can be split. Parts of one batch are forecast alike.
 */
export function findGroups(problem: OrderProblem, batches: Grouping): FoundGroups | null {
	const parts = [...problem.required.keys()];
	const whole = [...parts.filter((part) => !batches.flat().includes(part)).map((part) => [part]), ...batches].sort(
		([one = 0], [other = 0]) => one - other,
	);
	if (whole.length > maxOrdered) return null;
	const order = orderGroups(problem, whole);
	if (batches.length === 0 || countDenied(order) === 0) return { groups: whole, order };
	if (parts.length <= maxSearched) {
		const isPossible = findPossible(problem);
		const groups = searchGroups(problem, batches, isPossible);
		return { groups, order: searchOrders(merge(problem, groups, isPossible)) };
	}
	const found = parts.length > maxOrdered ? null : splitGreedily(problem, batches, countDenied(order));
	return { groups: found ?? whole, order: { ...orderGroups(problem, found ?? whole), isExact: false } };
}

function orderGroups(problem: OrderProblem, groups: Grouping): FoundOrder {
	const merged = merge(problem, groups);
	return groups.length <= maxSearched ? searchOrders(merged) : orderGreedily(merged);
}

/** Returns the problem with an activity for each group. */
function merge(
	{ required, rankOf }: OrderProblem,
	groups: Grouping,
	isPossible?: (part: number) => boolean,
): OrderProblem {
	const groupOf = required.map((_, part) => groups.findIndex((group) => group.includes(part)));
	return {
		required: groups.map((group) => [
			...new Set(group.flatMap((part) => required[part] ?? []).map((part) => groupOf[part] ?? 0)),
		]),
		rankOf: (step, isCompleted) => rankOf(groups[step]?.[0] ?? 0, (part) => isCompleted(groupOf[part] ?? 0)),
		...(isPossible === undefined ? {} : { isPossible: (step: number) => groups[step]?.some(isPossible) === true }),
	};
}

function countDenied({ ranks, stranded }: FoundOrder): number {
	return ranks.filter((rank, step) => rank === denied || stranded.some((one) => one.step === step)).length;
}

/** Returns whether a part need not be denied, however the others are grouped. */
function findPossible({ required, rankOf }: OrderProblem): (part: number) => boolean {
	const closed = closeRelation(required.map(setOf));
	const sets = closedSets(closed);
	return (part) => sets.some((set) => isReady(part, set, closed) && rankOf(part, (other) => has(set, other)) < denied);
}

/** How bad a plan is: activities denied that need not be, then how many there are, then how much worse some become. */
type Cost = readonly [stranded: number, activities: number, worsened: number];

/** Returns the grouping of least cost, by a search through all sequences of activities. */
function searchGroups(
	{ required, rankOf: judge }: OrderProblem,
	batches: Grouping,
	isPossible: (part: number) => boolean,
): Grouping {
	const closed = closeRelation(required.map(setOf));
	const rankOf = (part: number, completed: number): number => judge(part, (other) => has(completed, other));
	const goals = closed.map((before, part) => rankOf(part, before));
	const possible = goals.map((_, part) => isPossible(part));
	const costOf = (activity: number, completed: number): Cost => {
		const parts = stepsIn(activity);
		const rank = rankOf(parts[0] ?? 0, completed);
		if (rank === denied) return [parts.some((part) => possible[part]) ? 1 : 0, 1, 0];
		return [0, 1, Math.max(rank - (goals[parts[0] ?? 0] ?? denied), 0)];
	};
	const whole = required.map((_, part) => setOf(batches.find((batch) => batch.includes(part)) ?? [part]));
	/** By set of completed parts: the least cost of the others, and the activity that comes next. */
	const least = new Map<number, { readonly cost: Cost; readonly next: number }>();
	for (const completed of closedSets(closed).toReversed()) {
		const ready = [...required.keys()].filter((part) => isReady(part, completed, closed));
		const open = new Set(ready.map((part) => (whole[part] ?? 0) & setOf(ready)));
		const [best] = [...open]
			.flatMap(subsetsOf)
			.map((next) => ({ cost: addCosts(costOf(next, completed), least.get(completed | next)?.cost), next }))
			.sort((one, other) => compareCosts(one.cost, other.cost));
		if (best !== undefined) least.set(completed, best);
	}
	const groups: (readonly number[])[] = [];
	for (let [best, completed] = [least.get(0), 0]; best !== undefined; best = least.get(completed)) {
		groups.push(stepsIn(best.next));
		completed |= best.next;
	}
	return groups.sort(([one = 0], [other = 0]) => one - other);
}

/** Returns the subsets, the set itself first, without the empty one. */
function subsetsOf(set: number): readonly number[] {
	const subsets: number[] = [];
	for (let subset = set; subset > 0; subset = (subset - 1) & set) subsets.push(subset);
	return subsets;
}

function addCosts(one: Cost, other: Cost = [0, 0, 0]): Cost {
	return [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
}

function compareCosts(one: Cost, other: Cost): number {
	return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** Returns a grouping of which fewer activities are denied than these; null where none was found. */
function splitGreedily(problem: OrderProblem, batches: Grouping, count: number): Grouping | null {
	const fine = orderGreedily(problem);
	const least = countDenied(fine);
	if (least >= count) return null;
	const placeOf = (part: number): number => fine.before[part]?.length ?? 0;
	let groups: Grouping = problem.required.map((_, part) => [part]);
	for (const batch of batches) {
		const [first = 0, ...others] = [...batch].sort((one, other) => placeOf(one) - placeOf(other) || one - other);
		let last = [first];
		for (const part of others) {
			const joined = [...last, part].sort((one, other) => one - other);
			const merged = [...groups.filter((group) => !group.some((one) => joined.includes(one))), joined];
			const isGood = countDenied(orderGroups(problem, merged)) <= least;
			if (isGood) groups = merged;
			last = isGood ? joined : [part];
		}
	}
	return groups.toSorted(([one = 0], [other = 0]) => one - other);
}
