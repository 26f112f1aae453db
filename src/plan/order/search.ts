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
	type StepSet,
	setOf,
	stepsIn,
	withoutPair,
	withoutStep,
} from "./partial-order.ts";

/** What becomes of a step, from best to worst. */
export const ranks = ["runs", "pending", "unknown", "denied"] as const;
const unknown = 2;
export const denied = 3;

export interface OrderProblem {
	/** By step, those that must have completed before it, for references and names. */
	readonly required: readonly (readonly number[])[];
	/** Returns what becomes of the step when it is submitted after these have completed: an index of `ranks`. */
	readonly rankOf: (step: number, isCompleted: (other: number) => boolean) => number;
	/** States to avoid. */
	readonly unsafe?: readonly UnsafeSet[];
	/** Whether a step need not be denied; left out: found by what the steps lead to. */
	readonly isPossible?: (step: number) => boolean;
}

/** Every state in which these steps have completed and the open ones have not. */
export interface UnsafeSet {
	readonly completed: StepSet;
	readonly open: StepSet;
}

export interface FoundOrder {
	/** By step, all that must have completed before it: what is required, and what keeps steps from being denied. */
	readonly before: readonly (readonly number[])[];
	/** By step, what becomes of it in the best of the orders that these dependencies leave open. */
	readonly ranks: readonly number[];
	/** Steps that are denied here, and need not be in another order. */
	readonly stranded: readonly Stranded[];
	/** How many of the states to avoid can still be reached. */
	readonly unsafe: number;
	/** Whether every set of steps that can have completed was looked at, and no other order strands fewer. */
	readonly isExact: boolean;
}

export interface Stranded {
	readonly step: number;
	/** The step after which it is denied; null where it is denied from the first. */
	readonly by: number | null;
}

/** Max steps of which every order is looked at: each step more doubles the work. */
const maxSearched = 8;

/** How many beginnings of an order are followed where there are more steps. */
const maxBeginnings = 4;

/** Returns the best order; one that was found step by step where there are more than `max` steps. */
export function searchOrders(problem: OrderProblem, max = maxSearched): FoundOrder {
	const states = new States(problem, problem.required.length <= max);
	const { closed, isExact } = states;
	const sequence = states.findSequence((ready) => stepsIn(ready).map((step) => 1 << step)).flatMap(stepsIn);
	const prefixOf = (step: number): StepSet => setOf(sequence.slice(0, sequence.indexOf(step)));
	const worst = closed.map((before, step) =>
		Math.max(states.rankOf(step, prefixOf(step)), Math.min(states.rankOf(step, before), unknown)),
	);
	const chain = closed.map((_, step) => prefixOf(step));
	const { unsafe = [] } = problem;
	const avoided = unsafe.filter((one) => !canReach(one, chain));
	const isKept = (relation: Relation, steps: readonly number[]): boolean =>
		!avoided.some((one) => canReach(one, relation)) &&
		steps.every((step) =>
			states.statesOf(step, relation).every((set) => states.rankOf(step, set) <= (worst[step] ?? denied)),
		);
	const all = [...closed.keys()];
	const loose = weaken(chain, closed, (relation, pair) => isKept(relation, isExact ? all : pair));
	// One after the other: then the states of the sequence are all that can be reached.
	const relation = isKept(loose, all) ? loose : chain;
	const isAllowedAt = (step: number) => (_: number, index: number) =>
		states.rankOf(step, setOf(sequence.slice(0, index))) < denied;
	return {
		before: relation.map(stepsIn),
		ranks: relation.map((before, step) => states.rankOf(step, before)),
		stranded: sequence
			.filter((step) => worst[step] === denied && states.isPossible(step))
			.map((step) => {
				const before = sequence.slice(0, sequence.indexOf(step));
				return { step, by: before[before.findLastIndex(isAllowedAt(step))] ?? null };
			}),
		unsafe: unsafe.length - avoided.length,
		isExact,
	};
}

/** How bad a beginning is: what is denied and need not be, states to avoid, how many activities, how much worse others become; then its activities with their ranks. */
type Beginning = readonly [stranded: number, unsafe: number, activities: number, worsened: number, ...trail: number[]];

/** The states that steps lead to, and what becomes of each step there. */
export class States {
	/** By step, all that must have completed before it. */
	readonly closed: Relation;
	/** By step, the best that can become of it: what becomes of it when it is submitted first, or unknown where that need not be denied. */
	readonly goals: readonly number[];
	/** Whether all states are looked at. */
	readonly isExact: boolean;
	readonly #problem: OrderProblem;
	readonly #ranks = new Map<number, number>();
	/** Steps that are not denied in a state that was looked at. */
	readonly #allowed = new Set<number>();

	constructor(problem: OrderProblem, isExact: boolean) {
		this.closed = closeRelation(problem.required.map(setOf));
		this.isExact = isExact;
		this.#problem = problem;
		this.goals = this.closed.map((before, step) => {
			const first = this.rankOf(step, before);
			if (first < denied) return first;
			return !isExact || this.isPossible(step) ? unknown : denied;
		});
	}

	rankOf(step: number, completed: StepSet): number {
		const key = completed * this.closed.length + step;
		const rank = this.#ranks.get(key) ?? this.#problem.rankOf(step, (other) => has(completed, other));
		this.#ranks.set(key, rank);
		if (rank < denied) this.#allowed.add(step);
		return rank;
	}

