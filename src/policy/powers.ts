/** Who can do what: the powers of an organization, for each group of activities (docs/powers.md). */
import { type Ability, abilityOf, noAbility } from "./ability.ts";
import type { AccessState } from "./access.ts";
import { factsOfGroup } from "./activity.ts";
import { participantsIn } from "./family.ts";
import { bound, type Conjunction, TooComplex } from "./formula.ts";
import type { ActivityGroup } from "./groups.ts";
import {
	allowedBy,
	certain,
	findParts,
	type GroupParts,
	type Part,
	type PartReading,
	withRootQuorum,
} from "./judge.ts";
import { listGroups } from "./listed-groups.ts";
import { type PreparedAccess, prepareAccess } from "./prepare.ts";
import { difference, type Family, resolve, simplify } from "./resolve.ts";
import { bit, membersOf } from "./sets.ts";
import { idsOf, usersOf } from "./votes.ts";

export { type Ability, fewestApprovers, type Threshold } from "./ability.ts";

/** Who can do one group of activities. `alone` and `together` include the root quorum, and nothing that is unknown. */
export interface GroupPower extends Ability {
	readonly group: ActivityGroup;
	/** Users who can take part only as members of the root quorum. */
	readonly rootQuorumOnly: readonly string[];
	/** Users whose approval a policy denies, with any other approvers; the root quorum apart. */
	readonly denied: readonly string[];
	/** Why not everything is known; null where it is. */
	readonly unknown: string | null;
	/** The conditions of `conditional`, as the policies write them. */
	readonly conditions: readonly string[];
	/** What else is possible, where a condition on the activity holds that the group alone does not decide. */
	readonly conditional: readonly ConditionalPower[];
	/** The policies that have a part in it; sorted. */
	readonly policyIds: readonly string[];
	/** What had to be assumed, because it is not documented: one sentence each. */
	readonly assumptions: readonly string[];
}

export interface ConditionalPower extends Ability {
	/** For example `wallet.id == '…'`. */
	readonly condition: string;
	/** Whether the power is there where the condition holds, or where it does not (a conditional deny). */
	readonly holds: boolean;
	/** Conditions of policies that deny, none of which may hold either. */
	readonly unless: readonly string[];
	readonly policyIds: readonly string[];
}

/**
 * Returns the powers of each group that the policies or the report name, in a fixed order, and of `moreGroups`, each group
 * once. `atMs`: milliseconds since 1970.
 */
export function findPowers(
	access: AccessState,
	atMs: number,
	moreGroups: readonly ActivityGroup[] = [],
): readonly GroupPower[] {
	const prepared = prepareAccess(access, atMs);
	return listGroups([prepared], moreGroups).map((group) => findPower(prepared, group));
}

/** Returns the power of one group of activities. */
export function findPower(prepared: PreparedAccess, group: ActivityGroup): GroupPower {
	const found = findParts(prepared, factsOfGroup(group));
	const common = { group, policyIds: policyIdsOf(found.parts), assumptions: found.assumptions };
	try {
		return { ...common, ...judgeGroup(prepared, found) };
	} catch (error) {
		if (!(error instanceof TooComplex)) throw error;
		const ability = abilityOf(withRootQuorum(prepared, []), prepared.users);
		const unknown = `policies are too complex to judge together: ${error.message}`;
		return { ...common, ...ability, rootQuorumOnly: [], denied: [], unknown, conditions: [], conditional: [] };
	}
}

type Judged = Omit<GroupPower, "group" | "policyIds" | "assumptions">;

function judgeGroup(prepared: PreparedAccess, found: GroupParts): Judged {
	const { users } = prepared;
	const family = allowedBy(prepared, found.parts, certain);
	const conditional = findConditional(prepared, found.parts, family);
	return {
		...abilityOf(withRootQuorum(prepared, family), users),
		rootQuorumOnly: findRootQuorumOnly(prepared, found),
		denied: idsOf(users, findDenied(prepared, found.parts)),
		unknown: findUnknown(prepared, found),
		conditions: [...new Set(conditional.map(({ condition }) => condition))],
		conditional,
	};
}

const policyIdsOf = (parts: readonly Part[]): readonly string[] =>
	[...new Set(parts.flatMap(({ policyId }) => (policyId === null ? [] : [policyId])))].sort();

/**
 * Returns what each condition adds: where it holds, for policies that allow; where it does not, for those that deny. What several
 * conditional denies would take away is added with the conditions of all of them.
 */
