/** One change of who can do what. */
import type { KnownAbility } from "./ability.ts";
import type { ActivityExample } from "./fields.ts";
import type { ActivityGroup } from "./groups.ts";
import type { Reason } from "./reason.ts";

/**
 * What changes, worst first. `nobody`: only the root quorum can any more. `alone`: these users can now do it alone. `fewer`: fewer
 * approvers are needed. `gains`, `loses`: these users take part, or no longer do. `unknown`: it cannot be compared.
 */
export const impactChanges = ["nobody", "alone", "fewer", "gains", "loses", "unknown"] as const;

export type ImpactChange = (typeof impactChanges)[number];

export interface ImpactFinding {
	readonly group: ActivityGroup;
	readonly change: ImpactChange;
	/** The users it is about; sorted. */
	readonly userIds: readonly string[];
	/** A smallest set that can do it on one side and not on the other; empty where there is none to show. */
	readonly witness: readonly string[];
	/** The condition on the activity under which it is so; null where it is always so. */
	readonly condition: string | null;
	/** Conditions under which a policy denies it, so that it is not so. */
	readonly unless: readonly string[];
	/** An activity of which it is so; left out where no condition is named, or none is found. */
	readonly example?: ActivityExample;
	/** Who can do it on each side, where the condition holds. */
	readonly before: KnownAbility;
	readonly after: KnownAbility;
	/** The policies whose part changed; sorted. */
	readonly policyIds: readonly string[];
	/** Whether the guard `escalation` counts it: one person alone, where two or more were needed. */
	readonly isEscalation: boolean;
	/** What is unknown can only take from users, and gives no one anything. Left out otherwise. */
	readonly onlyTakes?: true;
	/** Why it is unknown; null for every other change. */
	readonly because: Reason | null;
}
