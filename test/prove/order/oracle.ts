/**
 * A search of its own for the order of steps: who can do what is counted set by set, every sequence of activities is tried for the
 * fewest that is safe, and every set of steps that can have completed is judged.
 */
import type { Step } from "../../../src/plan/step.ts";
import { alice, bob, carol, type Person } from "../../plan/support-access.ts";
import { id } from "../../plan/support-organizations.ts";

export const tagNames = ["signers", "approvers", "treasury"] as const;
export const people = ["alice", "bob", "carol"] as const;
const userIds: Readonly<Partial<Record<Person, string>>> = { alice, bob, carol };
const cells = ["sign", "export"] as const;

export interface Rule {
	readonly effect: "EFFECT_ALLOW" | "EFFECT_DENY";
	readonly tag: (typeof tagNames)[number];
	readonly count: 1 | 2;
	readonly cells: readonly (typeof cells)[number][];
}

export type Members = Readonly<Record<(typeof tagNames)[number], readonly Person[]>>;

/** Policies by name, and who has which tag. */
export interface State {
	readonly rules: Readonly<Record<string, Rule>>;
	readonly members: Members;
}

/** The smallest thing that changes: a policy, or that one user has a tag. */
interface Atom {
	readonly operation: Step["operation"];
	readonly name: string;
	/** Who gets or loses the tag; undefined for a policy. */
	readonly user?: Person;
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

export function atomsOf(before: State, after: State): readonly Atom[] {
	const names = [...new Set([...Object.keys(before.rules), ...Object.keys(after.rules)])];
	const rules = names.flatMap((name): Atom[] => {
		const [was, is] = [before.rules[name], after.rules[name]];
		if (was === undefined) return [{ operation: "create_policies", name }];
		if (is === undefined) return [{ operation: "delete_policies", name }];
		const isSame = JSON.stringify(was) === JSON.stringify(is);
		return isSame ? [] : [{ operation: "update_policy", name }];
	});
	const moves = tagNames.flatMap((name) =>
		people
			.filter((one) => before.members[name].includes(one) !== after.members[name].includes(one))
			.map((user): Atom => ({ operation: "update_user_tag", name, user })),
	);
	return [...rules, ...moves];
}

/** The state once these have changed. */
function stateAfter(before: State, after: State, changed: readonly Atom[]): State {
	const rules = { ...before.rules };
	const members = { ...before.members };
	for (const { name, user } of changed) {
		const rule = after.rules[name];
		const tag = name as keyof Members;
		if (user !== undefined) {
			const others = members[tag].filter((one) => one !== user);
			members[tag] = after.members[tag].includes(user) ? [...others, user] : others;
		} else if (rule === undefined) delete rules[name];
		else rules[name] = rule;
	}
	return { rules, members };
}

/** Returns whether a state is no worse than before and after, by the atoms that have changed, as bits. */
export function safetyOf(before: State, after: State, atoms: readonly Atom[]): (changed: number) => boolean {
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

/** Returns the sets of atoms that can be one activity, as bits. */
function activitiesOf(atoms: readonly Atom[]): readonly number[] {
	const groups = Map.groupBy(atoms.keys(), (index) => {
		const { operation, name } = atoms[index] as Atom;
		return /create|delete/.test(operation) ? operation : `${operation} ${name}`;
	});
	return [...groups.values()].flatMap((indexes) =>
		Array.from({ length: 2 ** indexes.length - 1 }, (_, number) =>
			indexes.reduce((set, index, at) => (((number + 1) >> at) % 2 === 1 ? set | (1 << index) : set), 0),
		),
	);
}

/** Returns the fewest activities of a sequence of which every state is safe; infinity where there is none. */
export function fewestOf(atoms: readonly Atom[], isSafe: (changed: number) => boolean): number {
	const activities = activitiesOf(atoms);
	const seen = new Set([0]);
	let reached = [0];
	for (let count = 1; reached.length > 0; count += 1) {
		const next: number[] = [];
		for (const set of reached) {
			for (const activity of activities) {
				const state = set | activity;
				if ((set & activity) !== 0 || seen.has(state) || !isSafe(state)) continue;
				if (state === 2 ** atoms.length - 1) return count;
				seen.add(state);
				next.push(state);
			}
		}
		reached = next;
	}
	return Number.POSITIVE_INFINITY;
}

/** Returns the atoms that each step changes, as bits. */
function atomsIn({ operation, covers, parameters }: Step, atoms: readonly Atom[]): number {
	const labels = covers.flatMap(({ address, id: own }) => [address.replace(/^\w+:/, ""), own]);
	const moved = operation === "update_user_tag" ? [...parameters.addUserIds, ...parameters.removeUserIds] : [];
	const isOf = ({ operation: other, name, user }: Atom): boolean =>
		other === operation &&
		(labels.includes(name) || labels.includes(id("policy", Number(name.slice(1))))) &&
		(user === undefined || moved.includes(userIds[user] ?? ""));
	return atoms.reduce((bits, atom, index) => (isOf(atom) ? bits | (1 << index) : bits), 0);
}

/** Returns what has changed in every set of steps that can have completed. */
export function reachedBy(steps: readonly Step[], atoms: readonly Atom[]): readonly number[] {
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
