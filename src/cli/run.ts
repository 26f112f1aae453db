/**
 * Words to exit code: the commands are made, called, and what commander has to say goes through the one voice.
 */
import { type Command, CommanderError } from "commander";
import { ConfigurationError, type ExitCode, exitCodes } from "../errors.ts";
import { type Format, formats } from "./formats.ts";
import { makeProgram, makeVoice } from "./program.ts";
import type { Terminal } from "./voice.ts";

/** The exit code of the command that these words call, after it has printed what it has to say. Never throws. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
	let exitCode: ExitCode = exitCodes.converged;
	const finish = (code: ExitCode): void => {
		exitCode = code;
	};
	const program = makeProgram(terminal, finish);
	// Mistakes in flags go through the one voice too, in the format that was asked for.
	for (const command of [program, ...program.commands]) {
		command.exitOverride().configureOutput({
			writeOut: (text) => terminal.stdout.write(text),
			outputError: () => {},
			writeErr: () => {},
		});
	}
	try {
		if (words.length === 0) {
			program.outputHelp();
			return exitCode;
		}
		await program.parseAsync([...words], { from: "user" });
	} catch (error) {
		finish(await failedFlags(error, words, program, terminal));
	}
	return exitCode;
}

async function failedFlags(
	error: unknown,
	words: readonly string[],
	program: Command,
	terminal: Terminal,
): Promise<ExitCode> {
	const called = program.commands.find((command) => command.name() === words[0]);
	const voice = makeVoice(called?.name() ?? program.name(), { format: formatOf(words, called) }, terminal);
	if (!(error instanceof CommanderError)) return voice.failure(error);
	if (error.exitCode === 0) return exitCodes.converged;
	const said = error.message.replace(/^error: /, "").replaceAll("\n", " ");
	const message = error.code === "commander.help" ? `unknown command '${words[1]}'` : said;
	return voice.failure(new ConfigurationError(message, { hint: hintFor(error, words, program) }));
}

/** The format that was asked for, if the command has it; whoever asked for JSON gets it whatever was called. */
function formatOf(words: readonly string[], called: Command | undefined): Format {
	const choices = called?.options.find(({ long }) => long === "--format")?.argChoices ?? ["json"];
	const isAskedFor = (format: Format): boolean =>
		words.some((word, at) => word === `--format=${format}` || (word === "--format" && words[at + 1] === format));
	return formats.find((format) => choices.includes(format) && isAskedFor(format)) ?? "text";
}

function hintFor(error: CommanderError, words: readonly string[], program: Command): string {
	const called = program.commands.find((command) => command.name() === words[0]);
	const later = program.commands.find((command) => words.includes(command.name()));
	if (called === undefined && later !== undefined && words[0]?.startsWith("-") === true) {
		return `flags stand after the command: orgsync ${later.name()} --help`;
	}
	const takesFiles = called?.options.some(({ long }) => long === "--file") === true;
	if (error.code === "commander.excessArguments" && takesFiles) {
		return `documents are named with -f: orgsync ${called.name()} -f FILE`;
	}
	return called === undefined ? "orgsync --help" : `orgsync ${called.name()} --help`;
}
