/** Judges rules about powers: `minApprovers`, `onlyBy` and `noNewAccess`. Only what is surely possible breaks a rule. */
import type { AccessState, Known } from "../../policy/access.ts";
import { type ActivityGroup, namedPowers, type PowerName, printGroup } from "../../policy/powers/groups.ts";
import type { ImpactVerdict } from "../../policy/powers/impact.ts";
import { findPolicyParts } from "../../policy/powers/judge.ts";
import { type Ability, fewestApprovers, findPower, type GroupPower } from "../../policy/powers/powers.ts";
import { prepareAccess } from "../../policy/powers/prepare.ts";
import { isUndocumented, notRead, type Reason } from "../../policy/powers/reason.ts";
import type { PlanImpact } from "../impact/impact.ts";
import { compareText } from "../value.ts";
import { type Breach, factsOf, joinFacts, keptFacts, type RuleFacts, type RuleOf, withoutKnown } from "./rules.ts";
import type { NamedTags } from "./tags.ts";

/** Who can do what, and what policies alone allow. */
export interface RulePowers {
	readonly access: AccessState;
	/** Milliseconds since 1970. */
	readonly atMs: number;
	readonly byPolicies: (group: ActivityGroup) => GroupPower;
}

/** Returns the powers of this state, without what users may do with their own credentials. `atMs`: milliseconds since 1970. */
export function powersOf(access: AccessState, atMs: number): RulePowers {
	// A quorum without users is never reached: what is left is what policies allow.
	const apart: AccessState = { ...access, rootQuorum: { known: true, value: { threshold: 1, userIds: [] } } };
	const prepared = prepareAccess(apart, atMs);
	const found = new Map<string, GroupPower>();
	const byPolicies = (group: ActivityGroup): GroupPower => {
		const power = found.get(printGroup(group)) ?? findPower(prepared, group, { partsIn: findPolicyParts });
		found.set(printGroup(group), power);
		return power;
	};
	return { access, atMs, byPolicies };
}

/** One ability of a group, and the condition under which it is there; null: always. */
interface ConditionalAbility extends Ability {
	readonly condition: string | null;
}

/** Returns what is possible under each condition. */
function conditionalOf(power: GroupPower): readonly ConditionalAbility[] {
	return power.conditional.map(({ condition, holds, ...ability }) => {
		return { ...ability, condition: holds ? condition : `not (${condition})` };
	});
}

/** Judges each group of the power by what policies allow. */
function judgeGroups(
	power: PowerName,
	{ byPolicies }: RulePowers,
	judge: (ability: ConditionalAbility, group: ActivityGroup) => RuleFacts,
): RuleFacts {
	const all = namedPowers[power].map((group) => {
		const found = byPolicies(group);
		const always = judge({ ...found, condition: null }, group);
		const conditional = conditionalOf(found).map((ability) => {
			const { breaches, unknown } = judge(ability, group);
			return { breaches: withoutKnown(breaches, always.breaches), unknown };
		});
		const unknown = isUndocumented(found.unknown) ? null : found.unknown;
		return joinFacts([always, ...conditional, { breaches: [], unknown }]);
	});
	return joinFacts(all);
}

const tooManySets: Reason = { kind: "too-many-sets" };

/** Fewer approvers than the rule asks for are a breach, each smallest set of them; so is a root quorum of fewer. */
export function judgeMinApprovers({ power, min }: RuleOf<"minApprovers">, powers: RulePowers): RuleFacts {
	const root = factsOf(powers.access.rootQuorum, ({ threshold, userIds }) => {
		const isReached = threshold < min && userIds.length >= threshold && userIds.length > 0;
		return isReached ? { breaches: [{ what: "rootQuorum", userIds, threshold }], unknown: null } : keptFacts;
	});
	const groups = judgeGroups(power, powers, (ability, group) => {
		const { alone, together, condition } = ability;
		const sets = [...alone.map((userId) => [userId]), ...together].filter((set) => set.length < min);
		// Too many sets to write out can leave none.
		if (sets.length === 0 && (fewestApprovers(ability) ?? min) < min) return { breaches: [], unknown: tooManySets };
		return { breaches: sets.map((userIds) => ({ what: "enough", userIds, group, condition })), unknown: null };
	});
	return joinFacts([root, groups]);
}

/** A user without any of the tags who takes part in a smallest set is a breach; the root quorum is exempt. */
export function judgeOnlyBy({ power, tags: names }: RuleOf<"onlyBy">, powers: RulePowers, tags: NamedTags): RuleFacts {
	const named = names.map((name) => tags.get(name)).filter((tag) => tag !== undefined);
	const allowed = new Set(named.flatMap((tag) => (tag.known && tag.value !== null ? [tag.value.id] : [])));
	// A name that several tags have can be that of a tag that the user has; one that no tag has allows no user.
	const doubtful = named.find((tag) => !tag.known);
	return factsOf(powers.access.users, (users) => {
		const tagIds = new Map(users.map((user) => [user.id, user.tagIds]));
		const judge = (userId: string, group: ActivityGroup, condition: string | null): RuleFacts => {
			const held: Known<readonly string[]> = tagIds.get(userId) ?? { known: true, value: [] };
			return factsOf(held, (ids) => {
				if (ids.some((id) => allowed.has(id))) return keptFacts;
				if (doubtful?.known === false) return { breaches: [], unknown: notRead(doubtful.because) };
				return { breaches: [{ what: "outsider", userIds: [userId], group, condition }], unknown: null };
			});
		};
		return judgeGroups(power, powers, (ability, group) =>
			joinFacts(partakersOf(ability).map((userId) => judge(userId, group, ability.condition))),
		);
	});
}

function partakersOf({ alone, together, thresholds, isComplete }: Ability): readonly string[] {
	const more = isComplete ? [] : thresholds.flat().flatMap((threshold) => threshold.of);
	return [...new Set([...alone, ...together.flat(), ...more])].sort(compareText);
}

interface FoundImpact {
	readonly impact: readonly PlanImpact[];
	readonly verdict: ImpactVerdict;
}

const givingChanges: ReadonlySet<string> = new Set(["alone", "fewer", "gains"]);

/** Returns each finding that lets a user do more. What cannot be compared is unknown. */
export function judgeNewAccess({ impact, verdict }: FoundImpact): RuleFacts {
	const giving = impact.filter(({ change }) => givingChanges.has(change));
	const breaches = giving.map(({ userIds, group, condition, change }): Breach => {
		return { what: "newAccess", userIds, group, condition, change };
	});
	const unclear = impact.filter(({ change }) => change === "unknown");
	// What no documentation says does not count. What two pages say in two ways may be new access.
	const open = unclear.find(
		({ because, onlyTakes }) =>
			onlyTakes !== true && (!isUndocumented(because) || because?.kind === "own-credentials-disputed"),
	);
	const isUnexplained = verdict === "unknown" && unclear.length === 0;
	const unknown: Reason | null = open?.because ?? (isUnexplained ? { kind: "impact-unknown" } : null);
	const isMore = breaches.length === 0 && (verdict === "more-permissive" || verdict === "both");
	if (!isMore) return { breaches, unknown };
	const whole: Breach = { what: "newAccess", userIds: [], group: null, condition: null, change: null };
	return { breaches: [whole], unknown };
}
