/** Votes: one for each user, or for each credential where a policy names `credentials`; of these one is used. */
import type { AccessCredential, AccessUser, Known } from "../access.ts";
import { type Bits, bit, membersOf, setOf, sizeOf } from "./sets.ts";

export interface Votes {
	/** Ids of all users, sorted; a user's number is the index here. */
	readonly userIds: readonly string[];
	readonly owners: readonly number[];
	readonly votesOf: readonly Bits[];
	/** The credential of each vote: unknown where it is not known; null where the user has none or it does not matter. */
	readonly credentials: readonly Known<AccessCredential | null>[];
	readonly all: Bits;
	/** Whether votes and users have different numbers: some user has more than one vote. */
	readonly isSplit: boolean;
}

/** Returns one vote for each of the users. `present`: those that there are; the others have no vote. */
export function makeVotes(userIds: readonly string[], present: ReadonlySet<string> | null = null): Votes {
	const votesOf = userIds.map((id, index) => (present === null || present.has(id) ? bit(index) : 0n));
	return {
		userIds,
		owners: userIds.map((_, index) => index),
		votesOf,
		credentials: userIds.map(() => ({ known: true, value: null })),
		all: setOf(votesOf.flatMap((own, index) => (own === 0n ? [] : [index]))),
		isSplit: false,
	};
}

/** Returns a vote for each credential of each user that there is. A user without credentials has a vote without one. */
export function splitVotes(
	userIds: readonly string[],
	present: ReadonlySet<string>,
	users: ReadonlyMap<string, AccessUser>,
): Votes {
	const owners: number[] = [];
	const credentials: Known<AccessCredential | null>[] = [];
	const votesOf = userIds.map((id, owner) => {
		const start = owners.length;
		for (const credential of present.has(id) ? votingCredentials(users.get(id)) : []) {
			owners.push(owner);
			credentials.push(credential);
		}
		return setOf(Array.from({ length: owners.length - start }, (_, index) => start + index));
	});
	return {
		userIds,
		owners,
		votesOf,
		credentials,
		all: setOf(owners.keys()),
		isSplit: owners.length !== userIds.length || owners.some((owner, vote) => owner !== vote),
	};
}

function votingCredentials(user: AccessUser | undefined): readonly Known<AccessCredential | null>[] {
	if (user === undefined) return [{ known: false, because: { kind: "credentials-unknown" } }];
	if (!user.credentials.known) return [user.credentials];
	if (user.credentials.value.length === 0) return [{ known: true, value: null }];
	return user.credentials.value.map((value) => ({ known: true, value }));
}

export function usersOf(votes: Votes, set: Bits): Bits {
	return votes.isSplit ? setOf(membersOf(set).map((vote) => votes.owners[vote] ?? 0)) : set;
}

/** Returns how many of the votes can be used together: one of each user. */
export const capacityOf = (votes: Votes, set: Bits): number => sizeOf(usersOf(votes, set));

export const idsOf = (votes: Votes, users: Bits): string[] => membersOf(users).map((user) => votes.userIds[user] ?? "");
