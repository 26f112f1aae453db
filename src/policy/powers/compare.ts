/** Compares who can do one group of activities before and after, and finds what changes for whom. */

import { TooComplex } from "../sets/formula.ts";
import { difference, type UserSets } from "../sets/resolve.ts";
import { type Bits, bit, membersOf } from "../sets/sets.ts";
import { aloneIn, fewestIn, findSmallestSets, isMember, participantsIn, smallestWith } from "../sets/user-sets.ts";
import { idsOf } from "../sets/votes.ts";
import type { Budget } from "../sets/work.ts";
import { abilityOf } from "./ability.ts";
import { factsOfGroup } from "./activity.ts";
import { type Change, type ImpactChange, type ImpactFinding, plain, type SideAbility } from "./finding.ts";
import { type ActivityGroup, nameOfGroup, sensitivePowers } from "./groups.ts";
import { allowedBy, findParts, ownCredentials, type Part } from "./judge.ts";
import { judgeAbility } from "./powers.ts";
import type { PreparedAccess } from "./prepare.ts";
import { notRead, type Reason } from "./reason.ts";
import {
	changedParts,
	dependsOnReading,
	findSlices,
	type Side,
	type SideUserSets,
	type Slice,
	sharedUnknowns,
	userSetsIn,
	writeCondition,
} from "./slices.ts";

interface GroupComparison {
	readonly findings: readonly ImpactFinding[];
	readonly isMore: boolean;
	readonly isLess: boolean;
}

const same: GroupComparison = { findings: [], isMore: false, isLess: false };

/** Returns what changes in the group. Both sides are prepared for the same users. */
export function compareGroup(before: PreparedAccess, after: PreparedAccess, group: ActivityGroup): GroupComparison {
	const facts = factsOfGroup(group);
	const isRootKnown = ({ access }: PreparedAccess): boolean => access.rootQuorum.known;
	const sideOf = (prepared: PreparedAccess, opposite: PreparedAccess): Side => {
		const hidesRootQuorum = !isRootKnown(prepared) && isRootKnown(opposite);
		return { prepared, found: findParts(prepared, facts), hidesRootQuorum };
	};
	const [one, other] = [sideOf(before, after), sideOf(after, before)];
	const changed = changedParts(one.found, other.found);
	if (changed.length === 0 && isSameBase(one, other)) return same;
	const comparison = new Comparison(one, other, group, changed);
	try {
		return comparison.run();
	} catch (error) {
		if (!(error instanceof TooComplex)) throw error;
		return comparison.giveUnknown({ kind: "too-complex", task: "compare", limit: error.limit });
	}
}

/** Returns whether the root quorum is the same on both sides, and policies that are not known are too. */
function isSameBase(one: Side, other: Side): boolean {
	const [before, after] = [one.prepared, other.prepared];
	if (JSON.stringify(before.access.rootQuorum) !== JSON.stringify(after.access.rootQuorum)) return false;
	if (one.found.missing === null && other.found.missing === null) return true;
	return (
		JSON.stringify(one.found.missing) === JSON.stringify(other.found.missing) &&
		JSON.stringify(before.access.users) === JSON.stringify(after.access.users)
	);
}

