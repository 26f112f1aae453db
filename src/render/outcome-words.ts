/** The words for what became of an activity: the same in every format. */
import type { Outcome } from "../plan/report.ts";

export const outcomeWords: Readonly<Record<Outcome, string>> = {
	completed: "completed",
	"awaiting-approval": "pending approval",
	"awaiting-authenticator": "waiting for an authenticator",
	rejected: "rejected",
	denied: "denied",
	failed: "failed",
	unknown: "unknown",
	"not-attempted": "not attempted",
};
