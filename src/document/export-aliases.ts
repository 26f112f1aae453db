/**
 * Makes aliases for the users of an exported document: the names of the service, made safe and unique. They do not depend on
 * the order in which the service lists the users.
 */

import { replaceHidden } from "../invisible.ts";
import { type LiveUser, uuid } from "../plan/organization.ts";
import { compareText } from "../plan/value.ts";
import { nameMistake } from "./users.ts";

/** Max characters of a name that becomes an alias. */
const maxNameLength = 60;

/** Characters of an id that distinguish users with the same name. */
const shortId = 8;

/** Returns the alias of each user with a valid id, by user id. */
export function makeAliases(users: readonly LiveUser[]): ReadonlyMap<string, string> {
	const sorted = users.filter(({ id }) => uuid.test(id)).toSorted((left, right) => compareText(left.id, right.id));
	const named = new Map(sorted.map((user) => [user.id, safeName(user)]));
	const times = new Map<string, number>();
	for (const name of named.values()) times.set(name, (times.get(name) ?? 0) + 1);
	// A user with a unique name gets exactly that name.
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

/** Returns the name as a valid alias: without invisible characters, and not like an id or a variable. */
function safeName({ id, name }: LiveUser): string {
	const visible = replaceHidden(name, () => "\0")
		.replace(/\p{Cc}+|\$\{/gu, "-")
		.trim();
	const short = [...visible].slice(0, maxNameLength).join("").trim();
	return nameMistake(short) !== undefined || uuid.test(short) ? `user-${id.slice(0, shortId)}` : short;
}
