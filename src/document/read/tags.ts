/** Reads the user tags of an organization's documents. */

import { defined } from "../../common/defined.ts";
import type { DesiredMembers, DesiredUserTag } from "../../plan/organization.ts";
import { type Cell, entriesAt, entryOf, itemsOf } from "../cell.ts";
import { describePlace, quoteCell, report } from "../report.ts";
import { listOf, type NamedMember, readMemberList, windowsOf } from "./member-list.ts";
import { checkMatches, type NamedEntry, readNamedEntry } from "./named-entries.ts";
import { type NamedUser, readUserList, type Users } from "./users.ts";

/** An entry of `userTags`, as far as it could be read. */
export interface TagEntry extends NamedEntry {
	readonly members: DesiredMembers | undefined;
	/** Users who get the tag: those of `exactly` and `atLeast`. */
	readonly create: boolean;
	readonly listed: readonly NamedMember[];
	readonly never: readonly NamedUser[];
}

/** Returns the entries of all documents of one organization, in document order, and reports conflicts between them. */
export function readTagEntries(roots: readonly Cell[], users: Users): TagEntry[] {
	const cells = entriesAt(roots, "userTags").flatMap(itemsOf);
	const entries = cells.map((cell) => readTagEntry(cell, users));
	checkMatches(entries, "tag");
	return entries;
}

/** Returns the desired tags of entries without problems, sorted by name. */
export function toDesiredTags(entries: readonly TagEntry[]): DesiredUserTag[] {
	return entries
		.map(({ cell, name, id, previously, members, create }) => ({
			kind: "userTag" as const,
			name: name?.text ?? "",
			...(id === undefined ? {} : { id: id.text }),
			previously: previously.map((earlier) => earlier.text).sort(),
			...defined({ members, create: create ? (true as const) : undefined }),
			at: cell.at,
		}))
		.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function readTagEntry(cell: Cell, users: Users): TagEntry {
	return {
		...readNamedEntry(cell, "tag"),
		create: entryOf(cell, "create")?.value === true,
		...readMembers(entryOf(cell, "members"), users),
	};
}

function readMembers(cell: Cell | undefined, users: Users): Pick<TagEntry, "members" | "listed" | "never"> {
	if (cell === undefined) return { members: undefined, listed: [], never: [] };
	if (cell.entries.size === 0 && cell.intendedKeys.size === 0) {
		const message =
			"`members` is empty; write `exactly`, `atLeast` or `never`, or remove `members` (`exactly: []` means no members)";
		report(cell, "empty-members", message);
	}
	const conflicting = cell.entries.get("atLeast");
	if (conflicting !== undefined && cell.entries.has("exactly")) {
		const message = "`atLeast` conflicts with `exactly`, which lists all members; keep one";
		report(conflicting, "exactly-and-at-least", message, "key");
	}
	const exactly = readMemberList(users, entryOf(cell, "exactly"));
	const atLeast = readMemberList(users, entryOf(cell, "atLeast"));
	const never = readUserList(users, entryOf(cell, "never"));
	const listed = [...atLeast, ...exactly];
	const byId = new Map(listed.map((user) => [user.userId, user]));
	for (const user of never) {
		const other = byId.get(user.userId);
		if (other === undefined) continue;
		const message = `${quoteCell(user.cell)} is under \`never\` here, and under \`${listOf(other)?.key}\` ${describePlace(other.cell.at, user.cell.at)}; keep one`;
		report(user.cell, "conflicting-members", message);
	}
	const ids = (list: readonly NamedUser[]): string[] => list.map((user) => user.userId).sort();
	const found = windowsOf(listed);
	const windows = found.length === 0 ? {} : { windows: found };
	const members: DesiredMembers = cell.entries.has("exactly")
		? { mode: "exactly", exactly: ids(exactly), ...windows }
		: { mode: "atLeast", atLeast: ids(atLeast), never: ids(never), ...windows };
	return { members, listed, never };
}
