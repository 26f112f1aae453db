/** Who can do something alone that guards count as sensitive. */
import { printGroup, sensitiveGroups } from "./groups.ts";
import { ownCredentials } from "./judge.ts";
import type { GroupPower } from "./powers.ts";

/** Returns the users who can, by policies or as a root quorum of one; those who can only under a condition on the activity apart. */
export function findSensitiveAlone(powers: readonly GroupPower[]) {
	const checked = powers.filter(({ group }) => sensitiveGroups.has(printGroup(group)));
	const always = new Set(checked.flatMap(({ alone }) => alone));
	const conditional = checked
		.flatMap((power) => power.conditional)
		.filter(({ condition }) => condition !== ownCredentials)
		.flatMap(({ alone }) => alone);
	return { always, conditional: new Set(conditional.filter((userId) => !always.has(userId))) };
}
