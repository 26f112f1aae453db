/** Powers in words: groups of activities, thresholds, users, tags and policies, the same in every format. */
import { showName, showNameWithin, showText } from "../escape.ts";
import { showUser } from "../plan/user-labels.ts";
import { maxNameLength, type UserNames } from "../plan/users.ts";
import { type ActivityGroup, nameOfGroup, printGroup } from "../policy/groups.ts";
import type { Ability, Threshold } from "../policy/powers.ts";

/** The names that powers are shown with; a plan has them too. */
export interface PowerNames extends UserNames {
	/** Live name by tag id. */
	readonly tagNames?: Readonly<Record<string, string>>;
	/** Live name by policy id. */
	readonly policyNames?: Readonly<Record<string, string>>;
}

/** Max names in a list; the rest is counted. */
const maxListed = 10;

/** Returns the group with its name: `sign (PRIVATE_KEY/SIGN)`; without one as `printGroup`. */
export function describeGroup(group: ActivityGroup): string {
	const name = nameOfGroup(group);
	const printed = showText(printGroup(group));
	return name === null ? printed : `${name} (${printed})`;
}

/** Returns the users in one list: `alice, bob, … and 3 more`. */
export function listUsers(userIds: readonly string[], names: PowerNames, max: number = maxListed): string {
	return cutList(
		userIds.map((userId) => showUser(userId, names)),
		max,
	).join(", ");
}

/** Returns the users joined by `and`: `alice and bob`, `alice, bob and carol`. */
export function joinUsers(userIds: readonly string[], names: PowerNames, max: number = maxListed): string {
	const shown = cutList(
		userIds.map((userId) => showUser(userId, names)),
		max,
	);
	return shown.length < 2 || userIds.length > max
		? shown.join(", ")
		: `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function cutList(items: readonly string[], max: number): readonly string[] {
	// One more is as short as the note that counts it.
	return items.length <= max + 1 ? items : [...items.slice(0, max), `… and ${items.length - max} more`];
}

/** Returns the tag's live name; `tag ID` where it is not known. */
export function showTag(tagId: string, { tagNames = {} }: PowerNames): string {
	const name = Object.hasOwn(tagNames, tagId) ? tagNames[tagId] : undefined;
	return name === undefined || name === "" ? `tag ${showText(tagId)}` : showNameWithin(name, maxNameLength);
}

/** Returns the policy's live name; `policy ID` where it has none. */
export function showPolicy(policyId: string, { policyNames = {} }: PowerNames): string {
	const name = Object.hasOwn(policyNames, policyId) ? policyNames[policyId] : undefined;
	return name === undefined || name === "" ? `policy ${showText(policyId)}` : showName(name);
}

/** Returns the threshold: `alice`, `alice and bob`, `1 of carol, dave`, `2 of signers (alice, bob, carol)`, `the root quorum (2 of …)`. */
export function describeThreshold({ atLeast, of, tagId, isRootQuorum }: Threshold, names: PowerNames): string {
	const listed = listUsers(of, names);
	if (isRootQuorum)
		return `the root quorum (${atLeast === of.length ? joinUsers(of, names) : `${atLeast} of ${listed}`})`;
	if (tagId !== null) return `${atLeast} of ${showTag(tagId, names)} (${of.length === 0 ? "no members" : listed})`;
	return atLeast === of.length ? joinUsers(of, names) : `${atLeast} of ${listed}`;
}

/** Max alternatives in one line; the rest is counted. */
const maxAlternatives = 4;

/** Returns alternatives, each of thresholds that all must hold: `2 of signers (alice, bob, carol), or 1 of a, b and 1 of c, d`. */
export function describeThresholds(alternatives: readonly (readonly Threshold[])[], names: PowerNames): string {
	const shown = alternatives.map((all) => all.map((one) => describeThreshold(one, names)).join(" and "));
	if (shown.length <= maxAlternatives + 1) return shown.join(", or ");
	return `${shown.slice(0, maxAlternatives).join(", or ")}, or one of ${shown.length - maxAlternatives} more`;
}

/** Returns which users can do it only together; empty where there are none. */
export function describeTogether({ thresholds, together }: Ability, names: PowerNames): string {
	if (together.length === 0) return "";
	const several = thresholds.filter((all) => all.length > 1 || (all[0]?.atLeast ?? 0) > 1);
	if (several.length > 0) return describeThresholds(several, names);
	const sets = together.map((set) => joinUsers(set, names));
	return cutList(sets, maxAlternatives).join(", or ");
}
