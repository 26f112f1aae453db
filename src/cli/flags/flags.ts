/** The flags of all commands, in the groups that `--help` shows. Each value is checked before the command begins. */
import { Argument, type Command, Option } from "commander";
import {
	parseDuration,
	parseFileName,
	parseFileOrStream,
	parseHorizon,
	parseKeyFile,
	parseMetricLabel,
	parsePlanDigest,
	parseRequestRate,
	parseText,
	parseVariableName,
	wholeNumber,
} from "./flag-values.ts";
import type { Format } from "./formats.ts";

export type { Argument, Option as Flag } from "commander";

type Parse = (value: string) => unknown;

export function flag(flags: string, description: string, parse?: Parse): Option {
	const option = new Option(flags, description);
	return parse === undefined ? option : option.argParser(parse);
}

export function argument(name: string, description: string, parse?: Parse): Argument {
	const made = new Argument(name, description);
	return parse === undefined ? made : made.argParser(parse);
}

export function flagGroup(heading: string, options: readonly Option[]): readonly Option[] {
	return options.map((option) => option.helpGroup(`${heading}:`));
}

export function documentFlags(): readonly Option[] {
	const file = repeatableFlag("-f, --file <path>", "document, folder, or - for standard input", parseFileOrStream);
	const env = repeatableFlag("--env <name>", "let documents use this environment variable", parseVariableName);
	return flagGroup("Documents", [file.default([], "orgsync.yaml"), env.default([], "ORGSYNC_VAR_*")]);
}

/** The documents, and which of their objects and organizations. */
export function scopeFlags(): readonly Option[] {
	const only = repeatableFlag("--only <kind/glob>", "limit to a kind, a pattern (userTag/sign*) or an address");
	const organization = flag("--organization <id>", "limit to this organization of the documents");
	return [...documentFlags(), ...flagGroup("Scope", [only.default([], "all"), shardFlag(), organization])];
}

/** The value is checked by the command, which knows how the organizations are divided. */
export function shardFlag(): Option {
	return uncheckedFlag("--shard <i/n>", "limit to one share of the organizations: 2/8 is the second of 8");
}

/** One organization, or all of the documents. */
export function organizationFlags(): readonly Option[] {
	const organization = flag("--organization <id>", "organization id (ORGSYNC_ORGANIZATION_ID)");
	return [...flagGroup("Scope", [organization]), ...documentFlags()];
}

/** The service and the credentials. `more` are flags that only some commands have: `readsFlag()`, `concurrencyFlag()`. */
export function serviceFlags(...more: readonly Option[]): readonly Option[] {
	const connection = [
		flag("--url <url>", "base URL of the service (ORGSYNC_URL)"),
		flag("--local", "use the local emulator; needs no account"),
		...more,
		flag("--timeout <seconds>", "time limit of one request, retries included", wholeNumber(1, 3600)).default(30),
		flag("--max-rps <number>", "max requests per second (default: the service's rate limit)", parseRequestRate),
		flag("--insecure", "skip certificate verification, and allow weakened TLS"),
	];
	const credentials = [
		flag("--key-file <file>", "file with the private API key (ORGSYNC_KEY_FILE)", parseKeyFile),
		flag("--stamp-command <command>", "command that stamps a request body (ORGSYNC_STAMP_COMMAND)"),
	];
	return [...flagGroup("Connection", connection), ...flagGroup("Credentials", credentials)];
}

/** A passkey in place of the key, for what a command submits. */
export function passkeyFlags(): readonly Option[] {
	const passkey = flag("--passkey", "sign what is submitted in a browser, with a passkey");
	return flagGroup("Credentials", [passkey, passkeyPortFlag()]);
}

export function passkeyPortFlag(): Option {
	return flag("--passkey-port <port>", "port of the signing page (default: any free port)", wholeNumber(1, 65535));
}

export function readsFlag(): Option {
	return flag("--reads <which>", "read with all queries, or with the documented ones only")
		.choices(["auto", "documented"])
		.default("auto");
}

export function concurrencyFlag(): Option {
	return flag("--concurrency <number>", "max steps, and max organizations, in parallel", wholeNumber(1, 64)).default(4);
}

