/**
 * Errors as results: what was thrown, described as every format shows it, and the exit code that it leads to.
 */
import { DocumentError, type ExitCode, exitCodes, OrgsyncError } from "../errors.ts";
import { type ErrorDescription, type FailedOrganization, type FailureResult, resultHead } from "../render/result.ts";

/** An organization in which an error ended the work. */
export interface OrganizationError {
	readonly organizationId: string;
	readonly error: unknown;
}

/** Returns the exit code that an error leads to. */
export function exitCodeOfError(error: unknown): ExitCode {
	return error instanceof OrgsyncError ? error.exitCode : exitCodes.error;
}

/** Returns the error as results have it; of an unexpected one without its stack. */
export function describeError(error: unknown): ErrorDescription {
	if (error instanceof OrgsyncError) return { code: error.code, message: error.message, hint: error.hint ?? null };
	return {
		code: "unforeseen",
		message: `unexpected error: ${error instanceof Error ? error.message : String(error)}`,
		hint: "please report this; --verbose shows where it happened",
	};
}

/** Returns the organization as results have it. `steps` are those that had finished. */
export function describeFailed(
	{ organizationId, error }: OrganizationError,
	steps: FailedOrganization["steps"] = [],
): FailedOrganization {
	return { organizationId, error: describeError(error), steps };
}

/** Returns the result of a command that this error ended. */
export function failureResult(command: string, error: unknown): FailureResult {
	const problems = error instanceof DocumentError ? error.problems : [];
	return { ...resultHead(command, exitCodeOfError(error), describeError(error)), problems };
}

/** Exit codes of single organizations, the most important first. */
const precedence: readonly ExitCode[] = [
	exitCodes.interrupted,
	exitCodes.partlyApplied,
	exitCodes.notAuthorized,
	exitCodes.rejectedOrDenied,
	exitCodes.stalePlan,
	exitCodes.blockedByGuard,
	exitCodes.invalid,
	exitCodes.error,
	exitCodes.pendingApproval,
	exitCodes.changes,
	exitCodes.inSync,
];

/** Returns the exit code of several organizations: the most important of theirs, or "in sync" when there is none. */
export function combineExitCodes(codes: readonly ExitCode[]): ExitCode {
	return precedence.find((code) => codes.includes(code)) ?? exitCodes.inSync;
}
