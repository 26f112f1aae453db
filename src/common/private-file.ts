/** Files that orgsync keeps for itself (journal, local emulator, its key): readable and writable by their owner alone. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { explainFileError, StorageError } from "./errors.ts";

/** What SQLite keeps beside a database. It gives new ones the database's own mode. */
export const sqliteSidecars = ["-wal", "-shm", "-journal"];

/**
 * Makes `path` a regular file that only its owner can read and write. A missing file is created empty with mode 0600, in
 * folders of mode 0700 where those are missing too. An existing file with wider permissions is tightened, and `notice`
 * gets one line that says so, or a warning where the file system does not allow it. Files of SQLite beside `path` are
 * held to the same rule.
 *
 * Throws StorageError for a symbolic or a hard link, for anything that is no regular file, for a file of another user, for a file
 * that everyone can write, and for a folder that everyone can write without the sticky bit.
 *
 * An existing file is never opened: closing it would drop the locks that SQLite holds on it in this process.
 */
export function makePrivate(path: string, notice: (text: string) => void): void {
	try {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		checkFolder(dirname(path));
		if (lstatSync(path, { throwIfNoEntry: false }) === undefined) create(path);
		for (const file of [path, ...sqliteSidecars.map((suffix) => path + suffix)]) tighten(file, notice);
	} catch (error) {
		if (error instanceof StorageError) throw error;
		throw new StorageError(`${path} cannot be kept private: ${explainFileError(error)}`, { cause: error });
	}
}

function checkFolder(folder: string): void {
	const { mode } = statSync(folder);
	// Windows reports modes that mean nothing there.
	if (process.geteuid === undefined || (mode & 0o1002) !== 0o002) return;
	throw new StorageError(`every user can replace files in the folder ${folder} (mode ${octal(mode)})`, {
		hint: `run: chmod o-w ${folder}`,
	});
}

/** An empty file of mode 0600 from its first moment; another process may have been faster. */
function create(path: string): void {
	try {
		closeSync(openSync(path, "wx", 0o600));
	} catch (error) {
		if ((error as { code?: unknown }).code !== "EEXIST") throw error;
	}
}

function tighten(file: string, notice: (text: string) => void): void {
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (found === undefined) return;
	checkKindAndOwner(file, found);
	if (process.geteuid === undefined || isTight(found)) return;
	// Tightening it now would not undo what others have written already.
	if ((found.mode & 0o002) !== 0) {
		throw new StorageError(`every user can write ${file} (mode ${octal(found.mode)})`, {
			hint: `if you trust what is in it: chmod 600 ${file}; if not, restore it from a backup`,
		});
	}
	const refusal = restrict(file, found.mode & 0o600);
	const after = lstatSync(file, { throwIfNoEntry: false });
	if (after === undefined) return;
	if (isTight(after)) {
		notice(
			`${file} was open to other users (mode ${octal(found.mode)}); orgsync changed its mode to ${octal(after.mode)}`,
		);
	} else {
		notice(`warning: other users may read or write ${file} (mode ${octal(after.mode)}), and ${refusal}`);
	}
}

/** Throws StorageError for a symbolic or a hard link, for anything that is no regular file, and for a file of another user. */
export function refuseForeignFile(file: string): void {
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (found !== undefined) checkKindAndOwner(file, found);
}

function checkKindAndOwner(file: string, found: Stats): void {
	if (!found.isFile()) {
		const kind = found.isSymbolicLink() ? "a symbolic link" : "not a regular file";
		throw new StorageError(`${file} is ${kind}`, { hint: "give the path of the file itself" });
	}
	if (found.nlink > 1) {
		// SQLite finds what it keeps beside a file by the file's name (sqlite.org, "How To Corrupt An SQLite Database File").
		throw new StorageError(`${file} has ${found.nlink} hard links, and orgsync's own files may have one name only`, {
			hint: "remove the other names, or give the path of a copy",
		});
	}
	const user = process.geteuid?.() ?? found.uid;
	if (found.uid !== user) {
		throw new StorageError(`${file} belongs to another user (uid ${found.uid}; orgsync runs as uid ${user})`, {
			hint: "run orgsync as that user, or give another path",
		});
	}
}

/** Sets the mode, and returns why it did not hold, should it turn out that it does not. */
function restrict(file: string, mode: number): string {
	try {
		chmodSync(file, mode);
		return "the file system ignores changes of its mode";
	} catch (error) {
		return `its mode cannot be changed: ${explainFileError(error)}`;
	}
}

function isTight({ mode }: Stats): boolean {
	return (mode & 0o077) === 0;
}

function octal(mode: number): string {
	return (mode & 0o7777).toString(8).padStart(4, "0");
}
