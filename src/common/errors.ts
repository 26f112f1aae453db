/**
 * Every error that is thrown on purpose, each with a stable `code`, the exit code it leads to and, where there is one, a
 * `hint` that says what to do next. Problems of a document and outcomes of steps are values, not errors.
 *
 * No message, hint or cause here may hold a key, a stamp, a bundle or a token.
 */
import { type Said, textOf } from "./said.ts";

/** Exit codes of the command line, the same in every output format (docs/commands.md#exit-codes). */
export const exitCodes = {
	inSync: 0,
	error: 1,
	changes: 2,
	invalid: 3,
	notAuthorized: 4,
	blockedByGuard: 5,
	stalePlan: 6,
	partlyApplied: 7,
	pendingApproval: 8,
	rejectedOrDenied: 9,
	failedCase: 10,
	undecided: 11,
	interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Every exit code, the most important first: of several, the first is that of the call (docs/commands.md#exit-codes). */
export const exitCodeOrder: readonly ExitCode[] = [
	exitCodes.interrupted,
	exitCodes.partlyApplied,
	exitCodes.notAuthorized,
	exitCodes.rejectedOrDenied,
	exitCodes.stalePlan,
	exitCodes.blockedByGuard,
	exitCodes.invalid,
	exitCodes.error,
	exitCodes.failedCase,
	exitCodes.undecided,
	exitCodes.changes,
	exitCodes.pendingApproval,
	exitCodes.inSync,
];

/** Returns the most important of the exit codes that apply; "in sync" when none does. */
export function combineExitCodes(codes: readonly ExitCode[]): ExitCode {
	return exitCodeOrder.find((code) => codes.includes(code)) ?? exitCodes.inSync;
}

/** What went wrong at one place of a document: many of them are reported together, none is thrown. */
export interface Problem {
	/** The file as the user named it; `-` is standard input. */
	readonly file: string;
	/** First line is 1. */
	readonly line: number;
	/** First column is 1, in characters. */
	readonly column: number;
	/** Where in the document, for example `userTags[0].members`; empty for the document itself. */
	readonly path: string;
	/** Stable word for the kind of problem, for example `unknown-key`. */
	readonly code: string;
	/** What is wrong, and what would be right. */
	readonly message: string;
	/** The line of the file, and a line with `^` below the place; for a place within a text. */
	readonly excerpt?: string;
}

interface ErrorOptions {
	readonly hint?: Said;
	readonly cause?: unknown;
}

/** The parent of every error thrown on purpose. */
export abstract class OrgsyncError extends Error {
	abstract readonly code: string;
	abstract readonly exitCode: ExitCode;
	/** What to do next, for a terminal. */
	readonly hint: string | undefined;
	/** The hint before its reader is known. */
	readonly advice: Said | undefined;

	constructor(message: string, options: ErrorOptions = {}) {
		super(message, options.cause === undefined ? {} : { cause: options.cause });
		this.name = new.target.name;
		this.advice = options.hint;
		this.hint = options.hint === undefined ? undefined : textOf(options.hint);
	}
}

/** Returns the class of errors with this code, whose exit code is always the same. */
function errorOf<const Code extends string, const Exit extends ExitCode>(code: Code, exitCode: Exit) {
	return class extends OrgsyncError {
		readonly code = code;
		readonly exitCode = exitCode;
	};
}

/** Flags, environment or files that orgsync itself needs are wrong or missing. Nothing was submitted. */
export class ConfigurationError extends errorOf("configuration", exitCodes.invalid) {}

/** The document has problems; all of them are in `problems`. Nothing was submitted. */
export class DocumentError extends errorOf("document", exitCodes.invalid) {
	readonly problems: readonly Problem[];

	/** `found` is what they were found in, for example `the seed has`. */
	constructor(problems: readonly Problem[], found = "the document has", options: ErrorOptions = {}) {
		super(problems.length === 1 ? `${found} a problem` : `${found} ${problems.length} problems`, options);
		this.problems = problems;
	}
}

/** The service does not accept the key or the stamp: 401, or 403 with gRPC code 16 (docs/internals/service.md#errors). */
export class AuthenticationError extends errorOf("not-authorized", exitCodes.notAuthorized) {}

/** A passkey signed nothing: the person refused, or did not answer in time. Nothing was submitted. */
export class PasskeyError extends errorOf("passkey", exitCodes.error) {}

/** The service answered, and the answer is an error that a retry does not mend. */
export class ServiceError extends OrgsyncError {
	readonly code = "service";
	readonly exitCode: ExitCode;
	readonly httpStatus: number;
	/** gRPC number of the error body; undefined when the answer does not have the service's error shape. */
	readonly grpcCode: number | undefined;

	constructor(message: string, httpStatus: number, grpcCode: number | undefined, options: ErrorOptions = {}) {
		super(message, options);
		this.httpStatus = httpStatus;
		this.grpcCode = grpcCode;
		this.exitCode = httpStatus === 403 ? exitCodes.rejectedOrDenied : exitCodes.error;
	}
}

/** Whether the service denies this or lacks it: 403, 404 or 501 in its own error shape, which no page of a gateway has. */
export function isUnavailable(error: unknown): error is ServiceError {
	return error instanceof ServiceError && error.grpcCode !== undefined && [403, 404, 501].includes(error.httpStatus);
}

/** Returns the answer, or undefined if the service does not have it for this key. Throws every other error. */
export async function ifAvailable<T>(answer: Promise<T>): Promise<T | undefined> {
	try {
		return await answer;
	} catch (error) {
		if (isUnavailable(error)) return undefined;
		throw error;
	}
}

/** No usable answer came. `sent` decides what may follow: after `"no"` anything, after `"maybe"` only the same bytes. */
export class TransportError extends errorOf("transport", exitCodes.error) {
	readonly sent: "no" | "maybe";

	constructor(message: string, sent: "no" | "maybe", options: ErrorOptions = {}) {
		super(message, options);
		this.sent = sent;
	}
}

/** The service denies a query that an answer needs: the answer is unknown, which is not no. */
export class UndecidedError extends errorOf("undecided", exitCodes.undecided) {}

/** A file that orgsync keeps (journal, local service) cannot be opened, read or written. */
export class StorageError extends errorOf("storage", exitCodes.error) {}

/** The work is done, and its result or what was said of it could not be written. The exit code is not that of the work. */
export class OutputError extends errorOf("output", exitCodes.error) {}

/** A guard found more than its limit allows, without an override. Nothing was submitted. */
export class GuardError extends errorOf("guard", exitCodes.blockedByGuard) {}

/** An object that a saved plan touches and that is not what it was when the plan was made. */
export interface OutdatedObject {
	readonly organizationId: string;
	readonly address: string;
	/**
	 * `changed`: it is something else now. `already-applied`: it is as the plan wanted it. `not-possible`: it cannot become so any
	 * more. `step-differs`: it is what it was, but what would be submitted for it is not what was reviewed. `impact-differs`: it is
	 * what it was, but what the plan means for who can do what is not what was reviewed; one object for the whole plan. `time-passed`:
	 * a window of the document began or ended since; one object for the whole plan.
	 */
	readonly reason: "changed" | "already-applied" | "not-possible" | "step-differs" | "impact-differs" | "time-passed";
	/** What it was when planned, as the plan file states it: name and members of a tag, name of what is removed; null where it could not be read. */
	readonly before: OutdatedState | null;
	/** What it is now; null when it is not there any more, or cannot be read. */
	readonly after: OutdatedState | null;
	/** What changed, for a person. */
	readonly because: string;
}

/** A tag has members: user ids, sorted; null when they are not known. */
export interface OutdatedState {
	readonly name: string;
	readonly members?: readonly string[] | null;
}

export const stalePlanMessage = "the saved plan is stale, nothing was submitted";

/** Objects that the saved plan touches changed since it was made: what was reviewed cannot run. Nothing was submitted. */
export class StalePlanError extends errorOf("stale-plan", exitCodes.stalePlan) {
	readonly outdated: readonly OutdatedObject[];

	/** `lines` describe the objects, one line each. */
	constructor(outdated: readonly OutdatedObject[], lines: readonly string[], hint: string) {
		super([`${stalePlanMessage}:`, ...lines.map((line) => `  ${line}`)].join("\n"), {
			hint,
		});
		this.outdated = outdated;
	}
}

/** Another version of orgsync made the saved plan: its impact was found by other rules and cannot be compared. Nothing was submitted. */
export class PlanModelError extends errorOf("plan-model", exitCodes.stalePlan) {
	constructor(age: "older" | "newer") {
		super(
			`the saved plan was made by ${age === "older" ? "an older" : "a newer"} orgsync, nothing was submitted: it judged who can do what by other rules, so its impact cannot be compared`,
			{
				hint:
					age === "older"
						? "plan again, and have the new plan reviewed"
						: "update orgsync, or plan again with this one",
			},
		);
	}
}

/** The journal has it that the saved plan, or a step of it that would be sent, was carried out before. Nothing was submitted. */
export class AppliedPlanError extends errorOf("plan-applied", exitCodes.stalePlan) {}

/** A saved plan is older than the operator allows, or from the future. Nothing was submitted. */
export class PlanAgeError extends errorOf("plan-too-old", exitCodes.stalePlan) {}

/** A saved plan says nothing of an organization: it could not be read when the plan was made. Nothing was submitted to it. */
export class NotPlannedError extends errorOf("not-planned", exitCodes.error) {}

/** The live organization cannot become what the document says, whatever is submitted; `problems` says why. */
export class LiveProblemError extends errorOf("live-problem", exitCodes.error) {}

/** A signal ended the work before this part of it was begun. Nothing was submitted for it. */
export class InterruptedError extends errorOf("interrupted", exitCodes.interrupted) {}

const fileErrors: Readonly<Record<string, string>> = {
	ENOENT: "there is no such file or folder",
	EACCES: "permission is denied",
	EPERM: "permission is denied",
	EISDIR: "it is a folder",
	ENOTDIR: "something in its path is no folder",
	ELOOP: "it is a symbolic link to itself",
	EROFS: "the disk is read-only",
	ENOSPC: "the disk is full",
	ENAMETOOLONG: "its name is too long",
	EDQUOT: "the disk quota is exceeded",
	EFBIG: "the file would be too large",
	EIO: "the device reports an error",
	EBADF: "it is not open for writing",
	EPIPE: "the reader closed it",
};

/** Why a file cannot be used, without the system's code and the path, which the reader knows already. */
export function explainFileError(error: unknown): string {
	const { code } = error as { code?: unknown };
	const known = typeof code === "string" ? fileErrors[code] : undefined;
	return known ?? (error instanceof Error ? error.message : String(error));
}
