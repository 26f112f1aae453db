/**
 * Writes files in a folder whose content a pull request can choose.
 *
 * Nothing is written through a symbolic link. Most tools follow links, because only their user can make one. In a checkout, a
 * pull request can: a link `plan.json` would choose which file of the machine is overwritten, and it looks like a link that
 * the operator made. Only devices in `/dev` are followed, where only root can make links.
 */

import { randomBytes } from "node:crypto";
import {
	accessSync,
	appendFileSync,
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	ftruncateSync,
	lstatSync,
	openSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ConfigurationError, explainFileError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { isInside } from "../../common/files.ts";

interface WriteOptions {
	/** The working folder: a path in it has no link in it. */
	readonly directory: string;
	/** A secret goes to a regular file that only its owner can read (mode 0600). */
	readonly isSecret?: boolean;
}

/** Errors of replacing a file that may still be writable in place, for example because it alone is mounted. */
const onlyInPlace = ["EACCES", "EPERM", "EBUSY", "EXDEV", "EROFS"];

const { O_WRONLY, O_APPEND, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;

/** Returns what `write` returns. Throws ConfigurationError with `failure` and the reason if it throws. */
export function writeOrRefuse<T>(failure: string, write: () => T): T {
	try {
		return write();
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		throw new ConfigurationError(`${failure}: ${explainFileError(error)}`, { cause: error });
	}
}

/** Throws the reason when the file cannot be written. */
export function checkWritable(path: string, options: WriteOptions): void {
	const found = findTarget(path, options);
	accessSync(found === undefined ? dirname(path) : path, constants.W_OK);
}

/** Replaces the file as a whole, even if the disk is full or the process is killed. Throws for one that must not be written. */
export function replaceFile(path: string, text: string, options: WriteOptions): void {
	const found = findTarget(path, options);
	// A device or a pipe is written to, not replaced.
	if (isDevice(path) || found?.isFile() === false) {
		writeInto(path, text, options);
		return;
	}
	const mode = options.isSecret === true ? 0o600 : found?.mode;
	let part: string | undefined;
	try {
		part = writeTemporaryFile(dirname(path), text, mode);
		renameSync(part, path);
	} catch (error) {
		if (part !== undefined) rmSync(part, { force: true });
		if (found === undefined || !onlyInPlace.includes(String((error as { code?: unknown }).code))) throw error;
		writeInto(path, text, options);
	}
}

/** Writes the text into the file in place, or into a new one. Throws as replaceFile does. */
export function writeFile(path: string, text: string, options: WriteOptions): void {
	findTarget(path, options);
	writeInto(path, text, options);
}

/** Appends the text to a regular file, which is made when it is missing, or to a device. Throws as replaceFile does. */
export function appendToFile(path: string, text: string): void {
	if (isDevice(path)) {
		appendFileSync(path, text);
		return;
	}
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found?.isSymbolicLink() === true) throw new Error("it is a symbolic link");
	if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: "EISDIR" });
	if (found?.isFile() === false) throw new Error("it is not a regular file");
	const file = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666);
	try {
		writeFileSync(file, text);
	} finally {
		closeSync(file);
	}
}

/** Writes the text into a new file of this name. Throws ConfigurationError where replaceFile throws, and when the file exists. */
export function writeNewFile(name: string, text: string, options: WriteOptions): void {
	const path = resolve(options.directory, name);
	writeOrRefuse(`${showText(name)} cannot be written`, () => {
		findTarget(path, options);
		writeFileSync(path, text, { flag: "wx" });
	});
}

/** Returns the path of a new file with this text, under a random name. `mode` is that of the file that it will replace. */
export function writeTemporaryFile(folder: string, text: string | Uint8Array, mode: number | undefined): string {
	const part = join(folder, `.orgsync-${randomBytes(12).toString("hex")}.part`);
	writeNewTemporaryFile(part, text, mode);
	return part;
}

/** Writes the text into a new file of this name, with the mode of the file that it will replace. Throws if the name is taken. */
export function writeNewTemporaryFile(part: string, text: string | Uint8Array, mode: number | undefined): void {
	const file = openSync(part, "wx", mode === undefined ? 0o666 : 0o600);
	try {
		writeFileSync(file, text);
		if (mode !== undefined) fchmodSync(file, mode & 0o7777);
	} catch (error) {
		rmSync(part, { force: true });
		throw error;
	} finally {
		closeSync(file);
	}
}

/** Returns what is at the path, or undefined. Throws the reason when it must not be written. */
function findTarget(path: string, { directory, isSecret }: WriteOptions): Stats | undefined {
	if (isDevice(path)) return undefined;
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found?.isSymbolicLink() === true) throw new Error("it is a symbolic link; name the target file instead");
	if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: "EISDIR" });
	if (isSecret === true && found?.isFile() === false) throw new Error("it is not a regular file");
	if (isInside(path, directory) && !isSamePath(realpathSync(dirname(path)), withoutLinks(dirname(path), directory))) {
		throw new Error("a folder in its path is a symbolic link");
	}
	return found;
}

/** Whether the paths are the same as the system compares them: Windows ignores the case. */
function isSamePath(left: string, right: string): boolean {
	return relative(left, right) === "";
}

/** Returns the real path that a folder has if nothing below the working folder is a link. */
function withoutLinks(folder: string, directory: string): string {
	return join(realpathSync(directory), relative(directory, folder));
}

/** Whether it is a device such as `/dev/stdout`, a link of the system. Not `/dev/shm/…`, where everyone can make links. */
function isDevice(path: string): boolean {
	return /^\/dev\/(?:[^/]+|fd\/\d+)$/.test(path);
}

function writeInto(path: string, text: string, { isSecret }: WriteOptions): void {
	if (isDevice(path)) {
		writeFileSync(path, text);
		return;
	}
	const file = openSync(
		path,
		O_WRONLY | O_CREAT | O_NOFOLLOW | (isSecret === true ? 0 : O_TRUNC),
		isSecret ? 0o600 : 0o666,
	);
	try {
		if (isSecret === true) makeOwn(file);
		writeFileSync(file, text);
	} finally {
		closeSync(file);
	}
}

/** Empties a file and makes it readable by its owner only. Throws when another user could still read it. */
function makeOwn(file: number): void {
	const { uid, nlink } = fstatSync(file);
	const isOwn = process.geteuid === undefined || uid === process.geteuid();
	if (!isOwn || nlink > 1)
		throw new Error("another user can read it: it belongs to another user, or has a second name");
	fchmodSync(file, 0o600);
	ftruncateSync(file);
}
