/** Organizations as every format and error shows them: by the name, if there is one, and always by the whole id. */
import { defined } from "../common/defined.ts";
import { showNameWithin, showText } from "../common/escape.ts";

export interface NamedOrganization {
	readonly organizationId: string;
	/** The name that the document gives it; left out where it gives none. */
	readonly organizationName?: string;
	/** The name that the service gives it; left out where it was not read, or there is none. */
	readonly liveOrganizationName?: string;
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

/** Returns the name to show: that of the document, which is reviewed, or else the live one. */
export function nameOfOrganization({ organizationName, liveOrganizationName }: NamedOrganization): string | undefined {
	return organizationName ?? liveOrganizationName;
}

/** Returns `NAME (ID)`, or the id alone. */
export function showOrganization(organization: NamedOrganization): string {
	const id = showText(organization.organizationId);
	const name = nameOfOrganization(organization);
	return name === undefined ? id : `${showOrganizationName(name)} (${id})`;
}

/** Returns the organization of a document, with its name if it has one. */
export function namedIn({ organizationId, name }: { readonly organizationId: string; readonly name?: string }) {
	return { organizationId, ...defined({ organizationName: name }) };
}

/** Returns the id and the names alone, of whatever has them. */
export function namedAs({
	organizationId,
	organizationName,
	liveOrganizationName,
}: NamedOrganization): NamedOrganization {
	return { organizationId, ...defined({ organizationName, liveOrganizationName }) };
}
