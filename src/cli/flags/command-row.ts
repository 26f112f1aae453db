/** The row of a command, and what `--help` and man pages print of it: exit codes, environment variables and an example. */
import { type ExitCode, exitCodes } from "../../common/errors.ts";
import type { CommandResult } from "../../render/result/result.ts";
import type { Call } from "../output/output.ts";
import type { ResultStream } from "../output/result-stream.ts";
import type { Argument, Flag } from "./flags.ts";

/** One call of a command; each command has its own type of flags. */
interface CommandCall extends Call<never> {
	/** The arguments that are not flags. */
	readonly words: readonly string[];
	/** Whether the flag is on the command line, by its name in `flags`. */
	readonly isGiven: (flag: string) => boolean;
}

/** A command. Its module is loaded when the command is called. */
export interface CommandRow extends Omit<CommandSpec, "arguments" | "flags"> {
	readonly name: string;
	readonly arguments: readonly Argument[];
	readonly flags: readonly Flag[];
}

/** The commands of one heading, by name. */
export type CommandSpecs = Readonly<Record<string, CommandSpec>>;

/** Makes the row of a command. Its arguments and flags are made for each call, because they hold state. */
interface CommandSpec {
	/** Imperative, lower case, without a full stop. */
	readonly summary: string;
	readonly arguments?: () => readonly Argument[];
	/** In the order of the help. */
	readonly flags: () => readonly Flag[];
	readonly example: string;
	readonly exitCodes: CommandExitCodes;
	readonly run: (call: CommandCall) => Promise<CommandResult | ResultStream>;
}

/** Exit codes of a command that calls no service. */
export const localExitCodes: CommandExitCodes = {
	[exitCodes.inSync]: "success",
	[exitCodes.error]: true,
	[exitCodes.invalid]: true,
};

export const queryExitCodes: CommandExitCodes = {
	...localExitCodes,
	[exitCodes.notAuthorized]: true,
	[exitCodes.rejectedOrDenied]: "the service denied a query",
};

export const meanings: Readonly<Record<ExitCode, string>> = {
	[exitCodes.inSync]: "in sync, or nothing to report",
	[exitCodes.error]: "error",
	[exitCodes.changes]: "changes, drift or lint errors found (plan --detailed-exitcode, drift)",
	[exitCodes.invalid]: "invalid document, flags or configuration",
	[exitCodes.notAuthorized]: "not authorized",
	[exitCodes.blockedByGuard]: "blocked by a guard",
	[exitCodes.stalePlan]: "saved plan is stale",
	[exitCodes.partlyApplied]: "partly applied",
	[exitCodes.pendingApproval]: "pending approval",
	[exitCodes.rejectedOrDenied]: "rejected or denied",
	[exitCodes.failedCase]: "an access case fails",
	[exitCodes.undecided]: "undecided: something that an answer needs is unknown",
	[exitCodes.interrupted]: "interrupted",
};

/** Exit codes of one command, each with its meaning there; `true` for the usual meaning. */
export type CommandExitCodes = Readonly<Partial<Record<ExitCode, string | true>>>;

export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
	["ORGSYNC_URL", "base URL of the service"],
	["ORGSYNC_ORGANIZATION_ID", "organization id"],
	["ORGSYNC_API_PRIVATE_KEY", "private API key"],
	["ORGSYNC_KEY_FILE", "file with the private API key"],
	["ORGSYNC_STAMP_COMMAND", "command that stamps a request body"],
	["ORGSYNC_VAR_*", "variables for documents: ${ORGSYNC_VAR_STAGE}"],
	["OTEL_*", "OpenTelemetry: send traces to a collector"],
];

/** Calls that need no account. */
export const firstCalls: readonly string[] = ["orgsync init --local", "orgsync plan --local"];

export function commandHelp(example: string, codes: CommandExitCodes): string {
	return `\n${describeExitCodes(codes)}\n\nExample:\n  ${example}`;
}

export function programHelp(): string {
	return `
${describeExitCodes(meanings)}

Environment variables:
${alignRows(environmentVariables)}

Examples, which need no account:
${firstCalls.map((call) => `  ${call}`).join("\n")}

orgsync COMMAND --help prints the flags of a command.`;
}

function describeExitCodes(codes: CommandExitCodes): string {
	return `Exit codes:\n${alignRows(exitCodeRows(codes))}`;
}

export function exitCodeRows(codes: CommandExitCodes): readonly (readonly [code: string, meaning: string])[] {
	// Integer keys are listed in ascending order.
	return Object.entries(codes).map(([code, meaning]) => [
		code,
		meaning === true ? meanings[Number(code) as ExitCode] : meaning,
	]);
}

function alignRows(rows: readonly (readonly [name: string, meaning: string])[]): string {
	const width = Math.max(...rows.map(([name]) => name.length));
	return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`).join("\n");
}
