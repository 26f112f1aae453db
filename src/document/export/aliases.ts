/** Makes aliases for the users of an exported document: live names, safe and unique, whatever the order of users. */

import { replaceHidden } from "../../common/invisible.ts";
import { type LiveUser, uuid } from "../../plan/organization.ts";
import { compareText } from "../../plan/value.ts";
import { nameMistake } from "../read/users.ts";
import { makeUnique, shortId } from "./names.ts";

/** Max characters of a name that becomes an alias. */
const maxNameLength = 60;

/** Returns the alias of each user with a valid id, by user id. */
export function makeAliases(users: readonly LiveUser[]): ReadonlyMap<string, string> {
	const sorted = users.filter(({ id }) => uuid.test(id)).toSorted((left, right) => compareText(left.id, right.id));
	const named = new Map(sorted.map((user) => [user.id, safeName(user)]));
	return makeUnique(named);
}

/** Returns the name as a valid alias: without invisible characters, and not like an id or a variable. */
function safeName({ id, name }: LiveUser): string {
	const visible = replaceHidden(name, () => "\0")
		.replace(/\p{Cc}+|\$\{/gu, "-")
		.trim();
	const short = [...visible].slice(0, maxNameLength).join("").trim();
	return nameMistake(short) !== undefined || uuid.test(short) ? `user-${id.slice(0, shortId)}` : short;
}
