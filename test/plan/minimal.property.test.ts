/**
 * The plan is the shortest: for small random organizations a search through every sequence of activities, which knows
 * nothing of how plans are made, finds none shorter; and the plan's own steps get there in every order they allow.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import type { Step } from "../../src/plan/step.ts";
import { casesToTry } from "../case-count.ts";
import { finalState, ModelService, shortestSequence } from "./support-model.ts";
import {
	context,
	desiredOfWorld,
	liveOfWorld,
	type RenameShape,
	renameShapeOf,
	type SmallWorld,
	smallWorlds,
} from "./support-organizations.ts";

const settings = casesToTry(600);

function planOf(world: SmallWorld): Plan {
	return makePlan(desiredOfWorld(world), liveOfWorld(world), context);
}

/** Takes the steps in this order, and says where they lead; throws where the service would refuse one. */
function takeAll(world: SmallWorld, steps: readonly Step[]): string {
	const service = new ModelService(world);
	for (const step of steps) {
		const before = service.state();
		service.take(step);
		if (service.state() === before) throw new Error(`${step.id} changes nothing`);
	}
	return service.state();
}

/**
 * An order in which the steps could take effect when up to `concurrency` run at once: a step begins when all it depends
 * on have ended, and of those that run, chance says which ends next.
 */
function possibleOrder(steps: readonly Step[], concurrency: number, chances: readonly number[]): readonly Step[] {
	const ended: Step[] = [];
	const running: Step[] = [];
	const waiting = [...steps];
	for (let turn = 0; ended.length < steps.length; turn += 1) {
		const isReady = (step: Step): boolean => step.dependsOn.every((needed) => ended.some(({ id }) => id === needed));
		for (let ready = waiting.findIndex(isReady); ready >= 0 && running.length < concurrency; ) {
			running.push(...waiting.splice(ready, 1));
			ready = waiting.findIndex(isReady);
		}
		if (running.length === 0) throw new Error("the steps wait for each other");
		ended.push(...running.splice((chances[turn] ?? 0) % running.length, 1));
	}
	return ended;
}

/** Changed tags, users who lose providers, policies all together, apps: what no plan can do without. */
function changedObjects({ tags, policies, providers, apps }: SmallWorld): number {
	const changed = tags.filter(({ name, members, wanted }) => {
		if (wanted === undefined) return false;
		const want = wanted.members ?? { exactly: members };
		const after = "exactly" in want ? want.exactly : (members | want.atLeast) & ~want.never;
		return name !== wanted.name || members !== after;
	});
	const removes = (removables: readonly string[]): boolean => removables.includes("removed");
	return (
		changed.length +
		providers.filter(removes).length +
		(removes(policies) ? 1 : 0) +
		apps.filter((state) => state === "removed").length
	);
}

const chances = fc.array(fc.array(fc.nat(11), { minLength: 12, maxLength: 12 }), { minLength: 4, maxLength: 4 });

describe("a plan", () => {
	it("is the shortest sequence of activities that reaches the document", () => {
		const seen: Record<string, number> = {
			"a cycle": 0,
			"a cycle of three or more": 0,
			"two cycles": 0,
			"a cycle and a chain": 0,
			"a chain of three or more": 0,
			"a name that an unmanaged tag keeps": 0,
			"nothing to do": 0,
			"removals beside a cycle": 0,
		};
		const count = (what: string, occurs: boolean): void => {
			if (occurs) seen[what] = (seen[what] ?? 0) + 1;
		};
		fc.assert(
			fc.property(smallWorlds(), chances, (world, chancesOfOrders) => {
				const shape: RenameShape = renameShapeOf(world);
				const plan = planOf(world);
				count("a name that an unmanaged tag keeps", shape.conflict);
				if (shape.conflict) {
					expect(plan.problems.map(({ code }) => code)).toContain("tag-name-taken");
					expect(plan.steps).toEqual([]);
					return;
				}
				const needed = changedObjects(world);
				count("a cycle", shape.cycles.length > 0);
				count(
					"a cycle of three or more",
					shape.cycles.some((length) => length >= 3),
				);
				count("two cycles", shape.cycles.length > 1);
				count("a cycle and a chain", shape.cycles.length > 0 && shape.chains.length > 0);
				count(
					"a chain of three or more",
					shape.chains.some((length) => length >= 3),
				);
				count("nothing to do", needed === 0);
				count("removals beside a cycle", shape.cycles.length > 0 && needed > world.tags.length);

				expect(plan.problems).toEqual([]);
				expect(plan.steps.length).toBe(needed + shape.cycles.length);
				expect(shortestSequence(world, plan.steps.length - 1)).toBeUndefined();

				const wanted = finalState(world);
				expect(takeAll(world, plan.steps)).toBe(wanted);
				for (const [index, chance] of chancesOfOrders.entries()) {
					// One step at a time in any allowed order, then two, three and all at once.
					const order = index === 0 ? anyOrder(plan.steps, chance) : possibleOrder(plan.steps, index * 2, chance);
					expect(takeAll(world, order)).toBe(wanted);
				}
			}),
			settings,
		);
		for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
	});

	it("is found by the search where it is as long as the limit allows", () => {
		fc.assert(
			fc.property(smallWorlds(), (world) => {
				if (renameShapeOf(world).conflict) return;
				const { length } = planOf(world).steps;
				expect(shortestSequence(world, length)).toBe(length);
			}),
			casesToTry(100),
		);
	});
});

/** Any order that the dependencies allow, one step at a time. */
function anyOrder(steps: readonly Step[], chance: readonly number[]): readonly Step[] {
	return possibleOrder(steps, steps.length, chance);
}
