/** Forecasts what becomes of an activity when it is submitted (docs/powers.md#approvals). */
import type { AccessState } from "../access.ts";
import type { Approval, SubmittedActivity, SubmittingUser } from "./forecast.ts";
import { forecast } from "./forecast.ts";
import { prepareAccess } from "./prepare.ts";

export type {
	Approval,
	ApprovalVerdict,
	SubmittedActivity,
	SubmittingUser,
} from "./forecast.ts";

/** Returns what becomes of the activity when this user submits it. `atMs`: milliseconds since 1970. */
export function forecastApproval(
	access: AccessState,
	activity: SubmittedActivity,
	submitter: SubmittingUser,
	atMs: number,
): Approval {
	return forecast(prepareAccess(access, atMs), activity, submitter);
}
