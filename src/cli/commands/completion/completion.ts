/**
 * `completion`: a shell script, made from the table of commands. Commands, flags and fixed values are in the script; for
 * values that documents have, it calls `orgsync __complete` (complete.ts).
 */
import { ConfigurationError, exitCodes } from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import { guardKinds } from "../../../plan/guards/guards.ts";
import { namedPowers } from "../../../policy/powers/groups.ts";
import { type CompletionResult, resultHead } from "../../../render/result/result.ts";
import { schemaNames } from "../../../schema/files.ts";
import { extendedReads, queries } from "../../../wire/operations.ts";
import { documentValues } from "../../flags/complete.ts";
import type { CompletedCommand, CompletedFlag, ScriptCommand, ValueSource } from "../../flags/completed-words.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<string, (commands: readonly ScriptCommand[]) => string>> = {
	bash: bashScript,
	zsh: zshScript,
	fish: fishScript,
};

/** Returns the script for bash, zsh or fish. Throws ConfigurationError for another shell. */
export function completion(shell: string, commands: readonly CompletedCommand[]): CompletionResult {
	const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
	if (write === undefined) {
		throw new ConfigurationError(`there is no completion for ${showText(shell)}`, {
			hint: `there is for ${Object.keys(scripts).join(", ")}`,
		});
	}
	return {
		...resultHead("completion", exitCodes.inSync, null),
		script: write([...commands.map(withSources), helpOf(commands)]),
	};
}

/** `orgsync help COMMAND`, which is in no row of the table. */
function helpOf(commands: readonly CompletedCommand[]): ScriptCommand {
	const words = commands.map(({ name }) => name);
	return { name: "help", summary: "print the help of a command", flags: [], arguments: [{ from: "words", words }] };
}

function withSources({ name, summary, flags, arguments: taken }: CompletedCommand): ScriptCommand {
	return {
		name,
		summary,
		flags: flags.map((flag) => ({ ...flag, source: sourceOfFlag(flag) })),
		arguments: taken.map((argument) => sourceOfArgument(name, argument)),
	};
}

/** Values that are no choices, because more is possible: `--only` takes a pattern too, `--allow` a number. */
const wordsOfFlags: Readonly<Record<string, () => readonly string[]>> = {
	"--allow": () => guardKinds.map((kind) => `${kind}=`),
	"--group": () => Object.keys(namedPowers),
};

const wordsOfArguments: Readonly<Record<string, () => readonly string[]>> = {
	completion: () => Object.keys(scripts),
	query: () => [...Object.keys(queries), ...Object.keys(extendedReads)],
	schema: () => schemaNames().map((file) => file.replace(/\.json$/, "")),
};

/** Placeholders of values that are files. */
const filePlaceholders: ReadonlySet<string | undefined> = new Set(["file", "path"]);

function sourceOfFlag({ long, value, choices }: CompletedFlag): ValueSource | undefined {
	if (value === undefined) return undefined;
	const words = choices ?? wordsOfFlags[long]?.();
	if (words !== undefined) return { from: "words", words };
	if (Object.hasOwn(documentValues, long)) return { from: "documents" };
	return { from: filePlaceholders.has(value) ? "files" : "nowhere" };
}

function sourceOfArgument(command: string, name: string): ValueSource {
	const words = wordsOfArguments[command]?.();
	if (words !== undefined) return { from: "words", words };
	// An argument that is called as a flag takes the same values.
	const flag = `--${name}`;
	if (Object.hasOwn(documentValues, flag)) return { from: "documents", flag };
	return { from: filePlaceholders.has(name) ? "files" : "nowhere" };
}
