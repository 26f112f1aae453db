/** Names of organizations in results. */
import { defined } from "../../common/defined.ts";
import { type NamedOrganization, showOrganizationName } from "../../plan/organization-name.ts";

export {
	type NamedOrganization,
	nameOfOrganization,
	showOrganization,
	showOrganizationName,
} from "../../plan/organization-name.ts";

/** Returns a line of text if the service calls the organization otherwise than the document; none if not. */
export function noteOtherName({ organizationName, liveOrganizationName }: NamedOrganization): readonly string[] {
	if (organizationName === undefined || liveOrganizationName === undefined) return [];
	return organizationName === liveOrganizationName
		? []
		: [`Name at the service: ${showOrganizationName(liveOrganizationName)}`];
}

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