	/** Whether the step need not be denied, as far as states are looked at. */
	isPossible(step: number): boolean {
		const isFound = (): boolean => this.statesOf(step).some((set) => this.rankOf(step, set) < denied);
		return this.#problem.isPossible?.(step) ?? (this.#allowed.has(step) || isFound());
	}

	/** Returns the states in which a step is judged: all; or as few and as many completed as can be, and each other step more or less. */
	statesOf(step: number, relation: Relation = this.closed): readonly StepSet[] {
		if (this.isExact) return closedSets(relation).filter((set) => isReady(step, set, relation));
		const least = relation[step] ?? 0;
		const most = withoutStep(2 ** relation.length - 1, step, relation);
		const more = (one: number): StepSet => least | (relation[one] ?? 0) | (1 << one);
		return [
			...[least, most],
			...stepsIn(most & ~least).flatMap((one) => [more(one), withoutStep(most, one, relation)]),
		];
	}

	/**
	 * Returns the sequence of activities of least cost; of several the one that submits first what runs, then by number. Each
	 * activity is a set of steps that are forecast alike. `activitiesIn`: those of steps that are ready.
	 */
	findSequence(activitiesIn: (ready: StepSet) => readonly StepSet[]): readonly StepSet[] {
		const steps = [...this.closed.keys()];
		const layers = [
			new Map<StepSet, Beginning>([[0, [0, 0, 0, 0]]]),
			...steps.map(() => new Map<StepSet, Beginning>()),
		];
		for (const layer of layers.slice(0, -1)) {
			const made = this.#best(layer).flatMap(([completed, beginning]) => {
				const ready = setOf(steps.filter((step) => isReady(step, completed, this.closed)));
				return activitiesIn(ready).map((activity) => {
					return [completed | activity, this.#continue(beginning, activity, completed)] as const;
				});
			});
			for (const [completed, beginning] of made) {
				const later = layers[stepsIn(completed).length];
				const known = later?.get(completed);
				if (known === undefined || compareLists(beginning, known) < 0) later?.set(completed, beginning);
			}
		}
		const [, , , , ...trail] = layers.at(-1)?.get(2 ** steps.length - 1) ?? [0, 0, 0, 0];
		return trail.filter((_, index) => index % 2 === 1);
	}

	#continue(beginning: Beginning, activity: StepSet, completed: StepSet): Beginning {
		const [stranded, unsafe, activities, worsened, ...trail] = beginning;
		const steps = stepsIn(activity);
		const goal = Math.min(...steps.map((step) => this.goals[step] ?? denied));
		const rank = this.rankOf(steps[0] ?? 0, completed);
		const isStranded = rank === denied && goal < denied;
		const isWorse = rank > goal && !isStranded;
		return [
			...([stranded + (isStranded ? 1 : 0), unsafe + this.#countUnsafe(completed | activity)] as const),
			...([activities + 1, worsened + (isWorse ? rank - goal : 0)] as const),
			...[...trail, rank, activity],
		];
	}

	#countUnsafe(set: StepSet): number {
		const { unsafe = [] } = this.#problem;
		return unsafe.filter(({ completed, open }) => (completed & ~set) === 0 && (open & set) === 0).length;
	}

	/** Returns the beginnings to follow: all, or those after which the fewest steps are denied. */
	#best(layer: ReadonlyMap<StepSet, Beginning>): readonly (readonly [StepSet, Beginning])[] {
		if (this.isExact) return [...layer];
		return [...layer]
			.map(([completed, beginning]) => {
				const [stranded, ...rest] = beginning;
				const isLost = (goal: number, step: number): boolean =>
					goal < denied && !has(completed, step) && this.rankOf(step, completed | (this.closed[step] ?? 0)) === denied;
				return { order: [stranded + this.goals.filter(isLost).length, ...rest], one: [completed, beginning] as const };
			})
			.sort((one, other) => compareLists(one.order, other.order))
			.slice(0, maxBeginnings)
			.map(({ one }) => one);
	}
}

function compareLists(one: readonly number[], other: readonly number[]): number {
	const at = one.findIndex((value, index) => value !== other[index]);
	return (one[at] ?? 0) - (other[at] ?? 0);
}

/** Whether these steps can have completed while the open ones have not. */
function canReach({ completed, open }: UnsafeSet, relation: Relation): boolean {
	return stepsIn(completed).every((step) => ((relation[step] ?? 0) & open) === 0);
}

/** Returns the order of the chain without the dependencies that nothing needs. */
function weaken(
	chain: Relation,
	required: Relation,
	isGood: (one: Relation, pair: readonly [number, number]) => boolean,
): Relation {
	let relation = chain;
	const needed = new Set<string>();
	const openIn = (one: Relation): readonly (readonly [number, number])[] =>
		coverPairs(one).filter((pair) => !has(required[pair[1]] ?? 0, pair[0]) && !needed.has(pair.join()));
	let open = openIn(chain);
	for (let [pair] = open; pair !== undefined; [pair] = open) {
		const weaker = withoutPair(relation, pair);
		const isWeaker = isGood(weaker, pair);
		if (isWeaker) relation = weaker;
		// What a weaker order needs, the one before it needed too.
		else needed.add(pair.join());
		open = isWeaker ? openIn(relation) : open.slice(1);
	}
	return relation;
}
