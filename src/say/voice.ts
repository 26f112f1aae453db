/** Who prints: the same flag is an option of a command in a terminal, and a property of the provider in Pulumi. */
import { type FlagName, spellFlag } from "../common/said.ts";

export interface Voice {
	/** Returns how a reader gives the flag, with its value where it has one. */
	readonly flag: (name: FlagName, value: string | null) => string;
}

/** A terminal, and every page that tells what to type there. */
export const commandLine: Voice = {
	flag: spellFlag,
};
