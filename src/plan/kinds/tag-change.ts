/** The change of a user tag that follows from who gets and loses it. */
import { printAddress } from "../address.ts";
import type { TagChange } from "../change.ts";
import { compareText } from "../value.ts";

interface TagEffect {
	readonly tagId: string;
	readonly name: string;
	/** Its new name; left out where it keeps its name. */
	readonly after?: string;
	/** Null: they are not known. */
	readonly members: readonly string[] | null;
	readonly addUserIds?: readonly string[];
	readonly removeUserIds?: readonly string[];
}

export function tagChangeOf(
	action: TagChange["action"],
	{ tagId, name, after = name, members, addUserIds = [], removeUserIds = [] }: TagEffect,
): TagChange {
	const isMoved = addUserIds.length + removeUserIds.length > 0;
	const gone = new Set(removeUserIds);
	const kept = members?.filter((userId) => !gone.has(userId)) ?? null;
	const renamed = isMoved ? "name-and-members-differ" : "name-differs";
	return {
		address: printAddress("userTag", name),
		...{ kind: "userTag", action },
		reason: { create: "not-there", remove: "is-there", update: name === after ? "members-differ" : renamed }[
			action
		] as TagChange["reason"],
		basis: members === null && isMoved ? "unknown" : "live",
		tagId,
		before: { name, members },
		after: { name: after, members: kept === null ? null : [...new Set([...kept, ...addUserIds])].sort(compareText) },
		...{ addUserIds, removeUserIds, lastApplied: null },
	};
}
