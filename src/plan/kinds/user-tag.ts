/** User tags: they are created, changed and removed. */
import { closest, distance } from "fastest-levenshtein";
import type { Problem } from "../../common/errors.ts";
import { showName } from "../../common/escape.ts";
import { printAddress } from "../address.ts";
import type { Differences, TagChange, Unread } from "../change.ts";
import { matchesGlob } from "../glob.ts";
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
import type { RequestShape, UserTagKind } from "./kind.ts";
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
	const { found, problems } = findTags(tags, live.userTags.value, live);
	const changes: TagChange[] = [];
	const unread: Unread[] = [];
	for (const { tag, wanted } of found) {
		const { change, unknownMembers } = compareTag(wanted, tag, live);
		if (change !== null) changes.push(change);
		if (unknownMembers !== null) unread.push(unknownMembers);
	}
	const matched = new Set(found.map(({ wanted }) => wanted));
	const created = tags.filter((tag) => tag.create === true && tag.id === undefined && !matched.has(tag));
	changes.push(...created.filter((tag) => !isProblem(tag, problems)).map((tag) => createTag(tag, desired)));
	const gone = findAbsent(absent, live.userTags.value);
	changes.push(...gone.tags.map((tag) => removeTag(tag)));
	if (exceptions !== undefined) {
		const kept = new Set([...found, ...gone.tags.map((tag) => ({ tag }))].map(({ tag }) => tag.id));
		changes.push(...unlistedTags(live.userTags.value, kept, exceptions.except).map((tag) => removeTag(tag)));
	}
	const removed = new Set(changes.flatMap(({ action, tagId }) => (action === "remove" ? [tagId] : [])));
	const taken = takenNames(found, live.userTags.value, removed);
	const notThere = missingMembers(desired, live);
	const both = bothWays(found, gone.tags);
	return { changes, problems: [...problems, ...gone.problems, ...both, ...taken, ...notThere], unread };
}

/** A live tag that one entry lists and another wants gone, one by its name and one by its id. */
function bothWays(
	found: readonly { readonly wanted: DesiredUserTag; readonly tag: LiveUserTag }[],
	gone: readonly LiveUserTag[],
): readonly Problem[] {
	return found.flatMap(({ wanted, tag }) => {
		if (!gone.some(({ id }) => id === tag.id)) return [];
		const message = `the live tag ${quote(tag.name)} (${tag.id}) is listed here, and is under \`absent\` too; remove one of the two`;
		return [{ ...wanted.at, path: printAddress("userTag", wanted.name), code: "tag-absent", message }];
	});
}

function isProblem({ name }: DesiredUserTag, problems: readonly Problem[]): boolean {
	return problems.some(({ path }) => path === printAddress("userTag", name));
}

function createTag({ name, members }: DesiredUserTag, { organizationId }: DesiredOrganization): TagChange {
	const userIds = members === undefined ? [] : members.mode === "exactly" ? members.exactly : members.atLeast;
	return {
		address: printAddress("userTag", name),
		kind: "userTag",
		action: "create",
		reason: "not-there",
		basis: "live",
		tagId: standInFor(organizationId, "userTag", name),
		before: { name, members: [] },
		after: { name, members: userIds },
		addUserIds: userIds,
		removeUserIds: [],
		lastApplied: null,
	};
}

