/**
 * Files that a command writes, in a folder whose content a pull request may have chosen.
 *
 * The rule it keeps: nothing is written through a symbolic link. Most tools follow one, because they write where their user
 * works alone. A checkout is different: a link called `plan.json` in it would decide which file of the machine is replaced,
 * and nothing tells it from a link that the operator made. Only devices in `/dev` are followed, where no one else can put
 * links.
 */
import { randomBytes } from "node:crypto";
import {
	accessSync,
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
import { dirname, join, relative } from "node:path";
import { isInside } from "../files.ts";

export interface WriteOptions {
	/** The working folder: a path in it has no link in it. */
	readonly directory: string;
	/** A secret goes to a regular file that nobody else can read (mode 0600). */
	readonly isSecret?: boolean;
}

/** Why a file may not be replaced although it can be written, for example where it alone is mounted. */
const onlyInPlace = ["EACCES", "EPERM", "EBUSY", "EXDEV", "EROFS"];

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants;

/** Nothing; throws the reason why the file could not be written, before there is anything to write. */
export function checkWritable(path: string, options: WriteOptions): void {
	const found = findTarget(path, options);
	accessSync(found === undefined ? dirname(path) : path, constants.W_OK);
}

/**
 * Puts the text into the file: a reader finds the old content or the new, also when the disk is full or the process is ended
 * in between. Throws what the file system throws, and an Error for a file that must not be written.
 */
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
		part = writePart(dirname(path), text, mode);
		renameSync(part, path);
	} catch (error) {
		if (part !== undefined) rmSync(part, { force: true });
		if (found === undefined || !onlyInPlace.includes(String((error as { code?: unknown }).code))) throw error;
		writeInto(path, text, options);
	}
}

/** Puts the text into the file that is there, or a new one; throws as replaceFile does. */
export function writeFile(path: string, text: string, options: WriteOptions): void {
	findTarget(path, options);
	writeInto(path, text, options);
}

/** Puts the text into a new file; throws as replaceFile does, and when there is a file of that name. */
export function writeNewFile(path: string, text: string, options: WriteOptions): void {
	findTarget(path, options);
	writeFileSync(path, text, { flag: "wx" });
}

/**
 * The path of a new file in the folder with this text, to be renamed or removed. Nobody can foresee its name or have put
 * something in its place. `mode` is that of the file that it shall replace.
 */
export function writePart(folder: string, text: string | Uint8Array, mode: number | undefined): string {
	const part = join(folder, `.orgsync-${randomBytes(12).toString("hex")}.part`);
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
	return part;
}

/** The file as it is; undefined when it is not there. Throws the reason why it must not be written. */
function findTarget(path: string, { directory, isSecret }: WriteOptions): Stats | undefined {
	if (isDevice(path)) return undefined;
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found?.isSymbolicLink() === true) throw new Error("it is a symbolic link; name the file that it leads to");
	if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: "EISDIR" });
	if (isSecret === true && found?.isFile() === false) throw new Error("it is not a regular file");
	if (isInside(path, directory) && realpathSync(dirname(path)) !== withoutLinks(dirname(path), directory)) {
		throw new Error("there is a symbolic link in its path");
	}
	return found;
}

/** The path of a folder in the working folder, as it is where nothing below the working folder is a link. */
function withoutLinks(folder: string, directory: string): string {
	return join(realpathSync(directory), relative(directory, folder));
}

/** `/dev/stdout` and its like are links that the system made. Others can write to `/dev/shm`. */
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

/** Empties a file and keeps it for its owner alone; throws where somebody else could still read what is written to it. */
function makeOwn(file: number): void {
	const { uid, nlink } = fstatSync(file);
	const isOwn = process.geteuid === undefined || uid === process.geteuid();
	if (!isOwn || nlink > 1) throw new Error("somebody else can read it: it is another user's, or has a second name");
	fchmodSync(file, 0o600);
	ftruncateSync(file);
}
