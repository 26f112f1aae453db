/** The version of a document's format. It is looked at before anything else: in a newer one, any key may mean something else. */
import type { Position } from "../../plan/organization.ts";
import type { Problems } from "../problems.ts";

/** The key of the version in a document. A document without it has version 1. */
export const formatVersionKey = "formatVersion";

/** The version that this orgsync reads, as in schemas/document.json. */
const formatVersion = 1;

/** Whether the document with this value of the key has a newer format. Then this is its only problem. */
export function isNewerFormat(version: unknown, at: Position, problems: Problems): boolean {
	if (typeof version !== "number" || version <= formatVersion) return false;
	const message = `the document needs a newer orgsync: it has ${formatVersionKey} ${version}, and this one reads ${formatVersion}; upgrade orgsync`;
	problems.add(at, formatVersionKey, "newer-format", message);
	return true;
}
