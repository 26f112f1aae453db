/** Users as every format shows them: by alias, with the live name and a short id where the alias is ambiguous. */
import { showNameWithin, showText } from "../common/escape.ts";
import { remember } from "../common/remember.ts";
import { describeLabel, labelUser, maxNameLength, type UserNames } from "./users.ts";

/** The user on one line, escaped and never so long that the id is cut off. */
export function showUser(userId: string, names: UserNames): string {
	const { name, notes } = userParts(userId, names);
	return notes.length === 0 ? name : `${name} (${notes.join(", ")})`;
}

/** Returns the name, cut so that the notes after it stay visible. */
function showShort(name: string): string {
	return showNameWithin(name, maxNameLength);
}

/** The same in parts, for formats that tell them apart by their looks; there are no notes where the name is enough. */
export function userParts(
	userId: string,
	names: UserNames,
): { readonly name: string; readonly notes: readonly string[] } {
	const known = remember(parts, names, () => new Map<string, ReturnType<typeof userParts>>());
	return remember(known, userId, () => {
		const label = labelUser(userId, names);
		return { name: showShort(label.name), notes: describeLabel(label, showShort) };
	});
}

const parts = new WeakMap<UserNames, Map<string, ReturnType<typeof userParts>>>();

/** Returns the names by which a user is shown whom the service named elsewhere, as in a vote: without live ones where `said` has none. */
export function namesForSaid(userId: string, names: UserNames, said: UserNames["liveNames"]): UserNames {
	const { liveNames, ...others } = names;
	const all = { ...liveNames, ...said };
	return Object.hasOwn(all, userId.toLowerCase()) ? { ...others, liveNames: all } : others;
}

/** The user by the whole id, and the live name where it is known: for telling users apart whose aliases are in question. */
export function identifyUser(userId: string, { liveNames }: UserNames): string {
	if (liveNames === undefined) return showText(userId);
	if (!Object.hasOwn(liveNames, userId)) return `${showText(userId)} (no live user)`;
	return `${showText(userId)} (live name ${showShort(liveNames[userId] ?? "")})`;
}

/** Returns `of` the owner of an object, for after its address; empty where the address is clear, or it has no owner. */
export function describeOwner(userId: string | null | undefined, names: UserNames): string {
	if (userId === null || userId === undefined || userParts(userId, names).notes.length === 0) return "";
	return `of ${showUser(userId, names)}`;
}
