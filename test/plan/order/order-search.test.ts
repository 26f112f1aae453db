/**
 * The search for an order of steps, against a search of its own through all orders and all sets of completed steps. What becomes
 * of a step in each state is random here: policies could make it anything.
 */
import { describe, expect, it } from "vitest";
import { type FoundOrder, type OrderProblem, searchOrders } from "../../../src/plan/order/search.ts";
import { findGroups } from "../../../src/plan/order/split.ts";

const denied = 3;

/** Returns numbers from 0 to below 1, the same for the same seed. */
function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** Steps that take from each other what they need, or give it; or, for some seeds, any rank in any state. */
function problemOf(count: number, seed: number, wildShare = 0.3): OrderProblem {
	const random = randomOf(seed * 7919 + count);
	for (let skip = 0; skip < 5; skip += 1) random();
	const steps = Array.from({ length: count }, (_, step) => step);
	const some = (from: readonly number[], share: number): readonly number[] => from.filter(() => random() < share);
	const required = steps.map((step) => some(steps.slice(0, step), 0.1));
	const density = random() / 2;
	const takers = steps.map((step) => some(steps.toSpliced(step, 1), density));
	const givers = steps.map((step) => some(steps.toSpliced(step, 1), density / 3));
	const usual = steps.map(() => Math.floor(random() * 3));
	const isWild = random() < wildShare;
	const wild = steps.map(() =>
		Array.from({ length: 2 ** count }, () => (random() < density ? denied : Math.floor(random() * 4))),
	);
	return {
		required,
		rankOf: (step, isCompleted) => {
			const set = steps.filter(isCompleted).reduce((sum, one) => sum + 2 ** one, 0);
			if (isWild) return wild[step]?.[set] ?? denied;
			const isDenied = takers[step]?.some(isCompleted) === true || givers[step]?.every(isCompleted) !== true;
			return isDenied ? denied : (usual[step] ?? 0);
		},
	};
}

const isIn = (set: number, step: number): boolean => Math.floor(set / 2 ** step) % 2 === 1;

/** Every set of steps that is closed under these dependencies. */
function statesOf(before: readonly (readonly number[])[]): readonly number[] {
	const isClosed = (set: number): boolean =>
		before.every((needed, step) => !isIn(set, step) || needed.every((one) => isIn(set, one)));
	return Array.from({ length: 2 ** before.length }, (_, set) => set).filter(isClosed);
}

function* permutations(
	left: readonly number[],
	required: OrderProblem["required"],
	taken: readonly number[] = [],
): Generator<readonly number[]> {
	if (left.length === 0) yield taken;
	for (const step of left) {
		if (required[step]?.some((one) => !taken.includes(one)) === true) continue;
		yield* permutations(
			left.filter((one) => one !== step),
			required,
			[...taken, step],
		);
	}
}

function rankIn({ rankOf }: OrderProblem, step: number, set: number): number {
	return rankOf(step, (one) => isIn(set, one));
}

const readyIn = (before: readonly (readonly number[])[], set: number): readonly number[] =>
	[...before.keys()].filter((step) => !isIn(set, step) && (before[step] ?? []).every((one) => isIn(set, one)));

/** Steps that are not denied in some state that the required dependencies alone lead to. */
function possibleSteps(problem: OrderProblem): readonly number[] {
	const states = statesOf(problem.required);
	return [...problem.required.keys()].filter((step) =>
		states.some((set) => readyIn(problem.required, set).includes(step) && rankIn(problem, step, set) < denied),
	);
}

/** How many steps are denied at least, although they need not be: in the best of all orders. */
function fewestStranded(problem: OrderProblem, possible: readonly number[]): number {
	let fewest = Number.POSITIVE_INFINITY;
	for (const order of permutations([...problem.required.keys()], problem.required)) {
		const stranded = order.filter((step, index) => {
			const set = order.slice(0, index).reduce((sum, one) => sum + 2 ** one, 0);
			return possible.includes(step) && rankIn(problem, step, set) === denied;
		});
		fewest = Math.min(fewest, stranded.length);
		if (fewest === 0) break;
	}
	return fewest;
}

/** The steps that are denied in some state which these dependencies lead to. */
function deniedSomewhere(problem: OrderProblem, before: readonly (readonly number[])[]): ReadonlySet<number> {
	return new Set(
		statesOf(before).flatMap((set) => readyIn(before, set).filter((step) => rankIn(problem, step, set) === denied)),
	);
}

