/** Orders more steps than can be searched: takes at each moment the step that does least harm, and checks the result. */
import { denied, type FoundOrder, findCause, type OrderProblem, unknown } from "./search.ts";

type Sets = readonly ReadonlySet<number>[];

/** Returns an order in which no step is denied that need not be, as far as one was found. */
export function orderGreedily({ required, rankOf: judge }: OrderProblem): FoundOrder {
	const rankOf = (step: number, completed: ReadonlySet<number>): number => judge(step, (other) => completed.has(other));
	const closed = closeSets(required.map((before) => new Set(before)));
	const allowing = [...closed.keys()].map((step) => statesOf(step, closed).find((set) => rankOf(step, set) < denied));
	const countDenied = (order: readonly number[]): number =>
		order.filter(
			(step, index) => allowing[step] !== undefined && rankOf(step, new Set(order.slice(0, index))) === denied,
		).length;
	const sequence = improve(findSequence(closed, rankOf, allowing), closed, countDenied);
	const prefixOf = (step: number): readonly number[] => sequence.slice(0, sequence.indexOf(step));
	const worst = closed.map((before, step) => {
		const [first, then] = [rankOf(step, before), rankOf(step, new Set(prefixOf(step)))];
		return Math.max(first === denied && then < denied ? unknown : first, then);
	});
	const rankAfter = (step: number) => (completed: readonly number[]) => rankOf(step, new Set(completed));
	const stranded = sequence
		.filter((step) => worst[step] === denied && allowing[step] !== undefined)
		.map((step) => ({ step, by: findCause(step, sequence, rankAfter(step)) }));
	const loose = closeSets(
		closed.map((before, step) => {
			const prefix = new Set(prefixOf(step));
			const rank = worst[step] ?? denied;
			const needed = [...prefix].filter((one) => rankOf(step, without(prefix, one, closed)) > rank);
			const breaks = (later: number, earlier: number): boolean =>
				[new Set(prefixOf(earlier)), closed[earlier] ?? prefix].some(
					(set) => rankOf(earlier, new Set([...set, ...(closed[later] ?? []), later])) > (worst[earlier] ?? denied),
				);
			return new Set([...before, ...needed, ...[...prefix].filter((earlier) => breaks(step, earlier))]);
		}),
	);
	const isGood = loose.every((_, step) =>
		statesOf(step, loose).every((set) => rankOf(step, set) <= (worst[step] ?? denied)),
	);
	// One after the other: then the states of the sequence are all that can be reached.
	const relation = isGood ? loose : closed.map((_, step) => new Set(prefixOf(step)));
	return {
		before: relation.map((before) => [...before].sort((one, other) => one - other)),
		ranks: relation.map((before, step) => rankOf(step, before)),
		stranded,
		isExact: false,
	};
}

/** `allowing`: by step, a state in which it is not denied; undefined where none was found. */
function findSequence(
	required: Sets,
	rankOf: (step: number, completed: ReadonlySet<number>) => number,
	allowing: readonly (ReadonlySet<number> | undefined)[],
): readonly number[] {
	const sequence: number[] = [];
	const left = new Set(required.keys());
	/** By step, those that are denied after it. */
	const denies = [...required.keys()].map(
		(step) =>
			new Set(
				[...required.keys()].filter((other) => {
					const set = allowing[other];
					if (set === undefined || other === step || set.has(step)) return false;
					return rankOf(other, new Set([...set, ...(required[step] ?? []), step])) === denied;
				}),
			),
	);
	while (left.size > 0) {
		const completed = new Set(sequence);
		const ready = [...left].filter((step) => [...(required[step] ?? [])].every((one) => completed.has(one)));
		const ranked = ready.map((step) => {
			const after = new Set([...completed, step]);
			const others = [...left].filter((one) => one !== step);
			const harmed = others.filter((one) => denies[step]?.has(one)).length;
			const worsened = others.reduce((sum, one) => sum + Math.max(rankOf(one, after) - rankOf(one, completed), 0), 0);
			const rank = rankOf(step, completed);
			return { step, key: [rank === denied ? 1 : 0, harmed, worsened, rank, step] };
		});
		const [best] = ranked.sort((one, other) => compareLists(one.key, other.key));
		if (best === undefined) throw new RangeError("a step comes before itself");
		sequence.push(best.step);
		left.delete(best.step);
	}
	return sequence;
}

/** Returns the sequence with steps moved one at a time, as long as that denies fewer. */
function improve(
	sequence: readonly number[],
	required: Sets,
	countDenied: (order: readonly number[]) => number,
): readonly number[] {
	const count = countDenied(sequence);
	if (count === 0) return sequence;
	const isOrder = (order: readonly number[]): boolean =>
		order.every((step, index) => order.slice(index).every((later) => required[step]?.has(later) !== true));
	for (const step of sequence) {
		const others = sequence.filter((one) => one !== step);
		for (const at of sequence.keys()) {
			const moved = others.toSpliced(at, 0, step);
			if (isOrder(moved) && countDenied(moved) < count) return improve(moved, required, countDenied);
		}
	}
	return sequence;
}

function compareLists(one: readonly number[], other: readonly number[]): number {
	const at = one.findIndex((value, index) => value !== other[index]);
	return (one[at] ?? 0) - (other[at] ?? 0);
}

/** Returns the sets with everything that follows from them. */
function closeSets(sets: Sets): Sets {
	const closed = sets.map((set) => new Set(set));
	for (const [middle, further] of closed.entries()) {
		for (const set of closed.filter((one) => one.has(middle))) for (const one of further) set.add(one);
	}
	return closed;
}

/** Returns the set without this step and those that come after it. */
function without(set: ReadonlySet<number>, step: number, relation: Sets): ReadonlySet<number> {
	return new Set([...set].filter((one) => one !== step && relation[one]?.has(step) !== true));
}

/** Returns the states in which a step is judged: as few and as many completed as can be, and each other step more or less. */
function statesOf(step: number, relation: Sets): readonly ReadonlySet<number>[] {
	const least = relation[step] ?? new Set<number>();
	const most = without(new Set(relation.keys()), step, relation);
	const concurrent = [...most].filter((one) => !least.has(one));
	return [
		least,
		most,
		...concurrent.map((one) => new Set([...least, ...(relation[one] ?? []), one])),
		...concurrent.map((one) => without(most, one, relation)),
	];
}
