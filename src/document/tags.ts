/**
 * The user tags of an organization's documents.
 *
 * The rule it keeps: one live tag is claimed by one entry. An entry claims by its id or, without one, by its name and
 * its earlier names; so an entry that has an id may take a name that another entry gives up.
 */

import type { DesiredMembers, DesiredUserTag } from "../plan/organization.ts";
import { type Cell, entryOf, itemsOf } from "./cell.ts";
import { type Findings, placeOf, quotedCell } from "./findings.ts";
import { filledIn, type NamedUser, nameMistake, readId, readUserList, type Users } from "./users.ts";

interface Written {
	readonly text: string;
	readonly cell: Cell;
}

/** An entry under `userTags`, as far as it could be read. */
export interface TagEntry {
	readonly cell: Cell;
	readonly name: Written | undefined;
	readonly id: Written | undefined;
	readonly previously: readonly Written[];
	readonly members: DesiredMembers | undefined;
	readonly never: readonly NamedUser[];
}

/** The entries of all documents of one organization, in their order; what contradicts itself is reported. */
export function readTagEntries(roots: readonly Cell[], users: Users, findings: Findings): TagEntry[] {
	const entries = roots
		.flatMap((root) => itemsOf(entryOf(root, "userTags")))
		.map((cell) => readTagEntry(cell, users, findings));
	checkClaims(entries, findings);
	return entries;
}

/** The desired tags of entries that have no problems, sorted by name. */
export function desiredTags(entries: readonly TagEntry[]): DesiredUserTag[] {
	return entries
		.map(({ cell, name, id, previously, members }) => ({
			kind: "userTag" as const,
			name: name?.text ?? "",
			...(id === undefined ? {} : { id: id.text }),
			previously: previously.map((earlier) => earlier.text).sort(),
			...(members === undefined ? {} : { members }),
			at: cell.at,
		}))
		.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function readTagEntry(cell: Cell, users: Users, findings: Findings): TagEntry {
	const name = readName(entryOf(cell, "name"), findings);
	const idCell = entryOf(cell, "id");
	const id = idCell === undefined ? undefined : readId(idCell, findings);
	const previously = readNames(entryOf(cell, "previously"), findings);
	for (const earlier of previously) {
		if (earlier.text !== name?.text) continue;
		const message = `${quotedCell(earlier.cell)} is the tag's own name; \`previously\` is for the names it had before`;
		findings.report(earlier.cell, "own-name", message);
	}
	return {
		cell,
		name,
		id: idCell === undefined || id === undefined ? undefined : { text: id, cell: idCell },
		previously,
		...readMembers(entryOf(cell, "members"), users, findings),
	};
}

/** The tag name in a cell; nothing when it is unusable, which is then reported. */
function readName(cell: Cell | undefined, findings: Findings): Written | undefined {
	if (cell === undefined) return undefined;
	const mistake = nameMistake(String(cell.value));
	if (mistake === undefined) return { text: String(cell.value), cell };
	findings.breaks(
		cell,
		"bad-name",
		`the name ${cell.written === "" ? "" : `${quotedCell(cell)} `}${mistake}${filledIn(cell)}`,
	);
	return undefined;
}

/** The tag names of a list; one that stands there twice is reported and kept once. */
export function readNames(list: Cell | undefined, findings: Findings): Written[] {
	const names = new Map<string, Written>();
	for (const item of itemsOf(list)) {
		const name = readName(item, findings);
		if (name === undefined) continue;
		const first = names.get(name.text);
		if (first === undefined) names.set(name.text, name);
		else
			findings.report(
				item,
				"duplicate",
				`${quotedCell(item)} is listed twice, first ${placeOf(first.cell.at, item.at)}; keep one`,
			);
	}
	return [...names.values()];
}

function readMembers(cell: Cell | undefined, users: Users, findings: Findings): Pick<TagEntry, "members" | "never"> {
	if (cell === undefined) return { members: undefined, never: [] };
	if (cell.entries.size === 0 && cell.meant.length === 0) {
		const message =
			"`members` says nothing; write `exactly`, `atLeast` or `never`, or leave `members` out (`exactly: []` means nobody)";
		findings.report(cell, "empty-members", message);
	}
	const both = cell.entries.get("atLeast");
	if (both !== undefined && cell.entries.has("exactly")) {
		const message = "`atLeast` cannot stand beside `exactly`, which names all members already; keep one of the two";
		findings.report(both, "exactly-and-at-least", message, "key");
	}
	const exactly = readUserList(users, entryOf(cell, "exactly"));
	const atLeast = readUserList(users, entryOf(cell, "atLeast"));
	const never = readUserList(users, entryOf(cell, "never"));
	const wanted = new Map([...atLeast, ...exactly].map((user) => [user.userId, user.cell]));
	for (const user of never) {
		const other = wanted.get(user.userId);
		if (other === undefined) continue;
		const message = `${quotedCell(user.cell)} is wanted ${placeOf(other.at, user.cell.at)} under \`${other.parent?.key}\`, and unwanted here under \`never\`; keep one`;
		findings.report(user.cell, "wanted-and-never", message);
	}
	const ids = (list: readonly NamedUser[]): string[] => list.map((user) => user.userId).sort();
	const members: DesiredMembers = cell.entries.has("exactly")
		? { mode: "exactly", exactly: ids(exactly) }
		: { mode: "atLeast", atLeast: ids(atLeast), never: ids(never) };
	return { members, never };
}

function checkClaims(entries: readonly TagEntry[], findings: Findings): void {
	const names = new Map<string, TagEntry>();
	const ids = new Map<string, TagEntry>();
	for (const entry of entries) {
		const sameName = entry.name && names.get(entry.name.text);
		const sameId = entry.id && ids.get(entry.id.text);
		if (entry.name && sameName?.name) {
			const message = `the tag ${quotedCell(entry.name.cell)} has an entry already, ${placeOf(sameName.name.cell.at, entry.name.cell.at)}; make one of the two`;
			findings.report(entry.name.cell, "tag-claimed-twice", message);
		} else if (entry.id && sameId?.id) {
			const message = `the tag with the id ${quotedCell(entry.id.cell)} has an entry already, ${placeOf(sameId.id.cell.at, entry.id.cell.at)}; make one of the two`;
			findings.report(entry.id.cell, "tag-claimed-twice", message);
		}
		if (entry.name && !sameName) names.set(entry.name.text, entry);
		if (entry.id && !sameId) ids.set(entry.id.text, entry);
	}
	const earlierNames = new Map<string, { readonly entry: TagEntry; readonly cell: Cell }>();
	for (const entry of entries) {
		for (const { text, cell } of entry.previously) {
			const holder = names.get(text);
			const other = earlierNames.get(text);
			if (holder?.name && holder !== entry && !holder.cell.entries.has("id")) {
				const place = placeOf(holder.name.cell.at, cell.at);
				const message = `${quotedCell(cell)} is the name of another entry ${place}, which finds the same tag; give that entry its \`id\`, or take the name out here`;
				findings.report(cell, "tag-claimed-twice", message);
			} else if (other !== undefined && other.entry !== entry) {
				const place = placeOf(other.cell.at, cell.at);
				findings.report(
					cell,
					"tag-claimed-twice",
					`${quotedCell(cell)} is an earlier name of another entry too, ${place}; keep one`,
				);
			}
			if (other === undefined) earlierNames.set(text, { entry, cell });
		}
	}
}
