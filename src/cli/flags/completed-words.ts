/** What completion offers of the table of commands; the scripts and `__complete` are made from it. */
import type { CommandRow } from "./command-row.ts";

/** A command as a completion script needs it. */
export interface CompletedCommand {
	readonly name: string;
	readonly summary: string;
	readonly flags: readonly CompletedFlag[];
	/** The names of its arguments, such as `file`. */
	readonly arguments: readonly string[];
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
	return commands.map(({ name, summary, flags, arguments: taken = [] }) => ({
		name,
		summary,
		arguments: taken.map((argument) => argument.name()),
		flags: flags.flatMap(({ long, short, description, flags: text, argChoices }) =>
			typeof long !== "string"
				? []
				: [{ long, short, description, value: /[<[](.+?)[\]>]/.exec(text)?.[1], choices: argChoices }],
		),
	}));
}

/** Where the values of a flag or an argument come from: the script, the documents, the file system, or nowhere. */
export type ValueSource =
	| { readonly from: "words"; readonly words: readonly string[] }
	/** `flag` is the flag whose values an argument takes. */
	| { readonly from: "documents"; readonly flag?: string }
	| { readonly from: "files" | "nowhere" };

/** A command with the sources of its values. */
export interface ScriptCommand {
	readonly name: string;
	readonly summary: string;
	/** In the order of the help. */
	readonly flags: readonly (CompletedFlag & { readonly source: ValueSource | undefined })[];
	/** The values of its arguments, in their order. */
	readonly arguments: readonly ValueSource[];
}
