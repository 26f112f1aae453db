/** Reads user sets: who is enough alone, which sets are smallest, who takes part in one. */
import { remember } from "../../common/remember.ts";
import { type Bound, orTooComplex } from "./formula.ts";
import { type Alternative, difference, findVectorsOf, simplify, type UserSets } from "./resolve.ts";
import { type Bits, bit, hasBit, membersOf, setOf, sizeOf } from "./sets.ts";
import type { Votes } from "./votes.ts";
import { type Budget, Work } from "./work.ts";

/** Max sets of two and more users that are written out; thresholds say the rest. */
export const maxWrittenSets = 1_000;

/** The smallest sets of user sets, by size and then by their members. */
interface SmallestSets {
	/** Users who are enough alone. */
	readonly alone: Bits;
	/** Sets of two and more users. */
	readonly together: readonly Bits[];
	/** Whether all of them are there. */
	readonly isComplete: boolean;
}

export const isMember = (userSets: UserSets, set: Bits): boolean =>
	userSets.some((alternative) => alternative.every(({ count, set: of }) => sizeOf(set & of) >= count));

/** Returns whether the second user sets have all sets of the first; one set of each alternative, quickly found, often shows that not. Throws TooComplex. */
export function hasAll(userSets: UserSets, other: UserSets, users: Votes, budget: Budget): boolean {
	if (userSets === other) return true;
	const isMissing = (one: Alternative, some = someOf(one)): boolean => isMember([one], some) && !isMember(other, some);
	return !userSets.some((one) => isMissing(one)) && difference(userSets, other, users, budget).length === 0;
}

/** Returns a set of the alternative. */
function someOf(alternative: Alternative): Bits {
	let some = 0n;
	for (const { count, set } of alternative) {
		const missing = count - sizeOf(set & some);
		if (missing > 0) some |= setOf(membersOf(set & ~some).slice(0, missing));
	}
	return some;
}

/** Returns the users who are a set of the user sets by themselves. */
export function aloneIn(userSets: UserSets): Bits {
	let alone = 0n;
	for (const alternative of userSets) {
		if (alternative.some(({ count }) => count > 1)) continue;
		alone |= alternative.reduce((shared, { set }) => shared & set, alternative[0]?.set ?? 0n);
	}
	return alone;
}

/** Returns the sets of the user sets that have none of its users who are enough alone. */
function withoutAlone(userSets: UserSets, alone: Bits, work: Work): UserSets {
	if (alone === 0n) return userSets;
	const left = userSets.flatMap((alternative) => {
		const rest = alternative.map((threshold) => ({ ...threshold, set: threshold.set & ~alone }));
		return rest.every(({ count, set }) => count <= sizeOf(set)) ? [rest] : [];
	});
	return simplify(left, work);
}

/** Returns what is left of an alternative once this user has approved. */
export function withoutUser(alternative: Alternative, user: number): Alternative {
	return alternative.flatMap((threshold) => {
		const count = threshold.count - (hasBit(threshold.set, user) ? 1 : 0);
		return count <= 0 ? [] : [{ ...threshold, count, set: threshold.set & ~bit(user) }];
	});
}

const found = new WeakMap<UserSets, SmallestSets>();

/** Returns all smallest sets, or the first `maxWrittenSets` of them. Each list of user sets is searched once. Throws TooComplex. */
export function findSmallestSets(userSets: UserSets, budget: Budget): SmallestSets {
	return remember(found, userSets, () => searchSmallestSets(userSets, budget));
}

function searchSmallestSets(userSets: UserSets, budget: Budget): SmallestSets {
	const alone = aloneIn(userSets);
	const work = new Work(budget);
	const rest = withoutAlone(userSets, alone, work);
	const smallest = new Set<Bits>();
	let isComplete = true;
	for (const alternative of rest) {
		const { sets, isAll } = firstSetsOf(alternative, work);
		isComplete &&= isAll;
		for (const set of sets) {
			work.spend(1 + rest.length);
			if (rest.length === 1 || isSmallest(rest, set)) smallest.add(set);
		}
	}
	const members = new Map([...smallest].map((set) => [set, membersOf(set)]));
	const together = [...smallest].sort((one, other) => compareMembers(members.get(one) ?? [], members.get(other) ?? []));
	return {
		alone,
		together: together.slice(0, maxWrittenSets),
		isComplete: isComplete && together.length <= maxWrittenSets,
	};
}

