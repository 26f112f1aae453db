/** An organization above its sections: which it is, and what else to know of it. */

import { showName } from "../../common/escape.ts";
import { type NamedOrganization, nameOfOrganization, showOrganizationName } from "../../plan/organization-name.ts";
import { identifier, type Phrase, reason } from "../../say/phrase.ts";
import type { OrganizationResult } from "../result/organizations.ts";

/** Returns the organization by its name, if it has one, and always by its id. */
export function sayOrganization(one: NamedOrganization): Phrase {
	const [id, name] = [identifier(one.organizationId), nameOfOrganization(one)];
	return name === undefined ? [id] : [reason(showOrganizationName(name)), " (", id, ")"];
}

/** Returns the name at the service, where the document has another, and the base that the plan is compared with. */
export function sayNotes(
	{ organizationName, liveOrganizationName: live }: NamedOrganization,
	threeWay: OrganizationResult["threeWay"] = null,
): readonly Phrase[] {
	const base = threeWay?.base;
	const isNew = base?.documentDigest === null;
	const isOther = organizationName !== undefined && live !== undefined && organizationName !== live;
	return [
		...(isOther ? [["Name at the service: ", reason(showOrganizationName(live))]] : []),
		...(base === undefined
			? []
			: [["Base: ", identifier(showName(base.name)), isNew ? ", which does not have this organization" : ""]]),
	];
}
