/** Keeps values outside the heap: small ones in a buffer, more in a temporary file without a name, which ends with the process. */
import { randomBytes } from "node:crypto";
import { openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { explainFileError, StorageError } from "../../common/errors.ts";
import type { ValueStore } from "../../document/read/fleet.ts";
import { collectGarbage } from "./collect-garbage.ts";

/** Max bytes in memory before a file takes them. One organization needs no file. */
const maxHeldBytes = 1024 * 1024;

/** Returns an empty store. Without temporary files, as on a read-only file system, it keeps values in memory. */
export function openSpool(folder: string = tmpdir()): ValueStore {
	/** Stays in the heap: most runs have no other, and need no module of Node for it. */
	let first: unknown;
	const ends: number[] = [];
	let held: Buffer[] = [];
	let heldBytes = 0;
	/** Bytes in the file, which `held` continues. */
	let written = 0;
	/** Undefined before the first, null where none can be made. */
	let file: number | null | undefined;
	/** Whether the file takes no more: what it has stays there, and the rest stays in memory. */
	let isFull = false;
	const flush = (): void => {
		if (file === undefined) file = openNameless(folder);
		const bytes = Buffer.concat(held);
		isFull = file === null || !writeWhole(file, bytes, written);
		if (isFull) return;
		written += bytes.length;
		held = [];
		heldBytes = 0;
	};
	return {
		put: (value) => {
			if (ends.length === 0) {
				first = value;
				return ends.push(0) - 1;
			}
			const bytes = serialize(value);
			held.push(bytes);
			heldBytes += bytes.length;
			ends.push((ends.at(-1) ?? 0) + bytes.length);
			if (heldBytes > maxHeldBytes && !isFull) flush();
			collectGarbage();
			return ends.length - 1;
		},
		get: (place) => {
			if (place === 0) return first;
			const begin = ends[place - 1] ?? 0;
			const end = ends[place] ?? 0;
			if (begin < written && typeof file === "number") return deserialize(readWhole(file, begin, end - begin));
			if (held.length > 1) held = [Buffer.concat(held)];
			return deserialize((held[0] as Buffer).subarray(begin - written, end - written));
		},
	};
}

/** Returns the descriptor of a new file that only this process has; null where none can be made. */
function openNameless(folder: string): number | null {
	const path = join(folder, `orgsync-${randomBytes(16).toString("hex")}`);
	try {
		const file = openSync(path, "wx+", 0o600);
		unlinkSync(path);
		return file;
	} catch {
		return null;
	}
}

function writeWhole(file: number, bytes: Buffer, position: number): boolean {
	try {
		for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
		return true;
	} catch {
		return false;
	}
}

function readWhole(file: number, position: number, length: number): Buffer {
	const bytes = Buffer.allocUnsafe(length);
	try {
		for (let at = 0; at < length; ) {
			const count = readSync(file, bytes, at, length - at, position + at);
			if (count === 0) throw new Error("it is shorter than what was written");
			at += count;
		}
		return bytes;
	} catch (error) {
		throw new StorageError(`a temporary file cannot be read: ${explainFileError(error)}`, { cause: error });
	}
}
