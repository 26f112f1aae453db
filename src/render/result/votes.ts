/** The result of `approve` and of `reject`: the pending activities, and what became of each. */

import type { ChosenActivity } from "../../plan/activities/choose-votes.ts";
import type { NamedOrganization } from "../../plan/organization-name.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Outcome } from "../../plan/report.ts";
import type { Step } from "../../plan/step.ts";
import type { UserNames } from "../../plan/users.ts";
import type { ErrorDescription, Head } from "./head.ts";

export interface VoteResult extends Head<"approve" | "reject", ErrorDescription | null> {
	readonly votes: readonly OrganizationVotes[];
}

/** The pending activities of one organization, and what became of them. */
export interface OrganizationVotes extends NamedOrganization, UserNames {
	/** The user of the key; null where the service does not say. */
	readonly voterId: string | null;
	/** Oldest first. */
	readonly activities: readonly VotedActivity[];
	/** The plan of all activities to vote for together: its changes, guards and impact; null when there is none. */
	readonly effect: Plan | null;
	/** With `--plan`, if no activities were named: steps for which no activity is pending, and that have not completed. */
	readonly missing: readonly Step[];
	/** Why there may be other pending activities; null if the service listed them all, or activities were named. */
	readonly unlisted: string | null;
}

/** One pending activity, or one that was named, and what became of it. */
export interface VotedActivity extends ChosenActivity {
	/** What became of it; null when no vote was submitted and it has not ended. `awaiting-approval`: the vote counts, others are missing. */
	readonly outcome: Outcome | null;
	/** Whether this run sent a vote on it, whatever the answer was. */
	readonly isSent: boolean;
	/** Why, for a person; null when there is nothing to add. */
	readonly message: string | null;
}
