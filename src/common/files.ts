/**
 * Reads files whose name or content others can choose, such as a pull request or another user of the machine.
 *
 * Only regular files are read, never more bytes than allowed, and no read can block. The check is on the open file, not on its
 * name, so nothing can change in between.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";

/** A file that was read, and what the system says about it. */
interface FileContent {
	/** At most one byte more than allowed, so that the caller recognizes a file that is too large. */
	readonly bytes: Buffer;
	readonly stats: Stats;
}

/** Windows has neither flag, and no FIFOs in its file systems. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;

/** A pipe that the shell opened for the command: `-f <(make-documents)`. */
const descriptor = /^\/dev\/(?:fd\/\d+|stdin)$/;

/**
 * Returns the first bytes of a regular file, following links: up to `maxBytes`, and one more if the file is larger. A pipe that
 * the shell opened and named `/dev/fd/N` is read like standard input. Throws what the file system throws, and an Error with
 * the reason for anything else, such as a FIFO or a device.
 */
export function readRegularFile(path: string, maxBytes: number): FileContent {
	const isOpened = descriptor.test(path);
	// Opening a device can have effects of its own, so an obvious one is not even opened.
	if (!isOpened) refuseIrregular(statSync(path), isOpened);
	const file = openSync(path, isOpened ? O_RDONLY : O_RDONLY | O_NONBLOCK | O_NOCTTY);
	try {
		const stats = fstatSync(file);
		refuseIrregular(stats, isOpened);
		return { bytes: readUpTo(file, maxBytes + 1), stats };
	} finally {
		closeSync(file);
	}
}

function refuseIrregular(stats: Stats, isOpened: boolean): void {
	if (stats.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
	if (!stats.isFile() && !(isOpened && stats.isFIFO())) throw new Error("it is not a regular file");
}

/** Bytes of one read. The size that the system reports is not trusted: it is 0 for some files without end. */
const chunkBytes = 64 * 1024;

/** Takes each read before its bytes are copied: a buffer of this size for each small file would fill the memory with garbage. */
let chunk: Buffer | undefined;

function readUpTo(file: number, limit: number): Buffer {
	chunk ??= Buffer.allocUnsafeSlow(chunkBytes);
	const read: Buffer[] = [];
	let size = 0;
	while (size < limit) {
		const count = readSync(file, chunk, 0, Math.min(chunkBytes, limit - size), null);
		if (count === 0) break;
		read.push(Buffer.from(chunk.subarray(0, count)));
		size += count;
	}
	// It may be a key file.
	chunk.fill(0);
	return read.length === 1 ? (read[0] as Buffer) : Buffer.concat(read);
}

/** Returns the real path, links followed, as the file system spells it. Throws what the file system throws. */
export function realPathOf(path: string): string {
	// The other end of a pipe has no path that could be opened.
	return descriptor.test(path) ? path : realpathSync.native(path);
}

/** Reads a regular file within a folder, links followed. Throws an Error if it is elsewhere: a pull request can write its name. */
export function readFileWithin(folder: string, path: string, maxBytes: number): Buffer {
	const real = realPathOf(path);
	if (!isInside(real, realPathOf(folder))) throw new Error("it is outside the folder of the documents; move it there");
	return readRegularFile(real, maxBytes).bytes;
}

/** Whether a path names a pipe that the shell opened, which is in no folder. */
export function isDescriptor(path: string): boolean {
	return descriptor.test(path);
}

/** Whether a file is a link that points outside its folder. Throws what the file system throws. */
export function leadsOutside(path: string): boolean {
	return !descriptor.test(path) && !isInside(realPathOf(path), realPathOf(dirname(path)));
}

/** Whether a real path is the folder or inside it; both with links followed. */
export function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns what identifies a file by any of its names; undefined where there is none. */
function identify(path: string): string | undefined {
	const found = statSync(path, { throwIfNoEntry: false, bigint: true });
	return found && `${found.dev} ${found.ino}`;
}

/** Whether both paths lead to one file. A file that does not exist has only one name. */
export function isSameFile(left: string, right: string): boolean {
	const found = identify(left);
	return left === right || (found !== undefined && found === identify(right));
}

/** Returns a function that returns whether the file was removed or replaced since. */
export function watchFile(path: string): () => boolean {
	const before = identify(path);
	return () => identify(path) !== before;
}
