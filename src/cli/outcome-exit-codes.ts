import { type ExitCode, exitCodes } from "../common/errors.ts";
import type { Outcome } from "../plan/report.ts";

/** The exit codes that outcomes of single activities lead to. */
export const outcomeExitCodes: Readonly<Record<Outcome, ExitCode>> = {
	completed: exitCodes.inSync,
	"awaiting-approval": exitCodes.pendingApproval,
	"awaiting-authenticator": exitCodes.pendingApproval,
	rejected: exitCodes.rejectedOrDenied,
	denied: exitCodes.rejectedOrDenied,
	failed: exitCodes.error,
	unknown: exitCodes.error,
	"not-attempted": exitCodes.error,
};
