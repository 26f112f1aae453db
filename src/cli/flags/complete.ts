/**
 * `orgsync __complete FLAG [WORD…]`, which the completion scripts call: prints the values that the documents of a command line
 * offer for a flag, one on each line. It sends nothing, writes nothing and never fails: without values it prints none.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type ExitCode, exitCodes } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import type { Terminal } from "../output/output.ts";

/** Returns the values of one organization's document, by flag. */
export const documentValues: Readonly<
	Record<string, (desired: DesiredOrganization, addresses: () => readonly string[]) => readonly string[]>
> = {
	"--only": (_, addresses) => addresses(),
	"--accept": (_, addresses) => addresses(),
	"--user": ({ users }) => Object.keys(users),
	"--submitter": ({ users }) => Object.keys(users),
	"--tag": ({ objects }) => objects.flatMap((object) => (object.kind === "userTag" ? [object.name] : [])),
	"--organization": ({ organizationId }) => [organizationId],
};

/** Max files of documents that are read, and max values that are printed: a key press waits for them. */
const [maxFiles, maxValues] = [100, 2000];

/** Prints the values for a flag. `words` are those of the command line before the value. */
export async function complete([flag = "", ...words]: readonly string[], terminal: Terminal): Promise<ExitCode> {
	const values = await findValues(flag, words, terminal).catch(() => []);
	// What a terminal would not show as it is can only be typed.
	const shown = [...new Set(values)].filter((value) => value !== "" && showText(value) === value);
	for (const value of shown.slice(0, maxValues)) terminal.stdout.write(`${value}\n`);
	return exitCodes.inSync;
}

async function findValues(flag: string, words: readonly string[], terminal: Terminal): Promise<readonly string[]> {
	const valuesOf = Object.hasOwn(documentValues, flag) ? documentValues[flag] : undefined;
	if (valuesOf === undefined) return [];
	const { kinds } = await import("../../plan/kinds/index.ts");
	const kindNames = flag === "--only" ? kinds.map(({ name }) => name) : [];
	const { addressOfObject } = await import("../../plan/objects.ts");
	const organizations = await readDocuments(words, terminal).catch(() => []);
	const found = organizations.flatMap((desired) =>
		valuesOf(desired, () => desired.objects.map((object) => addressOfObject(object, desired))),
	);
	return [...kindNames, ...found];
}

/** Reads the first documents that the command line names, or the default document. */
async function readDocuments(words: readonly string[], terminal: Terminal): Promise<readonly DesiredOrganization[]> {
	const { findDocumentFiles } = await import("../files/document-files.ts");
	const { readDesired } = await import("../files/sources.ts");
	const isOnDisk = (name: string): boolean => {
		const found = statSync(resolve(terminal.directory, name), { throwIfNoEntry: false });
		return found?.isFile() === true || found?.isDirectory() === true;
	};
	const named = valuesIn(words, "--file", "-f");
	// Standard input and pipes belong to the command.
	const paths = named.filter(isOnDisk);
	if (named.length > 0 && paths.length === 0) return [];
	const file = findDocumentFiles(paths, terminal.directory).slice(0, maxFiles);
	return readDesired({ file: file.map(({ name }) => name), env: valuesIn(words, "--env") }, terminal);
}

/** Returns the values of a flag: `--file NAME`, `--file=NAME`, `-f NAME` and `-fNAME`. */
function valuesIn(words: readonly string[], long: string, short?: string): readonly string[] {
	return words.flatMap((word, index) => {
		if (word === long || word === short) return words[index + 1] ?? [];
		if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
		return short !== undefined && word.startsWith(short) && !word.startsWith("--") ? word.slice(short.length) : [];
	});
}
