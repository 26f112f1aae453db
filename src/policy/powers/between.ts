/**
 * Finds the states between two others that are worse than both: a set of users can do there what it can do neither before nor
 * after, or cannot do what it can do before and after. Each state is judged cell by cell, and only where steps touch the cell.
 */
import { remember } from "../../common/remember.ts";
import type { AccessState } from "../access.ts";
import { orTooComplex, TooComplex } from "../sets/formula.ts";
import { commonDifference, difference, type UserSets } from "../sets/resolve.ts";
import { type Bits, bit, membersOf, setOf, sizeOf, subsetsOf } from "../sets/sets.ts";
import { findSmallestSets, hasAll, isMember } from "../sets/user-sets.ts";
import { idsOf } from "../sets/votes.ts";
import { Budget } from "../sets/work.ts";
import { factsOfGroup } from "./activity.ts";
import { readingsOf } from "./cell-changes.ts";
import { cellsOf, conditionOf, type GroupCell, partsIn } from "./group-cells.ts";
import type { ActivityGroup } from "./groups.ts";
import { allowedBy, findPolicyParts, type Part, withRootQuorum } from "./judge.ts";
import { groupsApart, listGroups } from "./listed-groups.ts";
import { findMoments } from "./moments.ts";
import { type PreparedAccess, prepareAccess } from "./prepare.ts";
import { isOneWay, type StepEffect, stepsOf, type Version, versionsOf } from "./versions.ts";

/** It is so in every state in which these steps have completed and the open ones have not. Steps are numbers. */
export interface UnsafeState {
	readonly completed: readonly number[];
	readonly open: readonly number[];
	readonly change: "gains" | "loses";
	readonly group: ActivityGroup;
	/** The condition on the activity under which it is so; null where it is always so. */
	readonly condition: string | null;
	/** A smallest set of users for whom it is so; sorted. */
	readonly userIds: readonly string[];
}

export interface FoundStates {
	readonly unsafe: readonly UnsafeState[];
	/** Steps with states that were not judged; sorted. */
	readonly unchecked: readonly number[];
	/** The first of those states; null where all were judged. */
	readonly firstUnchecked: Pick<UnsafeState, "completed" | "open" | "group"> | null;
}

/** Max steps that touch a cell and of which every state is judged: each of them doubles the work. */
const maxExact = 12;

/** Max states that are judged, over all cells. Unverified, chosen. */
const maxStates = 12_000;

/** Max steps of all searches; a second or so. Unverified, chosen. */
const maxWork = 2_000_000;

/** Returns the unsafe states that the steps lead to. `steps`: what each does to an access, whatever the others do. */
export function findUnsafeStates(
	before: AccessState,
	steps: readonly ((access: AccessState) => AccessState)[],
	atMs: number,
): FoundStates {
	const { effects, versions } = versionsOf(before, steps);
	const search = new StateSearch({ before, effects, versions });
	const policies = versions.map(({ policy }) => policy);
	if (sizeOf(stepsOf(versions)) > 1) for (const at of findMoments(policies, atMs).moments) search.judgeAt(at);
	return search.result();
}

/** What the steps do, from the state before them. */
interface Steps {
	readonly before: AccessState;
	readonly effects: readonly StepEffect[];
	readonly versions: readonly Version[];
}

class StateSearch {
	readonly #steps: Steps;
	readonly #budget = new Budget(maxWork);
	readonly #unsafe = new Map<string, UnsafeState>();
	#unchecked = 0n;
	#firstUnchecked: FoundStates["firstUnchecked"] = null;
	#judged = 0;

	constructor(steps: Steps) {
		this.#steps = steps;
	}

