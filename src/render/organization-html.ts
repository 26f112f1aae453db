import { type Html, html } from "./html-text.ts";
import { type NamedOrganization, showOrganizationName } from "./organization-name.ts";

/** Returns the name, if there is one, and the id. */
export function organizationHtml({ organizationId, organizationName }: NamedOrganization): Html {
	const id = html`<code>${organizationId}</code>`;
	return organizationName === undefined ? id : html`${showOrganizationName(organizationName)} ${id}`;
}
