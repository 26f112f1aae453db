/**
 * Reads from the index of a repository whether git tracks a file. It does not run git: a repository decides what git runs,
 * and may not be trusted. Even `git ls-files` without hooks and file monitors fetches the trees that a sparse index of a partial
 * clone lacks, by the program in the repository's `remote.origin.uploadpack`.
 *
 * The format is gitformat-index(5): versions 2 to 4, with and without a shared index.
 */

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { StorageError } from "../../common/errors.ts";
import { flag, say } from "../../common/said.ts";

/** The variables by which git finds a repository elsewhere; relative paths are those of the working folder, as in git. */
export interface GitEnvironment {
	readonly GIT_DIR?: string | undefined;
	readonly GIT_WORK_TREE?: string | undefined;
	readonly GIT_INDEX_FILE?: string | undefined;
}

/**
 * Whether the index of a repository around the file names it, or a folder above it (a submodule): a repository in a folder above,
 * or the one that git's variables name. Names count as the same in any case, since a file system may not tell them apart. Needs
 * no git. Throws StorageError for an index that cannot be read.
 */
export function isTrackedByGit(file: string, environment: GitEnvironment = process.env): boolean {
	return [file, ...realPathOf(file)].some((path) => {
		if (isNamedElsewhere(resolve(path), environment)) return true;
		for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
			const gitFolder = gitFolderOf(folder);
			if (gitFolder !== undefined && isNamed(relative(folder, resolve(path)), gitFolder)) return true;
			if (folder === dirname(folder)) return false;
		}
	});
}

/**
 * Whether the index names the file that `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE` lead to. Without `GIT_WORK_TREE` the work
 * tree is that of `core.worktree`, or the working folder, as in git (git(1), "The Git Repository").
 */
function isNamedElsewhere(path: string, { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE }: GitEnvironment): boolean {
	if (!GIT_DIR && !GIT_INDEX_FILE) return false;
	const named = GIT_WORK_TREE || (GIT_DIR && workTreeIn(resolve(GIT_DIR)));
	const workTrees = named ? [resolve(named)] : GIT_DIR ? [resolve("")] : foldersAbove(path);
	const index = GIT_INDEX_FILE ? resolve(GIT_INDEX_FILE) : undefined;
	return [...workTrees, ...workTrees.flatMap(realPathOf)].some((workTree) => {
		const name = relative(workTree, path);
		const gitFolder = GIT_DIR ? resolve(GIT_DIR) : gitFolderOf(workTree);
		if (gitFolder === undefined || name.startsWith("..")) return false;
		return isNamed(name, gitFolder, index);
	});
}

/** Returns the setting `core.worktree` in the repository's own file of settings, as a path; undefined without it. */
function workTreeIn(gitFolder: string): string | undefined {
	const file = join(gitFolder, "config");
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	const sections = text.split(/^[ \t]*(?=\[)/m).filter((section) => /^\[core\]/i.test(section));
	const [value] = sections.flatMap(
		(one) => /^(?:\[core\])?[ \t]*worktree[ \t]*=[ \t]*(.*?)[ \t\r]*$/im.exec(one)?.[1] ?? [],
	);
	return value === undefined ? undefined : resolve(gitFolder, value.replace(/^"(.*)"$/, "$1"));
}

function foldersAbove(path: string): readonly string[] {
	const above = dirname(path);
	return above === path ? [] : [above, ...foldersAbove(above)];
}

/** Returns where links lead, also for a file that does not exist yet in a folder that does. */
function realPathOf(file: string): readonly string[] {
	try {
		return [existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file))];
	} catch {
		return [];
	}
}

/** Returns the folder in which a repository keeps its index: `.git`, or where the file `.git` of a work tree points. */
function gitFolderOf(folder: string): string | undefined {
	const dotGit = join(folder, ".git");
	const found = statSync(dotGit, { throwIfNoEntry: false });
	if (found === undefined || found.isDirectory()) return found === undefined ? undefined : dotGit;
	if (!found.isFile() || found.size > 65_536) return undefined;
	const [, target] = /^gitdir: (.+?)\r?\n?$/.exec(readFileSync(dotGit, "utf8")) ?? [];
	return target === undefined ? undefined : resolve(folder, target);
}

