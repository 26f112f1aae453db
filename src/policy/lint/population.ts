/**
 * Judges consensuses for all organizations that there can be: what a policy says stays wrong or right however tags are given today.
 * Each user of the population has a vote for every set of tags, of which one is used.
 */
import type { AccessPolicy } from "../access.ts";
import { idsIn } from "../language/checker.ts";
import { sameExpression } from "../language/same-expression.ts";
import { type Expression, partsOf } from "../language/syntax.ts";
import { listOf, structOf, unread } from "../language/values.ts";
import { compilePolicy } from "../powers/compile.ts";
import { formulaOf } from "../sets/consensus.ts";
import { alternativesOf, always, type Formula, negate, orTooComplex, type Reading } from "../sets/formula.ts";
import type { Predicates } from "../sets/predicate.ts";
import { resolve, type UserSets } from "../sets/resolve.ts";
import { placesOf, setOf, subsetsOf } from "../sets/sets.ts";
import { aloneIn } from "../sets/user-sets.ts";
import type { Votes } from "../sets/votes.ts";
import { Budget, Work } from "../sets/work.ts";

/** Max votes of a population, and max users beside those that are named; what needs more is not judged. */
const maxVotes = 400;
const maxOthers = 20;

type SetsOf = (formula: Formula, reading: Reading) => UserSets;

export class Population {
	/** Ids of policies that were not judged, because they or a policy beside them need too many users. */
	readonly unjudged = new Set<string>();

	/** Returns whether wherever the first consensus is met the second one is too; false where that is not known. */
	implies(one: AccessPolicy, other: AccessPolicy): boolean {
		if (sameExpression(one.consensus, other.consensus)) return true;
		return this.#judge([one, other], false, ([first = always, second = always], sets) => {
			return sets({ is: "and", parts: [first, negate(second)] }, "possible").length === 0;
		});
	}

	/** Returns whether some users may meet both. */
	meet(policies: readonly AccessPolicy[]): boolean {
		return this.#judge(policies, true, (formulas, sets) => sets({ is: "and", parts: formulas }, "possible").length > 0);
	}

	/** Returns whether every user meets it alone. */
	isMetByAnyone(policy: AccessPolicy): boolean {
		return this.#judge(
			[policy],
			false,
			([formula = always], sets) => aloneIn(sets(negate(formula), "possible")) === 0n,
		);
	}

	/** Returns whether some user meets it alone, and none of those that deny. */
	letsAlone(allow: AccessPolicy, denies: readonly AccessPolicy[]): boolean {
		return this.#judge([allow, ...denies], false, ([formula = always, ...others], sets) => {
			return aloneIn(sets({ is: "and", parts: [formula, ...others.map(negate)] }, "sure")) !== 0n;
		});
	}

	/** Returns whether two users or more can meet it, and no user alone. */
	needsTwo(policy: AccessPolicy): boolean {
		return this.#judge([policy], false, ([formula = always], sets) => {
			const met = sets(formula, "possible");
			return met.length > 0 && aloneIn(met) === 0n;
		});
	}

	/** Returns what is found; `otherwise` where a consensus is not understood, or too complex. */
	#judge(
		policies: readonly AccessPolicy[],
		otherwise: boolean,
		find: (formulas: readonly Formula[], sets: SetsOf) => boolean,
	): boolean {
		const clauses = policies.map((policy) => compilePolicy(policy).consensus);
		if (clauses.some(({ slip }) => slip !== null)) return otherwise;
		const predicates = populate(treesIn(policies));
		if (predicates === null) return this.#leaveOut(policies, otherwise);
		const formulas = clauses.map(({ tree }) => formulaOf(tree, predicates));
		const sets: SetsOf = (formula, reading) =>
			resolve(alternativesOf(formula, reading), [], predicates.votes, new Work(new Budget()));
		return orTooComplex(
			() => find(formulas, sets),
			() => this.#leaveOut(policies, otherwise),
		);
	}

	#leaveOut(policies: readonly AccessPolicy[], otherwise: boolean): boolean {
		const wide = policies.filter((policy) => populate(treesIn([policy])) === null);
		for (const { id } of wide.length > 0 ? wide : policies) this.unjudged.add(id);
		return otherwise;
	}
}

const treesIn = (policies: readonly AccessPolicy[]): readonly Expression[] =>
	policies.map((policy) => compilePolicy(policy).consensus.tree);

/** Returns users of every kind that the trees distinguish; null where there are too many. */
function populate(trees: readonly Expression[]): Predicates | null {
	const parts = trees.flatMap(partsOf);
	// In which order a user has tags is not documented.
	if (parts.some(({ node }) => node === "index" || node === "slice")) return null;
	const named = trees.flatMap(idsIn);
	const idsOf = (kind: string): readonly string[] => [
		...new Set(named.flatMap((one) => (one.kind === kind ? [one.value] : []))),
	];
	const [ids, tags] = [idsOf("user"), idsOf("userTag")];
	const literals = parts.flatMap((part) => (part.node === "literal" ? [part.value] : []));
	const types = new Set(literals.filter((value) => typeof value === "string" && value.startsWith("CREDENTIAL_TYPE_")));
	// Each count may need other users, and so may each `any` and `all`.
	const counts = literals.flatMap((value) => (typeof value === "bigint" ? [Number(value) + 1] : []));
	const calls = parts.filter((part) => part.node === "call" && (part.method === "any" || part.method === "all"));
	const others = counts.reduce((sum, count) => sum + count, calls.length + 1);
	const hasCredentials = parts.some((part) => part.node === "name" && part.name === "credentials");
	const credentials = hasCredentials ? [...types, "another"] : ["another"];
	const users = ids.length + others;
	if (others > maxOthers || tags.length > 8 || users * 2 ** tags.length * credentials.length > maxVotes) return null;
	const userIds = [...ids, ...Array.from({ length: users - ids.length }, (_, index) => `another ${index}`)];
	const kinds = userIds.flatMap((id, owner) =>
		subsetsOf(tags).flatMap((own) => credentials.map((type) => ({ id, owner, tags: own, type }))),
	);
	return predicatesOf(userIds, kinds);
}

interface VoteKind {
	readonly id: string;
	readonly owner: number;
	readonly tags: readonly string[];
	readonly type: unknown;
}

function predicatesOf(userIds: readonly string[], kinds: readonly VoteKind[]): Predicates {
	const votesOf = userIds.map((_, owner) => placesOf(kinds, (one) => one.owner === owner));
	const all = setOf(kinds.keys());
	const votes: Votes = {
		userIds,
		owners: kinds.map(({ owner }) => owner),
		votesOf,
		credentials: kinds.map(() => ({ known: false, because: { kind: "credentials-unknown" } })),
		all,
		isSplit: true,
	};
	const tags = new Set(kinds.flatMap((one) => one.tags));
	const open = unread("it differs between organizations");
	return {
		votes,
		known: all,
		byTag: new Map([...tags].map((tag) => [tag, placesOf(kinds, (one) => one.tags.includes(tag))])),
		withCredential: all,
		userValues: kinds.map(({ id, tags: own }) => structOf({ id, tags: listOf(own) }, open)),
		credentialValues: kinds.map(({ id, type }) => structOf({ user_id: id, type: String(type) }, open)),
	};
}
