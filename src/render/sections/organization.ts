/** An organization above its sections: which it is, and what else to know of it. */

import { type NamedOrganization, nameOfOrganization, showOrganizationName } from "../../plan/organization-name.ts";
import { identifier, type Phrase, reason } from "../../say/phrase.ts";
import type { OrganizationResult } from "../result/organizations.ts";
import { sayBase } from "./base.ts";

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
	const isOther = organizationName !== undefined && live !== undefined && organizationName !== live;
	return [
		...(isOther ? [["Name at the service: ", reason(showOrganizationName(live))]] : []),
		...(threeWay === null ? [] : [sayBase(threeWay)]),
	];
}
