/** Whether the approvals of an activity are enough by policies and root quorum. The rules of a seed apply as well. */
import { approvals } from "../wire/operations.ts";
import { policies } from "./kinds/policy.ts";
import { describeForPolicies } from "./policies/activity-kinds.ts";
import { makeDecider } from "./policies/decide.ts";
import { approversOf, votersOf } from "./policies/voters.ts";
import type { ActivityRecord, Organization, PolicyEvaluation, Vote } from "./state.ts";

export interface Decision {
	readonly isAllowed: boolean;
	/** Whether the submitter belongs to a consensus that would be enough. */
	readonly isPossible: () => boolean;
	/** What each policy says of the approvals. */
	readonly evaluations: readonly PolicyEvaluation[];
}

/** The user whose own credentials an activity changes. */
function ownerOf({ operation, parameters }: ActivityRecord): string | undefined {
	const isOfCredentials = operation === "create_oauth_providers" || operation === "delete_oauth_providers";
	return isOfCredentials ? String(parameters.userId).toLowerCase() : undefined;
}

/** Returns the decision about an activity; undefined where policies decide nothing: votes, and organizations that have none. */
export function decide(
	organization: Organization,
	activity: ActivityRecord,
	approving: readonly Vote[],
	nowMs: number,
): Decision | undefined {
	const { rootQuorum } = organization;
	const known = [...organization.entities(policies).values()];
	// A user who belongs to the consensus needs no permission to approve (docs/internals/service.md#how-an-activity-is-decided).
	if (activity.operation in approvals || (known.length === 0 && rootQuorum === undefined)) return undefined;
	const submitterId = activity.votes[0]?.userId ?? "";
	const decider = makeDecider({
		policies: known,
		rootQuorum,
		activity: describeForPolicies(activity.type),
		ownerId: ownerOf(activity),
		submitterId,
		nowMs,
	});
	const voters = votersOf(organization);
	const approvers = approversOf(voters, approving);
	const submitter = approvers.find(({ user }) => user.id === submitterId);
	return {
		isAllowed: decider.isAllowed(approvers),
		isPossible: () => submitter !== undefined && decider.isPartOfConsensus(submitter, voters),
		evaluations: decider.evaluate(approvers, voters),
	};
}