function findConditional(prepared: PreparedAccess, parts: readonly Part[], base: Family): readonly ConditionalPower[] {
	const { users } = prepared;
	const slices = slicesOf(parts);
	const denies = slices.filter(({ holds }) => !holds);
	const adds = (more: Family, less: Family): boolean => difference(more, less, users).length > 0;
	const familyOf = (on: Iterable<Part>, off: Iterable<Part>): Family => {
		const [sure, left] = [new Set(on), new Set(off)];
		return allowedBy(prepared, parts, (part) => {
			if (left.has(part)) return "off";
			return sure.has(part) ? "sure" : certain(part);
		});
	};
	const undenied = familyOf(
		[],
		denies.flatMap(({ own }) => own),
	);
	const powerOf = ({ condition, holds, own }: ConditionSlice, unless: readonly ConditionSlice[], family: Family) => ({
		condition,
		holds,
		unless: unless.map((one) => one.condition),
		...abilityOf(withRootQuorum(prepared, family), users),
		policyIds: policyIdsOf([...own, ...unless.flatMap((one) => one.own)]),
	});
	const found = slices.flatMap((slice) => {
		const { holds, own } = slice;
		const family = holds ? familyOf(own, []) : familyOf([], own);
		const single = adds(family, base) ? [powerOf(slice, [], family)] : [];
		if (!holds) return single;
		const most = familyOf(
			own,
			denies.flatMap((deny) => deny.own),
		);
		if (!adds(most, union(family, undenied))) return single;
		const unless = denies.filter((deny) => adds(most, familyOf(own, others(denies, deny))));
		return [...single, powerOf(slice, unless.length === 0 ? denies : unless, most)];
	});
	const singles = denies.reduce((all, { own }) => union(all, familyOf([], own)), base);
	const [first, ...more] = denies.filter((deny) => adds(undenied, familyOf([], others(denies, deny))));
	if (first === undefined || !adds(undenied, singles)) return found;
	return [powerOf(first, more, undenied), ...found];
}

/** Policies that have one condition and one effect. */
interface ConditionSlice {
	readonly condition: string;
	readonly holds: boolean;
	readonly own: Part[];
}

function slicesOf(parts: readonly Part[]): readonly ConditionSlice[] {
	const slices = new Map<string, ConditionSlice>();
	for (const part of parts) {
		if (part.condition === null) continue;
		const holds = part.effect === "allow";
		const key = `${holds} ${part.condition}`;
		const slice = slices.get(key) ?? { condition: part.condition, holds, own: [] };
		slice.own.push(part);
		slices.set(key, slice);
	}
	return [...slices.values()];
}

const others = (slices: readonly ConditionSlice[], but: ConditionSlice): readonly Part[] =>
	slices.flatMap((one) => (one === but ? [] : one.own));

const union = (one: Family, other: Family): Family => simplify([...one, ...other]);

/** What may be, with conditions as `certain` reads them. */
const possible = (part: Part): PartReading => {
	if (part.effect === "deny") return "sure";
	return part.condition === null ? "possible" : "off";
};

/** Allows whatever some condition on the activity allows. */
const open =
	(allow: PartReading, deny: PartReading) =>
	(part: Part): PartReading => {
		if (part.effect === "allow") return allow;
		return part.condition === null ? deny : "off";
	};

/** Returns why not everything is known; null where what is unknown makes no difference. */
function findUnknown(prepared: PreparedAccess, { parts, missing }: GroupParts): string | null {
	const { users, rootQuorum } = prepared.access;
	if (missing !== null) return missing;
	if (!rootQuorum.known) return rootQuorum.because;
	if (!users.known && parts.length > 0) return users.because;
	const reason = parts.find(({ unknown }) => unknown !== null)?.unknown?.because ?? null;
	if (reason === null) return null;
	const differs = (most: Family, least: Family): boolean =>
		difference(withRootQuorum(prepared, most), withRootQuorum(prepared, least), prepared.users).length > 0;
	const isOpen =
		differs(allowedBy(prepared, parts, possible), allowedBy(prepared, parts, certain)) ||
		differs(allowedBy(prepared, parts, open("possible", "sure")), allowedBy(prepared, parts, open("sure", "possible")));
	return isOpen ? reason : null;
}

function findRootQuorumOnly(prepared: PreparedAccess, { parts, missing }: GroupParts): readonly string[] {
	const { rootQuorum } = prepared.access;
	if (!rootQuorum.known || missing !== null) return [];
	const ofPolicies = parts.filter(({ policyId }) => policyId !== null);
	const family = allowedBy(prepared, ofPolicies, open("possible", "sure"));
	const others = new Set(idsOf(prepared.users, participantsIn(family)));
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
	for (const user of membersOf(reached & users.all)) {
		const alone: Conjunction = { atLeast: [bound(1, votes.votesOf[user] ?? 0n)], atMost: [] };
		if (resolve([alone], denies, votes).length === 0) denied |= bit(user);
	}
	return denied;
}

const votesIn = ({ atLeast, atMost }: Conjunction, all: bigint): bigint =>
	atLeast.length === 0 || atMost.length > 0 ? all : atLeast.reduce((some, { set }) => some | set, 0n);

/** Returns who can do the group by policies, the root quorum apart; what is unknown does not count. */
export function abilityByPolicies(access: AccessState, group: ActivityGroup, atMs: number): Ability {
	const prepared = prepareAccess(access, atMs);
	try {
		const { parts } = findParts(prepared, factsOfGroup(group));
		return abilityOf(allowedBy(prepared, parts, certain), prepared.users);
	} catch (error) {
		if (error instanceof TooComplex) return noAbility;
		throw error;
	}
}
