/** What the results of all commands have in common. */
import type { ExitCode, OutdatedObject, Problem } from "../../common/errors.ts";
import type { ThreeWay } from "../../plan/base/three-way.ts";
import type { Override } from "../../plan/guards/overrides.ts";
import type { SavedPlanFacts } from "../../plan/plan.ts";

/** An error as every format shows it. */
export interface ErrorDescription {
	readonly code: string;
	readonly message: string;
	readonly hint: string | null;
}

export interface Head<Command extends string, Error = null> {
	readonly formatVersion: 1;
	readonly command: Command;
	readonly exitCode: ExitCode;
	readonly error: Error;
	readonly problems: readonly Problem[];
	/** Overrides of the whole run; left out when there is none. */
	readonly overrides?: readonly Override[];
	/** Organizations that are only in the base. */
	readonly dropped?: readonly ThreeWay[];
	/** The saved plan that was written, shown, applied or voted on. */
	readonly savedPlan?: SavedPlanFacts;
	/** What changed since the saved plan was made. Then nothing was submitted. */
	readonly outdated?: readonly OutdatedObject[];
}

/** Returns what every result has, to be completed with the fields of the command. */
export function resultHead<Command extends string, Error extends ErrorDescription | null>(
	command: Command,
	exitCode: ExitCode,
	error: Error,
): Head<Command, Error> {
	return { formatVersion: 1, command, exitCode, error, problems: [] };
}
