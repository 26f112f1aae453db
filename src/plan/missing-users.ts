/** Users whom the document names and the organization does not have. Where users could not be read, none is known to be missing. */
import { distance } from "fastest-levenshtein";
import type { Problem } from "../common/errors.ts";
import { showName } from "../common/escape.ts";
import { printAddress } from "./address.ts";
import { nearest } from "./nearest.ts";
import { nameOfUser } from "./objects.ts";
import { type DesiredOrganization, type LiveOrganization, tagsOf } from "./organization.ts";

/** Max characters in which an id differs from the one that is meant: ids are random, so that two users have others. */
const maxIdDistance = 4;

/** Returns a problem for each user who is to have a tag and does not exist. A user under `never` has none to lose. */
export function missingMembers(desired: DesiredOrganization, { users }: LiveOrganization): readonly Problem[] {
	if (!users.known) return [];
	const missing = new Map<string, Problem>();
	for (const { name, members, at } of tagsOf(desired)) {
		if (members === undefined) continue;
		for (const userId of members.mode === "exactly" ? members.exactly : members.atLeast) {
			if (Object.hasOwn(users.value, userId) || missing.has(userId)) continue;
			const place = desired.places?.users[userId] ?? at;
			const path = printAddress("userTag", name);
			const fix = "correct the id, or take the user out of `members`";
			const message = describeMissing(userId, desired, users.value, { fix });
			missing.set(userId, { ...place, path, code: "user-not-there", message });
		}
	}
	return [...missing.values()];
}

/** Returns that there is no such user, with what follows, and who is probably meant, or else the fix. `liveNames` has all users. */
export function describeMissing(
	userId: string,
	desired: Pick<DesiredOrganization, "users">,
	liveNames: Readonly<Record<string, string>>,
	{ so, fix }: { readonly so?: string; readonly fix?: string } = {},
): string {
	const alias = nameOfUser(desired, userId);
	const shown = alias === userId ? userId : `${userId} (\`${showName(alias)}\`)`;
	const what = `the organization has no user ${shown}${so === undefined ? "" : `, so ${so}`}`;
	const meant = findMeant(userId, alias, liveNames);
	if (meant === undefined) return fix === undefined ? what : `${what}; ${fix}`;
	const known = nameOfUser(desired, meant);
	const name = known === meant ? (liveNames[meant] ?? "") : known;
	return `${what}; did you mean ${name === "" ? meant : `\`${showName(name)}\`, whose id is ${meant}`}?`;
}

/** Returns the id of the user whose live name is like the alias, or else whose id is like this one. */
function findMeant(userId: string, alias: string, liveNames: Readonly<Record<string, string>>): string | undefined {
	const live = Object.entries(liveNames);
	const name =
		alias === userId
			? undefined
			: nearest(
					alias,
					live.flatMap(([, one]) => (one === "" ? [] : [one])),
				);
	if (name !== undefined) return live.find(([, one]) => one === name)?.[0];
	return live
		.map(([id]) => ({ id, edits: distance(userId, id) }))
		.filter(({ edits }) => edits <= maxIdDistance)
		.sort((left, right) => left.edits - right.edits)[0]?.id;
}
