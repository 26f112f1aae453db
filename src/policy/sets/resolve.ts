/** Finds which sets of users are allowed, without those that a policy denies, as thresholds of users. */
import { remember } from "../../common/remember.ts";
import { type Bound, bound, type Conjunction, TooComplex } from "./formula.ts";
import { type Bits, isWithin, membersOf, setOf, sizeOf } from "./sets.ts";
import { findSmallestVectors, keepSmallest, type VoteClass } from "./vectors.ts";
import { capacityOf, makeVotes, usersOf, type Votes } from "./votes.ts";
import { type Budget, Work } from "./work.ts";

/** At least so many of each of these sets of users. There is always one. */
export type Alternative = readonly Bound[];

/** Sets of users: those that meet all thresholds of some alternative. */
export type UserSets = readonly Alternative[];

/** A conjunction without the votes that may not be used. */
interface Restricted {
	readonly atLeast: readonly Bound[];
	readonly atMost: readonly Bound[];
	readonly removed: Bits;
}

const maxConjunctions = 1_000;

/** Returns the sets that some of `allows` holds for and none of `denies`. Throws TooComplex. */
export function resolve(
	allows: readonly Conjunction[],
	denies: readonly Conjunction[],
	votes: Votes,
	work: Work,
): UserSets {
	const order = [...denies].sort((one, other) => rankOf(one) - rankOf(other));
	const isMonotone = denies.every(({ atMost }) => atMost.length === 0);
	const alternatives: Alternative[] = [];
	for (const allow of allows) {
		const first = restrict({ ...allow, removed: 0n }, votes);
		let left = first === null ? [] : [first];
		for (const deny of order) {
			left = left.flatMap((one) => {
				work.spend(1 + one.atLeast.length + one.atMost.length);
				return withoutDenied(one, deny, isMonotone, votes);
			});
			if (left.length > maxConjunctions) throw new TooComplex("deny-alternatives");
			if (left.length > 8) left = dropEqual(left);
		}
		for (const one of left) alternatives.push(...toUsers(one, votes, work));
		if (alternatives.length > maxConjunctions) throw new TooComplex("alternatives");
	}
	return simplify(alternatives, work);
}

/** Denies with bounds that must not be exceeded come first: only then may a bound be left out that no smallest set exceeds. */
const rankOf = ({ atLeast, atMost }: Conjunction): number =>
	atMost.length > 0 ? 0 : atLeast.length * 1_000 + (atLeast[0]?.count ?? 0);

function withoutDenied(one: Restricted, deny: Conjunction, isMonotone: boolean, votes: Votes): Restricted[] {
	const options = [
		...deny.atLeast.map(({ count, set }): Restricted => ({ ...one, atMost: [...one.atMost, bound(count - 1, set)] })),
		...deny.atMost.map(({ count, set }): Restricted => ({ ...one, atLeast: [...one.atLeast, bound(count + 1, set)] })),
	];
	if (isMonotone && deny.atLeast.some(({ count, set }) => cannotExceed(one, count - 1, set))) return [one];
	return options.flatMap((option) => restrict(option, votes) ?? []);
}

/** Returns whether no smallest set has more than `count` of the set: each of its votes is needed by some threshold. */
const cannotExceed = ({ atLeast }: Restricted, count: number, set: Bits): boolean =>
	atLeast.reduce((most, one) => most + Math.min(one.count, sizeOf(one.set & set)), 0) <= count;

/** Returns the same without votes that may not be used and thresholds that others imply; null where no set meets it. */
function restrict({ atLeast, atMost, removed }: Restricted, votes: Votes): Restricted | null {
	let gone = removed;
	for (const { count, set } of atMost) {
		if (count === 0) gone |= set;
	}
	const kept: Bound[] = [];
	for (const threshold of atLeast) {
		const set = threshold.set & ~gone;
		if (threshold.count > capacityOf(votes, set)) return null;
		kept.push({ ...threshold, set });
	}
	if (kept.length === 0) {
		const set = votes.all & ~gone;
		if (set === 0n) return null;
		kept.push(bound(1, set));
	}
	return { atLeast: dropImplied(kept), atMost: atMost.filter(({ count }) => count > 0), removed: gone };
}