	judgeAt(atMs: number): void {
		const { versions } = this.#steps;
		const source = partSource(this.#steps, atMs, this.#budget);
		const groups = listGroups([source.all]);
		for (const group of groups) {
			const facts = factsOfGroup(group);
			const parts = versions.flatMap((version) => source.partsOf(version, 0n, group));
			const concerned = versions.filter((version) => source.partsOf(version, 0n, group).length > 0);
			if (sizeOf(stepsOf(concerned)) < 2) continue;
			const seen = new Set<string>();
			for (const cell of cellsOf(parts, facts, groupsApart(groups, group))) {
				const own = concerned.filter((one) => partsIn(source.partsOf(one, 0n, group), cell).length > 0);
				const key = JSON.stringify([own.map((one) => versions.indexOf(one)), [...cell.open]]);
				if (!seen.has(key)) this.#judgeCell(new CellStates(source, own, group, cell), cell, group);
				seen.add(key);
			}
		}
	}

	result(): FoundStates {
		const unchecked = membersOf(this.#unchecked);
		return { unsafe: [...this.#unsafe.values()], unchecked, firstUnchecked: this.#firstUnchecked };
	}

	#judgeCell(states: CellStates, cell: GroupCell, group: ActivityGroup): void {
		const touching = membersOf(states.touching);
		if (touching.length < 2 || isOneWay(states.versions, this.#steps.effects)) return;
		const isExact = touching.length <= maxExact;
		const tried = isExact ? subsetsOf(touching).map(setOf) : fewStates(touching);
		// In few states, one step has completed, or all but one.
		if (!isExact) this.#leaveOut(setOf(touching.slice(0, 2)), states.touching, group);
		let current = 0n;
		const judgeAll = (change: UnsafeState["change"]): void => {
			const found = new Map<Bits, readonly string[]>();
			for (const completed of tried) {
				current = completed;
				this.#judged += 1;
				if (this.#judged > maxStates) throw new TooComplex("steps");
				const userIds = states.judge(completed, change);
				if (userIds !== null) found.set(completed, userIds);
			}
			for (const one of joinStates(found, states.touching)) {
				this.#add({ ...one, change, group, condition: conditionOf([...cell.holding], []) });
			}
		};
		orTooComplex(
			() => (["gains", "loses"] as const).forEach(judgeAll),
			() => this.#leaveOut(current, states.touching, group),
		);
	}

	#leaveOut(completed: Bits, touching: Bits, group: ActivityGroup): void {
		this.#unchecked |= touching;
		const open = membersOf(touching & ~completed);
		this.#firstUnchecked ??= { completed: membersOf(completed), open, group };
	}

	#add(state: UnsafeState): void {
		const key = JSON.stringify([state.completed, state.open, state.change]);
		if (!this.#unsafe.has(key)) this.#unsafe.set(key, state);
	}
}

type PartSource = ReturnType<typeof partSource>;

/** Makes the parts of policies in a group, each once for the users that matter to it. */
function partSource({ before, versions, effects }: Steps, atMs: number, budget: Budget) {
	const prepared = new Map<string, PreparedAccess>();
	const parts = new Map<ActivityGroup, Map<Version, Map<Bits, readonly Part[]>>>();
	const userSets: PreparedAccess["userSets"] = new Map();
	const prepare = (moved: Bits, some: readonly Version[]): PreparedAccess => {
		const { users } = membersOf(moved).reduce((access, step) => effects[step]?.apply(access) ?? access, before);
		const policies = { known: true, value: some.map(({ policy }) => policy) } as const;
		const made = prepareAccess({ ...before, users, policies }, atMs);
		return { ...made, budget, ...(made.votes.isSplit ? {} : { userSets }) };
	};
	/** Returns the access of all versions that depend on the users as this one does. */
	const preparedFor = ({ movers }: Pick<Version, "movers">, moved: Bits): PreparedAccess =>
		remember(prepared, `${movers} ${moved}`, () =>
			prepare(
				moved,
				versions.filter((one) => one.movers === movers),
			),
		);
	/** Returns the parts of a version once these steps have completed. */
	const partsOf = (version: Version, completed: Bits, group: ActivityGroup): readonly Part[] => {
		const moved = completed & version.movers;
		const ofGroup = remember(parts, group, () => new Map<Version, Map<Bits, readonly Part[]>>());
		const ofVersion = remember(ofGroup, version, () => new Map<Bits, readonly Part[]>());
		return remember(ofVersion, moved, () => {
			const access = preparedFor(version, moved);
			const policies = access.policies.filter(({ policy }) => policy === version.policy);
			return findPolicyParts({ ...access, policies }, factsOfGroup(group)).parts;
		});
	};
	/** `all`: all versions of all policies, with the users of before. */
	return { all: prepare(0n, versions), preparedFor, partsOf };
}

/** What is allowed in one cell, in each state. */
class CellStates {
	readonly versions: readonly Version[];
	readonly touching: Bits;
	readonly #source: PartSource;
	readonly #group: ActivityGroup;
	readonly #cell: GroupCell;
	/** A bit for each of the parts that differ. */
	readonly #bits = new Map<string, Bits>();
	readonly #parts = new Map<Bits, StateParts>();
	/** By the users, and the bits of the parts that apply. */
	readonly #sets = new Map<PreparedAccess, Map<Bits, UserSets>>();
	readonly #readings: readonly (readonly string[])[];

	constructor(source: PartSource, versions: readonly Version[], group: ActivityGroup, cell: GroupCell) {
		this.#source = source;
		this.versions = versions;
		this.#group = group;
		this.#cell = cell;
		this.touching = stepsOf(versions);
		const ends = [0n, this.touching].flatMap((completed) => versions.flatMap((one) => this.#inCell(one, completed)));
		const unknowns = new Set(ends.flatMap(({ unknown }) => unknown?.key ?? []));
		this.#readings = readingsOf([...unknowns], unknowns.size <= 3);
	}

	/** Returns a smallest set of users for whom the state is worse than before and after; null where there is none. Throws TooComplex. */
	judge(completed: Bits, change: UnsafeState["change"]): readonly string[] | null {
		const { users } = this.#prepared(0n);
		for (const read of this.#readings) {
			const [before, state, after] = [0n, completed, this.touching].map((one) => this.#setsIn(one, read)) as [
				UserSets,
				UserSets,
				UserSets,
			];
			if (state === before || state === after) continue;
			const worse = change === "gains" ? this.#gained(state, before, after) : this.#lost(state, before, after);
			if (worse !== 0n) return idsOf(users, worse);
		}
		return null;
	}

	/** Returns a smallest set that can do it in the state only; 0 where there is none. Throws TooComplex. */
	#gained(state: UserSets, before: UserSets, after: UserSets): Bits {
		const { users, budget } = this.#prepared(0n);
		const { alone, together } = findSmallestSets(difference(state, [...before, ...after], users, budget), budget);
		return alone === 0n ? (together[0] ?? 0n) : alone & -alone;
	}

	/**
	 * Returns a set that cannot do it in the state, and can before and after, where it is a smallest one before or after; any such
	 * set where only the root quorum can do it in the state. 0 where there is none. Throws TooComplex.
	 */
	#lost(state: UserSets, before: UserSets, after: UserSets): Bits {
		const { users, budget, rootQuorum } = this.#prepared(0n);
		const lost = commonDifference([before, after], state, users, budget);
		const { alone, together, isComplete } = findSmallestSets(lost, budget);
		const sets = [...membersOf(alone).map(bit), ...together];
		const isSmallestIn = (all: UserSets, set: Bits): boolean =>
			membersOf(set).every((user) => !isMember(all, set & ~bit(user)));
		const isOut = hasAll(state, rootQuorum ?? [], users, budget);
		const isLost = (set: Bits): boolean => isOut || isSmallestIn(before, set) || isSmallestIn(after, set);
		return sets.find(isLost) ?? (isComplete ? 0n : (sets[0] ?? 0n));
	}

	#prepared(completed: Bits): PreparedAccess {
		const first = this.versions[0] as Version;
		return this.#source.preparedFor(first, completed & first.movers);
	}

	/** Returns the parts in the cell once these steps have completed. */
	#partsOf(completed: Bits): StateParts {
		return remember(this.#parts, completed, () => {
			const parts = this.versions
				.filter((version) => version.isIn(completed))
				.flatMap((version) => this.#inCell(version, completed));
			const open = new Map<string, Bits>();
			let sure = 0n;
			for (const part of parts) {
				if (part.sure.length > 0) sure |= this.#bitOf(part, null);
				const key = part.unknown?.key;
				if (key !== undefined) open.set(key, (open.get(key) ?? 0n) | this.#bitOf(part, key));
			}
			return { parts, sure, open };
		});
	}

	#inCell(version: Version, completed: Bits): readonly Part[] {
		return partsIn(this.#source.partsOf(version, completed, this.#group), this.#cell);
	}

	/** Returns the bit of parts like this one where they surely apply, or where this unknown is so. */
	#bitOf({ effect, key }: Part, unknown: string | null): Bits {
		return remember(this.#bits, JSON.stringify([effect, key, unknown]), () => bit(this.#bits.size));
	}

	/** Returns what is allowed where these unknowns are so, and others not. Throws TooComplex. */
	#setsIn(completed: Bits, read: readonly string[]): UserSets {
		const { parts, sure, open } = this.#partsOf(completed);
		const applying = read.reduce((all, unknown) => all | (open.get(unknown) ?? 0n), sure);
		const prepared = this.#prepared(completed);
		const known = remember(this.#sets, prepared, () => new Map<Bits, UserSets>());
		return remember(known, applying, () => {
			const allowed = allowedBy(prepared, parts, ({ unknown }) =>
				unknown !== null && read.includes(unknown.key) ? "possible" : "sure",
			);
			return withRootQuorum(prepared, allowed);
		});
	}
}

/** The parts that apply in a state. */
interface StateParts {
	readonly parts: readonly Part[];
	/** The bits of those that surely do. */
	readonly sure: Bits;
	/** The bits of those that may, by what is unknown of them. */
	readonly open: ReadonlyMap<string, Bits>;
}

/** Returns the states in which one step has completed, and all but one. */
function fewStates(steps: readonly number[]): readonly Bits[] {
	const all = setOf(steps);
	return steps.flatMap((step) => [bit(step), all & ~bit(step)]);
}

type JoinedState = Pick<UnsafeState, "completed" | "open" | "userIds">;

/** Returns the states in the fewest steps: where a step makes no difference, it is left out. */
function joinStates(found: ReadonlyMap<Bits, readonly string[]>, touching: Bits): readonly JoinedState[] {
	const joined = new Map<string, JoinedState>();
	for (const [completed, userIds] of found) {
		let states: readonly Bits[] = [completed];
		let named = touching;
		for (const step of membersOf(touching)) {
			const others = states.map((state) => state ^ bit(step));
			if (!others.every((state) => found.has(state))) continue;
			states = [...states, ...others];
			named &= ~bit(step);
		}
		const one = { completed: membersOf(named & completed), open: membersOf(named & ~completed), userIds };
		const key = JSON.stringify([one.completed, one.open]);
		if (!joined.has(key)) joined.set(key, one);
	}
	return [...joined.values()];
}
