/** Orders groups of steps that are too many for a search: one after the other, each that leads to no state to avoid first. */
import type { Step } from "../step.ts";
import type { UnsafeMoment } from "./moments.ts";

/** Returns, by step, all that must have completed before it: what it depends on, and what keeps states from being reached. */
export function orderLarge(
	group: readonly Step[],
	unsafe: readonly UnsafeMoment[],
): ReadonlyMap<Step, readonly Step[]> {
	const sequence = sequenceOf(group, unsafe);
	const placeOf = (step: Step): number => sequence.indexOf(step);
	const direct = new Map(group.map((step) => [step, new Set(group.filter(({ id }) => step.dependsOn.includes(id)))]));
	for (const { completed, open } of unsafe) {
		// The first that is open before the last that has completed; where none is, the sequence does not avoid the state.
		const first = open.toSorted((one, other) => placeOf(one) - placeOf(other))[0];
		const last = completed.toSorted((one, other) => placeOf(other) - placeOf(one))[0];
		if (first !== undefined && last !== undefined && placeOf(first) < placeOf(last)) direct.get(last)?.add(first);
	}
	const before = new Map<Step, ReadonlySet<Step>>();
	for (const step of sequence) {
		const own = [...(direct.get(step) ?? [])];
		before.set(step, new Set(own.flatMap((one) => [one, ...(before.get(one) ?? [])])));
	}
	return new Map([...before].map(([step, some]) => [step, [...some]]));
}

function sequenceOf(group: readonly Step[], unsafe: readonly UnsafeMoment[]): readonly Step[] {
	const left = new Set(group);
	let avoided = unsafe;
	const sequence: Step[] = [];
	// A state is reached once all of its steps have completed, and none of its open ones.
	const countUnsafe = (step: Step): number =>
		avoided.filter(
			({ completed, open }) =>
				completed.includes(step) && !open.includes(step) && completed.every((one) => one === step || !left.has(one)),
		).length;
	while (left.size > 0) {
		const ready = [...left].filter(({ dependsOn }) => ![...left].some(({ id }) => dependsOn.includes(id)));
		let next = ready[0];
		let least = Number.POSITIVE_INFINITY;
		for (const step of ready) {
			const count = countUnsafe(step);
			if (count < least) [next, least] = [step, count];
			if (least === 0) break;
		}
		if (next === undefined) throw new RangeError("steps depend on each other");
		sequence.push(next);
		left.delete(next);
		avoided = avoided.filter(({ open }) => !open.includes(next));
	}
	return sequence;
}