/** Returns whether every set that has enough of the first has enough of the second. */
const implies = (one: Bound, other: Bound): boolean =>
	one.count === other.count
		? isWithin(one.set, other.set)
		: one.count > other.count && one.count - sizeOf(one.set & ~other.set) >= other.count;

function dropImplied(bounds: readonly Bound[]): readonly Bound[] {
	return bounds.filter(
		(one, index) =>
			!bounds.some((other, place) => place !== index && implies(other, one) && (place < index || !implies(one, other))),
	);
}

const keys = new WeakMap<readonly Bound[], string>();

const keyOf = (bounds: readonly Bound[]): string =>
	remember(keys, bounds, () =>
		bounds
			.map(({ count, set }) => `${count}:${set.toString(36)}`)
			.sort()
			.join(),
	);

function dropEqual(conjunctions: readonly Restricted[]): Restricted[] {
	const byKey = new Map(conjunctions.map((one) => [`${keyOf(one.atLeast)};${keyOf(one.atMost)};${one.removed}`, one]));
	return [...byKey.values()];
}

/** Returns the alternatives of users with the same smallest sets. */
function toUsers(one: Restricted, votes: Votes, work: Work): readonly Alternative[] {
	const atMost = one.atMost.filter(({ count, set }) => !cannotExceed(one, count, set));
	if (atMost.length === 0 && (!votes.isSplit || hasBestVotes(one, votes))) {
		return [one.atLeast.map((threshold) => ({ ...threshold, set: usersOf(votes, threshold.set) }))];
	}
	return countClasses({ ...one, atMost }, votes, work);
}

/** Returns whether each user has a vote that counts wherever another of the user's votes does. */
function hasBestVotes({ atLeast, removed }: Restricted, votes: Votes): boolean {
	return votes.votesOf.every((own) => {
		const usable = own & ~removed;
		let best = usable;
		for (const { set } of atLeast) if ((set & usable) !== 0n) best &= set;
		return usable === 0n || best !== 0n;
	});
}

/** Returns the smallest sets of an alternative of users, each written as "so many of this class of users", smallest first. */
export function findVectorsOf(alternative: Alternative, work: Work): readonly Alternative[] {
	const users = alternative.reduce((all, { set }) => all | set, 0n);
	return countClasses({ atLeast: alternative, atMost: [], removed: 0n }, plainVotes(users), work);
}

/** Returns votes of users who have one each; only the votes of these users are used. */
function plainVotes(users: Bits): Votes {
	const length = users.toString(2).length;
	return makeVotes(Array.from({ length }, () => ""));
}

/** Finds the smallest sets by classes of votes, and writes each as "so many of this class of users". */
function countClasses(one: Restricted, votes: Votes, work: Work): readonly Alternative[] {
	const { classes, users, atMost } = classify(one, votes);
	const vectors = findSmallestVectors({
		needs: one.atLeast.map(({ count }) => count),
		classes,
		capacities: users.map((members) => members.length),
		work,
	}).filter((vector) =>
		atMost.every(
			({ count, counts }) => vector.reduce((sum, taken, at) => (counts[at] ? sum + taken : sum), 0) <= count,
		),
	);
	const ofUsers = vectors.map((vector) => {
		const taken = users.map(() => 0);
		for (const [index, { users: owner }] of classes.entries())
			taken[owner] = (taken[owner] ?? 0) + (vector[index] ?? 0);
		return taken;
	});
	return keepSmallest(ofUsers, work).map((taken) =>
		taken.flatMap((count, index) => (count === 0 ? [] : [bound(count, setOf(users[index] ?? []))])),
	);
}

