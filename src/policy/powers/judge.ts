/** Finds which policies have a part in a group of activities, and which sets of users they allow together. */

import { remember } from "../../common/remember.ts";
import type { NotRead } from "../access.ts";
import { printExpression } from "../language/printer.ts";
import type { Expression } from "../language/syntax.ts";
import { bound, type Conjunction, orTooComplex, TooComplex } from "../sets/formula.ts";
import { resolve, simplify, type UserSets } from "../sets/resolve.ts";
import { Work } from "../sets/work.ts";
import { type ActivityFacts, factsOfGroup, factsOfType, isForRootQuorum, type Outcome } from "./activity.ts";
import { compilePolicy, outcomeFor } from "./compile.ts";
import type { PreparedAccess, PreparedPolicy } from "./prepare.ts";
import { type Assumed, joinAssumptions, type Reason } from "./reason.ts";

/** The part of a policy in a group of activities. */
export interface Part {
	/** Null for what the service does without a policy. */
	readonly policyId: string | null;
	readonly effect: "allow" | "deny";
	/** The condition on the activity that the group leaves open; null where there is none. */
	readonly condition: string | null;
	/** The same as trees: one of them holds. */
	readonly anyOf: readonly Expression[];
	/** Equal for parts that are true for the same sets of users, where `condition` is equal too. */
	readonly key: string;
	/** When it surely applies, where the condition holds. */
	readonly sure: readonly Conjunction[];
	/** When it may apply. */
	readonly possible: readonly Conjunction[];
	/** What the difference depends on, and why it is unknown; null where there is none. */
	readonly unknown: PartUnknown | null;
}

interface PartUnknown {
	/** Equal for what is unknown in the same way. */
	readonly key: string;
	/** What the policy says there. */
	readonly text: string;
	readonly because: Reason;
	/** Whether it applies to all sets of `possible` or to none of them. */
	readonly isAllOrNone: boolean;
}

export interface GroupParts {
	readonly facts: ActivityFacts;
	readonly parts: readonly Part[];
	/** Why policies are not known at all; null where they are. */
	readonly missing: NotRead | null;
	readonly assumptions: readonly Assumed[];
}

/** The condition under which users may change credentials without a policy. */
export const ownCredentials = "the credentials are the user's own";

/** What is unknown where a policy covers credentials. */
export const ownCredentialsRight = "users may change their own credentials";

/** Returns the parts of policies, and what users may do without one. */
export function findParts(prepared: PreparedAccess, facts: ActivityFacts): GroupParts {
	const found = findPolicyParts(prepared, facts);
	if (facts.resource !== "CREDENTIAL" || found.missing !== null || isForRootQuorum(facts)) return found;
	return { ...found, parts: [...found.parts, ownPart(prepared)] };
}

/** Returns the parts of policies alone. */
export function findPolicyParts(prepared: PreparedAccess, facts: ActivityFacts): GroupParts {
	if (isForRootQuorum(facts)) return { facts, parts: [], missing: null, assumptions: [] };
	const { policies } = prepared.access;
	const parts: Part[] = [];
	const assumptions: Assumed[] = [];
	for (const one of prepared.policies) {
		const outcome = outcomeFor(one.policy, facts);
		if (outcome.holds === "no") continue;
		if (outcome.holds === "absent") {
			assumptions.push({ kind: "assumed", what: "errors", policyIds: [one.policy.id] });
			continue;
		}
		for (const what of compilePolicy(one.policy).assumed)
			assumptions.push({ kind: "assumed", what, policyIds: [one.policy.id] });
		const unclear = outcome.holds === "unknown" ? outcome.because : one.unclear;
		const expression = outcome.holds === "open" ? outcome.condition : null;
		if (one.allows) parts.push(makePart(one, "allow", expression, unclear));
		if (one.denies) parts.push(makePart(one, "deny", expression, unclear));
	}
	const missing = policies.known ? null : policies.because;
	return { facts, parts: mergeConditions(parts), missing, assumptions: joinAssumptions(assumptions) };
}

/** Max conditions that are shown apart although their policies decide the same. */
const maxConditions = 20;

