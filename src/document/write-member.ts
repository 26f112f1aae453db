/** Writes an entry of `exactly` or `atLeast`. */
import type { AccessWindow } from "../plan/organization.ts";
import { writeText } from "./write-yaml.ts";

/** Returns the entry on one line: the user alone, or with the window. Times are as a document may write them. */
export function writeMember(user: string, window: Pick<AccessWindow, "from" | "until" | "reason"> = {}): string {
	const { from, until, reason } = window;
	if (from === undefined && until === undefined) return writeText(user);
	const entries = [
		`user: ${writeText(user)}`,
		// A time needs no quotes: YAML 1.2 reads it as text.
		...(from === undefined ? [] : [`from: ${from}`]),
		...(until === undefined ? [] : [`until: ${until}`]),
		...(reason === undefined ? [] : [`reason: ${writeText(reason)}`]),
	];
	return `{ ${entries.join(", ")} }`;
}
