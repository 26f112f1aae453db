import { Command } from "commander";
import type { ExitCode } from "../../common/errors.ts";
import { version } from "../../common/version.ts";
import type { FileFlags } from "../files/overwrite-checks.ts";
import type { Terminal } from "../output/output.ts";
import { type CommandRow, commandHelp, programHelp } from "./command-row.ts";
import { makeCommandTable } from "./command-table.ts";
import { readFlags, refuseEmptyAndRepeated } from "./flags.ts";
import { makeOutput, type OutputFlags } from "./output-flags.ts";

interface ProgramContext {
	readonly terminal: Terminal;
	/** Gets the exit code of the command. */
	readonly finish: (code: ExitCode) => void;
	/** Private keys on the command line. No error repeats one. */
	readonly keys: readonly string[];
}

/** Returns the program, with a command's name that one alone, which starts faster. `finish` gets the exit code. */
export function makeProgram(
	terminal: Terminal,
	finish: (code: ExitCode) => void,
	keys: readonly string[] = [],
	name?: string,
): Command {
	const program = new Command("orgsync")
		.usage("COMMAND [options]")
		.description("keep an organization in sync with a YAML document")
		.version(version, "-V, --version", "print the version")
		.helpOption("-h, --help", "print this help")
		.configureHelp({ subcommandTerm: (command) => command.name() })
		.addHelpText("after", programHelp())
		.enablePositionalOptions()
		.showSuggestionAfterError();
	const groups = makeCommandTable();
	const isKnown = groups.some(({ commands }) => commands.some((row) => row.name === name));
	for (const { heading, commands } of groups) {
		program.commandsGroup(heading);
		for (const row of isKnown ? commands.filter((one) => one.name === name) : commands)
			addCommand(program, row, { terminal, finish, keys });
	}
	return program.helpCommand("help [command]", "print the help of a command");
}

function addCommand(program: Command, row: CommandRow, context: ProgramContext): void {
	const command = program
		.command(row.name)
		.description(row.summary)
		.optionsGroup("Output:")
		.helpOption("-h, --help", "print this help")
		.addHelpText("after", commandHelp(row.example, row.exitCodes));
	for (const argument of row.arguments) command.addArgument(argument);
	for (const option of row.flags) command.addOption(option);
	refuseEmptyAndRepeated(command);
	command.action((...parameters: unknown[]) => {
		// Behind the arguments, commander passes the flags and the command.
		const words = parameters
			.slice(0, -2)
			.flat()
			.filter((word) => typeof word === "string");
		return runCommand(command, row, words, context);
	});
}

async function runCommand(
	command: Command,
	{ name, run }: CommandRow,
	words: readonly string[],
	{ terminal, finish, keys }: ProgramContext,
): Promise<void> {
	const flags = readFlags<OutputFlags & FileFlags>(command);
	const output = makeOutput(name, flags, terminal, keys);
	try {
		if ([flags.output, flags.out, flags.metrics, flags.journal].some((file) => file !== undefined)) {
			const { refuseLocalFiles, refuseOverwriting } = await import("../files/overwrite-checks.ts");
			const refuse = (flag: "output" | "out" | "metrics"): void =>
				refuseOverwriting(flag, name, flags, words, terminal);
			output.metrics.check(() => refuse("metrics"));
			output.checkOutput(() => refuse("output"));
			refuse("out");
			refuseLocalFiles(flags, terminal);
		}
		const isGiven = (flag: string): boolean => command.getOptionValueSource(flag) === "cli";
		finish(await output.print(await run({ flags: flags as never, terminal, output, words, isGiven })));
	} catch (error) {
		finish(await output.failure(error));
	}
}
