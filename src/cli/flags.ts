/**
 * Flags that several commands share, as commander knows them: each group is added to a command by one function, and each
 * value is checked before the command begins.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { ConfigurationError } from "../errors.ts";
import { isCredential, isVariableName } from "../plan/document/variables.ts";
import type { Format } from "./formats.ts";

export function withVoice(command: Command, choices: readonly Format[] = ["text", "json"]): Command {
	if (choices.includes("markdown")) {
		command
			.option("--comment-key <key>", "what the hidden first line of Markdown names it by, to find it again")
			.option("--full-at <place>", "where the whole is, for Markdown that had to be cut");
	}
	return command
		.addOption(new Option("--format <format>", "how the result is printed").choices(choices).default("text"))
		.addOption(new Option("--output <file>", "write the result to this file").argParser(namedFile))
		.option("--no-color", "no colours")
		.option("-q, --quiet", "only the result and errors")
		.option("--verbose", "say every request, without its stamp");
}

export function withFile(command: Command): Command {
	return command.addOption(
		new Option("-f, --file <path>", "a document, a folder of them, or - for standard input; repeats")
			.default([], "orgsync.yaml")
			.argParser((value: string, earlier: string[]) => [...earlier, namedFile(value)]),
	);
}

/** Adds the flags of documents: which files, and which variables they can use. */
export function withDocuments(command: Command): Command {
	return withFile(command).addOption(
		new Option("--env <name>", "let documents use this variable (always: ORGSYNC_VAR_*); repeats")
			.default([], "none")
			.argParser((value: string, earlier: string[]) => [...earlier, usableVariable(value)]),
	);
}

export function withService(command: Command, choices?: readonly Format[]): Command {
	return withVoice(withDocuments(command), choices)
		.option("--url <url>", "base address of the service (ORGSYNC_URL)")
		.option("--local", "use the embedded service kept in .orgsync; no account needed")
		.option(
			"--key-file <file>",
			"API key as 64 hex characters, NAME.public beside NAME.private (ORGSYNC_API_PRIVATE_KEY)",
		)
		.option("--stamp-command <command>", "command that gets a body on standard input and prints the stamp header")
		.addOption(
			new Option("--timeout <seconds>", "for one request with all its retries")
				.default(30)
				.argParser(wholeNumber(1, 3600)),
		)
		.addOption(
			new Option("--max-rps <number>", "most requests a second (else as many as the service takes)").argParser(
				positiveNumber,
			),
		);
}

export function reads(): Option {
	return new Option("--reads <which>", "ask the extended reads too, or only the documented queries")
		.choices(["auto", "documented"])
		.default("auto");
}

export function journal(): Option {
	return new Option("--journal <file>", "what was sent and applied (.orgsync/journal.sqlite when left out)");
}

export function withConnection(command: Command, choices?: readonly Format[]): Command {
	return withService(command, choices)
		.addOption(reads())
		.addOption(
			new Option("--concurrency <number>", "independent steps at once").default(4).argParser(wholeNumber(1, 64)),
		)
		.addOption(journal());
}

export function withOrganization(command: Command): Command {
	return command.option("--organization <id>", "the organization (ORGSYNC_ORGANIZATION_ID)");
}

export function withWaiting(command: Command): Command {
	return command
		.addOption(
			new Option("--wait <seconds>", "how long an activity that is under way is waited for")
				.default(30)
				.argParser(wholeNumber(0, 86400)),
		)
		.option("--retry-rejected", "send again what was rejected before");
}

export function repeated(flags: string, description: string): Option {
	return new Option(flags, description)
		.default([], "none")
		.argParser((value: string, earlier: string[]) => [...earlier, value]);
}

export function only(): Option {
	return repeated("--only <kind/glob>", "only this kind, or these of it, for example userTag/sign*; repeats").default(
		[],
		"all",
	);
}

export function shard(): Option {
	return new Option("--shard <i/n>", "only this share of the organizations, for example 2/8: the second of eight");
}

export function since(): Option {
	return new Option(
		"--since <file>",
		"what an earlier drift --format json --output FILE wrote: says what is new, still there and gone",
	).argParser(namedFile);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
	return (text) => {
		const number = Number(text);
		if (/^\d+$/.test(text) && number >= least && number <= most) return number;
		throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
	};
}

function positiveNumber(text: string): number {
	const number = Number(text);
	if (/^\d+(\.\d+)?$/.test(text) && number > 0) return number;
	throw new InvalidArgumentError("It must be a number above 0.");
}

/**
 * Returns the name of a variable that documents can be allowed to use. Throws ConfigurationError otherwise, without repeating
 * anything but a name: a value can be a secret.
 */
function usableVariable(text: string): string {
	const [name = "", ...value] = text.split("=");
	if (!isVariableName(name)) {
		throw new ConfigurationError("--env takes the name of an environment variable", {
			hint: "for example --env STAGE",
		});
	}
	if (value.length > 0) {
		throw new ConfigurationError("--env takes a name without a value", {
			hint: "export the variable, then allow it by its name: --env NAME",
		});
	}
	if (!isCredential(name)) return name;
	throw new ConfigurationError(`--env ${name}: this variable is a credential, which documents cannot use`, {
		hint: "a plan shows the values of variables; use a separate variable, such as ORGSYNC_VAR_STAGE",
	});
}

/** The name of a file; an empty one, as an unset shell variable leaves it, would mean the whole working folder. */
function namedFile(text: string): string {
	if (text !== "") return text;
	throw new InvalidArgumentError("It must be the name of a file.");
}
