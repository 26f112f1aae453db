/** Questions and states of access that only tests ask for. */
import type { AccessState } from "../../src/policy/access.ts";
import { type Ability, abilityOf } from "../../src/policy/powers/ability.ts";
import { factsOfGroup } from "../../src/policy/powers/activity.ts";
import type { ActivityGroup } from "../../src/policy/powers/groups.ts";
import { allowedBy, certain, findParts } from "../../src/policy/powers/judge.ts";
import { prepareAccess } from "../../src/policy/powers/prepare.ts";
import { TooComplex } from "../../src/policy/sets/formula.ts";

export const noAbility: Ability = { alone: [], together: [], thresholds: [], isComplete: true };

/** Returns who can do the group by policies, the root quorum apart; what is unknown does not count. */
export function abilityByPolicies(access: AccessState, group: ActivityGroup, atMs: number): Ability {
	const prepared = prepareAccess(access, atMs);
	try {
		const { parts } = findParts(prepared, factsOfGroup(group));
		return abilityOf(allowedBy(prepared, parts, certain), prepared.users, prepared.budget);
	} catch (error) {
		if (error instanceof TooComplex) return noAbility;
		throw error;
	}
}

/** Access of which nothing could be read, for one reason. */
export const unknownAccess = (text: string, because = { kind: "stated", text } as const): AccessState => ({
	users: { known: false, because },
	policies: { known: false, because },
	rootQuorum: { known: false, because },
});
