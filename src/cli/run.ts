/** Runs one command line. Errors of commander are printed by `Output` too. */
import { type Command, CommanderError } from "commander";
import { ConfigurationError, type ExitCode, exitCodes } from "../common/errors.ts";
import { helpText } from "../plan/suggested-command.ts";
import { allFormats, type Format } from "./flags/formats.ts";
import { findPrivateKeys, privateKeyPattern } from "./flags/hide-keys.ts";
import { makeOutput } from "./flags/output-flags.ts";
import { makeProgram } from "./flags/program.ts";
import type { Terminal } from "./output/output.ts";

/** Runs a command, prints its result and returns its exit code. Never throws. */
export async function run(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
	if (given[0] === "__complete") return (await import("./flags/complete.ts")).complete(given.slice(1), terminal);
	let exitCode: ExitCode = exitCodes.inSync;
	const finish = (code: ExitCode): void => {
		exitCode = code;
	};
	const program = makeProgram(terminal, finish, findPrivateKeys(given), given[0]);
	// Mistakes in flags are printed in the requested format.
	for (const command of [program, ...program.commands]) {
		command.exitOverride().configureOutput({
			writeOut: (text) => terminal.stdout.write(text),
			outputError: () => {},
			writeErr: () => {},
		});
	}
	try {
		const words = callOf(given, program);
		if (words.length === 0) {
			program.outputHelp();
			return exitCode;
		}
		await program.parseAsync([...words], { from: "user" });
	} catch (error) {
		finish(await failedFlags(error, given, program, terminal));
	}
	return exitCode;
}

const ownFlags = ["-h", "--help", "-V", "--version"];

/** Returns the words for commander, with `help COMMAND` as `COMMAND --help`. Throws ConfigurationError for a second command. */
function callOf(words: readonly string[], program: Command): readonly string[] {
	const isCommand = (word: string): boolean => program.commands.some((command) => command.name() === word);
	const rest = words.filter((word) => !ownFlags.includes(word));
	const asksHelp = rest[0] === "help";
	const [name, ...more] = asksHelp ? rest.slice(1) : rest;
	if (name !== undefined && !name.startsWith("-") && !isCommand(name) && name !== "help") return [name];
	const beginsWithHelp = words[0] === "-h" || words[0] === "--help";
	if (!asksHelp) return name !== undefined && isCommand(name) && beginsWithHelp ? [name, "--help"] : words;
	if (more.length > 0) {
		throw new ConfigurationError("help takes one command", {
			hint: helpText(name !== undefined && isCommand(name) ? name : "plan"),
		});
	}
	if (name === undefined || name === "help") return ["--help"];
	return name.startsWith("-") ? [name] : [name, "--help"];
}

async function failedFlags(
	error: unknown,
	words: readonly string[],
	program: Command,
	terminal: Terminal,
): Promise<ExitCode> {
	const called = program.commands.find((command) => command.name() === words[0]);
	const output = makeOutput(
		called?.name() ?? program.name(),
		{ format: formatOf(words, called) },
		terminal,
		findPrivateKeys(words),
	);
	if (!(error instanceof CommanderError)) return output.failure(error);
	if (error.exitCode === 0) return exitCodes.inSync;
	const line = error.message.replace(/^error: /, "").replaceAll("\n", " ");
	// An empty argument, which comes from an unset shell variable, is visible in the list of those that are too many.
	const said = error.code === "commander.excessArguments" ? line.replaceAll(/(?<=[:,] )(?=,|\.$)/g, '""') : line;
	const message = said.replaceAll(new RegExp(privateKeyPattern, "gi"), "(a key)");
	return output.failure(new ConfigurationError(message, { hint: hintFor(error, words, program) }));
}

/** Returns the requested format if the command has it. JSON is available for every command. */
function formatOf(words: readonly string[], called: Command | undefined): Format {
	const choices = called?.options.find(({ long }) => long === "--format")?.argChoices ?? ["json"];
	const isAskedFor = (format: Format): boolean =>
		words.some((word, at) => word === `--format=${format}` || (word === "--format" && words[at + 1] === format));
	return allFormats.find((format) => choices.includes(format) && isAskedFor(format)) ?? "text";
}

function hintFor(error: CommanderError, words: readonly string[], program: Command): string {
	const called = program.commands.find((command) => command.name() === words[0]);
	const later = program.commands.find((command) => words.includes(command.name()));
	if (called === undefined && later !== undefined && words[0]?.startsWith("-") === true) {
		return `put flags after the command: ${helpText(later.name())}`;
	}
	const takesFiles = called?.options.some(({ long }) => long === "--file") === true;
	if (error.code === "commander.excessArguments" && takesFiles) {
		return "name documents with -f";
	}
	return helpText(called?.name());
}
