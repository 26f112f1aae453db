/** How the name and the members of a user tag differ from what the document wants. */
import { printAddress } from "../address.ts";
import type { Basis, TagChange, Unread } from "../change.ts";
import type { DesiredMembers, DesiredUserTag, LastAppliedTag, LiveOrganization, LiveUserTag } from "../organization.ts";
import { compareText } from "../value.ts";
import { tagChangeOf } from "./tag-change.ts";

/** Returns how the live tag differs from what is wanted of it, and whether its members are unknown. */
export function compareTag(
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
	const [name, addUserIds, removeUserIds] = [tag.name, members.add, members.remove];
	const effect = { tagId: tag.id, name, after: wanted.name, members: members.before, addUserIds, removeUserIds };
	const change: TagChange = {
		...tagChangeOf("update", effect),
		...{ address, basis: membersDiffer ? members.basis : "live", lastApplied: members.lastApplied },
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
