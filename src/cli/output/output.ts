/** All output: results to standard output or `--output`, the rest to standard error. `--format json` is always one object. */

import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
	ConfigurationError,
	type ExitCode,
	exitCodes,
	explainFileError,
	OrgsyncError,
	OutputError,
} from "../../common/errors.ts";
import { showLines, showText } from "../../common/escape.ts";
import { hideKeys, hideSecrets } from "../../common/hide-secrets.ts";
import type { Override } from "../../plan/guards/overrides.ts";
import type { CommandContext } from "../../plan/suggested-command.ts";
import type { MarkdownOptions } from "../../render/markdown.ts";
import { renderProblem } from "../../render/problem-text.ts";
import { errorsOf } from "../../render/result/errors.ts";
import type { FoundOrganization } from "../../render/result/found.ts";
import {
	type CommandResult,
	type ErrorDescription,
	type FailureResult,
	isCompared,
} from "../../render/result/result.ts";
import { plainStyle, type Style } from "../../render/style.ts";
import { appendToFile, checkWritable, replaceFile, writeFile } from "../files/write-file.ts";
import { type Format, findPartRenderer, isText, type Rendered, type RenderOptions, render } from "../flags/formats.ts";
import { failureResult, withLost } from "./failure.ts";
import { PartReader, type ResultStream } from "./result-stream.ts";
import { type MetricsFlags, RunMetrics } from "./run-metrics.ts";
import { describeStreamFailure, failureOf, findLost, Outlet } from "./streams.ts";
import { colorStyle, type Terminal, truncateToColumns } from "./terminal.ts";

export type { Terminal };

/** One call of a command: its flags, and what it runs with. */
export interface Call<Flags = unknown> {
	readonly flags: Flags;
	readonly terminal: Terminal;
	readonly output: Output;
}

export interface OutputOptions {
	readonly command: string;
	readonly format: Format;
	readonly color: boolean;
	readonly quiet: boolean;
	readonly verbose: boolean;
	/** A file that takes the result in place of standard output. */
	readonly output: string | undefined;
	readonly markdown: Pick<MarkdownOptions, "key" | "whole">;
	readonly metrics: MetricsFlags;
	/** The flags of the call, which suggested commands repeat. */
	readonly commands: CommandContext;
	/** Private keys on the command line, which no error repeats. */
	readonly keys: readonly string[];
}

/** What makes the end of a result, and the metrics for the file of `--metrics`. */
interface EndRenderers {
	readonly renderEnd: (shown: CommandResult) => Promise<Rendered>;
	readonly renderMetrics: (shown: CommandResult) => Promise<string>;
}

/** Columns of a terminal that does not say how many it has. */
const usualColumns = 80;

export class Output {
	readonly #terminal: Terminal;
	readonly #options: OutputOptions;
	#progressShown = false;
	/** The file for the result; undefined once it turns out not to be writable. */
	#output: string | undefined;
	#replaces: boolean;
	readonly #overrides: Override[] = [];
	readonly metrics: RunMetrics;

	constructor(terminal: Terminal, options: OutputOptions) {
		this.#terminal = terminal;
		this.#options = options;
		this.#output = options.output;
		this.metrics = new RunMetrics(terminal, options.metrics);
		// A scraper reads the file at any time.
		this.#replaces = options.format === "openmetrics";
	}

	/** Overrides of the whole run that were used so far. */
	get overrides(): readonly Override[] {
		return this.#overrides;
	}

	/** Records an override of the whole run. Every later result and error names it. */
	recordOverride(override: Override): void {
		this.#overrides.push(override);
	}

	/** Style for standard error, coloured if it is a terminal that shows colours. */
	get style(): Style {
		return this.#options.color && this.#terminal.stderr.isTTY === true ? colorStyle : plainStyle;
	}

	get format(): Format {
		return this.#options.format;
	}

	get generatedBy(): string {
		return `orgsync ${this.#options.metrics.version}`;
	}