/** Returns the smallest sets of one alternative, or the first `maxWrittenSets` of them. */
function firstSetsOf(
	alternative: Alternative,
	work: Work,
): { readonly sets: readonly Bits[]; readonly isAll: boolean } {
	const find = () => {
		const sets: Bits[] = [];
		for (const set of setsOf(alternative, work)) {
			if (sets.length === maxWrittenSets) return { sets, isAll: false };
			sets.push(set);
		}
		return { sets, isAll: true };
	};
	return orTooComplex(find, () => ({ sets: [], isAll: false }));
}

function compareMembers(one: readonly number[], other: readonly number[]): number {
	if (one.length !== other.length) return one.length - other.length;
	const index = one.findIndex((member, place) => member !== other[place]);
	return (one[index] ?? 0) - (other[index] ?? 0);
}

const isSmallest = (userSets: UserSets, set: Bits): boolean =>
	membersOf(set).every((member) => !isMember(userSets, set & ~bit(member)));

/** Yields the smallest sets of one alternative, those with the fewest users first. */
function* setsOf(alternative: Alternative, work: Work): Generator<Bits> {
	const [only] = alternative;
	if (only !== undefined && alternative.length === 1) {
		yield* choose(membersOf(only.set), only.count);
		return;
	}
	for (const vector of findVectorsOf(alternative, work)) yield* expand(vector);
}

function* expand(vector: readonly Bound[]): Generator<Bits> {
	const [first, ...rest] = vector;
	if (first === undefined) {
		yield 0n;
		return;
	}
	for (const chosen of choose(membersOf(first.set), first.count)) {
		for (const others of expand(rest)) yield chosen | others;
	}
}

/** Yields all sets of so many of the members, in order. */
function* choose(members: readonly number[], count: number): Generator<Bits> {
	const places = Array.from({ length: count }, (_, index) => index);
	while (count <= members.length) {
		yield setOf(places.map((place) => members[place] ?? 0));
		let last = count - 1;
		while (places[last] === members.length - count + last) last -= 1;
		if (last < 0) return;
		places[last] = (places[last] ?? 0) + 1;
		for (let next = last + 1; next < count; next += 1) places[next] = (places[next - 1] ?? 0) + 1;
	}
}

/** Returns the smallest number of users in a set; null where no set is allowed. Throws TooComplex. */
export function fewestIn(userSets: UserSets, budget: Budget): number | null {
	const work = new Work(budget);
	const sizes = userSets.flatMap((alternative) => {
		const vectors = alternative.length === 1 ? [alternative] : findVectorsOf(alternative, work);
		return vectors.map((vector) => vector.reduce((sum, { count }) => sum + count, 0));
	});
	return sizes.length === 0 ? null : Math.min(...sizes);
}

/** Returns the users in a smallest set; where too many sets exist, those in one of the sets that were tried. */
export function participantsIn(userSets: UserSets, budget: Budget): Bits {
	const { alone, together, isComplete } = findSmallestSets(userSets, budget);
	const listed = together.reduce((all, set) => all | set, alone);
	if (isComplete) return listed;
	const work = new Work(budget);
	const rest = withoutAlone(userSets, alone, work);
	let taking = listed;
	for (const alternative of rest) {
		const users = alternative.reduce((all, { set }) => all | set, 0n) & ~taking;
		const isEach = rest.length === 1 && alternative.length === 1;
		taking |= setOf(membersOf(users).filter((user) => isEach || isTakingPart(rest, alternative, user, work)));
	}
	return taking;
}

const maxTries = 20;

/** Tries some smallest sets of the alternative with this user. */
function isTakingPart(userSets: UserSets, alternative: Alternative, user: number, work: Work): boolean {
	for (let turn = 0; turn < maxTries; turn += 1) {
		work.spend(10 + 10 * userSets.length);
		let set = bit(user);
		for (const { count, set: of } of alternative) {
			const members = membersOf(of & ~set);
			for (let place = 0; place < members.length && sizeOf(set & of) < count; place += 1) {
				set |= bit(members[(place + turn * count) % members.length] ?? user);
			}
		}
		for (const member of membersOf(set)) {
			const smaller = set & ~bit(member);
			if (member !== user && isMember(userSets, smaller)) set = smaller;
		}
		if (isMember(userSets, set) && isSmallest(userSets, set)) return hasBit(set, user);
	}
	return false;
}

/** Returns the first smallest set with one of the users. Throws TooComplex. */
export function smallestWith(userSets: UserSets, users: Bits, budget: Budget): Bits {
	const { alone, together } = findSmallestSets(userSets, budget);
	const single = membersOf(alone & users)[0];
	if (single !== undefined) return bit(single);
	return together.find((set) => (set & users) !== 0n) ?? together[0] ?? bit(membersOf(alone)[0] ?? 0);
}