/** Returns the parts with one condition for all that decide the same, where there are many: that one of theirs holds. */
function mergeConditions(parts: readonly Part[]): readonly Part[] {
	const same = Map.groupBy(parts, ({ effect, key, condition }) => (condition === null ? null : `${effect} ${key}`));
	return [...same].flatMap(([name, own]) => {
		const trees = new Map(
			own.flatMap(({ condition, anyOf }) => (condition === null ? [] : [[condition, anyOf] as const])),
		);
		if (name === null || trees.size <= maxConditions) return own;
		const condition = [...trees.keys()].map((text) => (text.includes("&&") ? `(${text})` : text)).join(" || ");
		return own.map((part) => ({ ...part, condition, anyOf: [...trees.values()].flat() }));
	});
}

function makePart(
	{ policy, consensus }: PreparedPolicy,
	effect: "allow" | "deny",
	expression: Expression | null,
	unclear: Reason | null,
): Part {
	const { key, sure, possible, because } = consensus;
	const condition = expression === null ? null : printExpression(expression);
	const common = { policyId: policy.id, effect, condition, anyOf: expression === null ? [] : [expression], possible };
	const unknownFor = (reason: Reason, own: string, text: string): PartUnknown => ({
		...{ key: own, text, isAllOrNone: because === null },
		because: { kind: "policy", policyId: policy.id, because: reason },
	});
	if (unclear !== null) {
		const own = `${policy.condition}\n${policy.time}\n${policy.effect}`;
		const unknown = unknownFor(unclear, own, policy.condition || policy.time || policy.effect);
		return { ...common, key: `${own}\n${key}`, sure: [], unknown };
	}
	return { ...common, key, sure, unknown: because === null ? null : unknownFor(because, key, policy.consensus) };
}

/**
 * Returns what users may do with their own credentials. The vendor's pages agree that they may while no policy covers credential
 * activities, and not while one denies it. Where one covers them, one page says that they may (`features/organizations`) and one
 * that they may not (`policy-engine`): it is unknown.
 */
function ownPart(prepared: PreparedAccess): Part {
	const { votes, users } = prepared;
	const anyone: readonly Conjunction[] = [{ atLeast: [bound(1, votes.all)], atMost: [] }];
	const cover = credentialCover(prepared);
	const common = { policyId: null, effect: "allow", condition: ownCredentials, anyOf: [], possible: anyone } as const;
	const key = `own ${users.all}`;
	if (cover === null) return { ...common, key, sure: anyone, unknown: null };
	const because = { kind: cover.kind };
	return {
		...common,
		key,
		sure: [],
		unknown: { key: cover.key, text: ownCredentialsRight, because, isAllOrNone: true },
	};
}

/** Returns the parts for credentials of this user: no other user may change them without a policy. Undefined: of any user. */
export function partsOfOwner(prepared: PreparedAccess, found: GroupParts, ownerId: string | undefined): GroupParts {
	if (ownerId === undefined) return found;
	const votes = prepared.votes.votesOf[prepared.users.userIds.indexOf(ownerId)];
	const own: readonly Conjunction[] = votes === undefined ? [] : [{ atLeast: [bound(1, votes)], atMost: [] }];
	const parts = found.parts.flatMap((part): readonly Part[] => {
		if (part.policyId !== null) return [part];
		if (own.length === 0) return [];
		const sure = part.unknown === null ? own : [];
		return [{ ...part, condition: null, key: `own ${votes}`, sure, possible: own }];
	});
	return { ...found, parts };
}

interface CredentialCover {
	readonly kind: "credential-policies-unknown" | "own-credentials-disputed";
	/** Equal where users may change their own credentials for the same reasons. */
	readonly key: string;
}

const credentialActivities: readonly ActivityFacts[] = [
	...["CREATE", "UPDATE", "DELETE"].map((action) => factsOfGroup({ resource: "CREDENTIAL", action })),
	factsOfType("ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"),
];

/**
 * Returns whether a policy covers credential activities, or may by a kind of which nothing is documented or by what is not
 * understood; null where none does.
 *
 * Unverified, chosen: a policy covers them when it is in force and its condition holds for one of them, whatever its effect and its
 * consensus.
 */
