/**
 * Inputs and outputs of a user tag resource, and the document of one tag that they stand for.
 */

import type { DesiredOrganization, LastAppliedTag, LiveUserTag } from "../plan/organization.ts";
import { tagsOf } from "../plan/organization.ts";
import { type Members, withoutUndefined, writeMembers } from "./inputs.ts";
import {
	mustRead,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "./resource.ts";
import type { Session } from "./session.ts";
import { nothingStored, type StoredState } from "./stored-state.ts";
import { readLastAppliedTag } from "./stored-state-check.ts";

export interface TagInputs extends ResourceInputs {
	readonly name: string;
	readonly tagId?: string;
	readonly previously?: readonly string[];
	readonly members?: Members;
	readonly onDestroy?: "keep" | "removeMembers";
}

export interface TagOutputs extends TagInputs, ResourceOutputs {
	readonly tagId: string;
	/** The members as the program wrote them; `members` is the part of them that is in sync. */
	readonly managed?: Members;
	/** What orgsync last applied, as its journal has it. */
	readonly lastApplied?: LastAppliedTag;
}

/** How the inputs are checked, written as a document, and stored. */
export const tagDocument: Pick<
	ResourceDefinition<TagInputs, TagOutputs>,
	"operation" | "schema" | "places" | "toDocument" | "fromDocument" | "readApplied"
> = {
	operation: "update_user_tag",
	schema: {
		required: ["name"],
		fields: {
			name: "text",
			organizationId: "id",
			tagId: "id",
			previously: { listOf: "text" },
			members: { fields: { exactly: { listOf: "id" }, atLeast: { listOf: "id" }, never: { listOf: "id" } } },
			limits: { fields: { memberRemovals: "any" } },
			onDestroy: { oneOf: ["keep", "removeMembers"] },
		},
	},
	places: [
		["userTags[0].id", "tagId"],
		["userTags[0].previously", "previously"],
		["userTags[0].members", "members"],
		["userTags[0].name", "name"],
		["userTags[0]", "name"],
		["limits", "limits"],
		["organizationId", "organizationId"],
	],
	toDocument(inputs, olds) {
		const { organizationId, name, tagId, members, limits } = inputs;
		// Once the tag is found it needs no earlier names, and `ignoreChanges` may set its own name as one of them.
		const isFound = tagId !== undefined && tagId === olds?.tagId;
		const previously = isFound ? earlierNames(inputs) : inputs.previously;
		return {
			organizationId,
			userTags: [withoutUndefined({ name, id: tagId, previously, members })],
			...withoutUndefined({ limits }),
		};
	},
	fromDocument(desired, { onDestroy }) {
		const [tag] = tagsOf(desired);
		return withoutUndefined({
			organizationId: desired.organizationId,
			name: tag?.name ?? "",
			tagId: tag?.id,
			previously: tag?.previously.length === 0 ? undefined : tag?.previously,
			members: writeMembers(tag?.members),
			onDestroy,
		});
	},
	readApplied({ tagId, lastApplied }, context) {
		const tag = readLastAppliedTag(lastApplied, context);
		return tag === undefined ? [] : [{ kind: "userTag", id: tagId, value: tag }];
	},
};

/** The earlier names without the tag's own. */
export function earlierNames({ name, previously = [] }: Partial<TagInputs>): readonly string[] {
	return previously.filter((earlier) => earlier !== name);
}

/** The desired state of a tag. Throws ResourceFailure if the inputs cannot be read. */
export function readTagInputs(inputs: Partial<TagInputs>): DesiredOrganization {
	return mustRead(tagDocument, inputs);
}

/** What the state of a tag stores. Throws StorageError if it cannot be used. */
export function tagStoredState(olds: TagOutputs, session: Session): StoredState {
	return storedStateOf(tagDocument, olds, session);
}

/** The live tag that a desired state of one tag is about: by id if it has one, else by name or an earlier name. */
export async function findTag(
	resource: string,
	desired: DesiredOrganization,
	session: Session,
): Promise<LiveUserTag | undefined> {
	const live = await session.read({ resource, desired, stored: nothingStored });
	const tag = tagsOf(desired)[0];
	if (!live.userTags.known || tag === undefined) return undefined;
	const tags = live.userTags.value;
	if (tag.id !== undefined) return tags.find(({ id }) => id === tag.id);
	return tags.find(({ name }) => name === tag.name) ?? tags.find(({ name }) => tag.previously.includes(name));
}
