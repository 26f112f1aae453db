/** Who can do what in one organization, as `powers` shows it. */

import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { UserNames } from "../../plan/users.ts";
import type { NotRead, RootQuorum } from "../../policy/access.ts";
import type { NamedTag } from "../../policy/lint/named-tags.ts";
import type { ActivityExplanation, PowerExplanation } from "../../policy/powers/explain-power.ts";
import type { GroupPower } from "../../policy/powers/powers.ts";
import type { WithNames } from "../../say/powers.ts";
import type { Head } from "./head.ts";

/** Something of the live organization that a result does not hold. */
export interface MissingObject<B = string> {
	readonly what: string;
	readonly because: B;
}

export interface OrganizationPowers extends NamedOrganization, UserNames, WithNames<"tagNames" | "policyNames"> {
	/** When it was read, ISO 8601 in UTC. */
	readonly readAt: string;
	/** The moment at which time windows are judged, ISO 8601 in UTC: `--at`, else that of the reading by the service's clock. */
	readonly at: string;
	/** Null where it is unknown. */
	readonly rootQuorum: RootQuorum | null;
	/** What could not be read; then powers that depend on it are unknown. */
	readonly unread: readonly MissingObject<NotRead>[];
	/** Policies that ask for a user tag by its name; left out where there is none. */
	readonly namedTags?: readonly NamedTag[];
	/** Policies of which the service says otherwise than orgsync whether they are in force now; left out where there is none. */
	readonly statedTimes?: readonly { readonly policyId: string; readonly isActive: boolean }[];
	readonly powers: readonly GroupPower[];
	/** With `--why`: one for each group, and no powers. */
	readonly why?: readonly PowerExplanation[];
	/** With `--activity`: what is known of it, and the policies about it. */
	readonly activity?: Omit<ActivityExplanation, "power">;
}

export interface PowersResult extends Head<"powers"> {
	/** The powers that `--group`, `--user` and `--tag` left, of each organization. */
	readonly organizations: readonly OrganizationPowers[];
}

/** With the answers as `why`, one for each group. */
export interface CanResult extends Head<"can"> {
	/** Whether a text has the policies of each answer too. */
	readonly because: boolean;
	readonly organizations: readonly OrganizationPowers[];
}
