/** User tags with their members. */
import { duplicateTagNameMessage, organizationLimits, userInBothListsMessage } from "../assumptions.ts";
import { laterTime, makeUuid, timeAt } from "../identifiers.ts";
import { badRequest } from "../request-error.ts";
import type { OperationContext, Organization } from "../state.ts";
import {
	checkLimit,
	completeRow,
	type EntityKind,
	findEntity,
	idIn,
	idsIn,
	type JsonObject,
	listSection,
	putEntity,
	removeEntity,
	type SeedRow,
	type Texts,
} from "./entity-kind.ts";
import { users } from "./user.ts";

/** docs/internals/service.md#user-tag, and who has the tag. */
export interface UserTag extends Texts<"tagId" | "tagName" | "tagType"> {
	readonly userIds: readonly string[];
}

/** A user tag of a seed; only its id and name are required. */
export type SeedUserTag = SeedRow<UserTag, "tagId" | "tagName">;

export const userTags: EntityKind<UserTag, SeedUserTag, readonly SeedUserTag[], "userTags"> = {
	section: "userTags",
	...listSection<UserTag, SeedUserTag>("tagId"),
	max: { count: organizationLimits.userTags, label: "user tags" },
	uniqueFields: { tagId: "this tag id", tagName: "this tag name" },
	checkRow({ userIds = [] }, at, collector) {
		userIds.forEach((userId, index) => {
			const path = [...at, "userIds", index];
			collector.unique([...at, "userIds"].join(), userId.toLowerCase(), path, "this member");
			if (collector.userIds.has(userId.toLowerCase())) return;
			collector.report(path, "unknown-user", "no user of the organization has this id");
		});
	},
	complete: (seed, now) => ({
		...completeRow<UserTag>(seed, now, "tagId", { tagType: "TAG_TYPE_USER" }),
		userIds: (seed.userIds ?? []).map((userId) => userId.toLowerCase()),
	}),
	queries: {
		// Without the members (docs/internals/service.md#user-tag).
		list_user_tags: ({ organization }) =>
			[...organization.entities(userTags).values()].map(({ tagId, tagName, tagType, createdAt, updatedAt }) => ({
				tagId,
				tagName,
				tagType,
				createdAt,
				updatedAt,
			})),
	},
	submits: {
		create_user_tag: { check: checkCreation, execute: executeCreation },
		update_user_tag: { check: checkUpdate, execute: executeUpdate },
		delete_user_tags: {
			check(organization, parameters) {
				const known = organization.entities(userTags);
				for (const tagId of idsIn(parameters, "userTagIds")) findEntity(known, tagId, "user tag");
			},
			// Policies that name the tags stay as they are.
			execute({ organization }, parameters) {
				const userTagIds = [...new Set(idsIn(parameters, "userTagIds"))];
				const known = organization.entities(userTags);
				const userIds = [...new Set(userTagIds.flatMap((id) => known.get(id)?.userIds ?? []))];
				return { changes: userTagIds.map((id) => removeEntity(userTags, id)), result: { userTagIds, userIds } };
			},
		},
	},
};

function newNameIn(parameters: JsonObject): string | undefined {
	const name = parameters.newUserTagName;
	return typeof name === "string" ? name : undefined;
}

/** Throws a RequestError when a tag has the name. */
function checkName(organization: Organization, name: unknown): void {
	const isTaken = [...organization.entities(userTags).values()].some(({ tagName }) => tagName === name);
	if (isTaken) throw badRequest(duplicateTagNameMessage);
}

function checkCreation(organization: Organization, parameters: JsonObject): void {
	checkName(organization, parameters.userTagName);
	for (const userId of idsIn(parameters, "userIds")) findEntity(organization.entities(users), userId, "user");
	const isSub = organization.parentOrganizationId !== undefined;
	const max = isSub ? organizationLimits.userTagsOfSubOrganization : organizationLimits.userTags;
	checkLimit(organization.entities(userTags).size + 1, max, "user tags");
}

function executeCreation({ nowMs }: OperationContext, parameters: JsonObject) {
	const userIds = [...new Set(idsIn(parameters, "userIds"))];
	const seed = { tagId: makeUuid(nowMs), tagName: String(parameters.userTagName), userIds };
	const changes = [putEntity(userTags, userTags.complete(seed, timeAt(nowMs)))];
	return { changes, result: { userTagId: seed.tagId, userIds } };
}

function checkUpdate(organization: Organization, parameters: JsonObject): void {
	const tag = findEntity(organization.entities(userTags), idIn(parameters, "userTagId"), "user tag");
	const added = new Set(idsIn(parameters, "addUserIds"));
	const removed = idsIn(parameters, "removeUserIds");
	for (const userId of [...added, ...removed]) findEntity(organization.entities(users), userId, "user");
	if (removed.some((userId) => added.has(userId))) throw badRequest(userInBothListsMessage);
	const name = newNameIn(parameters);
	if (name !== undefined && name !== tag.tagName) checkName(organization, name);
}

function executeUpdate({ organization, nowMs }: OperationContext, parameters: JsonObject) {
	const tag = findEntity(organization.entities(userTags), idIn(parameters, "userTagId"), "user tag");
	const members = new Set(tag.userIds);
	for (const userId of idsIn(parameters, "addUserIds")) members.add(userId);
	for (const userId of idsIn(parameters, "removeUserIds")) members.delete(userId);
	const tagName = newNameIn(parameters) ?? tag.tagName;
	const membersChanged = members.size !== tag.userIds.length || tag.userIds.some((userId) => !members.has(userId));
	const updatedAt = tagName !== tag.tagName || membersChanged ? laterTime(nowMs, tag.updatedAt) : tag.updatedAt;
	const changes = [putEntity(userTags, { ...tag, tagName, userIds: [...members], updatedAt })];
	return { changes, result: { userTagId: tag.tagId } };
}
