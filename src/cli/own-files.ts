/**
 * The files that a command writes beside those that it reads or keeps: a slip of the keyboard must not cost a document, a
 * journal or a key.
 */
import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { ConfigurationError } from "../errors.ts";
import { showText } from "../plan/render/escape.ts";
import { defaultDocument, isDocumentName } from "./document-files.ts";

/** Flags of any command that name files, each undefined where the command does not have it. */
export interface FileFlags {
	readonly output?: string;
	readonly out?: string;
	/** A list for documents that are read, one name for a document that is written. */
	readonly file?: string | readonly string[];
	readonly journal?: string;
	readonly keyFile?: string;
	readonly plan?: string;
	readonly baseFile?: string;
}

/**
 * Throws ConfigurationError when the file that the flag names is also one that the command reads or keeps. `words` are its
 * arguments without flags.
 */
export function refuseOverwriting(
	flag: "output" | "out",
	command: string,
	flags: FileFlags,
	words: readonly string[],
	directory: string,
): void {
	const { [flag]: written, out, file, journal, keyFile, plan, baseFile } = flags;
	if (written === undefined) return;
	const isDefault = file === undefined ? command === "init" : file.length === 0;
	const documents = isDefault ? [defaultDocument] : [file ?? []].flat();
	const own: readonly (readonly [what: string, path: string | undefined])[] = [
		// What is exported may take the place of the document that names its organization.
		...documents.filter(() => command !== "export").map((path) => ["the document", path] as const),
		["the journal", journal],
		["the key file", keyFile],
		["the saved plan", command === "show" ? words[0] : plan],
		["the earlier document", baseFile],
		["the file of --out", flag === "output" && command === "import-key" ? out : undefined],
	];
	const target = resolve(directory, written);
	for (const [what, path] of own) {
		if (path === undefined || path === "-" || !isPartOf(target, resolve(directory, path))) continue;
		throw new ConfigurationError(`--${flag} ${showText(written)}: that is ${what}`, { hint: "name another file" });
	}
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
