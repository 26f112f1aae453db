/** Organizations as every format and error shows them: by the name, if there is one, and always by the whole id. */
import { showNameWithin, showText } from "../escape.ts";

export interface NamedOrganization {
	readonly organizationId: string;
	/** The name that the document gives it; left out where it gives none. */
	readonly organizationName?: string;
}

/** Max characters of a name as shown, escapes included. */
const maxLength = 60;

/** What could be taken for an id, also for a part of one. */
const looksLikeId = /[0-9a-f]{8}-[0-9a-f]{4}/i;

/** Returns the name, escaped; in quotes where it could be taken for an id. */
export function showOrganizationName(name: string): string {
	const shown = showNameWithin(name, maxLength);
	return looksLikeId.test(shown) && !shown.startsWith('"') ? `"${shown}"` : shown;
}

/** Returns `NAME (ID)`, or the id alone. */
export function showOrganization({ organizationId, organizationName }: NamedOrganization): string {
	const id = showText(organizationId);
	return organizationName === undefined ? id : `${showOrganizationName(organizationName)} (${id})`;
}

/** Returns the organization of a document, with its name if it has one. */
export function namedIn({ organizationId, name }: { readonly organizationId: string; readonly name?: string }) {
	return { organizationId, ...(name === undefined ? {} : { organizationName: name }) };
}
