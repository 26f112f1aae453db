/**
 * Finds in which order steps are submitted, so that no step is denied because another one completed before it. Steps that do
 * not depend on each other run at once, and each of them can wait or fail: what has completed can be every set of steps that
 * is closed under the dependencies. So an order that matters is a dependency.
 */
import {
	closedSets,
	closeRelation,
	coverPairs,
	has,
	isReady,
	type Relation,
	setOf,
	stepsIn,
	withoutPair,
} from "./partial-order.ts";

/** What becomes of a step, from best to worst. */
export const ranks = ["runs", "pending", "unknown", "denied"] as const;
export const [unknown, denied] = [2, 3] as const;

export interface OrderProblem {
	/** By step, those that must have completed before it, for references and names. */
	readonly required: readonly (readonly number[])[];
	/** Returns what becomes of the step when it is submitted after these have completed: an index of `ranks`. */
	readonly rankOf: (step: number, isCompleted: (other: number) => boolean) => number;
	/** Whether a step need not be denied; left out: found by what the steps lead to. */
	readonly isPossible?: (step: number) => boolean;
}

export interface FoundOrder {
	/** By step, all that must have completed before it: what is required, and what keeps steps from being denied. */
	readonly before: readonly (readonly number[])[];
	/** By step, what becomes of it in the best of the orders that these dependencies leave open. */
	readonly ranks: readonly number[];
	/** Steps that are denied here, and need not be in another order. */
	readonly stranded: readonly Stranded[];
	/** Whether every set of steps that can have completed was looked at, and no other order strands fewer. */
	readonly isExact: boolean;
}

export interface Stranded {
	readonly step: number;
	/** The step after which it is denied; null where it is denied from the first. */
	readonly by: number | null;
}

/** By step and set of completed steps. */
type RankOf = (step: number, completed: number) => number;

/** Returns the best order, by a search through all of them. Each step more doubles the work. */
export function searchOrders({ required, rankOf: judge, isPossible }: OrderProblem): FoundOrder {
	const rankOf = remember((step, completed) => judge(step, (other) => has(completed, other)), required.length);
	const closed = closeRelation(required.map(setOf));
	const sets = closedSets(closed);
	const goals = closed.map((before, step) => {
		const first = rankOf(step, before);
		if (first < denied) return first;
		const isAllowed = (set: number): boolean => isReady(step, set, closed) && rankOf(step, set) < denied;
		return (isPossible?.(step) ?? sets.some(isAllowed)) ? unknown : denied;
	});
	const sequence = findSequence(closed, goals, rankOf);
	const worst = goals.map((goal, step) =>
		Math.max(goal, rankOf(step, setOf(sequence.slice(0, sequence.indexOf(step))))),
	);
	const relation = weaken(sequence, closed, (one) => isKept(one, worst, rankOf));
	const stranded = sequence
		.filter((step) => worst[step] === denied && goals[step] !== denied)
		.map((step) => ({ step, by: findCause(step, sequence, (completed) => rankOf(step, setOf(completed))) }));
	return {
		before: relation.map(stepsIn),
		ranks: relation.map((before, step) => rankOf(step, before)),
		stranded,
		isExact: true,
	};
}

function remember(rankOf: RankOf, count: number): RankOf {
	const known: (number | undefined)[] = [];
	return (step, completed) => {
		const key = completed * count + step;
		const rank = known[key] ?? rankOf(step, completed);
		known[key] = rank;
		return rank;
	};
}

/** How bad an order is: steps denied that need not be, then how much worse others become than when submitted first. */
type Cost = readonly [stranded: number, worsened: number];

function costOf(rank: number, goal: number, rest: Cost): Cost {
	if (rank <= goal) return rest;
	return rank === denied ? [rest[0] + 1, rest[1]] : [rest[0], rest[1] + rank - goal];
}

function compareCosts(one: Cost, other: Cost): number {
	return one[0] - other[0] || one[1] - other[1];
}

/** Returns the sequence of least cost; of several the one that submits first what runs, then by number. */
function findSequence(required: Relation, goals: readonly number[], rankOf: RankOf): readonly number[] {
	const all = 2 ** required.length - 1;
	/** By set of completed steps: the least cost of the others. */
	const least = new Map<number, Cost>([[all, [0, 0]]]);
	const costAfter = (step: number, completed: number): Cost =>
		costOf(rankOf(step, completed), goals[step] ?? denied, least.get(completed | (1 << step)) ?? [0, 0]);
	const readyAfter = (completed: number): readonly number[] =>
		[...required.keys()].filter((step) => isReady(step, completed, required));
	for (const completed of closedSets(required).toReversed()) {
		const [best] = readyAfter(completed)
			.map((step) => costAfter(step, completed))
			.sort(compareCosts);
		if (best !== undefined) least.set(completed, best);
	}
	const sequence: number[] = [];
	for (let step: number | undefined; sequence.length < required.length; sequence.push(step)) {
		const completed = setOf(sequence);
		const best = least.get(completed) ?? [0, 0];
		[step = 0] = readyAfter(completed)
			.filter((one) => compareCosts(costAfter(one, completed), best) === 0)
			.sort((one, other) => rankOf(one, completed) - rankOf(other, completed) || one - other);
	}
	return sequence;
}

/** Whether no step is worse than stated in any state that can be reached. */
function isKept(relation: Relation, worst: readonly number[], rankOf: RankOf): boolean {
	return closedSets(relation).every((set) =>
		worst.every((rank, step) => !isReady(step, set, relation) || rankOf(step, set) <= rank),
	);
}

/** Returns the order of the sequence without the dependencies that nothing needs. */
function weaken(sequence: readonly number[], required: Relation, isGood: (one: Relation) => boolean): Relation {
	let relation: Relation = required.map((_, step) => setOf(sequence.slice(0, sequence.indexOf(step))));
	for (let weaker: Relation | undefined = relation; weaker !== undefined; relation = weaker ?? relation) {
		weaker = coverPairs(relation)
			.filter(([before, step]) => !has(required[step] ?? 0, before))
			.map((pair) => withoutPair(relation, pair))
			.find(isGood);
	}
	return relation;
}

/** Returns the step of the sequence after which this one is denied. */
export function findCause(
	step: number,
	sequence: readonly number[],
	rankAfter: (completed: readonly number[]) => number,
): number | null {
	const before = sequence.slice(0, sequence.indexOf(step));
	const last = before.findLastIndex((_, index) => rankAfter(before.slice(0, index)) < denied);
	return before[last] ?? null;
}
