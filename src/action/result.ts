/** What a run of the action puts out, of the result of its command. */
import { exitCodes } from "../common/errors.ts";
import { type CommandResult, driftIn, isCompared } from "../render/result/result.ts";
import type { ActionCommand } from "./settings.ts";

/** What is to be done with the issue about drift; empty if nothing is. */
type IssueOrder = "open" | "update" | "close" | "";

export type Facts = ReturnType<typeof factsOf>;

/** Returns what is known of an organization, or of several together; of a failure, what was known before it. */
export function factsOf(result: CommandResult) {
	const organizations = isCompared(result) ? result.organizations : [];
	const activities = organizations.reduce((sum, { plan }) => sum + (plan?.steps.length ?? 0), 0);
	const findings = driftIn(result)
		.flatMap((one) => one.findings)
		.filter(({ state }) => state !== "not-looked-at");
	return {
		/** Whether `apply` would submit activities, or an `apply` had some to submit. */
		changes: activities > 0,
		activities,
		planDigest: result.savedPlan?.digest ?? "",
		/** The number of drifted objects that are known. */
		drifted: findings.length,
	};
}

/** Drift that was found opens an issue, even if something else failed. Only a check of everything closes one. */
export function issueOf(code: number, { drifted }: Facts): IssueOrder {
	if (code === exitCodes.inSync) return "close";
	if (code === exitCodes.pendingApproval) return "update";
	return code === exitCodes.changes || drifted > 0 ? "open" : "";
}

/** Whether the run is green: pending approval is, and drift if an issue reports it. */
export function isGreen(command: ActionCommand, code: number, reportsInIssue: boolean): boolean {
	if (code === exitCodes.inSync) return true;
	if (code === exitCodes.pendingApproval) return command === "apply" || command === "drift";
	return command === "drift" && code === exitCodes.changes && reportsInIssue;
}
