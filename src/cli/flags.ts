/**
 * Flags that several commands share, as commander knows them: each group is added to a command by one function, and each
 * value is checked before the command begins.
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { isCredential, isVariableName } from "../document/variables.ts";
import { ConfigurationError } from "../errors.ts";
import type { Format } from "./formats.ts";

export function withOutput(command: Command, choices: readonly Format[] = ["text", "json"]): Command {
	if (choices.includes("markdown")) {
		command
			.option("--comment-key <key>", "name in the hidden first line of Markdown, to find it again")
			.option("--full-at <place>", "place of the full result, named in Markdown that was cut");
	}
	return command
		.addOption(new Option("--format <format>", "output format").choices(choices).default("text"))
		.addOption(outputFile("--output <file>", "file for the result"))
		.option("--no-color", "print without colors")
		.option("-q, --quiet", "print only the result and errors")
		.option("--verbose", "print every request (never its stamp), and where a defect occurred");
}

function withFile(command: Command): Command {
	return command.addOption(
		new Option("-f, --file <path>", "document, folder of documents, or - for standard input; repeatable")
			.default([], "orgsync.yaml")
			.argParser((value: string, earlier: string[]) => [...earlier, fileOrStream(value)]),
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
	return withOutput(withDocuments(command), choices)
		.option("--url <url>", "base address of the service (ORGSYNC_URL)")
		.option("--local", "use the embedded service in .orgsync; needs no account")
		.addOption(new Option("--key-file <file>", "file with the private API key (ORGSYNC_KEY_FILE)").argParser(keyFile))
		.option("--stamp-command <command>", "command that stamps a body (ORGSYNC_STAMP_COMMAND)")
		.option("--insecure", "verify no certificate, and allow weakened TLS")
		.addOption(
			new Option("--timeout <seconds>", "time limit of one request with its retries")
				.default(30)
				.argParser(wholeNumber(1, 3600)),
		)
		.addOption(
			new Option("--max-rps <number>", "max requests per second (default: what the service allows)").argParser(
				requestRate,
			),
		);
}

export function reads(): Option {
	return new Option("--reads <which>", "use the extended reads too, or only the documented queries")
		.choices(["auto", "documented"])
		.default("auto");
}

export function journal(): Option {
	return file("--journal <file>", "journal of submitted activities (default: .orgsync/journal.sqlite)");
}

export function withConnection(command: Command, choices?: readonly Format[]): Command {
	return withService(command, choices)
		.addOption(reads())
		.addOption(
			new Option("--concurrency <number>", "max organizations, and max independent steps, at once")
				.default(4)
				.argParser(wholeNumber(1, 64)),
		)
		.addOption(journal());
}

export function withOrganization(command: Command): Command {
	return command.option("--organization <id>", "organization id (ORGSYNC_ORGANIZATION_ID)");
}

export function withWaiting(command: Command): Command {
	return command
		.addOption(
			new Option("--wait <seconds>", "max time to wait for an activity that is being processed")
				.default(30)
				.argParser(wholeNumber(0, 86400)),
		)
		.addOption(retryRejected());
}

export function retryRejected(): Option {
	return new Option("--retry-rejected", "submit again what was rejected before");
}

/** A flag that takes a value each time it is given. */
export function repeated(flags: string, description: string): Option {
	return new Option(flags, description).default([], "none").argParser((value: string, earlier: string[]) => {
		if (value === "") throw new InvalidArgumentError("It must not be empty.");
		return [...earlier, value];
	});
}

/** Guards to override; what is wrong with them is told where they are read, with all that can be written. */
export function allow(): Option {
	const flag = repeated("--allow <kind=number>", "override a guard by the number it found: policies=7; repeatable");
	return flag.argParser((value: string, earlier: string[]) => [...earlier, value]);
}

/** A flag whose value is checked where it is used. */
export function checkedLater(flags: string, description: string): Option {
	return new Option(flags, description).argParser((value: string) => value);
}

export function only(): Option {
	return repeated("--only <kind/glob>", "limit to a kind, or to some of it: userTag/sign*; repeatable").default(
		[],
		"all",
	);
}

export function shard(): Option {
	return checkedLater("--shard <i/n>", "limit to one share of the organizations: 2/8 is the second of 8");
}

export function since(): Option {
	return file("--since <file>", "report of an earlier drift --format json --output FILE");
}

/** A flag that names a file, for which `-` is no name. */
export function file(flags: string, description: string): Option {
	return new Option(flags, description).argParser(fileName);
}

