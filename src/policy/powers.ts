/** Who can do what: the powers of an organization, for each group of activities (docs/powers.md). */
import type { AccessState } from "./access.ts";
import type { ActivityGroup } from "./groups.ts";

/** At least so many of these users. */
export interface Threshold {
	readonly atLeast: number;
	/** User ids, sorted. */
	readonly of: readonly string[];
	/** The tag that these users have in common and by which the policy names them; null where there is none. */
	readonly tagId: string | null;
	/** Whether it is the root quorum. */
	readonly isRootQuorum: boolean;
}

/** Who can do something. All lists are sorted; a set is a list of user ids. */
export interface Ability {
	/** Users whose own approval is enough. */
	readonly alone: readonly string[];
	/** The smallest sets of two and more users, by size and then by their ids; at most `maxWrittenSets` of them. */
	readonly together: readonly (readonly string[])[];
	/** The same sets and the users of `alone`, written short: each alternative is a list of thresholds that all must hold. */
	readonly thresholds: readonly (readonly Threshold[])[];
	/** Whether `together` holds all sets; where it does not, `thresholds` says what else there is. */
	readonly isComplete: boolean;
}

export const maxWrittenSets = 1_000;

/** Who can do one group of activities. `alone` and `together` include the root quorum, and nothing that is unknown. */
export interface GroupPower extends Ability {
	readonly group: ActivityGroup;
	/** Users who can take part only as members of the root quorum. */
	readonly rootQuorumOnly: readonly string[];
	/** Users whose approval a policy denies, whoever else approves; the root quorum apart. */
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
	readonly policyIds: readonly string[];
}

/**
 * Returns the powers of each group that the policies or the report name, in a fixed order, and of `moreGroups`, each group
 * once. `atMs`: milliseconds since 1970.
 */
export function findPowers(
	_access: AccessState,
	_atMs: number,
	_moreGroups: readonly ActivityGroup[] = [],
): readonly GroupPower[] {
	return [];
}
