/**
 * All output of the command line. Results go to standard output (or `--output`), everything else to standard error. With
 * `--format json` there is exactly one object on every path, errors included.
 */
import { resolve } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import {
	ConfigurationError,
	DocumentError,
	type ExitCode,
	exitCodes,
	explainFileError,
	OrgsyncError,
	OutputError,
	type Problem,
} from "../errors.ts";
import { showLines, showText } from "../escape.ts";
import type { Override } from "../plan/overrides.ts";
import type { MarkdownOptions } from "../render/markdown.ts";
import { renderOverrides } from "../render/overrides-text.ts";
import type { PositionOf } from "../render/positions.ts";
import { plainStyle, renderProblem, type Style } from "../render/text.ts";
import { cutToColumns } from "./columns.ts";
import { type Format, renderers } from "./formats.ts";
import { hideKeys } from "./hide-keys.ts";
import { describeStreamFailure, failureOf, Outlet } from "./streams.ts";
import { appendToFile, checkWritable, replaceFile, writeFile } from "./write-file.ts";

/** What a command is handed instead of the process: streams, environment, clock. */
export interface Terminal {
	readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
	readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
	readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number | undefined };
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly directory: string;
	readonly now: () => number;
	/** Milliseconds from any beginning, never set back. */
	readonly steadyNow: () => number;
	readonly sleep: (ms: number) => Promise<void>;
}

export interface OutputOptions {
	readonly command: string;
	readonly format: Format;
	readonly color: boolean;
	readonly quiet: boolean;
	readonly verbose: boolean;
	/** A file that takes the result in place of standard output. */
	readonly output: string | undefined;
	/** How Markdown is marked and what it points to. */
	readonly markdown: Pick<MarkdownOptions, "key" | "whole">;
	/** Name and version of the program, for formats that are kept. */
	readonly generatedBy: string;
	/** Private keys on the command line, which no error repeats. */
	readonly keys: readonly string[];
}

/** What every command prints with `--format json`; schemas/output.json describes it. */
export interface JsonOutput {
	readonly formatVersion: 1;
	readonly command: string;
	readonly exitCode: ExitCode;
	readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
	readonly problems: readonly Problem[];
	readonly [more: string]: unknown;
}

/** Something that kept a command from doing all of its work. */
export interface Failure {
	readonly error: unknown;
	/** What it is about, in front of the message, where the command works on several. */
	readonly about?: string;
}

/** The result of a command: what it prints, and the code it exits with. */
export interface Result {
	readonly exitCode: ExitCode;
	/** Ends with a newline, or is empty. */
	readonly text: (style: Style) => string;
	/** Members added to `JsonOutput`. */
	readonly json: Readonly<Record<string, unknown>>;
	/** Said like errors after the text; the first is the `error` of `JsonOutput`. The exit code has to tell of them too. */
	readonly failures?: readonly Failure[];
	/** Where the documents speak of what the result is about, for a pipeline that shows it there. */
	readonly positionOf?: PositionOf;
}

/** The exit code that something thrown leads to. */
export function exitCodeOfError(error: unknown): ExitCode {
	return error instanceof OrgsyncError ? error.exitCode : exitCodes.error;
}

/** Something thrown as `JsonOutput` has it. An error that nobody foresaw is told without its stack. */
export function describeFailure({ error, about }: Failure): NonNullable<JsonOutput["error"]> {
	const known = error instanceof OrgsyncError ? error : undefined;
	const message = known?.message ?? `something orgsync did not foresee: ${describe(error)}`;
	const hint = known === undefined ? "please report this; --verbose shows where it happened" : known.hint;
	return {
		code: known?.code ?? "unforeseen",
		message: about === undefined ? message : `${about}: ${message}`,
		hint: hint ?? null,
	};
}

/** Columns of a terminal that does not say how many it has. */
const usualColumns = 80;

export class Output {
	readonly #terminal: Terminal;
	readonly #options: OutputOptions;
	#progressShown = false;
	/** The file that takes the result; undefined from when it turned out that it cannot. */
	#output: string | undefined;
	#replaces = false;
	readonly #overrides: Override[] = [];

	constructor(terminal: Terminal, options: OutputOptions) {
		this.#terminal = terminal;
		this.#options = options;
		this.#output = options.output;
	}

