/** When orgsync last changed each object: only what it applied after a difference was seen can have ended it. */
import { printAddress } from "../address.ts";
import { removalKinds } from "../kinds/index.ts";
import { findTags } from "../kinds/user-tag.ts";
import { addressOfObject, keyOfRemoval } from "../objects.ts";
import { type DesiredOrganization, type LiveOrganization, removalsOf, tagsOf } from "../organization.ts";

/** Times, ISO 8601 in UTC, by address; without objects that orgsync never changed, or that others changed since. */
export function lastAppliedTimes(desired: DesiredOrganization, live: LiveOrganization): ReadonlyMap<string, string> {
	const { userTags, removed } = live.lastApplied;
	const { found } = findTags(tagsOf(desired), live.userTags.known ? live.userTags.value : []);
	const tags = found.flatMap(({ wanted, live: tag }) => {
		const applied = userTags[tag.id];
		const isLast = applied !== undefined && applied.updatedAt === tag.updatedAt;
		return isLast ? [[printAddress("userTag", wanted.name), applied.appliedAt] as const] : [];
	});
	const removals = removalKinds.flatMap(({ name }) =>
		removalsOf(desired, name).flatMap((object) => {
			const applied = removed[name]?.[keyOfRemoval(object)];
			return applied === undefined ? [] : [[addressOfObject(object, desired), applied.appliedAt] as const];
		}),
	);
	return new Map<string, string>([...tags, ...removals]);
}