	/** Prints a note on the work under way, except with `--quiet`. */
	note(text: string): void {
		if (!this.#options.quiet) this.#write(`${text}\n`);
	}

	/** Prints what the user has to do for the command to continue, even with `--quiet`. */
	announce(text: string): void {
		this.#write(`${text}\n`);
	}

	/** Prints a warning, even with `--quiet`. */
	warn(text: string): void {
		this.#write(`${this.style.warn("warning")}: ${text}\n`);
	}

	/** Prints the text if `--verbose` is set. */
	detail(text: string): void {
		if (this.#options.verbose) this.#write(`${text}\n`);
	}

	/** Shows progress on a terminal until the next output erases it. Cut to one row, because only one is erased. */
	progress(text: string): void {
		const { stderr, environment } = this.#terminal;
		const isDumb = environment.TERM === "dumb";
		if (this.#options.quiet || this.#options.verbose || stderr.isTTY !== true || isDumb) return;
		// A character in the last column makes some terminals wrap.
		this.#write(this.style.faint(truncateToColumns(showText(text), (stderr.columns || usualColumns) - 1)));
		this.#progressShown = true;
	}

	/** Erases the progress line. */
	clear(): void {
		this.#write("");
	}

	#write(text: string): void {
		const shown = hideKeys(text, this.#options.keys);
		this.#terminal.stderr.write(this.#progressShown ? `\r\u001b[K${shown}` : shown);
		this.#progressShown = false;
	}

	/** Throws ConfigurationError if `refuse` throws or `--output` is not writable. That error goes to standard output. */
	checkOutput(refuse: () => void): void {
		try {
			refuse();
			if (this.#output !== undefined) checkWritable(resolve(this.#terminal.directory, this.#output), this.#terminal);
		} catch (error) {
			const message = this.#abandonOutput(error);
			throw error instanceof ConfigurationError ? error : new ConfigurationError(message, { cause: error });
		}
	}

	/** Prints the result, with its errors on standard error, and returns its exit code. */
	async print(given: CommandResult | ResultStream): Promise<ExitCode> {
		this.clear();
		return "parts" in given ? this.#printParts(given) : this.#printWhole(given);
	}

	async #printWhole(result: CommandResult, more: Partial<RenderOptions> = {}): Promise<ExitCode> {
		const { markdown, quiet, commands } = this.#options;
		const options: RenderOptions = {
			...{ ...markdown, generatedBy: this.generatedBy, quiet, commands },
			...{ style: this.#resultStyle(), run: this.metrics.facts() },
			...more,
		};
		const renderMetrics = async (shown: CommandResult) => (await render("openmetrics", shown, options)).text;
		return this.#conclude(result, errorsOf(result), {
			renderEnd: (shown) => render(this.format, shown, options),
			renderMetrics,
		});
	}

	/** Prints each part when it is its turn, then the end. A format that is one document is printed when all parts are known. */
	async #printParts(stream: ResultStream): Promise<ExitCode> {
		const { command, size, run: resumable, commands = this.#options.commands } = stream;
		const run = () => this.metrics.facts();
		const style = this.#resultStyle();
		const options = { command, size, resumable, run, style, quiet: this.#options.quiet, commands };
		const renderer = await findPartRenderer(this.format, options);
		const reader = new PartReader(stream);
		const fail = (error: unknown): FailureResult => {
			this.showStack(error);
			return stream.failure?.(error) ?? failureResult(command, error);
		};
		if (renderer === undefined) {
			const { result, ...more } = await reader.collect().catch((error) => ({ result: fail(error) }));
			return this.#printWhole(result, { ...more, commands });
		}
		/** For the file of `--output`, which is written as a whole. */
		let before = "";
		const write = async (text: string): Promise<void> => {
			if (text === "") return;
			this.clear();
			if (this.#output !== undefined) before += text;
			else await this.#writePart(text);
		};
		const metrics = this.metrics.file === undefined ? undefined : await findPartRenderer("openmetrics", options);
		const show = (part: FoundOrganization): Promise<void> => {
			metrics?.add(part);
			return write(renderer.add(this.#hide(part)));
		};
		await write(renderer.begin?.() ?? "");
		const rest = await reader.read(show).catch(fail);
		const errors = [...(isCompared(rest) ? [] : errorsOf(rest)), ...reader.errors];
		return this.#conclude(rest, errors, {
			renderEnd: async (shown) => ({ text: before + renderer.end(shown, reader.error), summary: "" }),
			renderMetrics: async (shown) => metrics?.end(shown, reader.error) ?? "",
		});
	}

	/** Prints the end of a result, and its errors, and returns its exit code. */
	async #conclude(
		result: CommandResult,
		errors: readonly ErrorDescription[],
		{ renderEnd, renderMetrics }: EndRenderers,
	): Promise<ExitCode> {
		const shown = this.#hide(this.#overrides.length === 0 ? result : { ...result, overrides: this.#overrides });
		this.#terminal.observe?.(shown);
		if (isText(this.format)) {
			const { text } = await renderEnd(shown);
			// With nothing but errors to print, the file of `--output` stays unchanged.
			if (text !== "" || errors.length === 0) this.#writeResult(text, shown.exitCode);
			await this.#writeMetrics(shown, renderMetrics);
		}
		for (const problem of shown.problems) this.#write(`${renderProblem(problem)}\n`);
		for (const error of errors) this.#writeError(error);
		if (isText(this.format)) return shown.exitCode;
		const complete = await this.#withLostMessages(shown);
		const { text, summary } = await renderEnd(complete);
		this.#summarize(summary);
		const code = this.#writeResult(text, complete.exitCode);
		await this.#writeMetrics(complete, renderMetrics);
		return code;
	}

	/** Prints the error as the result of the command and returns its exit code. */
	async failure(error: unknown): Promise<ExitCode> {
		this.showStack(error);
		return this.print(failureResult(this.#options.command, error));
	}

	/** With `--verbose`, prints where an unexpected error occurred. */
	showStack(error: unknown): void {
		if (!(error instanceof OrgsyncError) && error instanceof Error)
			this.detail(showLines(hideSecrets(error.stack ?? "")));
	}

	/** Makes the result replace the file of `--output` atomically, because the next run reads that file. */
	replaceOutput(): void {
		this.#replaces = true;
	}

	/** Sends the result to standard output, because the file of `--output` must not be overwritten. */
	spareOutput(): void {
		this.#output = undefined;
	}

	#hide<T>(value: T): T {
		const { keys } = this.#options;
		return keys.length === 0 ? value : (JSON.parse(hideKeys(JSON.stringify(value), keys)) as T);
	}

	#writeError({ message, hint }: ErrorDescription): void {
		this.#write(`${this.style.remove("error")}: ${showLines(message)}\n`);
		if (hint !== null) this.#write(`${this.style.faint("hint")}: ${showLines(hint)}\n`);
	}

	/** Appends to the step summary of the pipeline, if any. A failure is only a warning: the summary is a copy. */
	#summarize(summary: string): void {
		const file = this.#terminal.environment.GITHUB_STEP_SUMMARY;
		if (summary === "" || file === undefined || file === "") return;
		try {
			appendToFile(resolve(this.#terminal.directory, file), summary);
		} catch (error) {
			this.warn(`the summary of the step cannot be written to ${showText(file)}: ${explainFileError(error)}`);
		}
	}

	/** Writes the file of `--metrics`. A failure is only a warning: the metrics are a copy, and their old time shows it. */
	async #writeMetrics(result: CommandResult, renderMetrics: EndRenderers["renderMetrics"]): Promise<void> {
		const { file } = this.metrics;
		if (file === undefined) return;
		const lost = await findLost(this.#terminal.stdout, this.#terminal.stderr);
		const text = await renderMetrics(lost === undefined ? result : withLost(result, lost));
		try {
			this.metrics.write(text);
		} catch (error) {
			this.warn(`the metrics cannot be written to ${showText(file)}: ${explainFileError(error)}`);
		}
	}

	#resultStyle(): Style {
		const toTerminal = this.#output === undefined && this.#terminal.stdout.isTTY === true;
		return this.#options.color && toTerminal ? colorStyle : plainStyle;
	}

	/** Writes to standard output, and waits until a slow reader has taken it. */
	async #writePart(text: string): Promise<void> {
		const { stdout } = this.#terminal;
		stdout.write(text);
		await failureOf(stdout);
	}

	#writeResult(text: string, exitCode: ExitCode): ExitCode {
		if (this.#output === undefined) {
			this.#terminal.stdout.write(text);
			return exitCode;
		}
		try {
			const path = resolve(this.#terminal.directory, this.#output);
			(this.#replaces ? replaceFile : writeFile)(path, stripVTControlCharacters(text), this.#terminal);
		} catch (error) {
			const hint = exitCode === exitCodes.inSync ? {} : { hint: `the command ended with exit code ${exitCode}` };
			throw new OutputError(this.#abandonOutput(error), { ...hint, cause: error });
		}
		return exitCode;
	}

	/** Returns why the file takes no result, and sends results to standard output: JSON is complete on every path. */
	#abandonOutput(error: unknown): string {
		const message = `the result cannot be written to ${this.#output}: ${explainFileError(error)}`;
		this.#output = undefined;
		return message;
	}

	/** Returns the result; if standard error lost messages, with that as its error. */
	async #withLostMessages(result: CommandResult): Promise<CommandResult> {
		const { stderr } = this.#terminal;
		const lost = await failureOf(stderr);
		if (lost === undefined) return result;
		if (stderr instanceof Outlet) stderr.isReported = true;
		return withLost(result, describeStreamFailure("error", lost));
	}
}
