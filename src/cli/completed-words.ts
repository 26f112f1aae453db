/** What completion offers of the table of commands; the scripts and `__complete` are made from it. */
import type { CommandRow } from "./command-row.ts";

/** A command as a completion script needs it. */
export interface CompletedCommand {
	readonly name: string;
	readonly summary: string;
	readonly flags: readonly CompletedFlag[];
	/** The name of its first argument, such as `file`; undefined without one. */
	readonly argument: string | undefined;
}

export interface CompletedFlag {
	/** With its dashes. */
	readonly long: string;
	readonly short: string | undefined;
	readonly description: string;
	/** The placeholder of its value, such as `file`; undefined for a flag without a value. */
	readonly value: string | undefined;
	/** Its values, if it has a fixed list of them. */
	readonly choices: readonly string[] | undefined;
}

/** Returns what a completion script offers for these commands. */
export function completedWords(commands: readonly CommandRow[]): readonly CompletedCommand[] {
	return commands.map(({ name, summary, flags, arguments: [argument] = [] }) => ({
		name,
		summary,
		argument: argument?.name(),
		flags: flags.flatMap(({ long, short, description, flags: text, argChoices }) =>
			typeof long !== "string"
				? []
				: [{ long, short, description, value: /[<[](.+?)[\]>]/.exec(text)?.[1], choices: argChoices }],
		),
	}));
}
