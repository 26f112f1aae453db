/** Reads families of sets: who is enough alone, which sets are smallest, who takes part in one. */
import { type Bound, TooComplex } from "./formula.ts";
import { type Alternative, type Family, findVectorsOf, simplify } from "./resolve.ts";
import { type Bits, bit, hasBit, membersOf, setOf, sizeOf } from "./sets.ts";
import { type Budget, Work } from "./work.ts";

/** Max sets of two and more users that are written out; thresholds say the rest. */
export const maxWrittenSets = 1_000;

/** The smallest sets of a family, by size and then by their members. */
export interface SmallestSets {
	/** Users who are enough alone. */
	readonly alone: Bits;
	/** Sets of two and more users. */
	readonly together: readonly Bits[];
	/** Whether all of them are there. */
	readonly isComplete: boolean;
}

/** Returns whether the set is in the family. */
export const isMember = (family: Family, set: Bits): boolean =>
	family.some((alternative) => alternative.every(({ count, set: of }) => sizeOf(set & of) >= count));

/** Returns the users who are a set of the family by themselves. */
export function aloneIn(family: Family): Bits {
	let alone = 0n;
	for (const alternative of family) {
		if (alternative.some(({ count }) => count > 1)) continue;
		alone |= alternative.reduce((shared, { set }) => shared & set, alternative[0]?.set ?? 0n);
	}
	return alone;
}

/** Returns the sets of the family that have none of its users who are enough alone. */
function withoutAlone(family: Family, alone: Bits, work: Work): Family {
	if (alone === 0n) return family;
	const left = family.flatMap((alternative) => {
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

const found = new WeakMap<Family, SmallestSets>();

/** Returns all smallest sets, or the first `maxWrittenSets` of them. Each family is searched once. Throws TooComplex. */
export function findSmallestSets(family: Family, budget: Budget): SmallestSets {
	const known = found.get(family);
	if (known !== undefined) return known;
	const sets = searchSmallestSets(family, maxWrittenSets, budget);
	found.set(family, sets);
	return sets;
}

function searchSmallestSets(family: Family, limit: number, budget: Budget): SmallestSets {
	const alone = aloneIn(family);
	const work = new Work(budget);
	const rest = withoutAlone(family, alone, work);
	const smallest = new Set<Bits>();
	let isComplete = true;
	for (const alternative of rest) {
		const { sets, isAll } = firstSetsOf(alternative, limit, work);
		isComplete &&= isAll;
		for (const set of sets) {
			work.spend(1 + rest.length);
			if (rest.length === 1 || isSmallest(rest, set)) smallest.add(set);
		}
	}
	const together = [...smallest]
		.map((set) => ({ set, members: membersOf(set) }))
		.sort((one, other) => compareMembers(one.members, other.members))
		.map(({ set }) => set);
	return { alone, together: together.slice(0, limit), isComplete: isComplete && together.length <= limit };
}

/** Returns the smallest sets of one alternative, or the first `limit` of them. */
function firstSetsOf(
	alternative: Alternative,
	limit: number,
	work: Work,
): { readonly sets: readonly Bits[]; readonly isAll: boolean } {
	const sets: Bits[] = [];
	try {
		for (const set of setsOf(alternative, work)) {
			if (sets.length === limit) return { sets, isAll: false };
			sets.push(set);
		}
	} catch (error) {
		if (!(error instanceof TooComplex)) throw error;
		return { sets, isAll: false };
	}
	return { sets, isAll: true };
}

function compareMembers(one: readonly number[], other: readonly number[]): number {
	if (one.length !== other.length) return one.length - other.length;
	const index = one.findIndex((member, place) => member !== other[place]);
	return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const isSmallest = (family: Family, set: Bits): boolean =>
	membersOf(set).every((member) => !isMember(family, set & ~bit(member)));

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
		while (last >= 0 && places[last] === members.length - count + last) last -= 1;
		if (last < 0) return;
		places[last] = (places[last] ?? 0) + 1;
		for (let next = last + 1; next < count; next += 1) places[next] = (places[next - 1] ?? 0) + 1;
	}
}

/** Returns the smallest number of users in a set; null where no set is allowed. Throws TooComplex. */
export function fewestIn(family: Family, budget: Budget): number | null {
	const work = new Work(budget);
	const sizes = family.map((alternative) =>
		alternative.length === 1
			? (alternative[0]?.count ?? 0)
			: Math.min(
					...findVectorsOf(alternative, work).map((vector) => vector.reduce((sum, { count }) => sum + count, 0)),
				),
	);
	return sizes.length === 0 ? null : Math.min(...sizes);
}

/**
 * Returns the users who are in a smallest set. Exact where all smallest sets can be written out; where there are more, a user
 * counts who is in one of the sets that were tried.
 */
export function participantsIn(family: Family, budget: Budget): Bits {
	const { alone, together, isComplete } = findSmallestSets(family, budget);
	const listed = together.reduce((all, set) => all | set, alone);
	if (isComplete) return listed;
	const work = new Work(budget);
	const rest = withoutAlone(family, alone, work);
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
function isTakingPart(family: Family, alternative: Alternative, user: number, work: Work): boolean {
	for (let turn = 0; turn < maxTries; turn += 1) {
		work.spend(10 + 10 * family.length);
		let set = bit(user);
		for (const { count, set: of } of alternative) {
			const members = membersOf(of & ~set);
			for (let place = 0; place < members.length && sizeOf(set & of) < count; place += 1) {
				set |= bit(members[(place + turn * count) % members.length] ?? user);
			}
		}
		for (const member of membersOf(set)) {
			const smaller = set & ~bit(member);
			if (member !== user && isMember(family, smaller)) set = smaller;
		}
		if (isMember(family, set) && isSmallest(family, set)) return hasBit(set, user);
	}
	return false;
}

/** Returns the first smallest set with one of the users. Throws TooComplex. */
export function smallestWith(family: Family, users: Bits, budget: Budget): Bits {
	const { alone, together } = findSmallestSets(family, budget);
	const single = membersOf(alone & users)[0];
	if (single !== undefined) return bit(single);
	return together.find((set) => (set & users) !== 0n) ?? together[0] ?? bit(membersOf(alone)[0] ?? 0);
}
