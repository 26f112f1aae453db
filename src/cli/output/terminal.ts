/** The terminal of a command: its streams, environment and clock, its colours and columns, and its signals. */
import { styleText } from "node:util";
import type { CommandResult } from "../../render/result/result.ts";
import type { Style } from "../../render/style.ts";

/** The folder and the environment of a command, which decide where its files are. */
export type WorkPlace = Pick<Terminal, "directory" | "environment">;

/** The streams, environment and clock that a command uses instead of the process. */
export interface Terminal {
	readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
	readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
	readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number | undefined };
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly directory: string;
	readonly now: () => number;
	/** Milliseconds from any beginning, never set back. */
	readonly steadyNow: () => number;
	/** Resolves after so many milliseconds, or earlier once the signal is aborted. */
	readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
	/** Called with each result or error that is printed, for a program that shows it elsewhere too. */
	readonly observe?: (result: CommandResult) => void;
}

// The output decides on colours for each stream; `styleText` would check standard output.
const colored =
	(format: "green" | "red" | "yellow" | "dim" | "bold") =>
	(text: string): string =>
		styleText(format, text, { validateStream: false });

export const colorStyle: Style = {
	add: colored("green"),
	remove: colored("red"),
	update: colored("yellow"),
	warn: colored("yellow"),
	faint: colored("dim"),
	strong: colored("bold"),
};

/** Returns an upper bound of the columns. Characters from U+1100, where wide scripts begin, count two. */
export function countColumns(text: string): number {
	let columns = 0;
	for (const character of text) columns += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
	return columns;
}

/** Returns the text, or its beginning and `…` if it needs more columns. */
export function truncateToColumns(text: string, columns: number): string {
	if (countColumns(text) <= columns) return text;
	const end = "…";
	let truncated = "";
	for (const character of text) {
		if (countColumns(truncated + character) + countColumns(end) > columns) break;
		truncated += character;
	}
	return truncated === "" ? "" : truncated + end;
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** Calls the listener for Ctrl-C and SIGTERM, in place of the end of the process, until the returned function is called. */
export function onSignals(listener: (signal: NodeJS.Signals) => void): () => void {
	for (const signal of signals) process.on(signal, listener);
	return () => {
		for (const signal of signals) process.off(signal, listener);
	};
}