interface Classified {
	readonly classes: readonly VoteClass[];
	/** Users of each class. */
	readonly users: readonly (readonly number[])[];
	/** For each bound not to be exceeded, whether it counts the votes of each class. */
	readonly atMost: readonly { readonly count: number; readonly counts: readonly boolean[] }[];
}

/** Groups users who are in the same sets of the conjunction, and their votes. */
function classify({ atLeast, atMost, removed }: Restricted, votes: Votes): Classified {
	const bounds = [...atLeast, ...atMost];
	const signs = Array.from({ length: votes.owners.length }, () => "");
	const place = (set: Bits, sign: string): void => {
		for (const vote of membersOf(set & ~removed)) signs[vote] += sign;
	};
	for (const [index, { set }] of bounds.entries()) place(set, `${index},`);
	const byUsers = new Map<string, number[]>();
	for (const [user, own] of votes.votesOf.entries()) {
		const ownSigns = new Set(membersOf(own & ~removed).map((vote) => signs[vote] ?? ""));
		ownSigns.delete("");
		if (ownSigns.size === 0) continue;
		const key = [...ownSigns].sort().join(";");
		const members = byUsers.get(key);
		if (members === undefined) byUsers.set(key, [user]);
		else members.push(user);
	}
	const kinds = [...byUsers.keys()].flatMap((key, users) =>
		key.split(";").map((sign) => ({ users, numbers: new Set(sign.split(",").filter(Boolean).map(Number)) })),
	);
	return {
		classes: kinds.map(({ users, numbers }) => ({ users, counts: atLeast.map((_, index) => numbers.has(index)) })),
		users: [...byUsers.values()],
		atMost: atMost.map(({ count }, index) => ({
			count,
			counts: kinds.map(({ numbers }) => numbers.has(atLeast.length + index)),
		})),
	};
}

/** Returns whether every set of the first alternative is one of the second. Never true by mistake; exact for one threshold. */
const isCovered = (one: Alternative, other: Alternative): boolean =>
	other.every((needed) => one.some((given) => implies(given, needed)));

/** Drops alternatives whose sets another one has too. */
export function simplify(alternatives: readonly Alternative[], work: Work): UserSets {
	const byKey = new Map<string, Alternative>();
	for (const one of alternatives) {
		const key = keyOf(one);
		const same = byKey.get(key);
		if (same === undefined || same.some(({ tagId }) => tagId === null)) byKey.set(key, one);
	}
	let kept: Alternative[] = [];
	for (const one of byKey.values()) {
		work.spend(1 + kept.length);
		if (kept.some((other) => isCovered(one, other))) continue;
		kept = kept.filter((other) => !isCovered(other, one));
		kept.push(one);
	}
	return kept;
}

/** Returns the sets of the first user sets that the second does not have. Throws TooComplex. */
export function difference(userSets: UserSets, other: UserSets, users: Votes, budget: Budget): UserSets {
	const open = uncovered(userSets, other);
	if (open.length === 0) return [];
	const toConjunction = (atLeast: Alternative): Conjunction => ({ atLeast, atMost: [] });
	return resolve(open.map(toConjunction), other.map(toConjunction), users, new Work(budget));
}

/** Returns the sets that both user sets have and `other` has not. Throws TooComplex. */
export function commonDifference(
	[one, another]: readonly [UserSets, UserSets],
	other: UserSets,
	users: Votes,
	budget: Budget,
): UserSets {
	// Where `other` has all sets of an alternative, it has those that the other user sets have too: few are left to combine.
	const [left, right] = [uncovered(one, other), uncovered(another, other)];
	const both = left.flatMap((first) => right.map((second) => [...first, ...second]));
	return difference(both, other, users, budget);
}

/** Returns the alternatives that are not covered by a single one of `other`. */
function uncovered(userSets: UserSets, other: UserSets): UserSets {
	const known = new Set(other.map(keyOf));
	return userSets.filter((one) => !known.has(keyOf(one)) && !other.some((covering) => isCovered(one, covering)));
}
