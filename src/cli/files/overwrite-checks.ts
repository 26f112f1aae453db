/** Refuses output files that are also inputs, journals or keys, so that a typing error cannot overwrite them. */

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { readRegularFile } from "../../common/files.ts";
import { sqliteSidecars } from "../../common/private-file.ts";
import { vendorKeyFile } from "../../wire/credentials.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { WorkPlace } from "../output/terminal.ts";
import { defaultDocument, isDocumentName, orNothing } from "./document-files.ts";
import { findStateParent, stateFolder } from "./state-folder.ts";

/** Flags that name files. A flag that the command does not have is undefined. */
export interface FileFlags
	extends Flags<"output" | "out" | "metrics" | "since" | "journal" | "keyFile" | "plan" | "baseFile" | "format"> {
	/** A list of documents to read, or the document to write. */
	readonly file?: string | readonly string[];
}

/** Databases and keys in the folder `.orgsync`. */
const databases = ["journal.sqlite", "local-journal.sqlite", "local.sqlite"];
const localKeys = ["local.private", "local.public"];

const maxDocumentBytes = 8 * 1024 * 1024;

/** Throws ConfigurationError if the flag's file is a document, an input, a journal or a key, or is in `.orgsync`. */
export function refuseOverwriting(
	flag: "output" | "out" | "metrics",
	command: string,
	flags: FileFlags,
	words: readonly string[],
	place: WorkPlace,
): void {
	const { directory, environment } = place;
	const { [flag]: written, output, out, since, file, journal, keyFile, plan, baseFile } = flags;
	if (written === undefined) return;
	const isDefault = file === undefined ? command === "init" : file.length === 0;
	// It looks itself at what it replaces.
	const writesDocument = command === "export" && flag === "output" && flags.format !== "json";
	const documents = isDefault ? [defaultDocument] : [file ?? []].flat();
	const own: readonly (readonly [what: string, path: string | undefined])[] = [
		...documents.filter(() => !writesDocument).map((path) => ["the document", path] as const),
		...withSidecars(journal).map((path) => ["the journal", path] as const),
		...keyFilesOf(keyFile, environment).map((path) => ["the key file", path] as const),
		// Nothing can be written in their folder, but they can have other names elsewhere.
		...[...databases.flatMap(withSidecars), ...localKeys]
			.flatMap((name) => stateFiles(name, flags, place))
			.map((path) => ["a file that orgsync keeps", path] as const),
		["the saved plan", command === "show" ? words[0] : plan],
		["the earlier document", baseFile],
		["the earlier report", flag === "metrics" ? since : undefined],
		["the file of --output", flag === "metrics" ? output : undefined],
		["the file of --out", flag === "output" && command === "import-key" ? out : undefined],
	];
	const target = resolve(directory, written);
	if (isInOwnFolder(target)) {
		throw new ConfigurationError(`--${flag} ${showText(written)}: orgsync keeps its own files in ${stateFolder}`, {
			hint: "name a file in another folder",
		});
	}
	for (const [what, path] of own) {
		if (path === undefined || path === "-" || !isPartOf(target, resolve(directory, path))) continue;
		throw new ConfigurationError(`--${flag} ${showText(written)}: that is ${what}`, { hint: "name another file" });
	}
	if (!writesDocument && isDocument(target)) {
		throw new ConfigurationError(`--${flag} ${showText(written)}: that is a document`, { hint: "name another file" });
	}
}

/** Whether the file has the name and the first key of a document, in YAML or JSON, whether or not the command reads it. */
function isDocument(file: string): boolean {
	if (!isDocumentName(basename(file))) return false;
	const bytes = orNothing(() => readRegularFile(file, maxDocumentBytes).bytes);
	if (bytes === undefined) return false;
	const text = Buffer.from(bytes)
		.toString("utf8")
		.replace(/^\u{feff}/u, "");
	if (!/^\s*\{/.test(text)) return /^["']?organization(?:Id|s)["']?[ \t]*:/m.test(text);
	// What commands write has the version of its format first, or is a list of lines that each have a type.
	return /"organization(?:Id|s)"\s*:/.test(text) && !/^\s*\{\s*"(?:formatVersion|type)"/.test(text);
}

/** Throws ConfigurationError if `--journal` names a file of the local emulator. */
export function refuseLocalFiles(flags: FileFlags, place: WorkPlace): void {
	const { journal } = flags;
	if (journal === undefined) return;
	const files = [...withSidecars("local.sqlite"), ...localKeys].flatMap((name) => stateFiles(name, flags, place));
	const path = resolve(place.directory, journal);
	if (!files.some((file) => isPartOf(realPath(path), realPath(file)))) return;
	throw new ConfigurationError(`--journal ${showText(journal)}: that is a file of the local emulator`, {
		hint: "name another file, or leave --journal out",
	});
}

/** Returns the places in which orgsync may keep a file of this name. */
function stateFiles(name: string, { file = [] }: FileFlags, place: WorkPlace): readonly string[] {
	const found = [true, false].map((local) => orNothing(() => findStateParent({ local, file: [file].flat() }, place)));
	const parents = new Set([place.directory, ...found.flatMap((parent) => parent ?? [])]);
	return [...parents].map((parent) => join(parent, stateFolder, name));
}

function withSidecars(database: string | undefined): readonly string[] {
	return database === undefined ? [] : ["", ...sqliteSidecars].map((suffix) => database + suffix);
}

/** Returns all files that may be key files of this call. */
function keyFilesOf(flag: string | undefined, environment: WorkPlace["environment"]): readonly string[] {
	return [flag, environment.ORGSYNC_KEY_FILE?.trim(), vendorKeyFile(environment)].flatMap((name) => {
		if (name === undefined || name === "") return [];
		const stem = name.replace(/\.private$/, "");
		return [name, `${stem}.private`, `${stem}.public`];
	});
}

/** Whether the file is in the folder `.orgsync`, also through links. Some file systems ignore the case of names. */
function isInOwnFolder(file: string): boolean {
	return [file, realPath(file)].some((path) => basename(dirname(path)).toLowerCase() === stateFolder);
}

/** Returns the path with the links of its folder resolved, or the path itself if the folder does not exist. */
function realPath(file: string): string {
	const folder = orNothing(() => realpathSync.native(dirname(file)));
	return folder === undefined ? file : join(folder, basename(file));
}

/** Whether `file` is `other`, also by another name, or a document in the folder `other`. */
function isPartOf(file: string, other: string): boolean {
	if (file === other) return true;
	const [left, right] = [file, other].map((path) => orNothing(() => statSync(path)));
	if (left === undefined || right === undefined) return false;
	if (!right.isDirectory()) return left.ino === right.ino && left.dev === right.dev && left.isFile();
	const inside = relative(other, file);
	return left.isFile() && !isAbsolute(inside) && isDocumentName(inside);
}
