/** Which alternatives random allows and denies leave, and how many steps that takes. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Bound, bound, type Conjunction } from "../../../src/policy/sets/formula.ts";
import { difference, resolve, simplify, type UserSets } from "../../../src/policy/sets/resolve.ts";
import { bit, membersOf, setOf } from "../../../src/policy/sets/sets.ts";
import {
	fewestIn,
	findSmallestSets,
	hasAll,
	participantsIn,
	smallestWith,
} from "../../../src/policy/sets/user-sets.ts";
import { makeVotes, splitVotes, type Votes } from "../../../src/policy/sets/votes.ts";
import { Budget, Work } from "../../../src/policy/sets/work.ts";
import { withSteps } from "../brief.ts";
import { Random } from "../model.ts";

const unlimited = new Budget();

function randomVotes(random: Random): Votes {
	const ids = Array.from({ length: 4 + random.below(9) }, (_, index) => `u${index}`);
	if (random.chance(0.6)) return makeVotes(ids);
	const users = ids.map((id) => {
		const own = Array.from({ length: random.below(3) }, () => ({ type: "T", publicKey: null }));
		return [id, { id, tagIds: { known: true, value: [] }, credentials: { known: true, value: own } }];
	});
	return splitVotes(ids, new Set(ids), new Map(users as never));
}

const write = (userSets: UserSets): string =>
	userSets
		.map((alternative) => alternative.map(({ count, set }: Bound) => `${count} of ${membersOf(set)}`).join(" & "))
		.join(" | ");

/** Calls the search, and returns its result and its steps. */
function search(name: string, find: () => unknown): string {
	const [found, steps] = withSteps(() => {
		try {
			return find();
		} catch (error) {
			return (error as Error).message;
		}
	});
	return `  ${name} (${steps}): ${found}`;
}

describe("The searches of random sets", () => {
	it("find the same in as many steps as before", async () => {
		const lines: string[] = [];
		for (let seed = 1; seed <= 60; seed += 1) {
			const random = new Random(seed);
			const votes = randomVotes(random);
			const tagged = random.chance(0.5);
			const someBound = (least: number, most: number): Bound =>
				bound(least + random.below(most), setOf(random.some([...membersOf(votes.all)], 0.5)), tagged ? "t" : null);
			const some = (most: number, mostBounds: number, atMosts: number): readonly Conjunction[] =>
				Array.from({ length: random.below(most) }, () => ({
					atLeast: Array.from({ length: random.below(mostBounds + 1) }, () => someBound(1, 4)),
					atMost: Array.from({ length: random.below(atMosts + 1) }, () => someBound(0, 3)),
				}));
			const hasBounds = random.chance(0.4) ? 1 : 0;
			const [allows, denies, others] = [some(5, 3, hasBounds), some(4, 2, hasBounds), some(4, 3, 0)];
			const users = makeVotes(votes.userIds);
			const one = resolve(allows, denies, votes, new Work(unlimited));
			const other = resolve(others, [], users, new Work(unlimited));
			const { alone, together } = findSmallestSets(one, unlimited);
			lines.push(
				`${seed}: ${users.userIds.length} users, ${votes.owners.length} votes`,
				search("resolve", () => write(resolve(allows, denies, votes, new Work(unlimited)))),
				search("simplify", () => write(simplify([...one, ...other], new Work(unlimited)))),
				search("difference", () => write(difference(other, one, users, unlimited))),
				search("has all", () => [hasAll(one, other, users, unlimited), hasAll(other, one, users, unlimited)].join()),
				search("smallest", () => {
					const found = findSmallestSets([...other], unlimited);
					return `${membersOf(found.alone)} / ${found.together.length} / ${membersOf(found.together[0] ?? 0n)}`;
				}),
				search("fewest", () => fewestIn([...other], unlimited)),
				search("participants", () => membersOf(participantsIn([...other], unlimited))),
				search("with", () => membersOf(smallestWith(one, bit(1) | bit(2), unlimited))),
				search("again", () =>
					[membersOf(alone), together.length, findSmallestSets(one, unlimited).isComplete].join("/"),
				),
			);
		}
		const file = new URL("../../golden/policy/sets.txt", import.meta.url);
		await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(fileURLToPath(file));
	});
});
