/** Orders groups of steps that are too many for a search: one after the other, each that leads to no state to avoid first. */
import type { Step } from "../step.ts";
import type { UnsafeMoment } from "./moments.ts";

/** Returns, by step, all that must have completed before it: what it depends on, and what keeps states from being reached. */
export function orderLarge(
	group: readonly Step[],
	unsafe: readonly UnsafeMoment[],
): ReadonlyMap<Step, readonly Step[]> {
	const direct = new Map(group.map((step) => [step, new Set(group.filter(({ id }) => step.dependsOn.includes(id)))]));
	const beforeOf = (step: Step): readonly Step[] => [...(direct.get(step) ?? [])];
	// A state is reached once all of its steps have completed, and none of its open ones.
	const countReached = (step: Step, left: ReadonlySet<Step>): number =>
		unsafe.filter(
			({ completed, open }) =>
				completed.includes(step) &&
				completed.every((one) => one === step || !left.has(one)) &&
				open.every((one) => one !== step && left.has(one)),
		).length;
	const sequence = sortSteps(group, beforeOf, countReached);
	const placeOf = (step: Step): number => sequence.indexOf(step);
	for (const { completed, open } of unsafe) {
		// The first that is open before the last that has completed; where none is, the sequence does not avoid the state.
		const first = open.toSorted((one, other) => placeOf(one) - placeOf(other))[0];
		const last = completed.toSorted((one, other) => placeOf(other) - placeOf(one))[0];
		if (first !== undefined && last !== undefined && placeOf(first) < placeOf(last)) direct.get(last)?.add(first);
	}
	const before = new Map<Step, ReadonlySet<Step>>();
	for (const step of sequence) {
		before.set(step, new Set(beforeOf(step).flatMap((one) => [one, ...(before.get(one) ?? [])])));
	}
	return new Map([...before].map(([step, some]) => [step, [...some]]));
}

/** Returns the steps so that each comes after those before it; of several the one of the lowest rank, then the first. `left`: what is to come. */
export function sortSteps(
	steps: readonly Step[],
	beforeOf: (step: Step) => readonly Step[],
	rankOf: (step: Step, left: ReadonlySet<Step>) => number,
): readonly Step[] {
	const left = new Set(steps);
	const sorted: Step[] = [];
	while (left.size > 0) {
		let next: Step | undefined;
		let least = Number.POSITIVE_INFINITY;
		for (const step of left) {
			if (beforeOf(step).some((one) => left.has(one))) continue;
			const rank = rankOf(step, left);
			if (rank < least) [next, least] = [step, rank];
			if (least === 0) break;
		}
		if (next === undefined) throw new RangeError("steps depend on each other");
		sorted.push(next);
		left.delete(next);
	}
	return sorted;
}
