/** Names the objects that a pending activity changes, by the document and the journal: nothing is asked of the service for it. */

import { uuid } from "../../common/uuid.ts";
import { type AddressText, parseAddress, printAddress } from "../address.ts";
import { type DesiredOrganization, tagsOf } from "../organization.ts";
import { isStepOperation, targetOf } from "./requests.ts";

/** An activity or a request: parameters come from the service and may have any shape. */
export interface ActivityRequest {
	readonly operation: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** Names by id, in lower case. */
export interface ObjectNames {
	/** User id to the alias of the document. */
	readonly userNames: Readonly<Record<string, string>>;
	readonly tagNames: ReadonlyMap<string, string>;
}

/** What a journal knows of names: a request with the addresses that it was sent for, and the tags that were last applied. */
interface RecordedNames {
	readonly requests: readonly (ActivityRequest & { readonly covers: readonly string[] })[];
	readonly userTags: Readonly<Record<string, { readonly name: string }>>;
}

/** Returns the names of tags by id: the document's before those that the journal recorded last. */
export function tagNamesOf(
	desired: DesiredOrganization | undefined,
	{ requests, userTags }: RecordedNames,
): ReadonlyMap<string, string> {
	const applied = Object.entries(userTags).map(([id, { name }]) => [id, name] as const);
	const sent = requests.flatMap(({ operation, parameters, covers: [address = ""] }) => {
		const found = parseAddress(address);
		const id = parameters.userTagId;
		const isTag = operation === "update_user_tag" && found?.kind === "userTag" && typeof id === "string";
		return isTag ? [[id.toLowerCase(), found.label] as const] : [];
	});
	const named = desired === undefined ? [] : tagsOf(desired);
	const written = named.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name] as const]));
	return new Map([...applied, ...sent, ...written]);
}

/** Returns the addresses of the objects that it changes, by id where a name is not known; none for an import of a key. */
export function addressesOf(
	{ operation, parameters }: ActivityRequest,
	{ userNames, tagNames }: ObjectNames,
): readonly AddressText[] {
	if (!isStepOperation(operation)) return [];
	const { kind, userId, ids } = targetOf({ operation, parameters });
	const owner = userId === null ? "" : `${Object.hasOwn(userNames, userId) ? userNames[userId] : userId}/`;
	// What is created has no id yet, and is known by its name.
	if (operation.startsWith("create_")) return ids.map((name) => printAddress(kind, name));
	const named = ids.filter((id) => uuid.test(id));
	return named.map((id) => printAddress(kind, kind === "userTag" ? (tagNames.get(id) ?? id) : `${owner}${id}`));
}
