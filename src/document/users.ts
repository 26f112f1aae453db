/**
 * Who the names in a document are: aliases to user ids, and every id in lower case.
 */
import { uuid } from "../plan/organization.ts";
import { type Cell, entryOf, mentions } from "./cell.ts";
import { type Findings, placeOf, quoted, quotedCell } from "./findings.ts";

const exampleId = "3f1f0c9e-8d0e-4b0e-a9d4-0a64c1a3c001";

/** The users of an organization. */
export interface Users {
	/** Alias to user id. */
	readonly ids: ReadonlyMap<string, string>;
	/** All aliases, also those whose id is unusable. */
	readonly aliases: ReadonlySet<string>;
	/** Whether `users` could be read completely, so that an unknown alias is a mistake of its own. */
	readonly complete: boolean;
	readonly findings: Findings;
}

/** A user, and the cell that names the user: by its value in a list, by its key in a map. */
export interface NamedUser {
	readonly userId: string;
	readonly cell: Cell;
}

/** The users of all documents of one organization; documents that disagree about an alias are reported. */
export function readUsers(roots: readonly Cell[], complete: boolean, findings: Findings): Users {
	const ids = new Map<string, string>();
	const aliases = new Set<string>();
	const byAlias = new Map<string, Cell>();
	const byId = new Map<string, Cell>();
	for (const cell of roots.flatMap((root) => [...(entryOf(root, "users")?.entries.values() ?? [])])) {
		const alias = String(cell.key);
		aliases.add(alias);
		if (cell.broken || !isAlias(cell, alias, findings)) continue;
		const id = readId(cell, findings);
		if (id === undefined) continue;
		const earlier = byAlias.get(alias);
		const same = byId.get(id);
		if (earlier !== undefined && ids.get(alias) !== id) {
			const message = `${quoted(alias)} is another user ${placeOf(earlier.at, cell.at)}; the documents of one organization must agree`;
			findings.report(cell, "documents-disagree", message);
		} else if (same !== undefined && same.key !== alias) {
			const message = `${quoted(alias)} is the same user as ${quoted(String(same.key))} ${placeOf(same.at, cell.at)}; keep one of the names`;
			findings.report(cell, "same-user", message);
		}
		if (earlier !== undefined) continue;
		byAlias.set(alias, cell);
		if (same === undefined) byId.set(id, cell);
		ids.set(alias, id);
	}
	const readable = roots.every(
		(root) => !root.broken && (!mentions(root, "users") || entryOf(root, "users") !== undefined),
	);
	return { ids, aliases, complete: complete && readable, findings };
}

function isAlias(cell: Cell, alias: string, findings: Findings): boolean {
	if (uuid.test(alias)) {
		const message = `the alias ${quoted(alias)} looks like an id; call the user by a name, or use the id without an alias`;
		findings.breaks(cell, "bad-alias", message, "key");
	} else {
		const mistake = nameMistake(alias);
		if (mistake !== undefined)
			findings.breaks(cell, "bad-alias", `the alias ${alias === "" ? "" : `${quoted(alias)} `}${mistake}`, "key");
	}
	return !cell.broken;
}

/** What is wrong with a name, as the rest of a sentence; nothing when it is usable. */
export function nameMistake(name: string): string | undefined {
	if (name === "") return "is empty; write a name";
	if (name.trim() !== name) return "begins or ends with a blank; take the blank out";
	return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
		? "holds a control character, such as a line break; take it out"
		: undefined;
}

/** The id in lower case; nothing when it is no UUID, which is then reported. */
export function readId(cell: Cell, findings: Findings): string | undefined {
	const text = String(cell.value);
	if (uuid.test(text)) return text.toLowerCase();
	findings.breaks(
		cell,
		"not-an-id",
		`${quotedCell(cell)} is not an id${filledIn(cell)}: expected a UUID such as ${exampleId}`,
	);
	return undefined;
}

/** The ids of a list in its order; one that stands there twice is reported and kept once. */
export function readIds(list: Cell | undefined, findings: Findings): string[] {
	const ids = new Map<string, Cell>();
	for (const item of list === undefined || list.broken ? [] : list.items) {
		const id = item.broken ? undefined : readId(item, findings);
		if (id === undefined) continue;
		const first = ids.get(id);
		if (first !== undefined)
			findings.report(
				item,
				"duplicate",
				`${quotedCell(item)} is listed twice, first ${placeOf(first.at, item.at)}; keep one`,
			);
		else ids.set(id, item);
	}
	return [...ids.keys()];
}

/** The id of the user that `text`, the value or the key of a cell, names; nothing when there is none, which is reported. */
function findUser(users: Users, cell: Cell, where: "key" | "value"): string | undefined {
	const text = String(where === "key" ? cell.key : cell.value);
	const shown = where === "key" ? quoted(text) : quotedCell(cell);
	if (users.aliases.has(text)) return users.ids.get(text);
	if (uuid.test(text)) return text.toLowerCase();
	const secret = where === "value" && cell.fromEnvironment;
	if (!secret && /^[0-9a-f-]{20,}$/i.test(text)) {
		const message = `${shown} is not an id: expected a UUID such as ${exampleId}, or one of the aliases under \`users\``;
		users.findings.report(cell, "not-an-id", message, where);
		return undefined;
	}
	if (!users.complete) return undefined;
	let help = secret ? "" : users.findings.didYouMean(text, users.aliases);
	if (help === "" && users.aliases.size === 0) help = "; list the names and their ids under `users`, or write the id";
	if (help === "") help = `; expected one of the aliases under \`users\`, or a UUID such as ${exampleId}`;
	users.findings.report(cell, "unknown-user", `no user ${shown}${secret ? filledIn(cell) : ""}${help}`, where);
	return undefined;
}

/** The users of a list in its order; one who stands there twice, also as alias and id, is reported and kept once. */
export function readUserList(users: Users, list: Cell | undefined): NamedUser[] {
	const cells = list === undefined || list.broken ? [] : list.items.filter((item) => !item.broken);
	return readNamed(users, cells, "value");
}

/** The users that are the keys of a map, each with the entry's cell; a user who stands there twice is reported. */
export function readUserKeys(users: Users, map: Cell | undefined): NamedUser[] {
	const cells = map === undefined || map.broken ? [] : [...map.entries.values()];
	return readNamed(users, cells, "key");
}

function readNamed(users: Users, cells: readonly Cell[], where: "key" | "value"): NamedUser[] {
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
			where === "key" ? [quoted(String(cell.key)), quoted(String(first.key))] : [quotedCell(cell), quotedCell(first)];
		const place = placeOf(where === "key" ? first.keyAt : first.at, cell.keyAt);
		const message =
			shown === other ? `${shown} is listed twice, first ${place}` : `${shown} is the same user as ${other} ${place}`;
		users.findings.report(cell, "duplicate", `${message}; keep one`, where);
	}
	return [...found].map(([userId, cell]) => ({ userId, cell }));
}

/** Words for a value that looks right in the file and is wrong once the environment is filled in. */
export function filledIn(cell: Cell): string {
	return cell.fromEnvironment ? " once the environment is filled in" : "";
}