class Comparison {
	readonly #before: Side;
	readonly #after: Side;
	readonly #group: ActivityGroup;
	readonly #changed: readonly Part[];
	readonly #budget: Budget;
	readonly #findings: ImpactFinding[] = [];
	readonly #powers = new Map<Side, SideAbility>();
	/** Sets that are new, and sets that are gone, by slice. */
	readonly #seen: {
		readonly slice: Slice;
		readonly more: UserSets;
		readonly less: UserSets;
		readonly changes: readonly Change[];
	}[] = [];

	constructor(before: Side, after: Side, group: ActivityGroup, changed: readonly Part[]) {
		this.#before = before;
		this.#after = after;
		this.#group = group;
		this.#changed = changed;
		this.#budget = before.prepared.budget;
	}

	run(): GroupComparison {
		const [before, after] = [this.#before.found, this.#after.found];
		const shared = sharedUnknowns(before, after);
		const slices = findSlices(before, after, this.#changed, shared);
		if (slices === null) return this.giveUnknown({ kind: "too-many-conditions" });
		const areUsersKnown = [this.#before, this.#after].every(({ prepared }) => prepared.access.users.known);
		let isUnknown = !areUsersKnown || dependsOnReading(before, this.#changed, shared);
		for (const slice of slices) {
			const userSets = [userSetsIn(this.#before, slice, shared), userSetsIn(this.#after, slice, shared)] as const;
			this.#compareSlice(slice, ...userSets);
			isUnknown ||= userSets.some(({ sure, possible }) => this.#difference(possible, sure).length > 0);
		}
		const because = this.#unknownBecause();
		if (because !== null && (isUnknown || !this.#areRootQuorumsKnown())) this.#addUnknown(because);
		return this.#result();
	}

	giveUnknown(because: Reason): GroupComparison {
		this.#addUnknown(because);
		return this.#result();
	}

	#result(): GroupComparison {
		return {
			findings: this.#findings,
			isMore: this.#seen.some(({ more }) => more.length > 0),
			isLess: this.#seen.some(({ less }) => less.length > 0),
		};
	}

	#usersIn(userSets: UserSets): Bits {
		return participantsIn(userSets, this.#budget);
	}

	#difference(userSets: UserSets, other: UserSets): UserSets {
		return difference(userSets, other, this.#before.prepared.users, this.#budget);
	}

	/** A root quorum that is unknown on both sides is the same on both: no step changes it. */
	#areRootQuorumsKnown(): boolean {
		return this.#before.prepared.access.rootQuorum.known === this.#after.prepared.access.rootQuorum.known;
	}

	#unknownBecause(): Reason | null {
		for (const { prepared, found } of [this.#after, this.#before]) {
			const { users } = prepared.access;
			if (found.missing !== null) return notRead(found.missing);
			if (!users.known) return notRead(users.because);
			// What both sides leave unknown is named only where nothing that changed is unknown.
			const part = [...this.#changed, ...found.parts].find(({ unknown }) => unknown !== null);
			if (part?.unknown) return part.unknown.because;
		}
		for (const { prepared } of [this.#after, this.#before]) {
			const { rootQuorum } = prepared.access;
			if (!rootQuorum.known) return notRead(rootQuorum.because);
		}
		return null;
	}

	#compareSlice(slice: Slice, before: SideUserSets, after: SideUserSets): void {
		const more = this.#difference(after.sure, before.possible);
		const less = this.#difference(before.sure, after.possible);
		if (more.length === 0 && less.length === 0) return;
		const changes: Change[] = [];
		const wider = this.#wider(slice);
		const newlyMore = this.#difference(
			more,
			wider.flatMap((one) => one.more),
		);
		const newlyLess = this.#difference(
			less,
			wider.flatMap((one) => one.less),
		);
		const alone = this.#findAlone(slice, before, after);
		changes.push(...alone);
		if (newlyMore.length > 0) changes.push(...this.#findMore(slice, before, after, newlyMore, alone.length > 0));
		const lockedOut = this.#findLockout(slice, before, after, less);
		if (lockedOut !== null) changes.push(...lockedOut);
		else if (newlyLess.length > 0) changes.push(...this.#findLess(slice, after, newlyLess));
		this.#seen.push({ slice, more, less, changes });
		for (const change of changes) {
			this.#add(change, {
				condition: writeCondition(slice, change.unless),
				unless: this.#denials(slice, change),
				before: this.#abilityOf(this.#before, before),
				after: this.#abilityOf(this.#after, after),
				because: null,
			});
		}
	}

	/**
	 * Finds who can do it alone now. Under a condition it can be an escalation though it is none without: there one user was
	 * already enough, whom a policy denies it here.
	 */
	#findAlone(slice: Slice, before: SideUserSets, after: SideUserSets): readonly Change[] {
		const alone = aloneIn(after.sure) & ~aloneIn(before.possible);
		if (alone === 0n) return [];
		const isEscalation = this.#isSensitive(slice) && this.#neededTwo(before.possibleByPolicies);
		const users = this.#unseen(slice, (one) => one.change === "alone" && (one.isEscalation || !isEscalation), alone);
		if (users === 0n) return [];
		const first = membersOf(users)[0] ?? 0;
		return [{ change: "alone", users, witness: bit(first), isEscalation, unless: [] }];
	}

	#findMore(
		slice: Slice,
		before: SideUserSets,
		after: SideUserSets,
		more: UserSets,
		hasOthers: boolean,
	): readonly Change[] {
		const changes: Change[] = [];
		const isAlone = aloneIn(more) !== 0n;
		const [least, most] = [
			fewestIn(after.sureByPolicies, this.#budget),
			fewestIn(before.possibleByPolicies, this.#budget),
		];
		if (!isAlone && least !== null && most !== null && least < most && !this.#hasSeen(slice, "fewer")) {
			const sets = findSmallestSets(more, this.#budget).together;
			const witness = sets[0] ?? 0n;
			const users = sets.filter((set) => membersOf(set).length === least).reduce((all, set) => all | set, 0n);
			changes.push({ change: "fewer", users: users || witness, witness, ...plain });
		}
		const gained = this.#usersIn(more) & ~this.#usersIn(before.possible) & ~aloneIn(more);
		const users = this.#unseen(slice, ({ change }) => change === "alone" || change === "gains", gained);
		if (users !== 0n)
			changes.push({ change: "gains", users, witness: smallestWith(more, users, this.#budget), ...plain });
		if (changes.length > 0 || hasOthers) return changes;
		const witness = this.#unseenSet(slice, more, "more");
		return witness === null ? [] : [{ change: "gains", users: witness, witness, ...plain }];
	}

	/** Returns null where policies still allow it, or never did: under a condition that can be so though it is not without. */
	#findLockout(slice: Slice, before: SideUserSets, after: SideUserSets, less: UserSets): readonly Change[] | null {
		if (less.length === 0) return null;
		if (before.sureByPolicies.length === 0 || after.possibleByPolicies.length > 0) return null;
		if (this.#hasSeen(slice, "nobody")) return [];
		const users = this.#usersIn(before.sureByPolicies);
		return [
			{
				change: "nobody",
				users,
				witness: smallestWith(less, users, this.#budget),
				...plain,
				unless: this.#waysLeft(slice),
			},
		];
	}

	#findLess(slice: Slice, after: SideUserSets, less: UserSets): readonly Change[] {
		const lost = this.#usersIn(less) & ~this.#usersIn(after.possible);
		const users = this.#unseen(slice, ({ change }) => change === "nobody" || change === "loses", lost);
		if (users !== 0n) return [{ change: "loses", users, witness: smallestWith(less, users, this.#budget), ...plain }];
		const witness = this.#unseenSet(slice, less, "less");
		return witness === null ? [] : [{ change: "loses", users: witness, witness, ...plain }];
	}

	/** Returns the conditions under which policies still allow it after, where the slice has none. */
	#waysLeft({ condition }: Slice): readonly string[] {
		if (condition !== null) return [];
		const { prepared, found } = this.#after;
		const conditions = new Set(found.parts.flatMap((part) => (part.effect === "allow" ? [part.condition] : [])));
		return [...conditions].filter((one): one is string => {
			if (one === null || one === ownCredentials) return false;
			const isOn = (part: Part): boolean => part.condition === null || part.condition === one;
			return allowedBy(prepared, found.parts, (part) => (isOn(part) ? "sure" : "off")).length > 0;
		});
	}

	/** Slices with fewer conditions, which hold wherever this one does. */
	#wider({ atoms }: Slice) {
		return this.#seen.filter(({ slice }) => [...slice.atoms].every((atom) => atoms.has(atom)));
	}

	#hasSeen(slice: Slice, change: ImpactChange): boolean {
		return this.#wider(slice).some(({ changes }) => changes.some((one) => one.change === change));
	}

	/** Returns the users for whom no wider slice has such a change. */
	#unseen(slice: Slice, isSuch: (change: Change) => boolean, users: Bits): Bits {
		return this.#wider(slice)
			.flatMap((one) => one.changes)
			.filter(isSuch)
			.reduce((left, one) => left & ~one.users, users);
	}

	/** Returns a smallest set that changes in no wider slice; null where there is none. */
	#unseenSet(slice: Slice, userSets: UserSets, side: "more" | "less"): Bits | null {
		const wider = this.#wider(slice).flatMap((one) => one[side]);
		const { alone, together } = findSmallestSets(userSets, this.#budget);
		return [...membersOf(alone).map(bit), ...together].find((set) => !isMember(wider, set)) ?? null;
	}

	#isSensitive({ condition }: Slice): boolean {
		const { resource, action } = factsOfGroup(this.#group);
		const name = nameOfGroup(resource === null || action === null ? this.#group : { resource, action });
		const names: readonly (string | null)[] = sensitivePowers;
		return condition !== ownCredentials && names.includes(name);
	}

	/** Returns whether two or more were needed: by policies, or by the root quorum where no one could by policies. */
	#neededTwo(byPolicies: UserSets): boolean {
		if (byPolicies.length > 0) return aloneIn(byPolicies) === 0n;
		const { rootQuorum } = this.#before.prepared.access;
		return !rootQuorum.known || rootQuorum.value.threshold >= 2;
	}

	#addUnknown(because: Reason): void {
		const [before, after] = [this.#powerOf(this.#before), this.#powerOf(this.#after)];
		const unknown: Change = { change: "unknown", users: 0n, witness: 0n, ...plain };
		this.#add(unknown, { condition: null, unless: [], before, after, because });
	}

	/** Returns the conditions under which a policy denies the witness what it gets. */
	#denials(slice: Slice, { change, witness }: Change): readonly string[] {
		if (change === "nobody" || change === "loses") return [];
		const { parts } = this.#after.found;
		const conditions = new Set(parts.flatMap((part) => (part.effect === "deny" ? (part.condition ?? []) : [])));
		return [...conditions].filter((condition) => {
			if (slice.conditions.has(condition)) return false;
			const denied = { ...slice, conditions: new Set([...slice.conditions, condition]) };
			return !isMember(userSetsIn(this.#after, denied, new Set()).sure, witness);
		});
	}

	#powerOf(side: Side): SideAbility {
		const known = this.#powers.get(side) ?? judgeAbility(side.prepared, side.found);
		this.#powers.set(side, known);
		return known;
	}

	#abilityOf(side: Side, { sure }: SideUserSets): SideAbility {
		return { ...abilityOf(sure, side.prepared.users, this.#budget), unknown: this.#powerOf(side).unknown };
	}

	#add(
		{ change, users, witness, isEscalation }: Change,
		found: Pick<ImpactFinding, "condition" | "unless" | "before" | "after" | "because">,
	): void {
		const { prepared } = this.#before;
		const policyIds = this.#changed.flatMap(({ policyId }) => (policyId === null ? [] : [policyId]));
		this.#findings.push({
			group: this.#group,
			change,
			userIds: idsOf(prepared.users, users),
			witness: idsOf(prepared.users, witness),
			...found,
			policyIds: [...new Set(policyIds)].sort(),
			isEscalation,
		});
	}
}
