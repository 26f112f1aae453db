/**
 * The order of steps against a search of its own: who can do what is counted set by set, every sequence of activities is tried for
 * the fewest that is safe, and every set of steps that can have completed is judged.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Step } from "../../../src/plan/step.ts";
import type { AccessPolicy } from "../../../src/policy/access.ts";
import { casesToTry } from "../../case-count.ts";
import {
	anyOf,
	approvers,
	condition,
	dave,
	type Person,
	policyOf,
	signers,
	treasury,
	twoOf,
} from "../support-access.ts";
import { id, known } from "../support-organizations.ts";
import { planWritten, toldOrder } from "./support-policies.ts";

const tagNames = ["signers", "approvers", "treasury"] as const;
const tagIds = { signers, approvers, treasury };
const people = ["alice", "bob", "carol"] as const;
const cells = ["sign", "export"] as const;

interface Rule {
	readonly effect: "EFFECT_ALLOW" | "EFFECT_DENY";
	readonly tag: (typeof tagNames)[number];
	readonly count: 1 | 2;
	readonly cells: readonly (typeof cells)[number][];
}

type Members = Readonly<Record<(typeof tagNames)[number], readonly Person[]>>;

/** Policies by name, and who has which tag. */
interface State {
	readonly rules: Readonly<Record<string, Rule>>;
	readonly members: Members;
}

/** One object that changes. */
interface Atom {
	readonly operation: Step["operation"];
	readonly name: string;
}

function policyFor(name: string, { effect, tag, count, cells: own }: Rule): AccessPolicy {
	const text = own.map((cell) => `(${condition[cell]})`).join(" || ");
	const consensus = count === 1 ? anyOf(tagIds[tag]) : twoOf(tagIds[tag]);
	return policyOf(Number(name.slice(1)), { name, effect, consensus, condition: text });
}

/** Every set of users, as bits. */
const sets = Array.from({ length: 2 ** people.length }, (_, set) => set);

/** For each cell, the sets of users of which some can do it together. */
function powersOf({ rules, members }: State): readonly ReadonlySet<number>[] {
	const holds = ({ tag, count }: Rule, votes: number): boolean =>
		people.filter((one, index) => (votes >> index) % 2 === 1 && members[tag].includes(one)).length >= count;
	return cells.map((cell) => {
		const own = Object.values(rules).filter((rule) => rule.cells.includes(cell));
		const isAllowed = (votes: number): boolean => {
			const applying = own.filter((rule) => holds(rule, votes));
			return applying.length > 0 && applying.every(({ effect }) => effect === "EFFECT_ALLOW");
		};
		return new Set(sets.filter((set) => sets.some((votes) => (votes & ~set) === 0 && isAllowed(votes))));
	});
}

const isSmallest = (all: ReadonlySet<number>, set: number): boolean =>
	all.has(set) && !sets.some((other) => other !== set && (other & ~set) === 0 && all.has(other));

/** Whether a state is no worse than both: for each smallest set, and for anyone where no one could do it. */
function isNoWorse(state: ReadonlySet<number>, was: ReadonlySet<number>, is: ReadonlySet<number>): boolean {
	const isLost = (set: number): boolean =>
		was.has(set) && is.has(set) && !state.has(set) && (state.size === 0 || isSmallest(was, set) || isSmallest(is, set));
	const isGained = (set: number): boolean => isSmallest(state, set) && !was.has(set) && !is.has(set);
	return !sets.some((set) => isLost(set) || isGained(set));
}

function atomsOf(before: State, after: State): readonly Atom[] {
	const names = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])];
	const rules = names.flatMap((name): Atom[] => {
		const [was, is] = [before.rules[name], after.rules[name]];
		if (was === undefined) return [{ operation: "create_policies", name }];
		if (is === undefined) return [{ operation: "delete_policies", name }];
		const isSame = JSON.stringify(was) === JSON.stringify(is);
		return isSame ? [] : [{ operation: "update_policy", name }];
	});
	const isMoved = (tag: (typeof tagNames)[number]): boolean =>
		[...before.members[tag]].sort().join() !== [...after.members[tag]].sort().join();
	return [...rules, ...tagNames.filter(isMoved).map((name): Atom => ({ operation: "update_user_tag", name }))];
}

/** The state once these have changed. */
function stateAfter(before: State, after: State, changed: readonly Atom[]): State {
	const rules = { ...before.rules };
	const members = { ...before.members };
	for (const { operation, name } of changed) {
		const rule = after.rules[name];
		if (operation === "update_user_tag") Object.assign(members, { [name]: after.members[name as keyof Members] });
		else if (rule === undefined) delete rules[name];
		else rules[name] = rule;
	}
	return { rules, members };
}

