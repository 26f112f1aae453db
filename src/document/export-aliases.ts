/**
 * Names for the users of an exported document: what the service calls them, made safe and unique. They depend on the users
 * alone, not on the order in which the service lists them.
 */

import { replaceHidden } from "../invisible.ts";
import { type LiveUser, uuid } from "../plan/organization.ts";
import { compareText } from "../plan/value.ts";
import { nameMistake } from "./users.ts";

/** Longest part of a user's name that becomes an alias, in characters. */
const maxNameLength = 60;

/** How much of an id tells users of one name apart. */
const shortId = 8;

/** The alias of every user whose id a document can hold, by user id. */
export function makeAliases(users: readonly LiveUser[]): ReadonlyMap<string, string> {
	const sorted = users.filter(({ id }) => uuid.test(id)).toSorted((left, right) => compareText(left.id, right.id));
	const named = new Map(sorted.map((user) => [user.id, safeName(user)]));
	const times = new Map<string, number>();
	for (const name of named.values()) times.set(name, (times.get(name) ?? 0) + 1);
	// A name that one user has alone is that user's, whatever the others are called.
	const taken = new Set([...times].filter(([, count]) => count === 1).map(([name]) => name));
	const aliases = new Map<string, string>();
	for (const [id, name] of named) {
		let alias = name;
		if (times.get(name) !== 1) {
			alias = `${name}-${id.slice(0, shortId)}`;
			while (taken.has(alias)) alias = `${alias === `${name}-${id}` ? alias : name}-${id}`;
			taken.add(alias);
		}
		aliases.set(id, alias);
	}
	return aliases;
}

/** The name as an alias can be written: without characters that nobody sees, not like an id, not like a variable. */
function safeName({ id, name }: LiveUser): string {
	const visible = replaceHidden(name, () => "\0")
		.replace(/\p{Cc}+|\$\{/gu, "-")
		.trim();
	const short = [...visible].slice(0, maxNameLength).join("").trim();
	return nameMistake(short) !== undefined || uuid.test(short) ? `user-${id.slice(0, shortId)}` : short;
}
