/**
 * The file of `--output` beside the other files that a command was given: a slip of the keyboard must not cost a document,
 * a journal or a key.
 */
import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { defaultDocument, isDocumentName } from "./sources.ts";

/** Flags of any command that name files, each undefined where the command does not have it. */
export interface FileFlags {
	readonly output?: string;
	/** A list for documents that are read, one name for a document that is written. */
	readonly file?: string | readonly string[];
	readonly journal?: string;
	readonly keyFile?: string;
	readonly plan?: string;
}

/**
 * What else the file is to the same command, which reads or keeps it, for example `the document`; undefined when it is
 * nothing else. `words` are the command's arguments without flags.
 */
export function ownFileNamed(
	output: string,
	command: string,
	{ file, journal, keyFile, plan }: FileFlags,
	words: readonly string[],
	directory: string,
): string | undefined {
	const isDefault = file === undefined ? command === "init" : file.length === 0;
	const documents = isDefault ? [defaultDocument] : [file ?? []].flat();
	const own: readonly (readonly [what: string, path: string | undefined])[] = [
		// What is exported may take the place of the document that names its organization.
		...documents.filter(() => command !== "export").map((path) => ["the document", path] as const),
		["the journal", journal],
		["the key file", keyFile],
		["the saved plan", command === "show" ? words[0] : plan],
	];
	const named = own.filter(([, path]) => path !== undefined && path !== "-");
	return named.find(([, path = ""]) => isPartOf(resolve(directory, output), resolve(directory, path)))?.[0];
}

/** Whether the file is this one, also by another name, or one of the documents in this folder. */
function isPartOf(file: string, other: string): boolean {
	if (file === other) return true;
	const [left, right] = [file, other].map((path) => statSync(path, { throwIfNoEntry: false }));
	if (left === undefined || right === undefined) return false;
	if (!right.isDirectory()) return left.ino === right.ino && left.dev === right.dev && left.isFile();
	const inside = relative(other, file);
	return left.isFile() && !isAbsolute(inside) && isDocumentName(inside);
}