export function activityFlags(...options: readonly Option[]): readonly Option[] {
	const journal = fileFlag("--journal <file>", "journal of submitted activities (default: .orgsync/journal.sqlite)");
	return flagGroup("Activities", [...options, journal]);
}

export function waitFlag(): Option {
	const seconds = wholeNumber(0, 86400);
	return flag("--wait <seconds>", "max time to wait for an activity that is in progress", seconds).default(30);
}

export function retryRejectedFlag(): Option {
	return flag("--retry-rejected", "resubmit activities that were rejected");
}

/** `purpose` is what `--plan` does. */
export function savedPlanFlags(purpose: string): readonly Option[] {
	return flagGroup("Saved plan", [
		inputFileFlag("--plan <file>", purpose),
		flag("--digest <sha256>", "reject a saved plan with another digest", parsePlanDigest),
		flag("--max-age <duration>", "reject an older saved plan: 90m, 24h, 7d, or seconds", parseDuration),
	]);
}

/** How far ahead plans show access that ends or begins. */
export function horizonFlag(): Option {
	const description = "show access that ends or begins this soon; 0: none (default: 14d)";
	return flag("--horizon <duration>", description, parseHorizon);
}

/** The guards check its value, because they know what can be written. */
export function allowFlag(): Option {
	const description = "override a guard with the number it found: policies=7";
	return repeatableFlag("--allow <kind=number>", description, (value) => value);
}

/** Formats of most commands; `formats` has all of them. */
const commonFormats: readonly Format[] = ["text", "json"];

export function outputFlags(choices: readonly Format[] = commonFormats, ...more: readonly Option[]): readonly Option[] {
	const markdown = [
		flag("--comment-key <key>", "name in the hidden first line of Markdown (default: the command)"),
		flag("--full-at <place>", "where to find the full result, for truncated Markdown"),
	];
	const metrics = [
		fileFlag("--metrics <file>", "file for the run's metrics in OpenMetrics, besides the result"),
		repeatableFlag("--metric-label <name=value>", "label for all metrics", parseMetricLabel),
	];
	return flagGroup("Output", [
		flag("--format <format>", "output format").choices(choices).default("text"),
		outputFileFlag("--output <file>", "file for the result, or - for standard output"),
		...(choices.includes("markdown") ? markdown : []),
		...(choices.includes("openmetrics") ? metrics : []),
		...more,
		flag("--no-color", "disable colors (NO_COLOR)"),
		flag("-q, --quiet", "print only the result and errors"),
		flag("--verbose", "log each request, without its stamp, and stack traces"),
	]);
}

/** Returns a flag that can be given several times. `parse` checks each value. */
export function repeatableFlag(flags: string, description: string, parse: Parse = parseText): Option {
	return new Option(flags, `${description}; repeatable`)
		.default([], "none")
		.argParser((value: string, earlier: unknown[]) => [...earlier, parse(value)]);
}

/** Returns a flag whose value the command checks. */
export function uncheckedFlag(flags: string, description: string): Option {
	return flag(flags, description, (value) => value);
}

/** Returns a flag that names a file. `-` is refused. */
export function fileFlag(flags: string, description: string): Option {
	return flag(flags, description, parseFileName);
}

/** Returns a flag that names a file to read, or standard input with `-`. */
export function inputFileFlag(flags: string, description: string): Option {
	return flag(flags, `${description}, or - for standard input`, parseFileOrStream);
}

/** Flags for which `-` is standard output, where the result goes without them. */
const outputFiles = new WeakSet<Option>();

/** Returns a flag that names a file to write, or standard output with `-`. */
export function outputFileFlag(flags: string, description: string): Option {
	const option = flag(flags, `${description} (default: -)`, parseFileOrStream);
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

/** Makes the command refuse empty values, which are unset shell variables, and second ones: commander would drop the first. */
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
		const text = parseText(value);
		return (isList ? [...((previous ?? []) as readonly string[]), text] : text) as T;
	};
}

/** The flags of a command that reads an organization and its activities. `more` are about activities. */
export function activityCommandFlags(...more: readonly Option[]): readonly Option[] {
	const connection = serviceFlags(readsFlag(), concurrencyFlag());
	return [...organizationFlags(), ...activityFlags(...more), ...connection, ...outputFlags()];
}
