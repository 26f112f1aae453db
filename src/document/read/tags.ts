/**
 * Reads the user tags of an organization's documents.
 *
 * Each live tag matches at most one entry. An entry matches by its id or, without one, by its name and its previous names.
 * So an entry with an id may take the previous name of another entry.
 */

import { defined } from "../../common/defined.ts";
import type { DesiredMembers, DesiredUserTag } from "../../plan/organization.ts";
import { type Cell, entryOf, itemsOf } from "../cell.ts";
import { describePlace, type Problems, quoteCell } from "../problems.ts";
import { listOf, type NamedMember, readMemberList, windowsOf } from "./member-list.ts";
import { afterSubstitution, type NamedUser, nameMistake, readId, readUserList, type Users } from "./users.ts";

interface TextCell {
	readonly text: string;
	readonly cell: Cell;
}

/** An entry of `userTags`, as far as it could be read. */
export interface TagEntry {
	readonly cell: Cell;
	readonly name: TextCell | undefined;
	readonly id: TextCell | undefined;
	readonly previously: readonly TextCell[];
	readonly members: DesiredMembers | undefined;
	/** Users who get the tag: those of `exactly` and `atLeast`. */
	readonly create: boolean;
	readonly listed: readonly NamedMember[];
	readonly never: readonly NamedUser[];
}

/** Returns the entries of all documents of one organization, in document order, and reports conflicts between them. */
export function readTagEntries(roots: readonly Cell[], users: Users, problems: Problems): TagEntry[] {
	const entries = roots
		.flatMap((root) => itemsOf(entryOf(root, "userTags")))
		.map((cell) => readTagEntry(cell, users, problems));
	checkMatches(entries, problems);
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

function readTagEntry(cell: Cell, users: Users, problems: Problems): TagEntry {
	const name = readName(entryOf(cell, "name"), problems);
	const idCell = entryOf(cell, "id");
	const id = idCell && readId(idCell, problems);
	const previously = readNames(entryOf(cell, "previously"), problems);
	for (const earlier of previously) {
		if (earlier.text !== name?.text) continue;
		const message = `${quoteCell(earlier.cell)} is the current name of the tag, and \`previously\` lists former names; remove it`;
		problems.report(earlier.cell, "own-name", message);
	}
	return {
		cell,
		name,
		id: idCell && id ? { text: id, cell: idCell } : undefined,
		previously,
		create: entryOf(cell, "create")?.value === true,
		...readMembers(entryOf(cell, "members"), users, problems),
	};
}

/** Returns the tag name of a cell, or undefined after reporting that it is invalid. */
export function readName(cell: Cell | undefined, problems: Problems): TextCell | undefined {
	if (cell === undefined) return undefined;
	const mistake = nameMistake(String(cell.value));
	if (mistake === undefined) return { text: String(cell.value), cell };
	const shown = cell.written === "" ? "" : `${quoteCell(cell)} `;
	return problems.invalidate(cell, "bad-name", `the name ${shown}${mistake}${afterSubstitution(cell)}`);
}

/** Returns the distinct tag names of a list, and reports duplicates. */
export function readNames(list: Cell | undefined, problems: Problems): TextCell[] {
	const names = problems.distinct(itemsOf(list), (item) => readName(item, problems)?.text);
	return [...names].map(([text, cell]) => ({ text, cell }));
}

function readMembers(
	cell: Cell | undefined,
	users: Users,
	problems: Problems,
): Pick<TagEntry, "members" | "listed" | "never"> {
	if (cell === undefined) return { members: undefined, listed: [], never: [] };
	if (cell.entries.size === 0 && cell.intendedKeys.size === 0) {
		const message =
			"`members` is empty; write `exactly`, `atLeast` or `never`, or remove `members` (`exactly: []` means no members)";
		problems.report(cell, "empty-members", message);
	}
	const conflicting = cell.entries.get("atLeast");
	if (conflicting !== undefined && cell.entries.has("exactly")) {
		const message = "`atLeast` conflicts with `exactly`, which lists all members; keep one";
		problems.report(conflicting, "exactly-and-at-least", message, "key");
	}
	const exactly = readMemberList(users, entryOf(cell, "exactly"), problems);
	const atLeast = readMemberList(users, entryOf(cell, "atLeast"), problems);
	const never = readUserList(users, entryOf(cell, "never"));
	const listed = [...atLeast, ...exactly];
	const byId = new Map(listed.map((user) => [user.userId, user]));
	for (const user of never) {
		const other = byId.get(user.userId);
		if (other === undefined) continue;
		const message = `${quoteCell(user.cell)} is under \`never\` here, and under \`${listOf(other)?.key}\` ${describePlace(other.cell.at, user.cell.at)}; keep one`;
		problems.report(user.cell, "conflicting-members", message);
	}
	const ids = (list: readonly NamedUser[]): string[] => list.map((user) => user.userId).sort();
	const found = windowsOf(listed);
	const windows = found.length === 0 ? {} : { windows: found };
	const members: DesiredMembers = cell.entries.has("exactly")
		? { mode: "exactly", exactly: ids(exactly), ...windows }
		: { mode: "atLeast", atLeast: ids(atLeast), never: ids(never), ...windows };
	return { members, listed, never };
}

function checkMatches(entries: readonly TagEntry[], problems: Problems): void {
	const names = new Map<string, TagEntry>();
	const ids = new Map<string, TagEntry>();
	for (const entry of entries) {
		const sameName = entry.name && names.get(entry.name.text);
		const sameId = entry.id && ids.get(entry.id.text);
		if (entry.name && sameName?.name) {
			const message = `duplicate tag ${quoteCell(entry.name.cell)}, first ${describePlace(sameName.name.cell.at, entry.name.cell.at)}; merge the two entries`;
			problems.report(entry.name.cell, "duplicate-tag", message);
		} else if (entry.id && sameId?.id) {
			const message = `duplicate tag id ${quoteCell(entry.id.cell)}, first ${describePlace(sameId.id.cell.at, entry.id.cell.at)}; merge the two entries`;
			problems.report(entry.id.cell, "duplicate-tag", message);
		}
		if (entry.name && !sameName) names.set(entry.name.text, entry);
		if (entry.id && !sameId) ids.set(entry.id.text, entry);
	}
	const previousNames = new Map<string, { readonly entry: TagEntry; readonly cell: Cell }>();
	for (const entry of entries) {
		for (const { text, cell } of entry.previously) {
			const holder = names.get(text);
			const other = previousNames.get(text);
			if (holder?.name && holder !== entry && !holder.cell.entries.has("id")) {
				const place = describePlace(holder.name.cell.at, cell.at);
				const message = `previous name ${quoteCell(cell)} is the name of the entry ${place}, so both match one tag; add an \`id\` there, or remove the name here`;
				problems.report(cell, "duplicate-tag", message);
			} else if (other !== undefined && other.entry !== entry) {
				const place = describePlace(other.cell.at, cell.at);
				problems.report(cell, "duplicate-tag", `duplicate previous name ${quoteCell(cell)}, first ${place}; keep one`);
			}
			if (other === undefined) previousNames.set(text, { entry, cell });
		}
	}
}
