/** Resolves the users of documents: an alias or an id to the user id, in lower case. */

import { uuid } from "../../common/uuid.ts";
import type { Position } from "../../plan/organization.ts";
import { type Cell, entryOf, hasOrIntends, itemsOf } from "../cell.ts";
import { describePlace, didYouMean, distinct, invalidate, quote, quoteCell, report } from "../report.ts";

export const exampleId = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";

export interface Users {
	/** User id by alias. */
	readonly ids: ReadonlyMap<string, string>;
	/** All aliases, also those with an invalid id. */
	readonly aliases: ReadonlySet<string>;
	/** Whether all `users` could be read. Otherwise an unknown alias may be defined where a problem was reported. */
	readonly isComplete: boolean;
}

/** A user, and the cell that names the user: by its value in a list, by its key in a map. */
export interface NamedUser {
	readonly userId: string;
	readonly cell: Cell;
}

/** Returns the users of all documents of one organization, and reports documents that disagree about an alias. */
export function readUsers(roots: readonly Cell[], isComplete: boolean): Users {
	const ids = new Map<string, string>();
	const aliases = new Set<string>();
	const byAlias = new Map<string, Cell>();
	const byId = new Map<string, Cell>();
	for (const cell of roots.flatMap((root) => [...(entryOf(root, "users")?.entries.values() ?? [])])) {
		const alias = String(cell.key);
		aliases.add(alias);
		if (cell.invalid || !isAlias(cell, alias)) continue;
		const id = readId(cell);
		if (id === undefined) continue;
		const earlier = byAlias.get(alias);
		const same = byId.get(id);
		if (earlier !== undefined && ids.get(alias) !== id) {
			const message = `conflicting alias ${quote(alias)}: another user ${describePlace(earlier.at, cell.at)}; documents of one organization must agree`;
			report(cell, "documents-disagree", message);
		} else if (same !== undefined && same.key !== alias) {
			const message = `${quote(alias)} is the same user as ${quote(String(same.key))} ${describePlace(same.at, cell.at)}; keep one alias`;
			report(cell, "same-user", message);
		}
		if (earlier !== undefined) continue;
		byAlias.set(alias, cell);
		if (same === undefined) byId.set(id, cell);
		ids.set(alias, id);
	}
	const isReadable = roots.every(
		(root) => !root.invalid && (!hasOrIntends(root, "users") || entryOf(root, "users") !== undefined),
	);
	return { ids, aliases, isComplete: isComplete && isReadable };
}

function isAlias(cell: Cell, alias: string): boolean {
	if (uuid.test(alias)) {
		const message = `the alias ${quote(alias)} looks like an id; use a name, or the id without an alias`;
		invalidate(cell, "bad-alias", message, "key");
	} else {
		const mistake = nameMistake(alias);
		if (mistake !== undefined)
			invalidate(cell, "bad-alias", `the alias ${alias === "" ? "" : `${quote(alias)} `}${mistake}`, "key");
	}
	return !cell.invalid;
}

/** Returns what is wrong with a name, as the end of a sentence, or undefined. */
export function nameMistake(name: string): string | undefined {
	if (name === "") return "is empty; write a name";
	if (name.trim() !== name) return "begins or ends with a space; remove the space";
	if (!name.isWellFormed()) return "contains half of a character; write the whole one";
	return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
		? "contains a control character, such as a line break; remove it"
		: undefined;
}

/** Returns the id in lower case, or undefined after reporting that it is not a UUID. */
export function readId(cell: Cell): string | undefined {
	const text = String(cell.value);
	if (uuid.test(text)) return text.toLowerCase();
	const message = `${quoteCell(cell)} is not an id${afterSubstitution(cell)}: expected a UUID such as ${exampleId}`;
	return invalidate(cell, "not-an-id", message);
}

/** Returns the id of the organization of a document, or undefined after reporting why there is none. */
export function organizationIdOf(root: Cell): string | undefined {
	const cell = entryOf(root, "organizationId");
	return cell === undefined ? undefined : readId(cell);
}

/** Returns the distinct ids of a list in its order, and reports duplicates. */
export function readIds(list: Cell | undefined): string[] {
	return [...distinct(itemsOf(list), readId).keys()];
}

