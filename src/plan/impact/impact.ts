/** What a plan means for who can do what, as it is saved and shown; policy/powers/impact.ts finds it. */
import { defined, nonEmpty } from "../../common/defined.ts";
import { type AccessPolicy, type AccessState, mapKnown } from "../../policy/access.ts";
import type { KnownAbility } from "../../policy/powers/ability.ts";
import { assumesOrder } from "../../policy/powers/compile.ts";
import { compareAccess, type Impact, type ImpactFinding, type ImpactVerdict } from "../../policy/powers/impact.ts";
import { findMoments } from "../../policy/powers/moments.ts";
import type { Step } from "../step.ts";
import { sameValue } from "../value.ts";
import { accessAfter, changesUnknown, completing } from "./access-after.ts";

/** One change of one power; `together` of both sides is cut to the first sets, and `thresholds` says the whole. */
export type PlanImpact = ImpactFinding & {
	/** The first moment at which it is so, where that is another time than now. */
	readonly at?: string;
};

/** Max sets that a plan writes for each power; the rest are in its thresholds. */
const maxSummarySets = 20;

/**
 * By which model of the service's policies an impact was found; plans without a number are of model 1. It goes up with each
 * change after which the same policies can have other powers: impacts of two models cannot be compared.
 */
export const impactModel = 4;

/** What steps change for who can do what. */
export interface StepsImpact {
	/** Worst first. */
	readonly impact: readonly PlanImpact[];
	/** The whole of `impact` in one word. */
	readonly impactVerdict: ImpactVerdict;
	readonly impactModel: number;
	/** Ids of the policies with a time window, where the impact is another one at another time; left out where it is the same. */
	readonly impactTimed?: readonly string[];
	/** The lockouts, escalations and unknown powers at another time that `impact` does not have; left out where there is none. */
	readonly impactAtOtherTimes?: readonly PlanImpact[];
}

/** Returns what these steps change for who can do what, once all of them have completed. `atMs`: milliseconds since 1970. */
export function findImpact(
	access: AccessState,
	steps: readonly Step[],
	atMs: number,
	after = accessAfter(access, completing(steps)),
): StepsImpact {
	const found = findImpactBetween(...withDoubts(access, after), atMs);
	// Where a step changes what was not read, both sides are equally unknown, which is not the same.
	const isHidden = completing(steps).some((step) => changesUnknown(access, step));
	return isHidden ? { ...found, impactVerdict: "unknown" } : found;
}

/** Returns both states. A policy whose texts the steps write is doubted in both where its meaning depends on undocumented operator precedence. */
function withDoubts(before: AccessState, after: AccessState): readonly [AccessState, AccessState] {
	if (!before.policies.known || !after.policies.known) return [before, after];
	const was = new Map(before.policies.value.map((policy) => [policy.id, policy]));
	const isWritten = (policy: AccessPolicy): boolean => {
		const earlier = was.get(policy.id);
		const isSame = (["consensus", "condition", "time"] as const).every(
			(clause) => earlier?.[clause] === policy[clause],
		);
		return !isSame && [policy, ...(earlier === undefined ? [] : [earlier])].some(assumesOrder);
	};
	const ids = new Set(after.policies.value.filter(isWritten).map(({ id }) => id));
	if (ids.size === 0) return [before, after];
	const mark = (policy: AccessPolicy): AccessPolicy => (ids.has(policy.id) ? { ...policy, isDoubted: true } : policy);
	const marked = mapKnown(before.policies, (all) => all.map(mark));
	return [
		{ ...before, policies: marked },
		{ ...after, policies: mapKnown(after.policies, (all) => all.map(mark)) },
	];
}

/** Returns what differs in who can do what. `atMs`: milliseconds since 1970. */
export function findImpactBetween(before: AccessState, after: AccessState, atMs: number): StepsImpact {
	const { verdict, findings } = compareAccess(before, after, atMs);
	const impact = findings.map(summarizeSides);
	const policies = [before, after].flatMap((side) => (side.policies.known ? side.policies.value : []));
	const { policyIds, moments } = findMoments([...new Set(policies)], atMs);
	const others = moments.slice(1).map((at) => ({ at, impact: compareAccess(before, after, at) }));
	const later = findDangers(others, findings).map(summarizeSides);
	const differs = others.some((other) => !sameValue(other.impact, { verdict, findings }));
	return {
		impact,
		impactVerdict: verdict,
		impactModel,
		...(differs ? { impactTimed: policyIds } : {}),
		...defined({ impactAtOtherTimes: nonEmpty(later) }),
	};
}

interface OtherTime {
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly impact: Impact;
}

/** Returns the lockouts, escalations and unknown powers of other times that `now` does not have, each once with its first moment. */
function findDangers(others: readonly OtherTime[], now: readonly ImpactFinding[]): readonly PlanImpact[] {
	const keyOf = ({ group, change, userIds, condition }: ImpactFinding): string =>
		JSON.stringify([group, change, change === "nobody" ? null : userIds, condition]);
	const isDanger = ({ change, isEscalation }: ImpactFinding): boolean =>
		change === "nobody" || change === "unknown" || isEscalation;
	const known = new Set(now.filter(isDanger).map(keyOf));
	const dangers = others.flatMap(({ at, impact }) =>
		impact.findings
			.filter((one) => isDanger(one) && !known.has(keyOf(one)))
			.map((one): [string, PlanImpact] => [keyOf(one), { ...one, at: new Date(at).toISOString() }]),
	);
	// The last of equal keys stays in a map: here it is the first moment.
	return [...new Map(dangers.toReversed()).values()].toReversed();
}

function summarizeSides(finding: PlanImpact): PlanImpact {
	return { ...finding, before: summarize(finding.before), after: summarize(finding.after) };
}

function summarize(side: KnownAbility): KnownAbility {
	const { together, isComplete } = side;
	return {
		...side,
		together: together.slice(0, maxSummarySets),
		isComplete: isComplete && together.length <= maxSummarySets,
	};
}
