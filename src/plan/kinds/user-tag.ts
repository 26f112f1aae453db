/** User tags: they are created, changed and removed. */
import { closest, distance } from "fastest-levenshtein";
import type { Problem } from "../../common/errors.ts";
import { printAddress } from "../address.ts";
import type { Differences, TagChange, Unread } from "../change.ts";
import { missingMembers } from "../missing-users.ts";
import {
	type AbsentUserTag,
	absentTagsOf,
	type DesiredOrganization,
	type DesiredUserTag,
	type LiveOrganization,
	type LiveUserTag,
	tagsOf,
} from "../organization.ts";
import { standInFor } from "../stand-in.ts";
import { compareText } from "../value.ts";
import { bothWays, findObjects, findUnlisted, quote, takenNames } from "./found-objects.ts";
import type { RequestShape, UserTagKind } from "./kind.ts";
import { tagChangeOf } from "./tag-change.ts";
import { compareTag } from "./tag-members.ts";

export const userTag: UserTagKind = {
	name: "userTag",
	action: "update",
	words: ["user tag", "user tags"],
	differences: tagDifferences,
};

export const tagUpdate: RequestShape<"update_user_tag"> = {
	kind: "userTag",
	list: null,
	subject: "userTagId",
	narrow: (request) => request,
};

/** Nothing has an id before it is created: the object of this request is a name. */
export const tagCreation: RequestShape<"create_user_tag"> = {
	kind: "userTag",
	list: null,
	subject: null,
	objects: ({ userTagName }) => [String(userTagName)],
	narrow: (request) => request,
};

export const tagRemoval: RequestShape<"delete_user_tags"> = {
	kind: "userTag",
	list: "userTagIds",
	subject: null,
	narrow: ({ operation }, userTagIds) => ({ operation, parameters: { userTagIds } }),
};

/** The changes of user tags, and why some cannot be made: a tag that is not there, a name that is taken. */
function tagDifferences(desired: DesiredOrganization, live: LiveOrganization): Differences {
	const tags = tagsOf(desired);
	const absent = absentTagsOf(desired);
	const exceptions = desired.exactly?.userTags;
	if (tags.length + absent.length === 0 && exceptions === undefined) return { changes: [], problems: [], unread: [] };
	if (!live.userTags.known) {
		const because = live.userTags.because;
		return { changes: [], problems: [], unread: [{ scope: "kind", kind: "userTag", because, standsIn: "nothing" }] };
	}
	const liveTags = live.userTags.value;
	const { found, missing, problems } = findTags(tags, liveTags, (tag) =>
		tag.create === true && tag.id === undefined ? null : notThere(tag, userTagsOf(liveTags), live),
	);
	const changes: TagChange[] = [];
	const unread: Unread[] = [];
	for (const { live: tag, wanted } of found) {
		const { change, unknownMembers } = compareTag(wanted, tag, live);
		if (change !== null) changes.push(change);
		if (unknownMembers !== null) unread.push(unknownMembers);
	}
	changes.push(...missing.map((tag) => createTag(tag, desired)));
	const gone = findAbsent(absent, liveTags);
	changes.push(...gone.tags.map((tag) => removeTag(tag)));
	const goneIds = new Set(gone.tags.map(({ id }) => id));
	if (exceptions !== undefined) {
		const others = userTagsOf(liveTags).filter(({ id }) => !goneIds.has(id));
		changes.push(...findUnlisted(others, tags, exceptions).removed.map((tag) => removeTag(tag)));
	}
	const removed = new Set(changes.flatMap(({ action, tagId }) => (action === "remove" ? [tagId] : [])));
	const taken = takenNames(found, liveTags, removed);
	const both = bothWays(found, ({ id }) => goneIds.has(id));
	return {
		changes,
		problems: [...problems, ...gone.problems, ...both, ...taken, ...missingMembers(desired, live)],
		unread,
	};
}

function createTag({ name, members }: DesiredUserTag, { organizationId }: DesiredOrganization): TagChange {
	const userIds = members === undefined ? [] : members.mode === "exactly" ? members.exactly : members.atLeast;
	const tagId = standInFor(organizationId, "userTag", name);
	return tagChangeOf("create", { tagId, name, members: [], addUserIds: userIds });
}

function removeTag({ id, name, members }: LiveUserTag): TagChange {
	const userIds = members.known ? members.value : null;
	return tagChangeOf("remove", { tagId: id, name, members: userIds, removeUserIds: userIds ?? [] });
}

/** Returns the live tags that must not exist: by id, or else by name. */
function findAbsent(
	absent: readonly AbsentUserTag[],
	liveTags: readonly LiveUserTag[],
): { readonly tags: readonly LiveUserTag[]; readonly problems: readonly Problem[] } {
	const problems: Problem[] = [];
	const tags = absent.flatMap(({ name, at }) => {
		const byId = userTagsOf(liveTags).filter(({ id }) => id === name);
		const found = byId.length > 0 ? byId : userTagsOf(liveTags).filter((tag) => tag.name === name);
		if (found.length < 2) return found;
		const message = `${found.length} user tags are called ${quote(name)}: ${found.map(({ id }) => id).join(", ")}; name one by its id`;
		problems.push({ ...at, path: printAddress("userTag", name), code: "tag-ambiguous", message });
		return [];
	});
	return { tags, problems };
}

export function userTagsOf(liveTags: readonly LiveUserTag[]): readonly LiveUserTag[] {
	return liveTags.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
}

/** As `findObjects`, among the user tags; a tag of another type may have the same name. */
export function findTags(
	wanted: readonly DesiredUserTag[],
	liveTags: readonly LiveUserTag[],
	describeMissing?: (wanted: DesiredUserTag) => string | null,
): ReturnType<typeof findObjects<DesiredUserTag, LiveUserTag>> {
	return findObjects(wanted, userTagsOf(liveTags), describeMissing);
}

function notThere(
	wanted: DesiredUserTag,
	userTags: readonly LiveUserTag[],
	live: Pick<LiveOrganization, "lastApplied">,
): string {
	const what = `no user tag ${wanted.id === undefined ? `is called ${quote(wanted.name)}` : `has the id ${wanted.id}`}`;
	const renamed = userTags.find(
		({ id }) => wanted.id === undefined && live.lastApplied.userTags[id]?.name === wanted.name,
	);
	if (renamed !== undefined) {
		return `${what}; the tag that had this name when orgsync last applied it is now called ${quote(renamed.name)}: add \`id: ${renamed.id}\` to rename it back`;
	}
	// Only an entry with an id is not found although a tag has its name.
	const named = userTags.find(({ name }) => name === wanted.name);
	const nearest = nearestNames(
		wanted.name,
		userTags.map(({ name }) => name),
	);
	const hint =
		nearest.length === 0
			? "the organization has no user tags"
			: `the nearest: ${named === undefined ? nearest.map(quote).join(", ") : `${quote(named.name)}, whose id is ${named.id}`}`;
	return `${what}; ${hint}${wanted.id === undefined ? "; `create: true` creates it" : ""}`;
}

function nearestNames(name: string, names: readonly string[]): readonly string[] {
	if (names.length === 0) return [];
	const best = closest(name, [...names]);
	const others = names
		.filter((other) => other !== best)
		.sort((a, b) => distance(name, a) - distance(name, b) || compareText(a, b));
	return [best, ...others.slice(0, 2)];
}
