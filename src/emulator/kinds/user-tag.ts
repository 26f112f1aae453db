/** User tags with their members. */
import { duplicateTagNameMessage, organizationLimits, userInBothListsMessage } from "../assumptions.ts";
import { laterTime } from "../identifiers.ts";
import { badRequest } from "../request-error.ts";
import type { OperationContext, Organization } from "../state.ts";
import {
	completeRow,
	type EntityKind,
	findEntity,
	idIn,
	idsIn,
	type JsonObject,
	listSection,
	putEntity,
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
	submits: { update_user_tag: { check: checkUpdate, execute: executeUpdate } },
};

function newNameIn(parameters: JsonObject): string | undefined {
	const name = parameters.newUserTagName;
	return typeof name === "string" ? name : undefined;
}

function checkUpdate(organization: Organization, parameters: JsonObject): void {
	const tags = organization.entities(userTags);
	const tag = findEntity(tags, idIn(parameters, "userTagId"), "user tag");
	const added = new Set(idsIn(parameters, "addUserIds"));
	const removed = idsIn(parameters, "removeUserIds");
	for (const userId of [...added, ...removed]) findEntity(organization.entities(users), userId, "user");
	if (removed.some((userId) => added.has(userId))) throw badRequest(userInBothListsMessage);
	const name = newNameIn(parameters);
	if (name === undefined || name === tag.tagName) return;
	if ([...tags.values()].some((other) => other.tagName === name)) throw badRequest(duplicateTagNameMessage);
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