function fileName(value: string): string {
	if (value === "-") throw new InvalidArgumentError("It must be the name of a file, and - is none.");
	return fileOrStream(value);
}

function keyFile(value: string): string {
	if (!keyPattern.test(value)) return fileName(value);
	throw new InvalidArgumentError("It must be the name of a file that holds the key, not the key.");
}

/** What looks like a private key, which must not be repeated in a message. */
export const keyPattern = /\b[0-9a-f]{64}\b/i;

/** Flags for which `-` is standard output, where the result goes without them. */
const outputFiles = new WeakSet<Option>();

/** A flag that names a file to write, or standard output with `-`. */
export function outputFile(flags: string, description: string): Option {
	const option = new Option(flags, `${description}; - is standard output`).argParser(fileOrStream);
	outputFiles.add(option);
	return option;
}

/** The command's flags by name, without those that name standard output. */
export function readFlags<F>(command: Command): F {
	const given = { ...command.opts() };
	for (const option of command.options) {
		const name = option.attributeName();
		if (outputFiles.has(option) && given[name] === "-") delete given[name];
	}
	return given as F;
}

/**
 * The name of a file, or `-` for a standard stream. An empty name, as an unset shell variable leaves it, would mean the
 * working folder; a name that begins with `-` is a flag whose predecessor lost its value.
 */
export function fileOrStream(value: string): string {
	if (value === "") throw new InvalidArgumentError("It must be the name of a file.");
	if (value === "-" || !value.startsWith("-")) return value;
	throw new InvalidArgumentError(`It must be the name of a file; write ./${value} for a file of that name.`);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
	return (text) => {
		const number = Number(text);
		if (/^\d+$/.test(text) && number >= least && number <= most) return number;
		throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
	};
}

/** The longest duration, in days: more is a slip. */
const mostDays = 3650;

/** The milliseconds of a duration such as `90m`, `24h`, `1h30m` or `7d`; a plain number is seconds. */
export function duration(text: string): number {
	const [, days, hours, minutes, seconds] =
		/^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(/^\d+$/.test(text) ? `${text}s` : text) ?? [];
	const ms =
		((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60_000 + Number(seconds ?? 0) * 1000;
	if (ms > 0 && ms <= mostDays * 24 * 60 * 60_000) return ms;
	throw new InvalidArgumentError("It must be a duration such as 90m, 24h or 7d; a plain number is seconds.");
}

/** The digest of a saved plan as orgsync writes it, given with or without its prefix, in any case. */
export function planDigest(text: string): string {
	const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text) ?? [];
	if (hex !== undefined) return `sha256:${hex.toLowerCase()}`;
	throw new InvalidArgumentError("It must be the SHA-256 digest that plan --out and show print.");
}

/** Timers hold at most 2^31 ms: a slower rate would wait not at all. */
const leastRate = 0.001;
const mostRate = 1_000_000;

function requestRate(text: string): number {
	const number = Number(text);
	if (/^\d+(\.\d+)?$/.test(text) && number >= leastRate && number <= mostRate) return number;
	throw new InvalidArgumentError(`It must be a number from ${leastRate} to ${mostRate}.`);
}

/**
 * Makes the command refuse an empty value of any flag or argument, as an unset shell variable leaves it, and a second value
 * of a flag that has one: the first would be dropped without a word.
 */
export function refuseSlips(command: Command): void {
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

/** The parser, or where there is none one that takes every value but an empty one. `isList`: it collects all values. */
function refuseEmpty(parse: ParseArg | undefined, isList: boolean): ParseArg {
	if (parse !== undefined) return parse;
	return <T>(value: string, previous: T): T => {
		if (value === "") throw new InvalidArgumentError("It must not be empty.");
		return (isList ? [...((previous ?? []) as readonly string[]), value] : value) as T;
	};
}

/**
 * Returns the name of a variable that documents can be allowed to use. Throws ConfigurationError otherwise, without repeating
 * anything but a name: a value can be a secret.
 */
function usableVariable(text: string): string {
	const [name = "", ...value] = text.split("=");
	if (!isVariableName(name)) {
		throw new ConfigurationError("--env: it takes the name of an environment variable", {
			hint: "for example --env STAGE",
		});
	}
	if (value.length > 0) {
		throw new ConfigurationError("--env: it takes a name without a value", {
			hint: "export the variable, then allow it by its name: --env NAME",
		});
	}
	if (!isCredential(name)) return name;
	throw new ConfigurationError(`--env ${name}: this variable is a credential, which documents cannot use`, {
		hint: "a plan shows the values of variables; use a separate variable, such as ORGSYNC_VAR_STAGE",
	});
}
