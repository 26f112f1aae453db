/** Narrows powers to what one user has, or to what members of a tag have through it. */
import { type AccessState, withoutTag } from "../access.ts";
import { includesUser } from "./explain-power.ts";
import { printGroup } from "./groups.ts";
import { type Ability, findPowers, type GroupPower } from "./powers.ts";
import { isUndocumented } from "./reason.ts";

/** Returns the user's part of each power; powers in which the user has none, and of which all is known, are left out. */
export function narrowToUser(powers: readonly GroupPower[], userId: string): readonly GroupPower[] {
	const only = (ids: readonly string[]): readonly string[] => ids.filter((one) => one === userId);
	return powers
		.map((power) => {
			const conditional = power.conditional
				.map((one) => ({ ...one, ...abilityOf(one, userId) }))
				.filter((one) => !one.holds || hasPart(one));
			return {
				...power,
				...abilityOf(power, userId),
				rootQuorumOnly: only(power.rootQuorumOnly),
				denied: only(power.denied),
				conditional,
				conditions: power.conditions.filter((text) => conditional.some(({ condition }) => condition === text)),
			};
		})
		.filter(
			(power) =>
				hasPart(power) ||
				power.denied.length > 0 ||
				power.unknown?.kind === "own-credentials-disputed" ||
				(power.unknown !== null && !isUndocumented(power.unknown)) ||
				power.conditional.some(hasPart),
		);
}

function abilityOf({ alone, together, thresholds, isComplete }: Ability, userId: string): Ability {
	return {
		alone: alone.filter((one) => one === userId),
		together: together.filter((set) => set.includes(userId)),
		thresholds: thresholds.filter((all) => includesUser(all, userId)),
		isComplete,
	};
}

function hasPart({ alone, together, thresholds }: Ability): boolean {
	return alone.length + together.length + thresholds.length > 0;
}

/** Returns the powers that differ from those of the same organization in which no user has the tag. */
export function narrowToTag(
	powers: readonly GroupPower[],
	tagId: string,
	access: AccessState,
	atMs: number,
): readonly GroupPower[] {
	if (!access.users.known) return powers;
	const groups = powers.map(({ group }) => group);
	const without = new Map(
		findPowers(withoutTag(access, tagId), atMs, groups).map((one) => [printGroup(one.group), whoIn(one)]),
	);
	return powers.filter((power) => without.get(printGroup(power.group)) !== whoIn(power));
}

/** Who can do it, as text to compare: neither policies nor the reasons count. */
function whoIn({ alone, together, thresholds, denied, unknown, conditional }: GroupPower): string {
	const parts = conditional.map(({ policyIds: _, ...one }) => one);
	return JSON.stringify([
		alone,
		together,
		thresholds.map((all) => all.map(({ atLeast, of }) => [atLeast, of])),
		denied,
		unknown !== null,
		parts,
	]);
}
