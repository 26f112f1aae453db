/**
 * Finds out whether a user belongs to a smallest set of users whose approvals together are allowed: a set without a smaller
 * allowed one inside it (docs/internals/service.md#how-an-activity-is-decided).
 *
 * Users of whom the policies see the same are interchangeable, so sets are looked at by how many of each group they have, the
 * smallest first.
 */
import { policyLimits } from "../assumptions.ts";
import type { Approvers, Voter } from "./voters.ts";

/** What the policies can see of a user. */
type View = ReturnType<typeof viewOf>;

/** Finds an index, a slice, or a comparison of two values of which neither is written out: then no two users are interchangeable. */
const asymmetric =
	/(?<=[\w)\]]\s*)(?<!\bin\s*)\[|(?<!(?:'|\b\d+)\s*)(?:==|!=|\bin\b)\s*(?!['\d\s]|true\b|false\b)|\bcontains\s*\(\s*(?!['\d\s])/;

/** Returns what policies with these consensus expressions see. */
export function viewOf(expressions: readonly string[], rootIds: readonly string[] = []) {
	const written = expressions.join("\n");
	// Texts, and lists of nothing but texts and numbers, become an empty text.
	const plain = written.replace(/'[^']*'/g, "''").replace(/(?<=\bin\s*|[^\w)\]\s]\s*)\[['\d\s,]*\]/g, "''");
	return {
		/** Whether the text is one that an expression compares something with. */
		has: (text: string): boolean => written.includes(`'${text}'`),
		/** False: every user has to be looked at separately. */
		isSymmetric: !asymmetric.test(plain),
		usesCredentials: /\bcredentials\b/.test(plain),
		/** The members of the root quorum. */
		rootIds: new Set(rootIds),
	};
}

/** Users who are interchangeable, and the different credentials that each of them can approve with. */
interface Group {
	readonly voters: readonly Voter[];
	/** For each choice of a credential, a key that is the same for users of the group. */
	readonly choices: readonly string[];
}

/** How many of a group approve with each choice. */
type Counts = readonly (readonly number[])[];

function credentialKey(voter: Voter, index: number, view: View): string {
	const { id, type, credential_id, public_key } = voter.credentials[index] ?? {};
	return JSON.stringify([type, ...[id, credential_id, public_key].filter((value) => view.has(value ?? ""))]);
}

function choicesOf(voter: Voter, view: View): readonly string[] {
	if (!view.usesCredentials || voter.credentials.length === 0) return [""];
	return [...new Set(voter.credentials.map((_credential, index) => credentialKey(voter, index, view)))].sort();
}

function groupKey(voter: Voter, view: View): string {
	const { id, tags, email, alias } = voter.user;
	if (!view.isSymmetric) return id;
	const seen = [id, email, alias].map((value) => (view.has(value) ? value : null));
	const seenTags = tags.filter((tag) => view.has(tag)).sort();
	return JSON.stringify([view.rootIds.has(id), seen, seenTags, tags.length, choicesOf(voter, view)]);
}

function groupVoters(voters: readonly Voter[], view: View): readonly Group[] {
	const groups = Map.groupBy(voters, (voter) => groupKey(voter, view));
	return [...groups.values()].map((members) => ({
		voters: members,
		choices: members[0] === undefined ? [""] : choicesOf(members[0], view),
	}));
}

/** Returns the voter as an approver who used the credential of a choice. */
function approve(voter: Voter, choice: string, view: View): Voter {
	if (choice === "")
		return voter.credentials.length === 0 ? voter : { ...voter, credentials: voter.credentials.slice(0, 1) };
	const index = voter.credentials.findIndex((_credential, at) => credentialKey(voter, at, view) === choice);
	return { ...voter, credentials: voter.credentials.slice(index, index + 1) };
}

function approversWith(groups: readonly Group[], counts: Counts, view: View): Approvers {
	return groups.flatMap(({ voters, choices }, group) => {
		const chosen = choices.flatMap((choice, at) => Array<string>(counts[group]?.[at] ?? 0).fill(choice));
		return chosen.flatMap((choice, index) => {
			const voter = voters[index];
			return voter === undefined ? [] : [approve(voter, choice, view)];
		});
	});
}

/** Yields every way to spread `total` over `places`, of which each takes at most as many as `max` says. */
function* spread(total: number, places: number, max: (place: number) => number, place = 0): Generator<number[]> {
	if (place === places) {
		if (total === 0) yield [];
		return;
	}
	for (let count = Math.min(total, max(place)); count >= 0; count -= 1) {
		for (const rest of spread(total - count, places, max, place + 1)) yield [count, ...rest];
	}
}

/** Yields, for so many users of each group, every choice of their credentials. */
function* choose(groups: readonly Group[], totals: readonly number[], group = 0): Generator<number[][]> {
	const { choices } = groups[group] ?? {};
	if (choices === undefined) {
		yield [];
		return;
	}
	for (const counts of spread(totals[group] ?? 0, choices.length, () => Number.POSITIVE_INFINITY)) {
		for (const rest of choose(groups, totals, group + 1)) yield [counts, ...rest];
	}
}

const contains = (larger: readonly number[], smaller: readonly number[]): boolean =>
	smaller.every((count, group) => count <= (larger[group] ?? 0));

class TooManySets extends Error {}

/** Looks at the sets by their size. Throws TooManySets. The submitter is the only one of the first group. */
function searchBySize(groups: readonly Group[], view: View, isAllowed: (approvers: Approvers) => boolean): boolean {
	const smallest: (readonly number[])[] = [];
	const sizes = groups.map(({ voters }) => voters.length);
	let left = policyLimits.sets;
	const takeOne = (): void => {
		left -= 1;
		if (left < 0) throw new TooManySets();
	};
	const isAnyAllowed = (totals: readonly number[]): boolean => {
		for (const counts of choose(groups, totals)) {
			takeOne();
			if (isAllowed(approversWith(groups, counts, view))) return true;
		}
		return false;
	};
	/** Whether the submitter is in a smallest set with so many users. */
	const isInSetOf = (size: number): boolean => {
		for (const totals of spread(size, groups.length, (group) => sizes[group] ?? 0)) {
			takeOne();
			if (smallest.some((inside) => contains(totals, inside)) || !isAnyAllowed(totals)) continue;
			if (totals[0] === 1) return true;
			smallest.push(totals);
		}
		return false;
	};
	const users = sizes.reduce((sum, size) => sum + size, 0);
	return Array.from({ length: users }, (_, index) => index + 1).some(isInSetOf);
}

/** Returns a number from 0 to below `below`, the same on every run. */
function makeRandom(): (below: number) => number {
	let state = 1;
	return (below) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
}

/** Removes users in a random order as long as the rest is allowed, the submitter last, and returns whether that one is needed. */
function searchAtRandom(
	submitter: Voter,
	others: readonly Voter[],
	isAllowed: (approvers: Approvers) => boolean,
): boolean {
	const random = makeRandom();
	for (let tries = 0; tries < policyLimits.randomTries; tries += 1) {
		const order = others.map((voter) => ({ voter, at: random(2 ** 30) })).sort((one, other) => one.at - other.at);
		let set: Approvers = [submitter, ...others];
		if (!isAllowed(set)) return false;
		for (const { voter } of order) {
			const without = set.filter((one) => one !== voter);
			if (isAllowed(without)) set = without;
		}
		if (!isAllowed(set.slice(1))) return true;
	}
	return false;
}

/** Whether the submitter, with the credentials of `submitter`, belongs to a smallest allowed set of these voters. */
export function isInSmallestSet(
	submitter: Voter,
	voters: readonly Voter[],
	view: View,
	isAllowed: (approvers: Approvers) => boolean,
): boolean {
	const places = new Map(voters.map(({ user }, index) => [user.id, index]));
	const placeOf = ({ user }: Voter): number => places.get(user.id) ?? 0;
	const others = voters.filter(({ user }) => user.id !== submitter.user.id);
	const own: Group = { voters: [submitter], choices: [""] };
	const test = (set: Approvers) => isAllowed([...set].sort((one, other) => placeOf(one) - placeOf(other)));
	try {
		return searchBySize([own, ...groupVoters(others, view)], view, test);
	} catch (error) {
		if (!(error instanceof TooManySets)) throw error;
		return searchAtRandom(submitter, others, test);
	}
}