function removeTag({ id, name, members }: LiveUserTag): TagChange {
	const userIds = members.known ? members.value : null;
	return {
		address: printAddress("userTag", name),
		kind: "userTag",
		action: "remove",
		reason: "is-there",
		basis: "live",
		tagId: id,
		before: { name, members: userIds },
		after: { name, members: userIds === null ? null : [] },
		addUserIds: [],
		removeUserIds: userIds ?? [],
		lastApplied: null,
	};
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

function unlistedTags(
	liveTags: readonly LiveUserTag[],
	kept: ReadonlySet<string>,
	except: readonly string[],
): readonly LiveUserTag[] {
	return userTagsOf(liveTags).filter(
		({ id, name }) => !kept.has(id) && !except.some((glob) => matchesGlob(glob, name)),
	);
}

function userTagsOf(liveTags: readonly LiveUserTag[]): readonly LiveUserTag[] {
	return liveTags.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
}

interface FoundTag {
	readonly wanted: DesiredUserTag;
	readonly tag: LiveUserTag;
}

/** Id first, then name, then the earlier names; more than one match is a problem, never a guess. */
export function findTags(
	wantedTags: readonly DesiredUserTag[],
	liveTags: readonly LiveUserTag[],
	live: Pick<LiveOrganization, "lastApplied">,
): { found: readonly FoundTag[]; problems: readonly Problem[] } {
	const userTags = userTagsOf(liveTags);
	// A document with few tags needs no table of all live tags.
	const ids = new Set(wantedTags.map(({ id }) => id));
	const names = new Set(wantedTags.flatMap(({ name, previously }) => [name, ...previously]));
	const byId = new Map(userTags.filter(({ id }) => ids.has(id)).map((tag) => [tag.id, tag]));
	const byName = new Map(userTags.filter(({ name }) => names.has(name)).map((tag) => [tag.name, tag]));
	const claimed = new Map<string, DesiredUserTag>();
	const found: FoundTag[] = [];
	const problems: Problem[] = [];
	for (const wanted of wantedTags) {
		const match = matchTag(wanted, byId, byName);
		if (match.length > 1) {
			const names = match.map(({ name }) => quote(name)).join(" and ");
			const message = `both ${names} exist, and ${quote(wanted.name)} could be either of them: add the \`id\` of the tag`;
			problems.push(problem(wanted, "tag-ambiguous", message));
			continue;
		}
		const tag = match[0];
		if (tag === undefined) {
			if (wanted.create === true && wanted.id === undefined) continue;
			problems.push(problem(wanted, "tag-not-there", notThere(wanted, userTags, live)));
			continue;
		}
		const other = claimed.get(tag.id);
		if (other !== undefined) {
			const message = `two entries match the live tag ${quote(tag.name)} (${tag.id}): ${quote(other.name)} and ${quote(wanted.name)}; keep one`;
			problems.push(problem(wanted, "duplicate-tag", message));
			continue;
		}
		claimed.set(tag.id, wanted);
		found.push({ wanted, tag });
	}
	return { found, problems };
}

function matchTag(
	wanted: DesiredUserTag,
	byId: ReadonlyMap<string, LiveUserTag>,
	byName: ReadonlyMap<string, LiveUserTag>,
): readonly LiveUserTag[] {
	if (wanted.id !== undefined) return [byId.get(wanted.id)].filter((tag) => tag !== undefined);
	const current = byName.get(wanted.name);
	if (current !== undefined) return [current];
	return wanted.previously.map((name) => byName.get(name)).filter((tag) => tag !== undefined);
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
		return `${what}; the tag that had this name when orgsync last changed it is now called ${quote(renamed.name)}: add \`id: ${renamed.id}\` to rename it back`;
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
	return `${what}; ${hint}${wanted.id === undefined ? "; a document creates it with `create: true`" : ""}`;
}

function nearestNames(name: string, names: readonly string[]): readonly string[] {
	if (names.length === 0) return [];
	const best = closest(name, [...names]);
	const others = names
		.filter((other) => other !== best)
		.sort((a, b) => distance(name, a) - distance(name, b) || compareText(a, b));
	return [best, ...others.slice(0, 2)];
}

/** Names are unique (docs/internals/service.md#server-side-validation): a wanted name whose holder is not itself renamed cannot be had. */
function takenNames(
	found: readonly FoundTag[],
	liveTags: readonly LiveUserTag[],
	removed: ReadonlySet<string>,
): readonly Problem[] {
	// The others have the name already; a tag of another type may have the same one.
	const renames = found.filter(({ wanted, tag }) => wanted.name !== tag.name);
	if (renames.length === 0) return [];
	const holders = new Map(liveTags.map((tag) => [tag.name, tag]));
	const renamed = new Set(renames.map(({ tag }) => tag.id));
	const problems: Problem[] = [];
	for (const { wanted, tag } of renames) {
		const holder = holders.get(wanted.name);
		if (holder === undefined || holder.id === tag.id || renamed.has(holder.id) || removed.has(holder.id)) continue;
		const message = `${quote(tag.name)} cannot be renamed to ${quote(wanted.name)}: the tag ${holder.id} has that name and keeps it; rename that tag too`;
		problems.push(problem(wanted, "tag-name-taken", message));
	}
	return problems;
}

function quote(name: string): string {
	return `\`${showName(name)}\``;
}

function problem(wanted: DesiredUserTag, code: string, message: string): Problem {
	return { ...wanted.at, path: printAddress("userTag", wanted.name), code, message };
}
