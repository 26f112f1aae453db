/**
 * Sets of approvers against a judge that knows nothing but the definition: it tries every set of votes of a few users, one vote of
 * each user.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bound, type Conjunction, TooComplex } from "../../../src/policy/sets/formula.ts";
import { difference, resolve, type UserSets } from "../../../src/policy/sets/resolve.ts";
import { type Bits, isWithin, membersOf, setOf, sizeOf } from "../../../src/policy/sets/sets.ts";
import {
	aloneIn,
	fewestIn,
	findSmallestSets,
	hasAll,
	isMember,
	maxWrittenSets,
	participantsIn,
} from "../../../src/policy/sets/user-sets.ts";
import { makeVotes, splitVotes, type Votes } from "../../../src/policy/sets/votes.ts";
import { Budget, Work } from "../../../src/policy/sets/work.ts";

const unlimited = new Budget();

const userIds = ["a", "b", "c", "d", "e"];

/** Every set of these votes with at most one vote of a user. */
function choicesOf(votes: Votes): readonly Bits[] {
	return votes.votesOf.reduce<readonly Bits[]>(
		(sets, own) => sets.flatMap((set) => [set, ...membersOf(own).map((vote) => set | setOf([vote]))]),
		[0n],
	);
}

const holds = ({ atLeast, atMost }: Conjunction, set: Bits): boolean =>
	atLeast.every((one) => sizeOf(one.set & set) >= one.count) &&
	atMost.every((one) => sizeOf(one.set & set) <= one.count);

const ownersOf = ({ owners }: Votes, set: Bits): Bits => setOf(membersOf(set).map((vote) => owners[vote] ?? 0));

/** The sets of users that can approve and have no smaller one in them. */
function smallestByTrying(allows: readonly Conjunction[], denies: readonly Conjunction[], votes: Votes): Set<Bits> {
	const allowed = choicesOf(votes).filter(
		(set) => set !== 0n && allows.some((one) => holds(one, set)) && !denies.some((one) => holds(one, set)),
	);
	const users = [...new Set(allowed.map((set) => ownersOf(votes, set)))];
	return new Set(users.filter((set) => !users.some((other) => other !== set && isWithin(other, set))));
}

function smallestOf(userSets: UserSets): Set<Bits> {
	const { alone, together } = findSmallestSets(userSets, unlimited);
	return new Set([...membersOf(alone).map((user) => setOf([user])), ...together]);
}

const union = (sets: Iterable<Bits>): Bits => [...sets].reduce((all, set) => all | set, 0n);

/** Users with a credential or two each, or with none. */
const someVotes: fc.Arbitrary<Votes> = fc
	.tuple(fc.constantFrom(1, 3, 5), fc.array(fc.nat(2), { minLength: 5, maxLength: 5 }), fc.boolean())
	.map(([count, credentials, isSplit]) => {
		const ids = userIds.slice(0, count);
		if (!isSplit) return makeVotes(ids);
		const users = ids.map((id, index) => {
			const own = Array.from({ length: credentials[index] ?? 0 }, (_, at) => ({ type: "T", publicKey: `${id}${at}` }));
			return [id, { id, tagIds: { known: true, value: [] }, credentials: { known: true, value: own } }];
		});
		return splitVotes(ids, new Set(ids), new Map(users as never));
	});

const someBound = (votes: Votes, min: number, max: number) =>
	fc.tuple(fc.integer({ min, max }), fc.bigInt(1n, votes.all)).map(([count, set]) => bound(count, set & votes.all));

const someConjunctions = (votes: Votes, maxLength: number) =>
	fc.array(
		fc.record({
			atLeast: fc.array(someBound(votes, 1, 3), { minLength: 1, maxLength: 3 }),
			atMost: fc.array(someBound(votes, 0, 2), { maxLength: 2 }),
		}),
		{ minLength: maxLength === 3 ? 1 : 0, maxLength },
	);

const somePolicies = someVotes.chain((votes) =>
	fc.record({
		votes: fc.constant(votes),
		allows: someConjunctions(votes, 3),
		denies: someConjunctions(votes, 2),
		others: someConjunctions(votes, 3),
	}),
);

