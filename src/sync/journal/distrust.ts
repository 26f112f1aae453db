/** What the readers of the journal's tables share: something else than orgsync can have written a row. */

import { StorageError } from "../../common/errors.ts";
import { clipMiddle } from "../../common/escape.ts";
import { flag, say } from "../../common/said.ts";

export const changedHint = say`something else than orgsync changed the file: restore it from a backup, or name another with ${flag("journal")}`;

/** Max characters of a name that a message repeats: more than any that orgsync writes. */
const maxNameLength = 200;

/** Returns a name of the journal for a message. */
export function shownName(name: string): string {
	return clipMiddle(name, maxNameLength);
}

/** Throws StorageError for a row that orgsync did not write, with what is wrong. */
export function refuseRow(mistake: string): never {
	throw new StorageError(`${mistake}; nothing was submitted because of it`, { hint: changedHint });
}

/** Whether a number of milliseconds since 1970 is a time that can be shown. */
export function isTime(ms: number): boolean {
	return !Number.isNaN(new Date(ms).getTime());
}
