/** Names of organizations in results. */
import type { NamedOrganization } from "../plan/organization-name.ts";

export { type NamedOrganization, showOrganization, showOrganizationName } from "../plan/organization-name.ts";

/** Returns the member of a result for the name of the document; nothing where there is none. */
export function nameMember(desired: { readonly name?: string } | undefined): { readonly organizationName?: string } {
	return desired?.name === undefined ? {} : { organizationName: desired.name };
}

/** Returns the id and the name of an organization alone. */
export function namedAs({ organizationId, organizationName }: NamedOrganization): NamedOrganization {
	return { organizationId, ...(organizationName === undefined ? {} : { organizationName }) };
}
