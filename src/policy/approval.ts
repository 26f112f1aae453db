/** Foretells what becomes of an activity when it is submitted (docs/powers.md#approvals). */
import type { AccessState } from "./access.ts";
import type { Threshold } from "./powers.ts";

export const approvalVerdicts = ["runs", "pending", "denied", "unknown"] as const;

export type ApprovalVerdict = (typeof approvalVerdicts)[number];

/** What becomes of one activity. */
export interface Approval {
	readonly verdict: ApprovalVerdict;
	/** Smallest sets of further approvers, each of which completes it; only where the verdict is `pending`. At most 1,000. */
	readonly approverSets: readonly (readonly string[])[];
	/** The same, written short: each alternative is a list of thresholds that all must hold. */
	readonly thresholds: readonly (readonly Threshold[])[];
	/** The policies that decide; sorted. */
	readonly policyIds: readonly string[];
	/** Why it is denied or unknown; null for the other verdicts. */
	readonly because: string | null;
}

/** An activity as policies see it. */
export interface SubmittedActivity {
	/** For example `ACTIVITY_TYPE_UPDATE_USER_TAG`. */
	readonly type: string;
	/** The user whose own credentials it changes; null for every other activity. */
	readonly ownerId: string | null;
}

export interface Submitter {
	readonly userId: string;
	/** Of the key that stamps the request, in lower-case hex; null where it is not known. */
	readonly publicKey: string | null;
}

/** Returns what becomes of the activity when this user submits it. `atMs`: milliseconds since 1970. */
export function foretellApproval(
	_access: AccessState,
	_activity: SubmittedActivity,
	_submitter: Submitter,
	_atMs: number,
): Approval {
	return { verdict: "unknown", approverSets: [], thresholds: [], policyIds: [], because: "policies are not judged" };
}
