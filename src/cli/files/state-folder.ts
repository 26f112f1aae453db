/** Finds `.orgsync`: one that documents have already, since a second journal would not know what the first has sent. */

import { lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isDescriptor, isInside } from "../../common/files.ts";
import { findHome } from "../../wire/credentials.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { WorkPlace } from "../output/terminal.ts";

/** The folder of the local emulator and of the journal. */
export const stateFolder = ".orgsync";

export type StateFlags = Flags<"local" | "file">;

/**
 * Returns the folder that has `.orgsync`, or gets it: that of the nearest existing journal in the folder of the documents or
 * above it, or in the working folder; with `--local`, that of a local emulator in one of the two, never above. If there is none, it is the working folder, or the
 * folder of the documents if the command runs below it or beside it in the same repository. Throws ConfigurationError if the
 * documents and the working folder lead to several.
 */
export function findStateParent({ local, file }: StateFlags, place: WorkPlace): string {
	const { directory } = place;
	const what = local === true ? whatLocal : whatJournal;
	const starts = foldersOf(file, directory);
	const above = (start: string): readonly string[] => (local === true ? [start] : climb(start, place));
	const nearest = starts.map((start) => above(start).find((folder) => holds(folder, what)));
	const found = new Set([...nearest, holds(directory, what) ? directory : undefined]);
	found.delete(undefined);
	const [only] = found;
	const hasOther = only !== directory && nearest.includes(undefined);
	if (found.size > 1 || (only !== undefined && hasOther)) refuse([...found], what);
	return only ?? chooseNew(starts, place);
}

/** Returns which local emulator `--local` uses, or does not use above, where that is not clear from the working folder. */
export function describeLocalState(parent: string, place: WorkPlace): string | undefined {
	const above = climb(parent, place).find((folder) => folder !== parent && holds(folder, whatLocal));
	if (parent === place.directory && above === undefined) return undefined;
	const used = `Local service: ${join(parent, stateFolder)}`;
	return above === undefined ? used : `${used}, not ${join(above, stateFolder)}, which is in a folder above`;
}

/** A file that shows that state exists, and what to say where it is not clear which. */
interface StateKind {
	readonly marker: string;
	readonly several: string;
	readonly some: string;
	readonly hint: string;
}

const whatJournal: StateKind = {
	marker: "journal.sqlite",
	several: "there are several journals for these documents",
	some: "only some of these documents have the journal",
	hint: "name the right one with --journal, or run orgsync for the documents of one folder",
};

const whatLocal: StateKind = {
	marker: "local.sqlite",
	several: "there are several local services for these documents",
	some: "only some of these documents have the local service",
	hint: "remove the folder .orgsync that you do not need, or run orgsync for the documents of one folder",
};

function refuse(folders: readonly (string | undefined)[], { marker, several, some, hint }: StateKind): never {
	const paths = folders.map((folder) => showText(join(folder ?? "", stateFolder, marker)));
	const message = paths.length > 1 ? `${several}: ${paths.join(", ")}` : `${some} ${paths[0]}`;
	throw new ConfigurationError(message, { hint });
}

/** Returns the folders of the documents, each once; the working folder without a document on disk. */
function foldersOf(files: readonly string[], directory: string): readonly string[] {
	const folders = files
		.filter((name) => name !== "-" && !isDescriptor(name))
		.map((name) => {
			const path = resolve(directory, name);
			return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path);
		});
	return folders.length === 0 ? [directory] : [...new Set(folders)];
}

function holds(folder: string, { marker }: StateKind): boolean {
	return exists(join(folder, stateFolder, marker));
}

/** Whether there is anything at this path, also a broken link. What cannot be reached counts as missing here. */
function exists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		return false;
	}
}

/** Returns the folders for state: up to the repository or home, but none that others own or can write a journal into. */
function climb(start: string, { directory, environment }: WorkPlace): readonly string[] {
	const folders: string[] = [];
	for (let folder = start; ; folder = dirname(folder)) {
		if (folder !== directory && !isOwn(folder)) break;
		folders.push(folder);
		if (exists(join(folder, ".git")) || folder === findHome(environment) || folder === dirname(folder)) break;
	}
	return folders;
}

function isOwn(folder: string): boolean {
	const found = statSync(folder, { throwIfNoEntry: false });
	if (found === undefined) return false;
	const user = process.geteuid?.();
	// Windows reports neither owners nor modes that mean anything there.
	return user === undefined || (found.uid === user && (found.mode & 0o002) === 0);
}

function chooseNew(starts: readonly string[], place: WorkPlace): string {
	const { directory } = place;
	if (starts.every((start) => isInside(start, directory))) return directory;
	const common = starts.reduce(commonFolder);
	const above = climb(directory, place);
	const root = above.at(-1) ?? directory;
	const isBeside = exists(join(root, ".git")) && isInside(common, root);
	return above.includes(common) || isBeside ? common : directory;
}

function commonFolder(left: string, right: string): string {
	let folder = left;
	while (!isInside(right, folder)) folder = dirname(folder);
	return folder;
}