	/** Overrides of the whole run that were used so far. */
	get overrides(): readonly Override[] {
		return this.#overrides;
	}

	/** Records an override of the whole run: every result and error names it from now on. */
	recordOverride(override: Override): void {
		this.#overrides.push(override);
	}

	/** For standard error: colours where a person reads it. */
	get style(): Style {
		return this.#options.color && this.#terminal.stderr.isTTY === true ? colorStyle : plainStyle;
	}

	get format(): Format {
		return this.#options.format;
	}

	/** Name and version of the program. */
	get generatedBy(): string {
		return this.#options.generatedBy;
	}

	/** Says something about the work under way; nothing with `--quiet`. */
	note(text: string): void {
		if (!this.#options.quiet) this.#tell(`${text}\n`);
	}

	/** Says what nobody may overlook, with `--quiet` too. */
	warn(text: string): void {
		this.#tell(`${this.style.warn("warning")}: ${text}\n`);
	}

	/** Says what only `--verbose` asks for. */
	detail(text: string): void {
		if (this.#options.verbose) this.#tell(`${text}\n`);
	}

	/**
	 * Shows what is being done, on a terminal only, in a line that the next word takes away. It is cut to one row: what wraps
	 * cannot be taken away whole.
	 */
	progress(text: string): void {
		const { stderr, environment } = this.#terminal;
		const isDumb = environment.TERM === "dumb";
		if (this.#options.quiet || this.#options.verbose || stderr.isTTY !== true || isDumb) return;
		// A character in the last column makes some terminals wrap.
		this.#tell(this.style.faint(cutToColumns(showText(text), (stderr.columns || usualColumns) - 1)));
		this.#progressShown = true;
	}

	/** Takes the line of `progress` away, before somebody else writes on the terminal. */
	clear(): void {
		this.#tell("");
	}

	#tell(text: string): void {
		const shown = hideKeys(text, this.#options.keys);
		this.#terminal.stderr.write(this.#progressShown ? `\r\u001b[K${shown}` : shown);
		this.#progressShown = false;
	}

	/**
	 * Throws what `refuse` throws, and ConfigurationError when the file for the result cannot be written: said before
	 * anything is done, not after, and never in that file.
	 */
	checkOutput(refuse: () => void): void {
		try {
			refuse();
			if (this.#output !== undefined) checkWritable(resolve(this.#terminal.directory, this.#output), this.#terminal);
		} catch (error) {
			const message = this.#giveUpOutput(error);
			throw error instanceof ConfigurationError ? error : new ConfigurationError(message, { cause: error });
		}
	}

	/** Prints the result and returns its exit code. */
	async result(result: Result): Promise<ExitCode> {
		this.clear();
		const { exitCode, text, json, failures = [] } = result;
		const { command, format } = this.#options;
		const inText = format === "text" ? this.#withOverrides(text(this.#resultStyle()), result) : "";
		// A command that has nothing but errors to tell leaves the file of `--output` as it is.
		if (format === "text" && (inText !== "" || failures.length === 0)) this.#print(inText, exitCode);
		for (const failure of failures) this.#tellFailure(failure);
		const error = failures[0] === undefined ? null : describeFailure(failures[0]);
		return this.#show({ formatVersion: 1, command, exitCode, error: this.#hide(error), problems: [], ...json }, result);
	}

	/** The text of plans and reports names what was overridden in the run; any other text is what somebody asked for. */
	#withOverrides(text: string, { json }: Result): string {
		if (this.#overrides.length === 0 || json.plans === undefined) return text;
		const said = renderOverrides(this.#overrides, plainStyle).slice(0, -1).join("\n");
		return `${text}${text === "" ? "" : "\n"}${said}\n`;
	}

	/** The file of `--output` is replaced as a whole: the next run needs what is in it, whatever becomes of this one. */
	replaceOutput(): void {
		this.#replaces = true;
	}

	/** From now on the result goes to standard output: the file of `--output` is one that must not be written over. */
	spareOutput(): void {
		this.#output = undefined;
	}

	/** Says what went wrong and returns the exit code it leads to. `more` is added to `JsonOutput`. */
	async failure(error: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<ExitCode> {
		const problems = error instanceof DocumentError ? error.problems : [];
		for (const problem of problems) this.#tell(`${renderProblem(problem)}\n`);
		this.#tellFailure({ error });
		const exitCode = exitCodeOfError(error);
		const { command } = this.#options;
		const output = {
			formatVersion: 1,
			command,
			exitCode,
			error: describeFailure({ error }),
			problems,
			...more,
		} as const;
		return this.#show(this.#hide(output));
	}

	#hide<T>(value: T): T {
		const { keys } = this.#options;
		return keys.length === 0 ? value : (JSON.parse(hideKeys(JSON.stringify(value), keys)) as T);
	}

	#tellFailure(failure: Failure): void {
		const { message, hint } = describeFailure(failure);
		this.#tell(`${this.style.remove("error")}: ${showLines(message)}\n`);
		if (hint !== null) this.#tell(`${this.style.faint("hint")}: ${showLines(hint)}\n`);
		const { error } = failure;
		if (!(error instanceof OrgsyncError) && error instanceof Error) this.detail(showLines(error.stack ?? ""));
	}

	/** Prints what every format but text is made of. */
	async #show(given: JsonOutput, result?: Result): Promise<ExitCode> {
		const { format, generatedBy } = this.#options;
		if (format === "text") return given.exitCode;
		const named = this.#overrides.length === 0 ? given : { ...given, overrides: this.#overrides };
		const output = await this.#withLostWords(named);
		const positionOf = result?.positionOf;
		const { text, summary } = await renderers[format](
			{ ...output, generatedBy },
			{ ...this.#options.markdown, ...(positionOf === undefined ? {} : { positionOf }) },
		);
		this.#summarize(summary);
		// Annotations alone would leave the log without the plan.
		const log = format === "github" && result !== undefined ? this.#withOverrides(result.text(plainStyle), result) : "";
		return this.#print(`${text}${log}`, output.exitCode);
	}

	/**
	 * Appends to the summary of the pipeline's step, where there is one. It is a copy of what is printed anyway, so that a
	 * failure is a warning.
	 */
	#summarize(summary: string): void {
		const file = this.#terminal.environment.GITHUB_STEP_SUMMARY;
		if (summary === "" || file === undefined || file === "") return;
		try {
			appendToFile(resolve(this.#terminal.directory, file), summary);
		} catch (error) {
			this.warn(`the summary of the step cannot be written to ${showText(file)}: ${explainFileError(error)}`);
		}
	}

	#resultStyle(): Style {
		const toTerminal = this.#output === undefined && this.#terminal.stdout.isTTY === true;
		return this.#options.color && toTerminal ? colorStyle : plainStyle;
	}

	#print(text: string, exitCode: ExitCode): ExitCode {
		if (this.#output === undefined) {
			this.#terminal.stdout.write(text);
			return exitCode;
		}
		try {
			const path = resolve(this.#terminal.directory, this.#output);
			(this.#replaces ? replaceFile : writeFile)(path, stripVTControlCharacters(text), this.#terminal);
		} catch (error) {
			const hint = exitCode === exitCodes.converged ? {} : { hint: `the command ended with exit code ${exitCode}` };
			throw new OutputError(this.#giveUpOutput(error), { ...hint, cause: error });
		}
		return exitCode;
	}

	/** Why the file takes no result. From now on results go to standard output: JSON is complete on every path. */
	#giveUpOutput(error: unknown): string {
		const message = `the result cannot be written to ${this.#output}: ${explainFileError(error)}`;
		this.#output = undefined;
		return message;
	}

	/** The output as it is, or with what standard error could not take: then it is the only place that tells of it. */
	async #withLostWords(output: JsonOutput): Promise<JsonOutput> {
		const { stderr } = this.#terminal;
		const lost = await failureOf(stderr);
		if (lost === undefined) return output;
		if (stderr instanceof Outlet) stderr.markReported();
		const error = { code: "output", message: describeStreamFailure("error", lost), hint: null };
		return { ...output, exitCode: exitCodes.error, error: output.error ?? error };
	}
}

/** Whether to colour is decided above, for the stream that is meant; `styleText` by itself would ask standard output. */
const colored =
	(format: "green" | "red" | "yellow" | "dim" | "bold") =>
	(text: string): string =>
		styleText(format, text, { validateStream: false });

const colorStyle: Style = {
	add: colored("green"),
	remove: colored("red"),
	update: colored("yellow"),
	warn: colored("yellow"),
	faint: colored("dim"),
	strong: colored("bold"),
};

function describe(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
