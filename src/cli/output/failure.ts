/** Describes errors in results, and finds the exit codes that they lead to. */
import { DocumentError, type ExitCode, exitCodes, OrgsyncError } from "../../common/errors.ts";
import { hideSecrets } from "../../common/hide-secrets.ts";
import { type NamedOrganization, namedAs } from "../../plan/organization-name.ts";
import type { Outcome, StepResult } from "../../plan/report.ts";
import type { FailedOrganization, FoundOrganization } from "../../render/result/found.ts";
import {
	type CommandResult,
	type ErrorDescription,
	type FailureResult,
	resultHead,
} from "../../render/result/result.ts";

/** An organization in which an error ended the work. */
export interface OrganizationError extends NamedOrganization {
	readonly error: unknown;
	/** The steps that had finished by then. */
	readonly steps?: readonly StepResult[];
}

export function exitCodeOfError(error: unknown): ExitCode {
	return error instanceof OrgsyncError ? error.exitCode : exitCodes.error;
}

/** Returns the error as results have it; of an unexpected one without its stack. */
export function describeError(error: unknown): ErrorDescription {
	if (error instanceof OrgsyncError) return { code: error.code, message: error.message, hint: error.hint ?? null };
	return {
		code: "unforeseen",
		message: `unexpected error: ${hideSecrets(error instanceof Error ? error.message : String(error))}`,
		hint: "please report this; --verbose shows where it happened",
	};
}

export function failureResult(command: string, error: unknown): FailureResult {
	const problems = error instanceof DocumentError ? error.problems : [];
	return { ...resultHead(command, exitCodeOfError(error), describeError(error)), problems };
}

export function failedIn(one: OrganizationError): FoundOrganization & { readonly failed: FailedOrganization } {
	const { organizationId, error, steps = [] } = one;
	const isPartlyApplied = steps.some(({ outcome }) => outcome === "completed");
	const exitCode = isPartlyApplied ? exitCodes.partlyApplied : exitCodeOfError(error);
	return { organizationId, exitCode, failed: { ...namedAs(one), error: describeError(error), steps } };
}

/** Returns the result as the process ends with it after a stream lost output. */
export function withLost(result: CommandResult, message: string): CommandResult {
	const error = result.error ?? { code: "output", message, hint: null };
	return { ...result, exitCode: exitCodes.error, error } as CommandResult;
}

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
