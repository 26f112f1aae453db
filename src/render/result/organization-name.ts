/** Names of organizations in results. */
import { defined } from "../../common/defined.ts";
import type { NamedOrganization } from "../../plan/organization-name.ts";

export {
	type NamedOrganization,
	nameOfOrganization,
	showOrganization,
	showOrganizationName,
} from "../../plan/organization-name.ts";

/** Returns the member of a result for the name of the document; nothing where there is none. */
export function nameMember(desired: { readonly name?: string } | undefined): { readonly organizationName?: string } {
	return desired?.name === undefined ? {} : { organizationName: desired.name };
}

export function namedAs({
	organizationId,
	organizationName,
	liveOrganizationName,
}: NamedOrganization): NamedOrganization {
	return {
		organizationId,
		...defined({ organizationName, liveOrganizationName }),
	};
}
