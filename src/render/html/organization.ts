import { type NamedOrganization, nameOfOrganization, showOrganizationName } from "../result/organization-name.ts";
import { type Html, html } from "./html.ts";

/** Returns the name, if there is one, and the id. */
export function organizationHtml(organization: NamedOrganization): Html {
	const id = html`<code>${organization.organizationId}</code>`;
	const name = nameOfOrganization(organization);
	return name === undefined ? id : html`${showOrganizationName(name)} ${id}`;
}
