/**
 * Groups the objects of a step into activities: as few as let every step run. A step of several objects stays one activity
 * where a split avoids no denial.
 */
import { type StepSet, setOf, stepsIn } from "./partial-order.ts";
import { denied, type FoundOrder, type OrderProblem, States, searchOrders } from "./search.ts";

/** The parts that each activity is made of. */
type Grouping = readonly (readonly number[])[];

interface FoundGroups {
	readonly groups: Grouping;
	/** The order of these activities. */
	readonly order: FoundOrder;
}

/** Max parts of which every grouping is tried. Unverified, chosen: one more doubles the work. */
const maxGrouped = 12;

/** Max parts that are ordered at all: each of them is judged in many states. */
const maxOrdered = 24;

/**
 * Returns the activities and their order; null where there are too many to order them. `problem` is about parts, `batches` are
 * the parts of each step that can be split. Parts of one batch are forecast alike.
 */
export function findGroups(problem: OrderProblem, batches: Grouping): FoundGroups | null {
	const parts = [...problem.required.keys()];
	const whole = sortGroups([
		...parts.filter((part) => !batches.flat().includes(part)).map((part) => [part]),
		...batches,
	]);
	if (whole.length > maxOrdered) return null;
	const order = searchOrders(merge(problem, whole));
	if (batches.length === 0 || countWrong(order) === 0) return { groups: whole, order };
	if (parts.length > maxGrouped) {
		const found = parts.length > maxOrdered ? null : joinParts(problem, batches, countWrong(order));
		return { groups: found ?? whole, order: { ...searchOrders(merge(problem, found ?? whole)), isExact: false } };
	}
	const states = new States(problem, true);
	const wholes = whole.map(setOf);
	const groups = states.findSequence((ready) => wholes.flatMap((one) => subsetsOf(one & ready))).map(stepsIn);
	// Whether a part need not be denied, however the others are grouped.
	const isPossible = (part: number): boolean => states.goals[part] !== denied;
	return { groups: sortGroups(groups), order: searchOrders(merge(problem, sortGroups(groups), isPossible)) };
}

const sortGroups = (groups: Grouping): Grouping => groups.toSorted(([one = 0], [other = 0]) => one - other);

/** Returns the problem with an activity for each group. */
function merge(
	{ required, rankOf, unsafe = [] }: OrderProblem,
	groups: Grouping,
	isPossible?: (part: number) => boolean,
): OrderProblem {
	const groupOf = required.map((_, part) => groups.findIndex((group) => group.includes(part)));
	const groupsIn = (parts: StepSet): StepSet => setOf(stepsIn(parts).map((part) => groupOf[part] ?? 0));
	const merged = unsafe.map(({ completed, open }) => ({ completed: groupsIn(completed), open: groupsIn(open) }));
	return {
		required: groups.map((group) => [
			...new Set(group.flatMap((part) => required[part] ?? []).map((part) => groupOf[part] ?? 0)),
		]),
		rankOf: (step, isCompleted) => rankOf(groups[step]?.[0] ?? 0, (part) => isCompleted(groupOf[part] ?? 0)),
		// Parts of one activity complete together.
		unsafe: merged.filter(({ completed, open }) => (completed & open) === 0),
		...(isPossible === undefined ? {} : { isPossible: (step: number) => groups[step]?.some(isPossible) === true }),
	};
}

/** Returns how many activities are denied. */
export function countDenied({ ranks, stranded }: FoundOrder): number {
	return ranks.filter((rank, step) => rank === denied || stranded.some((one) => one.step === step)).length;
}

/** Returns how much is wrong with the order: activities that are denied, and states to avoid. */
export function countWrong(order: FoundOrder): number {
	return countDenied(order) + order.unsafe;
}

/** Returns the subsets, the set itself first, without the empty one. */
function subsetsOf(set: number): readonly number[] {
	const subsets: number[] = [];
	for (let subset = set; subset > 0; subset = (subset - 1) & set) subsets.push(subset);
	return subsets;
}

/** Returns a grouping of which fewer activities are denied than these; null where none was found. */
function joinParts(problem: OrderProblem, batches: Grouping, count: number): Grouping | null {
	const fine = searchOrders(problem);
	const least = countWrong(fine);
	if (least >= count) return null;
	const placeOf = (part: number): number => fine.before[part]?.length ?? 0;
	let groups: Grouping = problem.required.map((_, part) => [part]);
	for (const batch of batches) {
		const [first = 0, ...others] = [...batch].sort((one, other) => placeOf(one) - placeOf(other) || one - other);
		let last = [first];
		for (const part of others) {
			const joined = [...last, part].sort((one, other) => one - other);
			const merged = [...groups.filter((group) => !group.some((one) => joined.includes(one))), joined];
			const isGood = countWrong(searchOrders(merge(problem, merged))) <= least;
			if (isGood) groups = merged;
			last = isGood ? joined : [part];
		}
	}
	return sortGroups(groups);
}
