/** Partial orders of few steps, as bits: for each step, the set of those that come before it, transitively. */

export type StepSet = number;

/** By step: those that must have completed before it. */
export type Relation = readonly StepSet[];

export function has(set: StepSet, step: number): boolean {
	return (set & (1 << step)) !== 0;
}

export function stepsIn(set: StepSet): readonly number[] {
	const steps: number[] = [];
	for (let rest = set; rest !== 0; rest &= rest - 1) steps.push(31 - Math.clz32(rest & -rest));
	return steps;
}

/** Returns the relation with everything that follows from it. Throws RangeError where a step would come before itself. */
export function closeRelation(relation: Relation): Relation {
	const closed = [...relation];
	for (const middle of relation.keys()) {
		for (const [step, before] of closed.entries()) {
			if (has(before, middle)) closed[step] = before | (closed[middle] ?? 0);
		}
	}
	if (closed.some((before, step) => has(before, step))) throw new RangeError("a step comes before itself");
	return closed;
}

/** Returns every set of steps that can have completed at some moment, the empty one first. */
export function closedSets(relation: Relation): readonly StepSet[] {
	return Array.from({ length: 2 ** relation.length }, (_, set) => set).filter((set) => isClosed(set, relation));
}

function isClosed(set: StepSet, relation: Relation): boolean {
	return relation.every((before, step) => !has(set, step) || (before & ~set) === 0);
}

/** Whether the step can be submitted once this set has completed. */
export function isReady(step: number, completed: StepSet, relation: Relation): boolean {
	return !has(completed, step) && ((relation[step] ?? 0) & ~completed) === 0;
}

/** Returns the pairs that do not follow from others: of each step the last ones before it. */
export function coverPairs(relation: Relation): readonly (readonly [before: number, step: number])[] {
	return relation.flatMap((all, step) =>
		stepsIn(all)
			.filter((one) => !stepsIn(all).some((other) => has(relation[other] ?? 0, one)))
			.map((one) => [one, step] as const),
	);
}

/** Returns the relation without this pair, which must not follow from others. */
export function withoutPair(relation: Relation, [before, step]: readonly [number, number]): Relation {
	return relation.map((all, index) => (index === step ? all & ~(1 << before) : all));
}

/** Returns the set without this step and those that come after it. */
export function withoutStep(set: StepSet, step: number, relation: Relation): StepSet {
	return set & ~setOf([step, ...[...relation.keys()].filter((one) => has(relation[one] ?? 0, step))]);
}

export function setOf(steps: readonly number[]): StepSet {
	return steps.reduce((set, step) => set | (1 << step), 0);
}
