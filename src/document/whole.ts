/**
 * All documents of one organization to what they want together: users, absent and protected things united, tags and
 * expectations put together, limits merged. Where they disagree is reported.
 */

import { kindOf, removalKinds } from "../plan/kinds/index.ts";
import { type RemovalKindName, removalKindNames, removalLists } from "../plan/kinds/names.ts";
import { keyOfRemoval } from "../plan/objects.ts";
import type { DesiredOrganization, DesiredRemoval, Limits } from "../plan/organization.ts";
import { digestOf } from "../plan/value.ts";
import { type Cell, entryOf } from "./cell.ts";
import { readExpectations } from "./expectations.ts";
import { type Findings, placeOf, quoted, quotedCell, subject } from "./findings.ts";
import { desiredTags, readNames, readTagEntries, type TagEntry } from "./tags.ts";
import { filledIn, readIds, readUserKeys, readUserList, readUsers, type Users } from "./users.ts";

interface Protected {
	/** By user id and by tag name: the cell that protects. */
	readonly users: ReadonlyMap<string, Cell>;
	readonly userTags: ReadonlyMap<string, Cell>;
}

/**
 * What the documents `roots` want of one organization. It is meaningful only when no problem was found in any of them.
 * `complete` says that no other document could hold users of this organization.
 */
export function readOrganization(
	organizationId: string,
	roots: readonly Cell[],
	complete: boolean,
	findings: Findings,
): DesiredOrganization {
	const users = readUsers(roots, complete, findings);
	const entries = readTagEntries(roots, users, findings);
	const guarded = readProtected(roots, users, findings);
	checkProtectedTags(entries, guarded, findings);
	const desired = {
		organizationId,
		objects: [
			...desiredTags(entries),
			...readAbsent(roots, users, guarded, findings),
			...readExpectations(roots, users, findings),
		],
		protect: { userIds: [...guarded.users.keys()].sort(), userTags: [...guarded.userTags.keys()].sort() },
		limits: readLimits(roots, findings),
	};
	const files = [...new Set(roots.map((root) => root.at.file))].sort();
	const aliases = Object.fromEntries([...users.ids].sort(([left], [right]) => (left < right ? -1 : 1)));
	return { ...desired, users: aliases, digest: digestOf(withoutPlaces(desired)), files };
}

function readProtected(roots: readonly Cell[], users: Users, findings: Findings): Protected {
	const sections = roots.map((root) => entryOf(root, "protect"));
	const named = sections.flatMap((section) => readUserList(users, entryOf(section, "users")));
	const tags = sections.flatMap((section) => readNames(entryOf(section, "userTags"), findings));
	return {
		users: new Map(named.map(({ userId, cell }) => [userId, cell])),
		userTags: new Map(tags.map(({ text, cell }) => [text, cell])),
	};
}

function checkProtectedTags(entries: readonly TagEntry[], guarded: Protected, findings: Findings): void {
	for (const entry of entries) {
		const changes = ["members", "previously"].filter((key) => entryOf(entry.cell, key) !== undefined);
		const protector = entry.name && guarded.userTags.get(entry.name.text);
		if (entry.name && protector !== undefined && changes.length > 0) {
			const place = placeOf(protector.at, entry.name.cell.at);
			const keys = changes.map((key) => `\`${key}\``).join(" and ");
			const message = `the tag ${quotedCell(entry.name.cell)} is protected ${place}, and ${keys} would change it; take out one or the other`;
			findings.report(entry.name.cell, "protected", message);
		} else {
			for (const { text, cell } of entry.previously) {
				const earlier = guarded.userTags.get(text);
				if (earlier === undefined) continue;
				const message = `the tag ${quotedCell(cell)} is protected ${placeOf(earlier.at, cell.at)}, and this would rename it; take out one or the other`;
				findings.report(cell, "protected", message);
			}
		}
		for (const { userId, cell } of entry.never) {
			const keeper = guarded.users.get(userId);
			if (keeper === undefined) continue;
			const message = `the user ${quotedCell(cell)} is protected ${placeOf(keeper.at, cell.at)}, and \`never\` would take a tag away; take out one or the other`;
			findings.report(cell, "protected", message);
		}
	}
}

