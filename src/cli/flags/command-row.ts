import { exitCodes } from "../../common/errors.ts";
import type { CommandResult } from "../../render/result/result.ts";
import type { Call } from "../output/output.ts";
import type { ResultStream } from "../output/result-stream.ts";
import type { Argument, Flag } from "./flags.ts";
import type { CommandExitCodes } from "./help.ts";

/** One call of a command; each command has its own type of flags. */
interface CommandCall extends Call<never> {
	/** The arguments that are not flags. */
	readonly words: readonly string[];
	/** Whether the flag is on the command line, by its name in `flags`. */
	readonly isGiven: (flag: string) => boolean;
}

/** A command. Its module is loaded when the command is called. */
export interface CommandRow {
	readonly name: string;
	/** Imperative, lower case, without a full stop. */
	readonly summary: string;
	readonly arguments?: readonly Argument[];
	/** In the order of the help. */
	readonly flags: readonly Flag[];
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

/** Exit codes of a command that sends queries. */
export const queryExitCodes: CommandExitCodes = {
	...localExitCodes,
	[exitCodes.notAuthorized]: true,
	[exitCodes.rejectedOrDenied]: "the service denied a query",
};