export function credentialCover(prepared: PreparedAccess): CredentialCover | null {
	return remember(covers, prepared.policies, () => ({ cover: findCover(prepared.policies) })).cover;
}

const covers = new WeakMap<PreparedAccess["policies"], { readonly cover: CredentialCover | null }>();

function findCover(policies: PreparedAccess["policies"]): CredentialCover | null {
	const doubtful: string[] = [];
	for (const { policy, unclear } of policies) {
		const holdsFor = (facts: ActivityFacts): Outcome["holds"] => outcomeFor(policy, facts).holds;
		const holds = credentialActivities.map(holdsFor);
		if (unclear === null && holds.includes("yes")) return { kind: "own-credentials-disputed", key: "own" };
		const newer = compilePolicy(policy).newKinds.flatMap((kind) =>
			credentialActivities.map((one) => ({ ...one, kind, type: `ACTIVITY_TYPE_${kind}` })),
		);
		holds.push(...newer.map(holdsFor));
		if (holds.some((one) => one !== "no" && one !== "absent")) doubtful.push(`${policy.condition}\n${policy.time}`);
	}
	if (doubtful.length === 0) return null;
	return { kind: "credential-policies-unknown", key: `own\n${doubtful.sort().join("\n")}` };
}

/** How a part is read: not at all, when it surely applies, or when it may. */
export type PartReading = "off" | "sure" | "possible";

/** What is surely allowed: by what surely allows, and nothing that may deny. What is possibly allowed. */
export const surely = ({ effect }: Part): PartReading => (effect === "allow" ? "sure" : "possible");
export const possibly = ({ effect }: Part): PartReading => (effect === "allow" ? "possible" : "sure");

/** Returns the sets that the parts allow, each read in its way; with `user`, the smallest with this user. Throws TooComplex. */
export function allowedBy(
	prepared: PreparedAccess,
	parts: readonly Part[],
	readingOf: (part: Part) => PartReading,
	user: number | null = null,
): UserSets {
	const read = parts.flatMap((part) => {
		const reading = readingOf(part);
		return reading === "off" || part[reading].length === 0 ? [] : [{ part, reading }];
	});
	const keys = read.map(({ part, reading }) => `${part.effect}\t${part.unknown === null ? "" : reading}\t${part.key}`);
	const key = [`${user ?? ""}`, ...[...new Set(keys)].sort()].join("\n\n");
	const known = prepared.userSets.get(key);
	const userSets = known ?? resolveParts(prepared, new Map(read.map((one, index) => [keys[index] ?? "", one])), user);
	prepared.userSets.set(key, userSets);
	if (userSets instanceof TooComplex) throw userSets;
	return userSets;
}

interface ReadPart {
	readonly part: Part;
	readonly reading: Exclude<PartReading, "off">;
}

function resolveParts(
	{ votes, budget }: PreparedAccess,
	read: ReadonlyMap<string, ReadPart>,
	user: number | null,
): UserSets | TooComplex {
	const own = user === null ? [] : [bound(1, votes.votesOf[user] ?? 0n)];
	const of = (effect: Part["effect"]): readonly Conjunction[] =>
		[...read.values()].flatMap(({ part, reading }) => (part.effect === effect ? part[reading] : []));
	const allows = of("allow").map(({ atLeast, atMost }) => ({ atLeast: [...own, ...atLeast], atMost }));
	return orTooComplex(
		() => resolve(allows, of("deny"), votes, new Work(budget)),
		(error) => error,
	);
}

/** Returns the sets that policies or the root quorum allow; without the root quorum where it is not known. */
export function withRootQuorum({ rootQuorum, withRoot, budget }: PreparedAccess, userSets: UserSets): UserSets {
	if (rootQuorum === null) return userSets;
	const known = withRoot.get(userSets);
	if (known !== undefined) return known;
	const both = simplify([...userSets, ...rootQuorum], new Work(budget));
	withRoot.set(userSets, both);
	return both;
}

/** What is certain: conditions on the activity do not hold for policies that allow, and hold for those that deny. */
export const certain = (part: Part): PartReading => {
	if (part.effect === "deny") return "possible";
	return part.condition === null ? "sure" : "off";
};