/** Returns whether a state is no worse than before and after, by the atoms that have changed, as bits. */
function safetyOf(before: State, after: State, atoms: readonly Atom[]): (changed: number) => boolean {
	const known = new Map<number, boolean>();
	const [was, is] = [powersOf(before), powersOf(after)];
	return (changed) => {
		const state = stateAfter(
			before,
			after,
			atoms.filter((_, index) => (changed >> index) % 2 === 1),
		);
		const isEach = (can: ReadonlySet<number>, cell: number): boolean =>
			isNoWorse(can, was[cell] ?? new Set(), is[cell] ?? new Set());
		const found = known.get(changed) ?? powersOf(state).every(isEach);
		known.set(changed, found);
		return found;
	};
}

/** Returns the fewest activities of a sequence of which every state is safe; infinity where there is none. */
function fewestOf(atoms: readonly Atom[], isSafe: (changed: number) => boolean): number {
	const isJoint = (set: number): boolean => {
		const own = atoms.filter((_, index) => (set >> index) % 2 === 1);
		const [first] = own;
		if (own.length === 1) return true;
		return own.every(({ operation }) => operation === first?.operation) && /create|delete/.test(first?.operation ?? "");
	};
	const activities = Array.from({ length: 2 ** atoms.length - 1 }, (_, index) => index + 1).filter(isJoint);
	const fewest = new Map<number, number>([[0, 0]]);
	for (let set = 0; set < 2 ** atoms.length; set += 1) {
		const count = fewest.get(set);
		if (count === undefined) continue;
		for (const activity of activities) {
			const next = set | activity;
			if ((set & activity) === 0 && isSafe(next))
				fewest.set(next, Math.min(fewest.get(next) ?? Number.POSITIVE_INFINITY, count + 1));
		}
	}
	return fewest.get(2 ** atoms.length - 1) ?? Number.POSITIVE_INFINITY;
}

/** Returns the atoms that each step changes, as bits. */
function atomsIn({ operation, covers }: Step, atoms: readonly Atom[]): number {
	const labels = covers.flatMap(({ address, id: own }) => [address.replace(/^\w+:/, ""), own]);
	const isOf = ({ operation: other, name }: Atom): boolean =>
		other === operation && (labels.includes(name) || labels.includes(id("policy", Number(name.slice(1)))));
	return atoms.reduce((bits, atom, index) => (isOf(atom) ? bits | (1 << index) : bits), 0);
}

/** Returns what has changed in every set of steps that can have completed. */
function reachedBy(steps: readonly Step[], atoms: readonly Atom[]): readonly number[] {
	const bits = steps.map((step) => atomsIn(step, atoms));
	const isClosed = (set: number): boolean =>
		steps.every(
			({ dependsOn }, index) =>
				(set >> index) % 2 === 0 ||
				dependsOn.every((one) => (set >> steps.findIndex((step) => step.id === one)) % 2 === 1),
		);
	return Array.from({ length: 2 ** steps.length }, (_, set) => set)
		.filter(isClosed)
		.map((set) => bits.reduce((all, own, index) => ((set >> index) % 2 === 1 ? all | own : all), 0));
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

it("leads to no state that is worse than before and after, by the fewest activities for that; where there is none, it blocks", () => {
	fc.assert(
		fc.property(world, (given) => {
			const [before, after] = statesOf(given);
			const atoms = atomsOf(before, after);
			fc.pre(atoms.length > 1 && atoms.length <= 6);
			const removed = atoms.filter(({ operation }) => operation === "delete_policies");
			const plan = planWritten(
				{ members: before.members, policies: policiesOf(before), rootQuorum: { threshold: 1, userIds: [dave] } },
				{
					members: Object.fromEntries(
						atoms.flatMap(({ operation, name }) =>
							operation === "update_user_tag" ? [[name, after.members[name as keyof Members]]] : [],
						),
					),
					policies: policiesOf(after),
					absent: removed.map(({ name }) => id("policy", Number(name.slice(1)))),
				},
				{ submitter: known({ userId: dave, publicKey: null }) },
			);
			const isSafe = safetyOf(before, after, atoms);
			const fewest = fewestOf(atoms, isSafe);
			const guard = plan.guards.find(({ kind }) => kind === "unsafeMoments");
			const found = { steps: toldOrder(plan), isBlocked: guard?.refuses === true };
			const reached = reachedBy(plan.steps, atoms);
			expect(reached).toContain(2 ** atoms.length - 1);
			expect([found, reached.every(isSafe)]).toEqual([
				{ ...found, isBlocked: fewest === Number.POSITIVE_INFINITY },
				!found.isBlocked,
			]);
			if (!found.isBlocked) expect([found.steps, plan.steps.length]).toEqual([found.steps, fewest]);
		}),
		casesToTry(2_000, 300),
	);
});
