/** What a plan means for who can do what, as it is saved and shown; policy/powers/impact.ts finds it. */
import { defined, nonEmpty } from "../../common/defined.ts";
import type { AccessPolicy, AccessState } from "../../policy/access.ts";
import {
	compareAccess,
	type Impact,
	type ImpactFinding,
	type ImpactVerdict,
	type SideAbility,
} from "../../policy/powers/impact.ts";
import type { Step } from "../step.ts";
import { sameValue } from "../value.ts";
import { accessAfter, changesUnknown } from "./access-after.ts";

/** One change of one power; `together` of both sides is cut to the first sets, and `thresholds` says the whole. */
export type PlanImpact = ImpactFinding;

/** Max sets that a plan writes for each power; the rest are in its thresholds. */
const maxSummarySets = 20;

/**
 * By which model of the service's policies an impact was found; plans without a number are of model 1. It goes up with each
 * change after which the same policies can have other powers: impacts of two models cannot be compared.
 */
export const impactModel = 2;

interface StepsImpact {
	readonly impact: readonly PlanImpact[];
	readonly impactVerdict: ImpactVerdict;
	readonly impactModel: number;
	/** Ids of the policies with a time window, where the impact is another one at another time; left out where it is the same. */
	readonly impactTimed?: readonly string[];
	/** The lockouts and escalations at another time that `impact` does not have; left out where there is none. */
	readonly impactAtOtherTimes?: readonly PlanImpact[];
}

/** Returns what these steps change for who can do what, once all of them have completed. `atMs`: milliseconds since 1970. */
export function findImpact(access: AccessState, steps: readonly Step[], atMs: number): StepsImpact {
	const completing = steps.filter(({ earlierActivity }) => earlierActivity?.relation !== "rejected");
	const { verdict, findings } = compareAccess(access, accessAfter(access, completing), atMs);
	const impact = findings.map(summarizeSides);
	// Where a step changes what was not read, both sides are equally unknown, which is not the same.
	const isHidden = completing.some((step) => changesUnknown(access, step));
	const timed = timedPolicies(access, atMs);
	const others = timed.length === 0 ? [] : impactsAtOtherTimes(access, completing, atMs);
	const later = findDangers(others, findings).map(summarizeSides);
	return {
		impact,
		impactVerdict: isHidden ? "unknown" : verdict,
		impactModel,
		...(others.some((other) => !sameValue(other, { verdict, findings })) ? { impactTimed: timed } : {}),
		...defined({ impactAtOtherTimes: nonEmpty(later) }),
	};
}

/** Returns the lockouts and escalations of other times, each once, that are none now. */
function findDangers(others: readonly Impact[], now: readonly ImpactFinding[]): readonly ImpactFinding[] {
	const keyOf = ({ group, change, userIds, condition }: ImpactFinding): string =>
		JSON.stringify([group, change, change === "nobody" ? null : userIds, condition]);
	const isDanger = ({ change, isEscalation }: ImpactFinding): boolean => change === "nobody" || isEscalation;
	const known = new Set(now.filter(isDanger).map(keyOf));
	const dangers = others.flatMap(({ findings }) => findings).filter((one) => isDanger(one) && !known.has(keyOf(one)));
	return [...new Map(dangers.map((one) => [keyOf(one), one])).values()];
}

/** Returns the policies that may be in force at one time from now on and not at another. */
function timedPolicies({ policies }: AccessState, atMs: number): readonly string[] {
	return policies.known ? policies.value.filter(({ time }) => canChange(time, atMs)).map(({ id }) => id) : [];
}

/** A window that opens or closes later than this does not count as another time: plans are made again before. */
const horizonMs = 366 * 24 * 60 * 60 * 1000;

/** Whether a window may open or close later: not if all it names is behind us, or beyond the horizon. */
function canChange(time: string, atMs: number): boolean {
	if (time.trim() === "") return false;
	const moments = [...time.matchAll(/Timestamp\s*\(\s*'([^']*)'/g)].map(([, text = ""]) => Date.parse(text));
	return (
		moments.length === 0 ||
		time.includes("CronSpan") ||
		!moments.every((moment) => moment <= atMs || moment > atMs + horizonMs)
	);
}

/** Which policies with a time window are in force at another time: all of them, those that allow, those that do not, none. */
const otherTimes: readonly ((policy: AccessPolicy) => boolean)[] = [
	() => true,
	({ effect }) => effect === "EFFECT_ALLOW",
	({ effect }) => effect !== "EFFECT_ALLOW",
	() => false,
];

/** Returns the impacts of the steps where other windows are open. */
function impactsAtOtherTimes(access: AccessState, steps: readonly Step[], atMs: number): readonly Impact[] {
	const { policies } = access;
	if (!policies.known) return [];
	const timed = new Set(timedPolicies(access, atMs));
	return otherTimes.map((isOpen) => {
		const inForce = policies.value.filter((policy) => !timed.has(policy.id) || isOpen(policy));
		const value = inForce.map((policy) => (timed.has(policy.id) ? { ...policy, time: "" } : policy));
		const then: AccessState = { ...access, policies: { known: true, value } };
		return compareAccess(then, accessAfter(then, steps), atMs);
	});
}

function summarizeSides(finding: ImpactFinding): PlanImpact {
	return { ...finding, before: summarize(finding.before), after: summarize(finding.after) };
}

function summarize(side: SideAbility): SideAbility {
	const { together, isComplete } = side;
	return {
		...side,
		together: together.slice(0, maxSummarySets),
		isComplete: isComplete && together.length <= maxSummarySets,
	};
}
