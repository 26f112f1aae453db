/**
 * The smallest ways to meet several thresholds, counted by classes: members of a class belong to the same sets, so only their
 * number matters. One of 100 users out of 10 classes is 10 ways, not 100 sets.
 */
import { TooComplex } from "./formula.ts";
import type { Work } from "./work.ts";

/** Votes that belong to the same sets, of users that no set distinguishes. */
export interface VoteClass {
	/** Index of the class of users who own these votes: together they give at most `capacities[users]` votes. */
	readonly users: number;
	/** Whether each threshold counts these votes. */
	readonly counts: readonly boolean[];
}

interface VectorProblem {
	/** How many votes each threshold needs. */
	readonly needs: readonly number[];
	readonly classes: readonly VoteClass[];
	/** How many users each class of users has. */
	readonly capacities: readonly number[];
	readonly work: Work;
}

/** Max partial ways at a time. More than organizations need, and quick to try. */
const maxVectors = 4_000;

/** Returns how many votes of each class to take: all smallest ways, each once. Throws TooComplex where there are too many. */
export function findSmallestVectors(problem: VectorProblem): readonly (readonly number[])[] {
	let partial = new Map<string, readonly number[]>();
	const start = problem.classes.map(() => 0);
	partial.set(start.join(), start);
	for (const [index, need] of problem.needs.entries()) {
		partial = growAll(problem, [...partial.values()], index, need);
	}
	return [...partial.values()].filter((vector) => isSmallest(problem, vector));
}

function growAll(
	problem: VectorProblem,
	vectors: readonly (readonly number[])[],
	index: number,
	need: number,
): Map<string, readonly number[]> {
	const grown = new Map<string, readonly number[]>();
	for (const vector of vectors) {
		problem.work.spend(1);
		const missing = need - countFor(problem, vector, index);
		for (const next of missing <= 0 ? [vector] : growVector(problem, vector, index, missing)) {
			problem.work.spend(2);
			grown.set(next.join(), next);
			if (grown.size > maxVectors) throw new TooComplex("smallest-sets");
		}
	}
	return grown;
}

const countFor = ({ classes }: VectorProblem, vector: readonly number[], need: number): number =>
	classes.reduce((sum, { counts }, index) => (counts[need] ? sum + (vector[index] ?? 0) : sum), 0);

function* growVector(
	problem: VectorProblem,
	vector: readonly number[],
	need: number,
	missing: number,
): Generator<readonly number[]> {
	const usable = problem.classes.flatMap(({ counts }, index) => (counts[need] ? [index] : []));
	const free = problem.capacities.map((capacity) => capacity);
	for (const [index, { users }] of problem.classes.entries()) {
		free[users] = (free[users] ?? 0) - (vector[index] ?? 0);
	}
	const current = [...vector];
	function* place(position: number, left: number): Generator<readonly number[]> {
		problem.work.spend(1);
		if (left === 0) {
			yield [...current];
			return;
		}
		const index = usable[position];
		if (index === undefined) return;
		const users = problem.classes[index]?.users ?? 0;
		const most = Math.min(left, free[users] ?? 0);
		for (let taken = most; taken >= 0; taken -= 1) {
			current[index] = (current[index] ?? 0) + taken;
			free[users] = (free[users] ?? 0) - taken;
			yield* place(position + 1, left - taken);
			current[index] = (current[index] ?? 0) - taken;
			free[users] = (free[users] ?? 0) + taken;
		}
	}
	yield* place(0, missing);
}

/** Returns whether every vote is needed: without it some threshold is not met. */
function isSmallest(problem: VectorProblem, vector: readonly number[]): boolean {
	const tight = problem.needs.map((need, index) => countFor(problem, vector, index) === need);
	return problem.classes.every(
		({ counts }, index) => vector[index] === 0 || counts.some((counted, need) => counted && tight[need]),
	);
}

/** Returns the vectors that are not more than another one in every class. */
export function keepSmallest(vectors: readonly (readonly number[])[], work: Work): readonly (readonly number[])[] {
	const bySize = vectors
		.map((vector) => ({ vector, size: vector.reduce((sum, count) => sum + count, 0) }))
		.sort((one, other) => one.size - other.size);
	const kept: (readonly number[])[] = [];
	for (const { vector } of bySize) {
		work.spend(1 + kept.length);
		if (!kept.some((other) => other.every((count, index) => count <= (vector[index] ?? 0)))) kept.push(vector);
		if (kept.length > 1_000) throw new TooComplex("smallest-sets");
	}
	return kept;
}