function checkOrder(problem: OrderProblem, found: FoundOrder, possible: readonly number[]): void {
	for (const [step, needed] of problem.required.entries()) {
		expect(found.before[step]).toEqual(expect.arrayContaining([...needed]));
	}
	const stranded = found.stranded.map(({ step }) => step);
	const unexpected = [...deniedSomewhere(problem, found.before)].filter(
		(step) => possible.includes(step) && !stranded.includes(step),
	);
	expect(unexpected).toEqual([]);
}

describe("the order of steps", () => {
	it.each([1, 2, 3, 4, 5, 6, 7])("strands the fewest steps in every state that can be reached: %i steps", (count) => {
		const seen = { none: 0, some: 0, dependencies: 0 };
		for (let seed = 1; seed <= (count < 6 ? 600 : 200); seed += 1) {
			const problem = problemOf(count, seed);
			const possible = possibleSteps(problem);
			const found = searchOrders(problem);
			checkOrder(problem, found, possible);
			expect([seed, found.stranded.length]).toEqual([seed, fewestStranded(problem, possible)]);
			seen[found.stranded.length === 0 ? "none" : "some"] += 1;
			if (found.before.some((needed, step) => needed.length > (problem.required[step] ?? []).length))
				seen.dependencies += 1;
		}
		expect(seen.none).toBeGreaterThan(0);
		if (count > 2) expect(Math.min(seen.some, seen.dependencies)).toBeGreaterThan(10);
	});

	it("has no dependency that nothing needs", () => {
		for (let seed = 1; seed <= 150; seed += 1) {
			const problem = problemOf(5, seed);
			const found = searchOrders(problem);
			const worstIn = (before: FoundOrder["before"]): readonly number[] =>
				[...before.keys()].map((step) =>
					Math.max(
						...statesOf(before)
							.filter((set) => readyIn(before, set).includes(step))
							.map((set) => rankIn(problem, step, set)),
					),
				);
			const [worst, required] = [worstIn(found.before), statesOf(problem.required)];
			for (const [step, needed] of found.before.entries()) {
				// The last ones before it; the others follow from those.
				const last = needed.filter((one) => !needed.some((other) => found.before[other]?.includes(one) === true));
				for (const one of last) {
					const isRequired = required.every((set) => !isIn(set, step) || isIn(set, one));
					const fewer = found.before.map((all, index) => (index === step ? all.filter((other) => other !== one) : all));
					const isWorse = worstIn(fewer).some((rank, index) => rank > (worst[index] ?? denied));
					expect([seed, step, one, isRequired || isWorse]).toEqual([seed, step, one, true]);
				}
			}
		}
	});

	it("submits a step before another one that makes it wait, and does not hold it back to make it run", () => {
		const once = (step: number, rank: number, otherwise: number) => (isCompleted: (one: number) => boolean) =>
			isCompleted(step) ? rank : otherwise;
		const never = () => 0;
		const found = searchOrders({
			required: [[], []],
			rankOf: (step, isCompleted) => [never, once(0, 1, 0)][step]?.(isCompleted) ?? 0,
		});
		expect(found.before).toEqual([[1], []]);
		const other = searchOrders({
			required: [[], []],
			rankOf: (step, isCompleted) => [never, once(0, 0, 1)][step]?.(isCompleted) ?? 0,
		});
		expect(other.before).toEqual([[], []]);
	});

	it("names the step after which another one is denied, where no order avoids it", () => {
		const found = searchOrders({
			required: [[], [], []],
			rankOf: (step, isCompleted) => (step !== 2 && isCompleted(1 - step) ? denied : 0),
		});
		expect(found.stranded).toEqual([{ step: 1, by: 0 }]);
		expect(found.before).toEqual([[], [0], []]);
	});

	it.each([5, 9])("found step by step names each step that it strands, and strands few: %i steps", (count) => {
		let [all, isBest] = [0, 0];
		for (let seed = 1; seed <= 100; seed += 1) {
			const problem = problemOf(count, seed, 0);
			if (searchOrders(problem).stranded.length > 0) continue;
			all += 1;
			const found = searchOrders(problem, 0);
			checkOrder(problem, found, possibleSteps(problem));
			if (found.stranded.length === 0) isBest += 1;
		}
		expect(all).toBeGreaterThan(20);
		expect(isBest / all).toBeGreaterThan(0.8);
	});
});

