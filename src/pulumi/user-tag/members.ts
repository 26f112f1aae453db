/** The members of a user tag as programs write them, and as a state shows how far they are in sync. */
import { defined } from "../../common/defined.ts";
import { isWithin } from "../../plan/access-window.ts";
import type { AccessWindow, DesiredMembers, LastAppliedTag } from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";

/** A user who has the tag in a window, with at least one of `from` and `until`. */
export interface MemberWindow {
	/** The user, a UUID. */
	readonly user: string;
	/**
	 * When the user gets the tag. Before it, the user must not have the tag. RFC 3339, for example `2026-12-01T00:00:00Z`, or a
	 * date with the name of a time zone, for example `2026-12-01 Europe/Berlin`.
	 */
	readonly from?: string;
	/**
	 * When the user loses the tag. From then on, the user must not have the tag. RFC 3339, for example `2026-12-01T00:00:00Z`, or a
	 * date with the name of a time zone, for example `2026-12-01 Europe/Berlin`.
	 */
	readonly until?: string;
	/** Why the user has the tag, for reviewers. */
	readonly reason?: string;
}

/** A user id, or a user with a window. */
export type Member = string | MemberWindow;

/** The members of a user tag, by user id: either `exactly`, or `atLeast` and `never`. */
export interface Members {
	/** These users and no others, each always or in a window. `[]` means no members. */
	readonly exactly?: readonly Member[];
	/** These users must have the tag, each always or in a window. Other users are unmanaged. */
	readonly atLeast?: readonly Member[];
	/** These users must not have the tag. Other users are unmanaged. */
	readonly never?: readonly string[];
}

/** The user id of a member. What a state that was edited has instead is as it is. */
export function userOf(member: Member): string {
	return typeof member === "object" && member !== null ? member.user : member;
}

/** A user in one of the lists. */
export interface Place {
	/** The path of the entry, which begins with `members`. */
	readonly path: readonly (string | number)[];
	readonly hasWindow: boolean;
}

/** The place of a user in the lists, or undefined. */
export function findPlace(members: Members, userId: string): Place | undefined {
	for (const [name, list] of Object.entries(members) as [keyof Members, readonly Member[]][]) {
		const index = list.findIndex((member) => userOf(member) === userId);
		if (index >= 0) return { path: ["members", name, index], hasWindow: typeof list[index] === "object" };
	}
	return undefined;
}

/** The members as a program writes them, windows and all, whatever the time is. */
export function writeMembers(members: DesiredMembers | undefined): Members | undefined {
	if (members === undefined) return undefined;
	const windows = members.windows ?? [];
	const listed = writeList(listedIn(members), windows);
	if (members.mode === "exactly") return { exactly: listed };
	const withWindow = new Set(windows.map(({ userId }) => userId));
	return writeLists(
		listed,
		members.never.filter((userId) => !withWindow.has(userId)),
	);
}

function writeLists(atLeast: readonly Member[], never: readonly string[]): Members {
	// One list stays even if it is empty: `members` without a list are a problem in a document.
	if (never.length === 0) return { atLeast };
	return atLeast.length === 0 ? { never } : { atLeast, never };
}

/** The listed users, sorted, also those outside their window: at some times `desiredAt` has them under `never`. */
function listedIn(members: DesiredMembers): readonly string[] {
	const always = members.mode === "exactly" ? members.exactly : members.atLeast;
	const users = new Set([...always, ...(members.windows ?? []).map(({ userId }) => userId)]);
	return [...users].sort(compareText);
}

function writeList(users: readonly string[], windows: readonly AccessWindow[]): readonly Member[] {
	const written = new Map(windows.map((window) => [window.userId, writeWindow(window)]));
	return users.map((userId) => written.get(userId) ?? userId);
}

function writeWindow({ userId, from, until, reason }: AccessWindow): MemberWindow {
	return defined({ user: userId, from, until, reason });
}

/**
 * The part of the desired members that is in sync with the live members at this time, milliseconds since 1970. A user who has the
 * tag outside the window is a member without one, and so a difference.
 */
export function observeMembers(
	desired: DesiredMembers | undefined,
	live: readonly string[],
	timeMs: number,
): Members | undefined {
	if (desired === undefined) return undefined;
	const inSync = (desired.windows ?? []).filter((window) => isWithin(window, timeMs) === live.includes(window.userId));
	const known = new Set([...live, ...inSync.map(({ userId }) => userId)]);
	if (desired.mode === "exactly") return { exactly: writeList([...known].sort(compareText), inSync) };
	const atLeast = listedIn(desired).filter((userId) => known.has(userId));
	const withWindow = new Set((desired.windows ?? []).map(({ userId }) => userId));
	const never = desired.never.filter((userId) => !live.includes(userId) && !withWindow.has(userId));
	// In the form of `check`: with `ignoreChanges`, `check` gets these as inputs, which must not look changed.
	return writeLists(writeList(atLeast, inSync), never);
}

/**
 * The members of a state where the service does not show them. A window is in sync if last-applied state has its user in the tag,
 * or outside it not.
 */
export function assumeMembers(
	members: Members | undefined,
	desired: DesiredMembers | undefined,
	{ present, gone }: Pick<LastAppliedTag, "present" | "gone">,
	timeMs: number,
): Members | undefined {
	const windows = new Map((desired?.windows ?? []).map((window) => [window.userId, window]));
	const assume = (list: readonly Member[] | undefined): readonly Member[] | undefined =>
		// A state that was edited may have something else.
		(Array.isArray(list) ? (list as readonly Member[]) : undefined)?.flatMap((member) => {
			const window = windows.get(userOf(member));
			if (window === undefined) return [member];
			if (isWithin(window, timeMs)) return present.includes(window.userId) ? [member] : [];
			return [gone.includes(window.userId) ? member : window.userId];
		});
	if (members === undefined || windows.size === 0) return members;
	const { exactly, atLeast, never } = members;
	return defined({ exactly: assume(exactly), atLeast: assume(atLeast), never });
}

/**
 * The members without lists that mean nothing: `atLeast: []` and `never: []`. What is no object is unknown or from an edited
 * state: it is as it is.
 */
export function comparableMembers(members: Members | undefined): unknown {
	if (typeof members !== "object" || members === null) return members;
	const { exactly, atLeast, never } = members;
	if (exactly !== undefined) return { exactly };
	return defined({ atLeast: emptyToUndefined(atLeast), never: emptyToUndefined(never) });
}

function emptyToUndefined<T>(list: readonly T[] | undefined): readonly T[] | undefined {
	return list?.length === 0 ? undefined : list;
}
