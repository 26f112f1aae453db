/** The order of steps of random organizations: as few activities as a search of all sequences finds, and no state that is unsafe. */
import fc from "fast-check";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { planWritten, toldOrder } from "../../plan/order/support-policies.ts";
import { anyOf, approvers, condition, dave, policyOf, signers, treasury, twoOf } from "../../plan/support-access.ts";
import { id, known } from "../../plan/support-organizations.ts";
import type { Counts, Proof } from "../proof.ts";
import {
	atomsOf,
	fewestOf,
	type Members,
	people,
	type Rule,
	reachedBy,
	type State,
	safetyOf,
	tagNames,
} from "./oracle.ts";

const tagIds = { signers, approvers, treasury };

function policyFor(name: string, { effect, tag, count, cells }: Rule): AccessPolicy {
	const text = cells.map((cell) => `(${condition[cell]})`).join(" || ");
	const consensus = count === 1 ? anyOf(tagIds[tag]) : twoOf(tagIds[tag]);
	return policyOf(Number(name.slice(1)), { name, effect, consensus, condition: text });
}

const rule: fc.Arbitrary<Rule> = fc.record({
	effect: fc.constantFrom("EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY"),
	tag: fc.constantFrom(...tagNames),
	count: fc.constantFrom(1, 1, 2),
	cells: fc.constantFrom(["sign"], ["sign"], ["export"], ["sign", "export"]),
});
const members: fc.Arbitrary<Members> = fc.record({
	signers: fc.subarray([...people]),
	approvers: fc.subarray([...people]),
	treasury: fc.subarray([...people]),
});
/** Of each policy: as it is, as it shall be, or neither. */
const rules = fc.array(fc.record({ before: fc.option(rule), after: fc.option(rule), isKept: fc.boolean() }), {
	maxLength: 5,
});
const world = fc.record({ rules, before: members, after: members, moves: fc.subarray([...tagNames]) });

function statesOf({ rules: all, before, after, moves }: typeof world extends fc.Arbitrary<infer W> ? W : never) {
	const from: Record<string, Rule> = {};
	const to: Record<string, Rule> = {};
	for (const [index, one] of all.entries()) {
		const [was, is] = [one.before, one.isKept ? one.before : one.after];
		if (was !== null) from[`p${index + 1}`] = was;
		if (is !== null) to[`p${index + 1}`] = is;
	}
	const moved = Object.fromEntries(moves.map((tag) => [tag, after[tag]]));
	return [
		{ rules: from, members: before },
		{ rules: to, members: { ...before, ...moved } },
	] as readonly [State, State];
}

const policiesOf = (state: State): readonly AccessPolicy[] =>
	Object.entries(state.rules).map(([name, one]) => policyFor(name, one));

/** More take too long to search. */
const maxAtoms = 12;
const maxSteps = 6;

export const proof: Proof = {
	promise:
		"a plan of up to 6 steps has as few activities as its safety allows, leads to no state that is worse than before and after, and blocks where no order is safe",
	defaultCases: 10_000,
	run(seed, counts) {
		for (const given of fc.sample(world, { seed, numRuns: 50 })) if (judge(...statesOf(given), counts)) return;
		throw new Error("no organization of 50 has from 2 to 6 steps");
	},
};

/** Returns whether the plan has as many steps as are judged. Throws what breaks the promise. */
function judge(before: State, after: State, counts: Counts): boolean {
	const atoms = atomsOf(before, after);
	// One for each tag and each changed policy, one for all creations, and one for all removals.
	const steps = new Set(atoms.map(({ operation, name }) => (/create|delete/.test(operation) ? operation : name))).size;
	if (steps < 2 || steps > maxSteps || atoms.length > maxAtoms) return false;
	const removed = atoms.filter(({ operation }) => operation === "delete_policies");
	const moved = new Set(atoms.flatMap(({ user, name }) => (user === undefined ? [] : [name as keyof Members])));
	const plan = planWritten(
		{ members: before.members, policies: policiesOf(before), rootQuorum: { threshold: 1, userIds: [dave] } },
		{
			members: Object.fromEntries([...moved].map((tag) => [tag, after.members[tag]])),
			policies: policiesOf(after),
			absent: removed.map(({ name }) => id("policy", Number(name.slice(1)))),
		},
		{ submitter: known({ userId: dave, publicKey: null }) },
	);
	const isSafe = safetyOf(before, after, atoms);
	const fewest = fewestOf(atoms, isSafe);
	const isBlocked = plan.guards.find(({ kind }) => kind === "unsafeMoments")?.refuses === true;
	const reached = reachedBy(plan.steps, atoms);
	const fail = (what: string): never => {
		throw new Error(`${what}: ${JSON.stringify([before, after])}\n${toldOrder(plan).join("\n")}\nfewest: ${fewest}`);
	};
	const isSplit = plan.steps.length > steps;
	counts.add(isBlocked ? "blocked plans" : isSplit ? "plans with split steps" : "plans with whole steps");
	if (!reached.includes(2 ** atoms.length - 1)) fail("the plan does not make every change");
	if (isBlocked && fewest < Number.POSITIVE_INFINITY) fail("the plan blocks, and there is a safe order");
	if (isBlocked) return true;
	if (!reached.every(isSafe)) fail("the plan leads to an unsafe state");
	if (plan.steps.length !== fewest) fail(`the plan has ${plan.steps.length} activities`);
	return true;
}
