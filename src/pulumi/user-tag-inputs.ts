/**
 * Inputs and outputs of a user tag resource, the document of one tag that they stand for, and the live tag that it is about.
 */

import type { DesiredOrganization, LastAppliedTag, LiveUserTag } from "../plan/organization.ts";
import { tagsOf } from "../plan/organization.ts";
import { type Members, observeMembers, withoutUndefined, writeMembers } from "./inputs.ts";
import {
	mustRead,
	type ReadResult,
	type ResourceDefinition,
	type ResourceInputs,
	type ResourceOutputs,
	storedStateOf,
} from "./resource.ts";
import type { Session } from "./session.ts";
import { nothingStored } from "./stored-state.ts";
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

export const claimAdvice = "manage each tag with one resource";

/** The live tag as an object that one resource may manage, and how a message about it begins. */
export function claimOf(tagId: string): { readonly object: string; readonly subject: string } {
	return { object: `userTag/${tagId}`, subject: `the user tag ${tagId} is managed` };
}

/** The earlier names without the tag's own. */
function earlierNames({ name, previously = [] }: Partial<TagInputs>): readonly string[] {
	return previously.filter((earlier) => earlier !== name);
}

/** The desired state of a tag. Throws ResourceFailure if the inputs cannot be read. */
export function readTagInputs(inputs: Partial<TagInputs>): DesiredOrganization {
	return mustRead(tagDocument, inputs);
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

/** The state of a managed tag as live state shows it; without an id when the tag is gone. */
export async function readManagedTag(id: string, props: TagOutputs, session: Session): Promise<ReadResult> {
	// Its name may have changed, so only the id finds it.
	const { organizationId, resource, tagId } = props;
	const managed = props.managed ?? props.members;
	const desired = readTagInputs({ organizationId, name: tagId, tagId, ...withoutUndefined({ members: managed }) });
	const live = await session.read({ resource, desired, stored: storedStateOf(tagDocument, props, session) });
	const tag = live.userTags.known ? live.userTags.value.find((one) => one.id === tagId) : undefined;
	if (live.userTags.known && tag === undefined) return {};
	const known = live.lastApplied.userTags[tagId];
	const visible = tag?.members.known === true ? tag.members.value : undefined;
	const members = visible === undefined ? assumeMembers(props, tag, known) : observeMembers(managed, visible);
	// The time of the last change matters only where last-applied state replaces live members.
	const isLearned = visible === undefined && known?.updatedAt === "" && tag !== undefined;
	const lastApplied = isLearned ? { ...known, updatedAt: tag.updatedAt } : props.lastApplied;
	const seen = { ...props, name: tag?.name ?? props.name, members, lastApplied };
	const { lastApplied: _applied, activities: _activities, managed: _managed, ...inputs } = seen;
	return { id, props: withoutUndefined(seen), inputs: withoutUndefined({ ...inputs, tagId }) };
}

/**
 * The members where the service does not show them: as last applied, or undefined if the tag was changed since then.
 */
function assumeMembers(
	props: TagOutputs,
	tag: LiveUserTag | undefined,
	lastApplied: LastAppliedTag | undefined,
): Members | undefined {
	const times = [lastApplied?.updatedAt, tag?.updatedAt];
	const changedSince = times.every((time) => time !== undefined && time !== "") && times[0] !== times[1];
	return changedSince ? undefined : props.members;
}
