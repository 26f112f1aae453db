/** Who can do what: the powers of an organization, for each group of activities (docs/powers.md). */

import type { AccessState } from "../access.ts";
import { bound, type ComplexityLimit, type Conjunction, orTooComplex } from "../sets/formula.ts";
import { resolve, type UserSets } from "../sets/resolve.ts";
import { bit, membersOf } from "../sets/sets.ts";
import { hasAll, participantsIn } from "../sets/user-sets.ts";
import { idsOf, usersOf } from "../sets/votes.ts";
import { Budget, Work } from "../sets/work.ts";
import { type Ability, abilityOf, type KnownAbility } from "./ability.ts";
import { factsOfGroup } from "./activity.ts";
import {
	alwaysAllowed,
	type ConditionalPower,
	findConditional,
	judgeCells,
	type PowerCell,
	policyIdsOf,
} from "./conditional.ts";
import type { Fields } from "./fields.ts";
import type { ActivityGroup } from "./groups.ts";
import { findParts, type GroupParts, ownCredentials, type Part, withRootQuorum } from "./judge.ts";
import { listGroups } from "./listed-groups.ts";
import { type PreparedAccess, prepareAccess } from "./prepare.ts";
import { type Assumed, notRead, type Reason } from "./reason.ts";

export { type Ability, fewestApprovers, type Threshold } from "./ability.ts";
export type { ConditionalPower } from "./conditional.ts";

/** Who can do one group of activities. `alone` and `together` include the root quorum, and nothing that is unknown. */
export interface GroupPower extends KnownAbility {
	readonly group: ActivityGroup;
	/** Users who can take part only as members of the root quorum. */
	readonly rootQuorumOnly: readonly string[];
	/** Users whose approval a policy denies, with any other approvers; the root quorum apart. */
	readonly denied: readonly string[];
	/** The conditions of `conditional`, as the policies write them. */
	readonly conditions: readonly string[];
	/** What else is possible, where a condition on the activity holds that the group alone does not decide. */
	readonly conditional: readonly ConditionalPower[];
	/** The policies that have a part in it; sorted. */
	readonly policyIds: readonly string[];
	/** What had to be assumed, because it is not documented. */
	readonly assumptions: readonly Assumed[];
}

/** Max steps of all searches for the powers of an organization; half a second or so. Unverified, chosen. */
const maxSteps = 2_000_000;

/** Returns the powers of each group that policies, the report or `moreGroups` name, once, in a fixed order. */
export function findPowers(
	access: AccessState,
	atMs: number,
	moreGroups: readonly ActivityGroup[] = [],
): readonly GroupPower[] {
	const prepared = { ...prepareAccess(access, atMs), budget: new Budget(maxSteps) };
	return listGroups([prepared], moreGroups).map((group) => findPower(prepared, group));
}

interface PowerQuestion {
	/** What is known of the one activity of the group that is asked about. */
	readonly fields?: Fields | undefined;
	/** Who has a part in it: policies alone, or users with their own credentials too. */
	readonly partsIn?: typeof findParts;
}

/** Returns who can do the group, or one activity of it. */
export function findPower(prepared: PreparedAccess, group: ActivityGroup, question: PowerQuestion = {}): GroupPower {
	const { fields, partsIn = findParts } = question;
	const found = partsIn(prepared, factsOfGroup(group, fields));
	const common = { group, policyIds: policyIdsOf(found.parts), assumptions: found.assumptions };
	const ability = judgeAbility(prepared, found);
	const none = { rootQuorumOnly: [], denied: [], conditions: [], conditional: [] };
	const judged = orTooComplex(
		() => judgeGroup(prepared, found),
		({ limit }) => ({ unknown: tooComplex(limit), ...none }),
	);
	return { ...common, ...ability, ...judged };
}

/** Returns who can do what these parts are about, where no condition on the activity holds. */
export function judgeAbility(prepared: PreparedAccess, found: GroupParts): KnownAbility {
	const abilityIn = (userSets: UserSets): Ability =>
		abilityOf(withRootQuorum(prepared, userSets), prepared.users, prepared.budget);
	return orTooComplex(
		() => ({ ...abilityIn(alwaysAllowed(prepared, found)), unknown: findUnknown(prepared, found) }),
		({ limit }) => ({ ...abilityIn([]), unknown: tooComplex(limit) }),
	);
}

const tooComplex = (limit: ComplexityLimit): Reason => ({ kind: "too-complex", task: "judge-together", limit });

type Judged = Omit<GroupPower, "group" | "policyIds" | "assumptions" | keyof KnownAbility>;

function judgeGroup(prepared: PreparedAccess, found: GroupParts): Judged {
	const cells = judgeCells(prepared, found);
	const conditional = findConditional(prepared, found.parts, cells, alwaysAllowed(prepared, found));
	return {
		rootQuorumOnly: findRootQuorumOnly(prepared, found, cells),
		denied: idsOf(prepared.users, findDenied(prepared, found.parts)),
		conditions: [...new Set(conditional.map(({ condition }) => condition))],
		conditional,
	};
}

/** Returns why not everything is known; null where what is unknown makes no difference. */
function findUnknown(prepared: PreparedAccess, found: GroupParts): Reason | null {
	const { users, rootQuorum } = prepared.access;
	const { parts, missing } = found;
	if (missing !== null) return notRead(missing);
	if (!users.known && parts.length > 0) return notRead(users.because);
	const unknownRoot = rootQuorum.known ? null : notRead(rootQuorum.because);
	// What is unknown of users' own credentials is named where nothing else is unknown.
	const isOwn = ({ holding }: PowerCell): number => Number(holding.has(ownCredentials));
	const cells = judgeCells(prepared, found).toSorted((one, other) => isOwn(one) - isOwn(other));
	for (const { sure, possible, because } of cells) {
		if (because === null) continue;
		const [most, least] = [withRootQuorum(prepared, possible), withRootQuorum(prepared, sure)];
		if (!hasAll(most, least, prepared.users, prepared.budget)) return because;
	}
	return unknownRoot;
}

function findRootQuorumOnly(
	prepared: PreparedAccess,
	{ missing }: GroupParts,
	cells: readonly PowerCell[],
): readonly string[] {
	const { rootQuorum } = prepared.access;
	if (!rootQuorum.known || missing !== null) return [];
	const others = new Set(
		cells
			.filter(({ holding }) => !holding.has(ownCredentials))
			.flatMap(({ possible }) => idsOf(prepared.users, participantsIn(possible, prepared.budget))),
	);
	return rootQuorum.value.userIds.filter((id) => !others.has(id));
}

/** Returns the users whom policies deny, with any other approvers. */
function findDenied(prepared: PreparedAccess, parts: readonly Part[]): bigint {
	const { votes, users } = prepared;
	const denies = parts
		.filter(({ effect, condition }) => effect === "deny" && condition === null)
		.flatMap(({ sure }) => sure);
	const reached = denies.reduce((all, deny) => all | usersOf(votes, votesIn(deny, votes.all)), 0n);
	let denied = 0n;
	const work = new Work(prepared.budget);
	for (const user of membersOf(reached & users.all)) {
		const alone: Conjunction = { atLeast: [bound(1, votes.votesOf[user] ?? 0n)], atMost: [] };
		if (resolve([alone], denies, votes, work).length === 0) denied |= bit(user);
	}
	return denied;
}

const votesIn = ({ atLeast, atMost }: Conjunction, all: bigint): bigint =>
	atLeast.length === 0 || atMost.length > 0 ? all : atLeast.reduce((some, { set }) => some | set, 0n);
