/** Prepares votes and the formulas of consensuses, once for an access and a moment, however many questions follow. */
import { remember } from "../../common/remember.ts";
import type { AccessPolicy, AccessState, Doubt } from "../access.ts";
import { mentionsName } from "../language/mentions.ts";
import { formulaOf } from "../sets/consensus.ts";
import {
	alternativesOf,
	always,
	bound,
	type Conjunction,
	type Formula,
	orTooComplex,
	type TooComplex,
} from "../sets/formula.ts";
import { makePredicates, type Predicates } from "../sets/predicate.ts";
import type { UserSets } from "../sets/resolve.ts";
import { type Bits, setOf, sizeOf } from "../sets/sets.ts";
import { makeVotes, splitVotes, type Votes } from "../sets/votes.ts";
import { Budget } from "../sets/work.ts";
import { compilePolicy, judgeTime } from "./compile.ts";
import { notRead, type Reason } from "./reason.ts";

/** A consensus, in both readings of what is unknown. */
export interface Consensus {
	/** Equal for equal sets of users, whatever the text. */
	readonly key: string;
	/** When it is surely true. */
	readonly sure: readonly Conjunction[];
	/** When it may be true. */
	readonly possible: readonly Conjunction[];
	/** Why the two differ; null where they do not. */
	readonly because: Reason | null;
}

export interface PreparedPolicy {
	readonly policy: AccessPolicy;
	readonly allows: boolean;
	readonly denies: boolean;
	readonly consensus: Consensus;
	/** Why it is unknown whether the policy is in force; null where it is. */
	readonly unclear: Reason | null;
}

export interface PreparedAccess {
	readonly access: AccessState;
	readonly atMs: number;
	readonly votes: Votes;
	readonly users: Votes;
	readonly maker: PolicyMaker;
	/** Policies that are or may be in force, by id; where two accesses have one maker, the same policy is the same object. */
	readonly policies: readonly PreparedPolicy[];
	/** Sets that the root quorum allows; null where it is not known. */
	readonly rootQuorum: UserSets | null;
	/** User sets that were found, or found too complex, by the policies that have a part in them. */
	readonly userSets: Map<string, UserSets | TooComplex>;
	/** The same with the sets of the root quorum. */
	readonly withRoot: WeakMap<UserSets, UserSets>;
	/** Of the question that is asked of it; without an end where none was set. */
	readonly budget: Budget;
}

const prepared = new WeakMap<AccessState, PreparedAccess>();

/** Returns the access, prepared. `atMs`: milliseconds since 1970. `like`: an access from which it may differ in policies only. */
export function prepareAccess(access: AccessState, atMs: number, like?: PreparedAccess): PreparedAccess {
	const known = prepared.get(access);
	if (known?.atMs === atMs) return known;
	const made = prepareFor(access, atMs, userIdsOf(access), like ?? known);
	prepared.set(access, made);
	return made;
}

/** Returns both accesses, prepared for the same users, so that their sets can be compared. */
export function prepareBoth(
	before: AccessState,
	after: AccessState,
	atMs: number,
): readonly [PreparedAccess, PreparedAccess] {
	const [one, other] = [userIdsOf(before), userIdsOf(after)];
	if (one.length === other.length && one.every((id, index) => id === other[index])) {
		const first = prepareAccess(before, atMs);
		return [first, prepareAccess(after, atMs, first)];
	}
	const all = [...new Set([...one, ...other])].sort();
	return [prepareFor(before, atMs, all), prepareFor(after, atMs, all)];
}

function userIdsOf({ users, rootQuorum }: AccessState): readonly string[] {
	const ids = new Set<string>();
	if (users.known) for (const { id } of users.value) ids.add(id);
	if (rootQuorum.known) for (const id of rootQuorum.value.userIds) ids.add(id);
	return [...ids].sort();
}

function prepareFor(
	access: AccessState,
	atMs: number,
	userIds: readonly string[],
	like?: PreparedAccess,
): PreparedAccess {
	const policies = access.policies.known ? access.policies.value : [];
	const byCredential =
		like?.access.policies === access.policies ? like.maker.byCredential : policies.some(namesCredentials);
	const isLike = like?.access.users === access.users && like.access.rootQuorum === access.rootQuorum;
	const maker =
		isLike && like.maker.byCredential === byCredential
			? like.maker
			: new PolicyMaker(access, { userIds, byCredential });
	return {
		access,
		atMs,
		votes: maker.votes,
		users: maker.users,
		maker,
		policies: policies.flatMap((policy) => maker.make(policy, atMs)),
		rootQuorum: rootUserSets(access, maker.users),
		userSets: new Map(),
		withRoot: new WeakMap(),
		budget: new Budget(),
	};
}

function namesCredentials(policy: AccessPolicy): boolean {
	const { consensus } = compilePolicy(policy);
	return mentionsName(consensus.tree, ["credentials"]);
}

/** Prepares each policy once, and each consensus once, whichever policies have it. */
class PolicyMaker {
	/** Whether each credential of a user is a vote of its own. */
	readonly byCredential: boolean;
	readonly votes: Votes;
	readonly users: Votes;
	readonly #access: AccessState;
	readonly #predicates: Predicates;
	/** Each at the moments at which its time is unknown, and at all others. */
	readonly #policies = new WeakMap<AccessPolicy, Map<number | null, PreparedPolicy>>();
	readonly #consensuses = new Map<string, Consensus>();

