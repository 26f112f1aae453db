/**
 * The flags of all commands, in the groups that `--help` shows. Each value is checked before the command begins.
 */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import {
	parseDuration,
	parseFileName,
	parseFileOrStream,
	parseKeyFile,
	parsePlanDigest,
	parseRequestRate,
	parseText,
	parseVariableName,
	wholeNumber,
} from "./flag-values.ts";
import type { Format } from "./formats.ts";

export type { Argument, Option as Flag } from "commander";

type Parse = (value: string) => unknown;

/** Returns a flag. `parse` returns the checked value, or throws. */
export function flag(flags: string, description: string, parse?: Parse): Option {
	const option = new Option(flags, description);
	return parse === undefined ? option : option.argParser(parse);
}

export function argument(name: string, description: string, parse?: Parse): Argument {
	const made = new Argument(name, description);
	return parse === undefined ? made : made.argParser(parse);
}

/** Returns these flags, which `--help` shows under the heading. */
export function flagGroup(heading: string, options: readonly Option[]): readonly Option[] {
	return options.map((option) => option.helpGroup(`${heading}:`));
}

export function documentFlags(): readonly Option[] {
	return flagGroup("Documents", [
		repeatableFlag("-f, --file <path>", "document, folder, or - for standard input", parseFileOrStream).default(
			[],
			"orgsync.yaml",
		),
		repeatableFlag("--env <name>", "let documents use this environment variable", parseVariableName).default(
			[],
			"ORGSYNC_VAR_*",
		),
	]);
}

/** Selects objects and organizations of the documents. */
export function scopeFlags(): readonly Option[] {
	return flagGroup("Scope", [
		repeatableFlag("--only <kind/glob>", "limit to a kind, or to some objects: userTag/sign*").default([], "all"),
		shardFlag(),
	]);
}

/** The value is checked by the command, which knows how the organizations are divided. */
export function shardFlag(): Option {
	return uncheckedFlag("--shard <i/n>", "limit to one share of the organizations: 2/8 is the second of 8");
}

export function organizationFlag(): readonly Option[] {
	return flagGroup("Scope", [new Option("--organization <id>", "organization id (ORGSYNC_ORGANIZATION_ID)")]);
}

/** `more` are the flags that only some commands have: `readsFlag()`, `concurrencyFlag()`. */
export function connectionFlags(...more: readonly Option[]): readonly Option[] {
	return flagGroup("Connection", [
		new Option("--url <url>", "base URL of the service (ORGSYNC_URL)"),
		new Option("--local", "use the embedded local service; needs no account"),
		...more,
		new Option("--timeout <seconds>", "time limit of one request, retries included")
			.default(30)
			.argParser(wholeNumber(1, 3600)),
		new Option("--max-rps <number>", "max requests per second (default: the service's rate limit)").argParser(
			parseRequestRate,
		),
		new Option("--insecure", "skip certificate verification, and allow weakened TLS"),
	]);
}

export function readsFlag(): Option {
	return new Option("--reads <which>", "read with all queries, or with the documented ones only")
		.choices(["auto", "documented"])
		.default("auto");
}

export function concurrencyFlag(): Option {
	return new Option("--concurrency <number>", "max steps, and max organizations, in parallel")
		.default(4)
		.argParser(wholeNumber(1, 64));
}

export function credentialFlags(): readonly Option[] {
	return flagGroup("Credentials", [
		new Option("--key-file <file>", "file with the private API key (ORGSYNC_KEY_FILE)").argParser(parseKeyFile),
		new Option("--stamp-command <command>", "command that stamps a request body (ORGSYNC_STAMP_COMMAND)"),
	]);
}

export function activityFlags(...options: readonly Option[]): readonly Option[] {
	return flagGroup("Activities", [...options, journal()]);
}

function journal(): Option {
	return fileFlag("--journal <file>", "journal of submitted activities (default: .orgsync/journal.sqlite)");
}

export function waitFlag(): Option {
	return new Option("--wait <seconds>", "max time to wait for an activity that is in progress")
		.default(30)
		.argParser(wholeNumber(0, 86400));
}

export function retryRejectedFlag(): Option {
	return new Option("--retry-rejected", "submit rejected activities again");
}