/** Returns the id of the user that the value or the key of a cell names, or undefined after reporting a problem. */
function findUser(users: Users, cell: Cell, where: "key" | "value"): string | undefined {
	const text = String(where === "key" ? cell.key : cell.value);
	const shown = where === "key" ? quote(text) : quoteCell(cell);
	if (users.aliases.has(text)) return users.ids.get(text);
	if (uuid.test(text)) return text.toLowerCase();
	const isSecret = where === "value" && cell.fromEnvironment;
	if (!isSecret && /^[0-9a-f-]{20,}$/i.test(text)) {
		const message = `${shown} is not an id: expected a UUID such as ${exampleId}, or one of the aliases under \`users\``;
		return report(cell, "not-an-id", message, where);
	}
	if (!users.isComplete) return undefined;
	let help = isSecret ? "" : didYouMean(cell, text, users.aliases);
	if (help === "" && users.aliases.size === 0) help = "; add the alias and its id to `users`, or write the id";
	if (help === "") help = `; expected one of the aliases under \`users\`, or a UUID such as ${exampleId}`;
	const message = `unknown user ${shown}${isSecret ? afterSubstitution(cell) : ""}${help}`;
	return report(cell, "unknown-user", message, where);
}

/** Returns the distinct users of a list in its order. Reports duplicates, also an alias and its id. */
export function readUserList(users: Users, list: Cell | undefined): NamedUser[] {
	return readDistinctUsers(users, itemsOf(list), "value");
}

/** Returns the distinct users that are the keys of a map, each with the cell of the entry, and reports duplicates. */
export function readUserKeys(users: Users, map: Cell | undefined): NamedUser[] {
	const cells = map === undefined || map.invalid ? [] : [...map.entries.values()];
	return readDistinctUsers(users, cells, "key");
}

/** Returns the distinct users whom the values or the keys of these cells name, and reports duplicates. */
export function readDistinctUsers(users: Users, cells: readonly Cell[], where: "key" | "value"): NamedUser[] {
	const found = new Map<string, Cell>();
	for (const cell of cells) {
		const userId = findUser(users, cell, where);
		if (userId === undefined) continue;
		const first = found.get(userId);
		if (first === undefined) {
			found.set(userId, cell);
			continue;
		}
		const [shown, other] =
			where === "key" ? [quote(String(cell.key)), quote(String(first.key))] : [quoteCell(cell), quoteCell(first)];
		const place = describePlace(where === "key" ? first.keyAt : first.at, cell.keyAt);
		const message =
			shown === other ? `duplicate ${shown}, first ${place}` : `${shown} is the same user as ${other} ${place}`;
		report(cell, "duplicate", `${message}; keep one`, where);
	}
	return [...found].map(([userId, cell]) => ({ userId, cell }));
}

/** Returns where the documents have each user's id: at the alias, or where it is first used, in any order of documents. */
export function placesOfUsers(
	roots: readonly Cell[],
	named: readonly NamedUser[],
	{ ids, owners }: { readonly ids: Users["ids"]; readonly owners: readonly Cell[] },
): Readonly<Record<string, Position>> {
	const aliases = new Map<string, Position>();
	const keepFirst = (places: Map<string, Position>, key: string, at: Position): void => {
		const earlier = places.get(key);
		if (earlier === undefined || isBefore(at, earlier)) places.set(key, at);
	};
	for (const root of roots)
		for (const [alias, { at }] of entryOf(root, "users")?.entries ?? []) keepFirst(aliases, alias, at);
	const [ofAliases, ofUses] = [new Map<string, Position>(), new Map<string, Position>()];
	for (const { userId, cell } of named) {
		const alias = aliases.get(String(cell.value));
		keepFirst(alias === undefined ? ofUses : ofAliases, userId, alias ?? cell.at);
	}
	for (const { key, keyAt } of owners) {
		const alias = aliases.get(String(key));
		keepFirst(
			alias === undefined ? ofUses : ofAliases,
			ids.get(String(key)) ?? String(key).toLowerCase(),
			alias ?? keyAt,
		);
	}
	const places = [...ofUses, ...ofAliases].sort(([left], [right]) => (left < right ? -1 : Number(left > right)));
	return Object.fromEntries(places);
}

function isBefore(left: Position, right: Position): boolean {
	if (left.file !== right.file) return left.file < right.file;
	return left.line < right.line || (left.line === right.line && left.column < right.column);
}

/** Returns the words that a message adds for a value with variables: the file may not show what is wrong. */
export function afterSubstitution(cell: Cell): string {
	return cell.fromEnvironment ? " after variable substitution" : "";
}