function readAbsent(
	roots: readonly Cell[],
	users: Users,
	guarded: Protected,
	findings: Findings,
): readonly DesiredRemoval[] {
	const sections = roots.map((root) => entryOf(root, "absent"));
	// Problems are reported in the order in which a document lists the kinds.
	const found = new Map(
		removalKindNames.map((name) => {
			const isOfUser = removalKinds.some((kind) => kind.name === name && kind.isOfUser);
			const lists = sections.map((section) => entryOf(section, removalLists[name]));
			const removals = isOfUser
				? lists.flatMap((list) => readOfUsers(name, list, users, guarded, findings))
				: lists.flatMap((list) => readIds(list, findings).map((id) => ({ kind: name, userId: null, id })));
			return [name, sortRemovals(removals)] as const;
		}),
	);
	return removalKinds.flatMap(({ name }) => found.get(name) ?? []);
}

function readOfUsers(
	kind: RemovalKindName,
	list: Cell | undefined,
	users: Users,
	guarded: Protected,
	findings: Findings,
): readonly DesiredRemoval[] {
	return readUserKeys(users, list).flatMap(({ userId, cell }) => {
		const ids = readIds(cell, findings);
		const keeper = ids.length === 0 ? undefined : guarded.users.get(userId);
		if (keeper !== undefined) {
			const what = kindOf(kind).words[1];
			const message = `the user ${quoted(String(cell.key))} is protected ${placeOf(keeper.at, cell.keyAt)}, and this would remove ${what}; take out one or the other`;
			findings.report(cell, "protected", message, "key");
		}
		return ids.map((id) => ({ kind, userId, id }));
	});
}

/** Sorted by user and id, each once. */
function sortRemovals(removals: readonly DesiredRemoval[]): readonly DesiredRemoval[] {
	const byKey = new Map(removals.map((removal) => [keyOfRemoval(removal), removal]));
	return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, removal]) => removal);
}

function readLimits(roots: readonly Cell[], findings: Findings): Limits {
	const limits: Record<string, unknown> = {};
	for (const key of ["memberRemovals", ...Object.values(removalLists)]) {
		let first: { readonly cell: Cell; readonly value: unknown } | undefined;
		for (const cell of roots.map((root) => entryOf(entryOf(root, "limits"), key))) {
			const value = cell && (key === "memberRemovals" ? readMemberRemovals(cell, findings) : cell.value);
			if (cell === undefined || value === undefined) continue;
			if (first === undefined) {
				first = { cell, value };
				limits[key] = value;
			} else if (JSON.stringify(first.value) !== JSON.stringify(value)) {
				const place = placeOf(first.cell.at, cell.at);
				const message = `${subject(cell)} is ${quotedCell(cell)} here and ${quotedCell(first.cell)} ${place}; the documents of one organization must agree`;
				findings.report(cell, "documents-disagree", message);
			}
		}
	}
	return limits as Limits;
}

function readMemberRemovals(cell: Cell, findings: Findings): Limits["memberRemovals"] {
	if (typeof cell.value === "number") return { count: cell.value };
	const match = /^(-?[0-9]+(?:\.[0-9]+)?)%$/.exec(String(cell.value));
	const percent = Number(match?.[1]);
	if (match !== null && percent >= 0 && percent <= 100) return { percent };
	const range =
		match === null ? "be a percentage such as 25%, or a whole number without quotes," : "lie between 0% and 100%,";
	findings.breaks(
		cell,
		match === null ? "wrong-format" : "out-of-range",
		`\`memberRemovals\` must ${range} and is ${quotedCell(cell)}${filledIn(cell)}`,
	);
	return undefined;
}

/** What is wanted without the places where it is written: they mean nothing, and the digest is of the meaning. */
function withoutPlaces(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutPlaces);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([key]) => key !== "at")
			.map(([key, entry]) => [key, withoutPlaces(entry)]),
	);
}