describe("the sets of users that can approve", () => {
	test("are those that the definition allows", () => {
		fc.assert(
			fc.property(somePolicies, ({ votes, allows, denies }) => {
				const userSets = resolve(allows, denies, votes, new Work(unlimited));
				const smallest = smallestByTrying(allows, denies, votes);
				expect(smallestOf(userSets)).toEqual(smallest);
				expect(findSmallestSets(userSets, unlimited).isComplete).toBe(true);
				expect(participantsIn(userSets, unlimited)).toBe(union(smallest));
				expect(aloneIn(userSets)).toBe(union([...smallest].filter((set) => sizeOf(set) === 1)));
				expect(fewestIn(userSets, unlimited)).toBe(smallest.size === 0 ? null : Math.min(...[...smallest].map(sizeOf)));
			}),
			{ numRuns: 800 },
		);
	});

	test("of two userSets differ in those of the one that the other does not have", () => {
		fc.assert(
			fc.property(somePolicies, ({ votes, allows, others }) => {
				const users = makeVotes(votes.userIds);
				const [one, other] = [
					resolve(allows, [], votes, new Work(unlimited)),
					resolve(others, [], votes, new Work(unlimited)),
				];
				const all = choicesOf(users).filter((set) => set !== 0n);
				const only = all.filter((set) => isMember(one, set) && !isMember(other, set));
				const smallest = only.filter((set) => !only.some((less) => less !== set && isWithin(less, set)));
				expect(smallestOf(difference(one, other, users, unlimited))).toEqual(new Set(smallest));
				expect(hasAll(one, other, users, unlimited)).toBe(smallest.length === 0);
			}),
			{ numRuns: 400 },
		);
	});
});

test("a set that others lack is found without the search for all of them, which can be too complex", () => {
	const users = makeVotes(Array.from({ length: 60 }, (_, index) => `u${index}`));
	const of = (first: number, count: number): Bits => setOf(Array.from({ length: count }, (_, at) => first + at));
	const some: UserSets = [[bound(4, of(0, 60))]];
	const others: UserSets = Array.from({ length: 14 }, (_, index) => [
		bound(2, of(index * 2 + 4, 5)),
		bound(2, of(index * 2 + 30, 5)),
	]);
	expect(() => difference(some, others, users, unlimited)).toThrow(TooComplex);
	expect(hasAll(some, others, users, unlimited)).toBe(false);
	expect(hasAll(some, some, users, unlimited)).toBe(true);
});

test("sets are sorted by size, and then by their users", () => {
	const pairs = [
		[2, 3],
		[0, 5],
		[0, 4],
		[1, 9],
	].map((pair) => [bound(2, setOf(pair))]);
	const { together } = findSmallestSets([[bound(3, setOf([6, 7, 8]))], ...pairs], unlimited);
	expect(together.map(membersOf)).toEqual([
		[0, 4],
		[0, 5],
		[1, 9],
		[2, 3],
		[6, 7, 8],
	]);
});

describe("more sets than are written out", () => {
	const users = setOf(Array.from({ length: 14 }, (_, index) => index));
	const seven = bound(7, users);

	test("are cut off at the limit, those of the fewest and the first users before others", () => {
		const { together, isComplete, alone } = findSmallestSets([[seven]], unlimited);
		expect([alone, isComplete, together.length]).toEqual([0n, false, maxWrittenSets]);
		expect(together[0]).toBe(setOf([0, 1, 2, 3, 4, 5, 6]));
		expect(together[1]).toBe(setOf([0, 1, 2, 3, 4, 5, 7]));
		expect(new Set(together.map(sizeOf))).toEqual(new Set([7]));
	});

	test("have all users of a threshold as participants, and those of another alternative", () => {
		expect(participantsIn([[seven]], unlimited)).toBe(users);
		const pair = setOf([20, 21]);
		expect(participantsIn([[seven], [bound(2, pair)]], unlimited)).toBe(users | pair);
		expect(participantsIn([[seven, bound(1, pair)]], unlimited)).toBe(users | pair);
		// None of these is in a set that is written out.
		const others = users << 14n;
		expect(participantsIn([[seven], [bound(7, others)]], unlimited)).toBe(users | others);
		expect(participantsIn([[seven], [bound(6, others), bound(2, pair << 20n)]], unlimited)).toBe(
			users | others | (pair << 20n),
		);
		// Seven of the first users are enough without any other.
		expect(participantsIn([[seven], [seven, bound(7, others)]], unlimited)).toBe(users);
		expect(participantsIn([[seven], [bound(8, users), bound(1, others)]], unlimited)).toBe(users);
		// With six of them, one other is enough.
		expect(participantsIn([[seven], [bound(6, users), bound(1, others)]], unlimited)).toBe(users | others);
	});

	test("have no participant whom no set needs", () => {
		const userSets: UserSets = [[seven], [seven, bound(1, setOf([30]))]];
		expect(participantsIn(userSets, unlimited)).toBe(users);
		expect(participantsIn([[seven, bound(7, users | setOf([14, 15]))]], unlimited)).toBe(users);
	});
});
