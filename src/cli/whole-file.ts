/**
 * A file that is replaced as a whole: whoever reads it finds the old content or the new, also when the disk is full or the
 * process is ended in between.
 */
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Why a file may not be replaced although it can be written, for example where it alone is mounted. */
const onlyInPlace = ["EACCES", "EPERM", "EBUSY", "EXDEV", "EROFS"];

/** Puts the text into the file, by way of another beside it where that can be; throws what the file system throws. */
export function replaceFile(path: string, text: string): void {
	const found = statSync(path, { throwIfNoEntry: false });
	const target = found === undefined ? path : realpathSync(path);
	// A device or a pipe is written to, not replaced.
	if (found !== undefined && !found.isFile()) {
		writeFileSync(target, text);
		return;
	}
	const part = `${target}.${process.pid}.part`;
	try {
		writeFileSync(part, text, found === undefined ? {} : { mode: found.mode });
		renameSync(part, target);
	} catch (error) {
		rmSync(part, { force: true });
		if (!onlyInPlace.includes(String((error as { code?: unknown }).code))) throw error;
		writeFileSync(target, text);
	}
}
