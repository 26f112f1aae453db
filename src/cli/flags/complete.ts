/**
 * `orgsync __complete [WORD…]`, which the completion scripts call: prints what fits in place of the last word of a command line,
 * one on each line, and after a tab what it is; `:files` stands for the names of files. It sends nothing, writes nothing and
 * never fails: where nothing fits it prints nothing.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type ExitCode, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Terminal } from "../output/output.ts";
import type { CommandRow } from "./command-row.ts";
import { makeCommandTable } from "./command-table.ts";
import type { Flag } from "./flags.ts";

type Candidate = readonly [value: string, description?: string];

/** Returns the values of one organization's document, by flag. */
const documentValues: Readonly<
	Record<string, (desired: DesiredOrganization, addresses: () => readonly string[]) => readonly string[]>
> = {
	"--only": (_, addresses) => addresses(),
	"--accept": (_, addresses) => addresses(),
	"--user": ({ users }) => Object.keys(users),
	"--submitter": ({ users }) => Object.keys(users),
	"--tag": ({ objects }) => objects.flatMap((object) => (object.kind === "userTag" ? [object.name] : [])),
	"--organization": ({ organizationId }) => [organizationId],
};

/** Values that are no choices, because more is possible, by flag; and those of the first argument, by command. */
const words: Readonly<Record<string, () => Promise<readonly string[]>>> = {
	"--allow": async () => (await import("../../plan/guards/guards.ts")).guardKinds.map((kind) => `${kind}=`),
	"--group": async () => Object.keys((await import("../../policy/powers/groups.ts")).namedPowers),
	completion: async () => (await import("../commands/completion.ts")).shells,
	query: async () => {
		const { extendedReads, queries } = await import("../../wire/operations.ts");
		return [...Object.keys(queries), ...Object.keys(extendedReads)];
	},
	schema: async () => {
		const { schemaNames } = await import("../../schema/files.ts");
		return schemaNames().map((file) => file.replace(/\.json$/, ""));
	},
};

/** Max files of documents that are read, and max values that are printed: a key press waits for them. */
const [maxFiles, maxValues] = [100, 2000];

/** Prints what fits. `given` are the words after `orgsync`; the last is the one to complete. */
export async function complete(given: readonly string[], terminal: Terminal): Promise<ExitCode> {
	const found = await findCandidates(given.slice(0, -1), given.at(-1) ?? "", terminal).catch(() => []);
	// What a terminal would not show as it is can only be typed.
	const shown = found.filter(([value]) => value !== "" && showText(value) === value);
	const lines = new Set(shown.map((one) => `${one.join("\t")}\n`));
	terminal.stdout.write([...lines].slice(0, maxValues).join(""));
	return exitCodes.inSync;
}

async function findCandidates(
	typed: readonly string[],
	current: string,
	terminal: Terminal,
): Promise<readonly Candidate[]> {
	const commands = makeCommandTable().flatMap((group) => group.commands);
	const names = commands.map(({ name, summary }): Candidate => [name, summary]);
	const [name, ...before] = typed;
	if (name === undefined) return [...names, ["help", "print the help of a command"]];
	if (name === "help") return before.length === 0 ? names : [];
	const row = commands.find((one) => one.name === name);
	if (row === undefined) return [];
	const [inWord] = /^--[^=]+(?==)/.exec(current) ?? [];
	const flag = findFlag(inWord ?? before.at(-1), row);
	if (flag !== undefined) return valuesOf({ ...flag, key: flag.long ?? "" }, typed, terminal);
	if (inWord !== undefined) return [];
	const position = before.filter((word, at) => !word.startsWith("-") && !findFlag(before[at - 1], row)).length;
	const argument = current.startsWith("-") ? undefined : row.arguments[position];
	if (argument === undefined) return row.flags.map(({ long, description }) => [long ?? "", description]);
	// An argument that is called as a flag takes the same values; an activity is named by its group.
	const called = argument.name() === "activity" ? "group" : argument.name();
	const key = position === 0 && Object.hasOwn(words, name) ? name : `--${called}`;
	return valuesOf({ key, flags: `<${argument.name()}>` }, typed, terminal);
}

/** Returns the flag of this name if it takes a value. */
function findFlag(name = "", { flags }: CommandRow): Flag | undefined {
	return flags.find((one) => one.required && (one.long === name || one.short === name));
}

/** Returns the values of a flag or an argument; `flags` has its placeholder, such as `<file>`. */
async function valuesOf(
	{ key, flags, argChoices }: Pick<Flag, "flags" | "argChoices"> & { readonly key: string },
	typed: readonly string[],
	terminal: Terminal,
): Promise<readonly Candidate[]> {
	const fixed = argChoices ?? (Object.hasOwn(words, key) ? await words[key]?.() : undefined);
	const values = fixed ?? (await findValues(key, typed, terminal));
	return values?.map((value) => [value]) ?? (/<(?:files?|path)>$/.test(flags) ? [[":files"]] : []);
}

/** Returns the values that the documents of a command line offer for a flag; undefined for a flag of no such values. */
async function findValues(
	flag: string,
	typed: readonly string[],
	terminal: Terminal,
): Promise<readonly string[] | undefined> {
	const valuesIn = Object.hasOwn(documentValues, flag) ? documentValues[flag] : undefined;
	if (valuesIn === undefined) return undefined;
	const { kinds } = await import("../../plan/kinds/index.ts");
	const kindNames = flag === "--only" ? kinds.map(({ name }) => name) : [];
	const { addressOfObject } = await import("../../plan/objects.ts");
	const organizations = await readDocuments(typed, terminal).catch(() => []);
	const found = organizations.flatMap((desired) =>
		valuesIn(desired, () => desired.objects.map((object) => addressOfObject(object, desired))),
	);
	return [...kindNames, ...found];
}

/** Reads the first documents that the command line names, or the default document. */
async function readDocuments(typed: readonly string[], terminal: Terminal): Promise<readonly DesiredOrganization[]> {
	const { findDocumentFiles } = await import("../files/document-files.ts");
	const { readDesired } = await import("../files/sources.ts");
	const isOnDisk = (name: string): boolean => {
		const found = statSync(resolve(terminal.directory, name), { throwIfNoEntry: false });
		return found?.isFile() === true || found?.isDirectory() === true;
	};
	const named = givenFor("--file", typed, "-f");
	// Standard input and pipes belong to the command.
	const paths = named.filter(isOnDisk);
	if (named.length > 0 && paths.length === 0) return [];
	const file = findDocumentFiles(paths, terminal.directory).slice(0, maxFiles);
	return readDesired({ file: file.map(({ name }) => name), env: givenFor("--env", typed) }, terminal);
}

/** Returns the values of a flag: `--file NAME`, `--file=NAME`, `-f NAME` and `-fNAME`. */
function givenFor(long: string, typed: readonly string[], short?: string): readonly string[] {
	return typed.flatMap((word, index) => {
		if (word === long || word === short) return typed[index + 1] ?? [];
		if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
		return short !== undefined && word.startsWith(short) && !word.startsWith("--") ? word.slice(short.length) : [];
	});
}
