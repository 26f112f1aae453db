/** What the readers of the journal's tables share: something else than orgsync can have written a row. */

import { flag, say } from "../../common/said.ts";

export const changedHint = say`something else than orgsync changed the file: restore it from a backup, or name another with ${flag("journal")}`;

/** Max characters of a name that a message repeats: more than any that orgsync writes. */
export const maxNameLength = 200;

/** Whether a number of milliseconds since 1970 is a time that can be shown. */
export function isTime(ms: number): boolean {
	return !Number.isNaN(new Date(ms).getTime());
}