/** The flags of a saved plan, as `apply` reads it. */
export function savedPlanFlags(): readonly Option[] {
	return flagGroup("Saved plan", [
		new Option("--plan <file>", "apply only this saved plan, or - for standard input").argParser(parseFileOrStream),
		new Option("--digest <sha256>", "reject a saved plan with another digest").argParser(parsePlanDigest),
		new Option("--max-age <duration>", "reject an older saved plan: 90m, 24h, 7d, or seconds").argParser(parseDuration),
	]);
}

/** Empty values of `--allow` are checked by the guards, which know what can be written. */
export function safetyFlags(): readonly Option[] {
	return flagGroup("Safety", [
		new Option("-y, --yes", "submit without asking for confirmation"),
		repeatableFlag(
			"--allow <kind=number>",
			"override a guard with the number it found: policies=7",
			(value) => value,
		).default([], "none"),
		new Option("--no-verify", "skip reading live state again after the last step"),
	]);
}

/** Formats of most commands; `formats` has all of them. */
const commonFormats: readonly Format[] = ["text", "json"];

export function outputFlags(choices: readonly Format[] = commonFormats, ...more: readonly Option[]): readonly Option[] {
	const markdown = [
		new Option("--comment-key <key>", "name in the hidden first line of Markdown (default: the command)"),
		new Option("--full-at <place>", "where to find the full result, for truncated Markdown"),
	];
	return flagGroup("Output", [
		new Option("--format <format>", "output format").choices(choices).default("text"),
		outputFileFlag("--output <file>", "file for the result, or - for standard output"),
		...(choices.includes("markdown") ? markdown : []),
		...more,
		new Option("--no-color", "disable colors (NO_COLOR)"),
		new Option("-q, --quiet", "print only the result and errors"),
		new Option("--verbose", "log each request, without its stamp, and stack traces"),
	]);
}

/** Returns a flag that can be given several times. `parse` checks each value. */
export function repeatableFlag(
	flags: string,
	description: string,
	parse: (value: string) => string = parseText,
): Option {
	return new Option(flags, `${description}; repeatable`)
		.default([], "none")
		.argParser((value: string, earlier: string[]) => [...earlier, parse(value)]);
}

/** Returns a flag whose value the command checks. */
export function uncheckedFlag(flags: string, description: string): Option {
	return new Option(flags, description).argParser((value: string) => value);
}

/** Returns a flag that names a file. `-` is refused. */
export function fileFlag(flags: string, description: string): Option {
	return new Option(flags, description).argParser(parseFileName);
}

/** Returns a flag that names a file to read, or standard input with `-`. */
export function inputFileFlag(flags: string, description: string): Option {
	return new Option(flags, `${description}, or - for standard input`).argParser(parseFileOrStream);
}

/** Flags for which `-` is standard output, where the result goes without them. */
const outputFiles = new WeakSet<Option>();

/** Returns a flag that names a file to write, or standard output with `-`. */
export function outputFileFlag(flags: string, description: string): Option {
	const option = new Option(flags, `${description} (default: -)`).argParser(parseFileOrStream);
	outputFiles.add(option);
	return option;
}

/** Returns the command's flags by name, without those that name standard output. */
export function readFlags<F>(command: Command): F {
	const given = { ...command.opts() };
	for (const option of command.options) {
		const name = option.attributeName();
		if (outputFiles.has(option) && given[name] === "-") delete given[name];
	}
	return given as F;
}

/**
 * Makes the command refuse an empty value of any flag or argument, which comes from an unset shell variable. It also refuses
 * a second value of a flag that takes one, because commander would drop the first silently.
 */
export function refuseEmptyAndRepeated(command: Command): void {
	for (const option of command.options.filter(({ required }) => required)) {
		option.argParser(refuseEmpty(option.parseArg, false));
		if (Array.isArray(option.defaultValue)) continue;
		let count = 0;
		command.on(`option:${option.name()}`, () => {
			count += 1;
			if (count > 1) command.error(`error: option '${option.flags}' is given more than once`);
		});
	}
	for (const argument of command.registeredArguments) {
		argument.argParser(refuseEmpty(argument.parseArg, argument.variadic));
	}
}

type ParseArg = <T>(value: string, previous: T) => T;

/** Returns the parser, or one that takes every value but an empty one. With `isList` it collects all values. */
function refuseEmpty(parse: ParseArg | undefined, isList: boolean): ParseArg {
	if (parse !== undefined) return parse;
	return <T>(value: string, previous: T): T => {
		if (value === "") throw new InvalidArgumentError("It must not be empty.");
		return (isList ? [...((previous ?? []) as readonly string[]), value] : value) as T;
	};
}
