/** User tags, the one kind that can be changed. */
import { closest, distance } from "fastest-levenshtein";
import type { Problem } from "../../common/errors.ts";
import { showName } from "../../common/escape.ts";
import { printAddress } from "../address.ts";
import type { Basis, Differences, TagChange, Unread } from "../change.ts";
import { missingMembers } from "../missing-users.ts";
import {
	type DesiredMembers,
	type DesiredOrganization,
	type DesiredUserTag,
	type LastAppliedTag,
	type LiveOrganization,
	type LiveUserTag,
	tagsOf,
} from "../organization.ts";
import { compareText } from "../value.ts";
import type { UserTagKind } from "./kind.ts";

export const userTag: UserTagKind = {
	name: "userTag",
	action: "update",
	words: ["user tag", "user tags"],
	differences: tagDifferences,
	request: { kind: "userTag", list: null, subject: "userTagId", narrow: (request) => request },
};

/** The changes of user tags, and why some cannot be made: a tag that is not there, a name that is taken. */
function tagDifferences(desired: DesiredOrganization, live: LiveOrganization): Differences {
	const tags = tagsOf(desired);
	if (tags.length === 0) return { changes: [], problems: [], unread: [] };
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
	const notThere = missingMembers(desired, live);
	return { changes, problems: [...problems, ...takenNames(found, live.userTags.value), ...notThere], unread };
}

interface FoundTag {
	readonly wanted: DesiredUserTag;
	readonly tag: LiveUserTag;
}

/** Id first, then name, then the earlier names; more than one match is a problem, never a guess. */
export function findTags(
	wantedTags: readonly DesiredUserTag[],
	liveTags: readonly LiveUserTag[],
	live: LiveOrganization,
): { found: readonly FoundTag[]; problems: readonly Problem[] } {
	const userTags = liveTags.filter(({ type }) => type === "TAG_TYPE_USER" || type === "");
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

function notThere(wanted: DesiredUserTag, userTags: readonly LiveUserTag[], live: LiveOrganization): string {
	const what = `no user tag ${wanted.id === undefined ? `is called ${quote(wanted.name)}` : `has the id ${wanted.id}`}`;
	const cannot = "orgsync cannot create user tags, because the interface has no operation for that";
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
	return `${what}; ${hint}; ${cannot}`;
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
function takenNames(found: readonly FoundTag[], liveTags: readonly LiveUserTag[]): readonly Problem[] {
	// The others have the name already; a tag of another type may have the same one.
	const renames = found.filter(({ wanted, tag }) => wanted.name !== tag.name);
	if (renames.length === 0) return [];
	const holders = new Map(liveTags.map((tag) => [tag.name, tag]));
	const renamed = new Set(renames.map(({ tag }) => tag.id));
	const problems: Problem[] = [];
	for (const { wanted, tag } of renames) {
		const holder = holders.get(wanted.name);
		if (holder === undefined || holder.id === tag.id || renamed.has(holder.id)) continue;
		const message = `${quote(tag.name)} cannot be renamed to ${quote(wanted.name)}: the tag ${holder.id} has that name and keeps it; rename that tag too`;
		problems.push(problem(wanted, "tag-name-taken", message));
	}
	return problems;
}

function compareTag(
	wanted: DesiredUserTag,
	tag: LiveUserTag,
	live: LiveOrganization,
): { change: TagChange | null; unknownMembers: Unread | null } {
	const address = printAddress("userTag", wanted.name);
	const members = compareMembers(wanted.members, tag, live);
	const renamed = wanted.name !== tag.name;
	const membersDiffer = members.add.length + members.remove.length > 0;
	const unknownMembers: Unread | null =
		wanted.members === undefined || tag.members.known
			? null
			: {
					scope: "object",
					address,
					because: tag.members.because,
					standsIn: members.lastApplied === null ? "nothing" : "last-applied",
				};
	if (!renamed && !membersDiffer) return { change: null, unknownMembers };
	const change: TagChange = {
		address,
		kind: "userTag",
		action: "update",
		reason: renamed ? (membersDiffer ? "name-and-members-differ" : "name-differs") : "members-differ",
		basis: membersDiffer ? members.basis : "live",
		tagId: tag.id,
		before: { name: tag.name, members: members.before },
		after: { name: wanted.name, members: members.before === null ? null : applyMembers(members) },
		addUserIds: members.add,
		removeUserIds: members.remove,
		lastApplied: members.lastApplied,
	};
	return { change, unknownMembers };
}

interface MemberDifference {
	readonly add: readonly string[];
	readonly remove: readonly string[];
	readonly before: readonly string[] | null;
	readonly basis: Basis;
	readonly lastApplied: TagChange["lastApplied"];
}

function compareMembers(
	wanted: DesiredMembers | undefined,
	tag: LiveUserTag,
	live: LiveOrganization,
): MemberDifference {
	const before = tag.members.known ? tag.members.value : null;
	if (wanted === undefined) return { add: [], remove: [], before, basis: "live", lastApplied: null };
	const names = wanted.mode === "exactly" ? wanted.exactly : wanted.atLeast;
	const never = wanted.never ?? [];
	if (before !== null) {
		const surplus = wanted.mode === "exactly" ? without(before, names) : without(before, without(before, never));
		return { add: without(names, before), remove: surplus, before, basis: "live", lastApplied: null };
	}
	const applied = live.lastApplied.userTags[tag.id];
	if (applied === undefined) return { add: names, remove: never, before, basis: "unknown", lastApplied: null };
	const formerMembers = wanted.mode === "exactly" ? without(applied.present, names) : [];
	const changedSince = isChangedSince(applied, tag);
	const lastApplied = { at: applied.appliedAt, changedSince };
	if (changedSince) return { add: names, remove: unite(formerMembers, never), before, basis: "unknown", lastApplied };
	return {
		add: without(names, applied.present),
		remove: unite(formerMembers, without(never, applied.gone)),
		before: applied.present,
		basis: "last-applied",
		lastApplied,
	};
}

/** Unverified, chosen: a tag that our own activity changed may carry a time this much later than the activity's. */
const ownChangeMarginMs = 2000;

/** Whether live shows that the tag was changed after what is applied; unknown times show nothing. */
function isChangedSince(applied: LastAppliedTag, tag: LiveUserTag): boolean {
	if (applied.updatedAt !== "") return tag.updatedAt !== "" && applied.updatedAt !== tag.updatedAt;
	const { completedAtMs } = applied;
	if (completedAtMs === undefined || tag.updatedAtMs === undefined) return false;
	return tag.updatedAtMs > completedAtMs + ownChangeMarginMs;
}

function applyMembers({ before, add, remove }: MemberDifference): readonly string[] {
	return [...without(before ?? [], remove), ...add].sort(compareText);
}

/** The items of both lists, once each. */
function unite(list: readonly string[], other: readonly string[]): readonly string[] {
	return [...new Set([...list, ...other])].sort(compareText);
}

/** The items of the first list that are not in the second; both sorted, so one walk through both is enough. */
function without(list: readonly string[], gone: readonly string[]): readonly string[] {
	const kept: string[] = [];
	let at = 0;
	for (const item of list) {
		let other = gone[at];
		while (other !== undefined && other < item) other = gone[++at];
		if (other !== item) kept.push(item);
	}
	return kept;
}

function quote(name: string): string {
	return `\`${showName(name)}\``;
}

function problem(wanted: DesiredUserTag, code: string, message: string): Problem {
	return { ...wanted.at, path: printAddress("userTag", wanted.name), code, message };
}
