import type { CommandResult } from "../../render/result/result.ts";

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