function isNamed(path: string, gitFolder: string, index = join(gitFolder, "index")): boolean {
	if (!existsSync(index)) return false;
	const shared = (existsSync(gitFolder) ? readdirSync(gitFolder) : [])
		.filter((name) => name.startsWith("sharedindex."))
		.map((name) => join(gitFolder, name));
	const parts = path.split(sep).map(fold);
	const prefixes = new Set(parts.map((_part, count) => parts.slice(0, count + 1).join("/")));
	// A sparse index names a folder with a slash behind it.
	return [index, ...shared].some((name) => namesIn(name).some((entry) => prefixes.has(fold(entry.replace(/\/$/, "")))));
}

function fold(name: string): string {
	return name.normalize("NFC").toLowerCase();
}

/** Returns the names in an index, whichever of the two lengths its object ids have. */
function namesIn(file: string): readonly string[] {
	const bytes = readFileSync(file);
	for (const idLength of [20, 32]) {
		const names = readNames(bytes, idLength);
		if (names !== undefined) return names;
	}
	throw new StorageError(
		`${file} is a git index that cannot be read, so it is unknown whether git tracks the journal`,
		{
			hint: say`to use the journal anyway, name it with ${flag("journal")}`,
		},
	);
}

/** Returns the names of all entries; undefined if the bytes are no index whose object ids have this length. */
function readNames(bytes: Buffer, idLength: number): readonly string[] | undefined {
	if (bytes.length < 12 + idLength || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
	const version = bytes.readUInt32BE(4);
	const count = bytes.readUInt32BE(8);
	if (version < 2 || version > 4) return undefined;
	const names: string[] = [];
	let at = 12;
	let before = Buffer.alloc(0);
	for (let number = 0; number < count; number += 1) {
		// Ten numbers about the file, its object id, and flags; a second pair of flags where the first says so.
		const flags = at + 40 + idLength;
		if (flags + 2 > bytes.length) return undefined;
		const isExtended = (bytes.readUInt16BE(flags) & 0x4000) !== 0;
		const start = flags + (isExtended ? 4 : 2);
		const cut = version === 4 ? readOffset(bytes, start) : { dropped: before.length, end: start };
		if (cut === undefined || cut.dropped > before.length) return undefined;
		const end = bytes.indexOf(0, cut.end);
		if (end < 0) return undefined;
		const name = Buffer.concat([before.subarray(0, before.length - cut.dropped), bytes.subarray(cut.end, end)]);
		names.push(name.toString("utf8"));
		if (version === 4) before = name;
		// Before version 4 an entry is padded with NULs to a multiple of eight.
		at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
	}
	return isEndOf(bytes, at, idLength) ? names : undefined;
}

/** Reads git's number of variable width, as packs have it for offsets. */
function readOffset(bytes: Buffer, start: number): { readonly dropped: number; readonly end: number } | undefined {
	let at = start;
	let dropped = 0;
	for (let byte = 0x80; (byte & 0x80) !== 0; at += 1) {
		if (at >= bytes.length || at - start > 4) return undefined;
		byte = bytes[at] ?? 0;
		dropped = at === start ? byte & 0x7f : ((dropped + 1) << 7) | (byte & 0x7f);
	}
	return { dropped, end: at };
}

/** Whether only extensions and the checksum follow: then the entries were read correctly. */
function isEndOf(bytes: Buffer, start: number, idLength: number): boolean {
	let at = start;
	while (at + 8 <= bytes.length - idLength) {
		if (!/^[A-Za-z]{4}$/.test(bytes.toString("latin1", at, at + 4))) return false;
		at += 8 + bytes.readUInt32BE(at + 4);
	}
	return at === bytes.length - idLength;
}