/** A problem of which the first parts are those of one step: they are forecast alike, and another step needs all or none. */
function batchProblemOf(count: number, parts: number, seed: number): OrderProblem {
	const { required, rankOf } = problemOf(count - 1 + parts, seed);
	const batch = Array.from({ length: parts }, (_, part) => part);
	return {
		required: required.map((before, step) => {
			if (step < parts) return [];
			const others = before.filter((one) => one >= parts);
			return others.length === before.length ? others : [...batch, ...others];
		}),
		rankOf: (step, isCompleted) => rankOf(step < parts ? 0 : step, isCompleted),
	};
}

/** Every way to put these parts into groups. */
function groupingsOf(parts: readonly number[]): readonly (readonly (readonly number[])[])[] {
	const [first, ...others] = parts;
	if (first === undefined) return [[]];
	return groupingsOf(others).flatMap((groups) => [
		[[first], ...groups],
		...groups.map((group, at) => groups.with(at, [first, ...group])),
	]);
}

/** The problem of these activities, each of one or more parts. */
function activitiesOf(problem: OrderProblem, groups: readonly (readonly number[])[]): OrderProblem {
	const groupOf = (part: number): number => groups.findIndex((group) => group.includes(part));
	return {
		required: groups.map((group) => [...new Set(group.flatMap((part) => problem.required[part] ?? []).map(groupOf))]),
		rankOf: (step, isCompleted) => problem.rankOf(groups[step]?.[0] ?? 0, (part) => isCompleted(groupOf(part))),
	};
}

describe("a step of several objects", () => {
	it.each([
		[2, 2],
		[2, 4],
		[3, 3],
		[4, 3],
		[5, 2],
		[5, 3],
		[6, 2],
	])("is as few activities as strand the fewest steps: %i steps, one of %i objects", (count, size) => {
		const seen = { whole: 0, split: 0, stranded: 0 };
		for (let seed = 1; seed <= (count < 6 ? 300 : 100); seed += 1) {
			const problem = batchProblemOf(count, size, seed);
			const possible = possibleSteps(problem);
			const [batch, others] = [
				[...problem.required.keys()].slice(0, size),
				[...problem.required.keys()].slice(size).map((step) => [step]),
			];
			const possibleOf = (groups: readonly (readonly number[])[]): readonly number[] =>
				[...groups.keys()].filter((at) => groups[at]?.some((part) => possible.includes(part)));
			const [best] = groupingsOf(batch)
				.map((groups) => [...groups, ...others])
				.map((groups) => [fewestStranded(activitiesOf(problem, groups), possibleOf(groups)), groups.length] as const)
				.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
			const found = findGroups(problem, [batch]);
			if (found === null) throw new Error("too many steps");
			const { groups, order } = found;
			expect([seed, order.stranded.length, groups.length]).toEqual([seed, ...(best ?? [])]);
			expect(groups.flat().sort()).toEqual([...problem.required.keys()]);
			checkOrder(activitiesOf(problem, groups), order, possibleOf(groups));
			seen[groups.length === count ? "whole" : "split"] += 1;
			if (order.stranded.length > 0) seen.stranded += 1;
		}
		expect(seen.whole).toBeGreaterThan(10);
		if (count > 2) expect(Math.min(seen.split, seen.stranded)).toBeGreaterThan(5);
	});

	it("is split in a plan of more steps than can be searched too", () => {
		// Part 0 has to come before step 3, part 1 after it; part 2 does not matter.
		const found = findGroups(
			{
				required: Array.from({ length: 12 }, () => []),
				rankOf: (step, isCompleted) => (step === 3 && (!isCompleted(0) || isCompleted(1)) ? denied : 0),
			},
			[[0, 1, 2]],
		);
		expect(found?.order).toMatchObject({ stranded: [], isExact: false });
		expect(found?.groups.length).toBe(11);
		const at = (part: number): number => found?.groups.findIndex((group) => group.includes(part)) ?? -1;
		expect(found?.order.before[at(3)]).toContain(at(0));
		expect(found?.order.before[at(1)]).toContain(at(3));
	});
});