	constructor(
		access: AccessState,
		{ userIds, byCredential }: { readonly userIds: readonly string[]; readonly byCredential: boolean },
	) {
		const users = new Map(access.users.known ? access.users.value.map((user) => [user.id, user]) : []);
		const present = new Set(userIdsOf(access));
		this.byCredential = byCredential;
		this.users = makeVotes(userIds, present);
		this.votes = byCredential ? splitVotes(userIds, present, users) : this.users;
		this.#access = access;
		this.#predicates = makePredicates(this.votes, users);
	}

	/** Returns the policy; none where it is not in force. */
	make(policy: AccessPolicy, atMs: number): readonly PreparedPolicy[] {
		const time = judgeTime(policy, atMs);
		if (time === "closed") return [];
		const known = remember(this.#policies, policy, () => new Map<number | null, PreparedPolicy>());
		const isKnown = policy.effect === "EFFECT_ALLOW" || policy.effect === "EFFECT_DENY";
		const unclear = time === "open" ? null : time.because;
		const one = remember(
			known,
			unclear === null ? null : atMs,
			(): PreparedPolicy => ({
				policy,
				allows: policy.effect !== "EFFECT_DENY",
				denies: policy.effect !== "EFFECT_ALLOW",
				consensus: remember(this.#consensuses, policy.consensus, () => this.#read(policy)),
				unclear: isKnown ? unclear : { kind: "unknown-effect", effect: policy.effect },
			}),
		);
		return [one];
	}

	#read(policy: AccessPolicy): Consensus {
		const { consensus } = compilePolicy(policy);
		const formula = formulaOf(consensus.tree, this.#predicates);
		const { users } = this.#access;
		if (!users.known && formula.is !== "constant") return this.#unclear(policy.consensus, notRead(users.because));
		const { slip } = consensus;
		return orTooComplex(
			// A part that is not understood may also err, and then the policy takes no part: nothing is sure.
			() =>
				slip === null ? this.#fromFormula(policy.consensus, formula) : this.#unclear(policy.consensus, slip, formula),
			({ limit }) => this.#unclear(policy.consensus, { kind: "too-complex", task: "consensus", limit }),
		);
	}

	#fromFormula(text: string, formula: Formula): Consensus {
		const sure = alternativesOf(formula, "sure");
		const possible = alternativesOf(formula, "possible");
		const { all } = this.#predicates.votes;
		const [sureKey, possibleKey] = [keyOf(sure, all), keyOf(possible, all)];
		if (sureKey === possibleKey) return { key: this.#withVotes(sureKey), sure, possible: sure, because: null };
		const message = reasonOf(formula);
		const because: Reason =
			message === null ? { kind: "user-attributes-unknown" } : { kind: "not-evaluated", clause: "consensus", message };
		return { key: this.#withUsers(text), sure, possible, because };
	}

	#unclear(text: string, because: Reason, formula = always): Consensus {
		return { key: this.#withUsers(text), sure: [], possible: alternativesOf(formula, "possible"), because };
	}

	/** Votes are numbered by credentials: the same numbers mean the same only with the same credentials. */
	#withVotes(key: string): string {
		const { votes } = this.#predicates;
		return votes.isSplit
			? `${key}@${remember(texts, votes.credentials, () => JSON.stringify(votes.credentials))}`
			: key;
	}

	/** What is not understood is the same only for the same users with the same tags. */
	#withUsers(text: string): string {
		const { users } = this.#access;
		return `?${text}@${remember(texts, users, () => JSON.stringify(users))}`;
	}
}

/** Users and credentials as JSON. */
const texts = new WeakMap<object, string>();

/** Equal for equal sets. Without a set of votes that it needs, an alternative means any of all votes. */
function keyOf(alternatives: readonly Conjunction[], all: Bits): string {
	const written = alternatives.map(({ atLeast, atMost }) =>
		[
			...(atLeast.length === 0 ? [{ count: 1, set: all }] : atLeast),
			...atMost.map(({ count, set }) => ({ count: -1 - count, set })),
		]
			.map(({ count, set }) => `${count}:${set.toString(36)}`)
			.sort()
			.join("&"),
	);
	return [...new Set(written)].sort().join("|");
}

function reasonOf(formula: Formula): Doubt | null {
	switch (formula.is) {
		case "constant":
			return null;
		case "unknown":
			return formula.because;
		case "atLeast":
		case "atMost":
			return formula.sure === formula.possible ? null : formula.because;
		default:
			return formula.parts.map(reasonOf).find((because) => because !== null) ?? null;
	}
}

function rootUserSets({ rootQuorum }: AccessState, users: Votes): UserSets | null {
	if (!rootQuorum.known) return null;
	const { threshold, userIds } = rootQuorum.value;
	const set = setOf(userIds.map((id) => users.userIds.indexOf(id)));
	if (threshold < 1 || threshold > sizeOf(set)) return [];
	return [[bound(threshold, set, null, true)]];
}
