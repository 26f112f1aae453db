/** Compares the impact that reviewers of a saved plan saw with what it is now. The file only states it; it is found again. */
import { isSameReason } from "../../policy/powers/reason.ts";
import type { UserNames } from "../users.ts";
import { sameValue } from "../value.ts";
import { taggedUsers } from "./access-after.ts";
import type { Consequences } from "./consequences.ts";
import { impactModel, type PlanImpact } from "./impact.ts";

type Impacted = Pick<Consequences, "impact" | "impactVerdict" | "impactModel" | "impactAtOtherTimes" | "steps">;

/** Returns whether the plan's impact was found by an older model than this one, or by a newer; "same" where it has none. */
export function ageOfImpact({ impact, impactModel: model = 1 }: Impacted): "older" | "same" | "newer" {
	if (impact === undefined || model === impactModel) return "same";
	return model < impactModel ? "older" : "newer";
}

/** What reviewers of the saved plan saw, and what it is now. */
export interface StaleImpact {
	readonly what: "impact";
	readonly saved: Pick<Impacted, "impact" | "impactVerdict">;
	readonly fresh: Pick<Impacted, "impact" | "impactVerdict">;
	/** Findings that only the plan file has, and only the fresh plan. */
	readonly stated: readonly PlanImpact[];
	readonly found: readonly PlanImpact[];
	/** Dangers at another time that were not reviewed, where nothing else differs. */
	readonly later: readonly PlanImpact[];
	readonly names: UserNames;
}

/** Returns how the impact differs; null where it does not, nothing is submitted, or another model found the saved one. */
export function findOtherImpact(
	saved: Impacted,
	fresh: Impacted,
	{ isBegun = false, ...names }: UserNames & { readonly isBegun?: boolean | undefined },
): StaleImpact | null {
	if (!isCompared(fresh) || ageOfImpact(saved) !== "same") return null;
	const isSame = isBegun
		? isRestOfImpact(fresh, saved)
		: saved.impactVerdict === fresh.impactVerdict && isSameImpact(saved.impact, fresh.impact);
	// Dangers at another time become fewer as time passes: only a new one matters.
	const later = isSame ? without(fresh.impactAtOtherTimes, saved.impactAtOtherTimes) : [];
	if (isSame && later.length === 0) return null;
	const stated = without(saved.impact, fresh.impact);
	const found = without(fresh.impact, saved.impact);
	return { what: "impact", saved, fresh, stated, found, later, names };
}

/** Whether the impact of this plan matters: it submits something. */
export function isCompared({ steps }: Pick<Impacted, "steps">): boolean {
	return steps.some(({ earlierActivity }) => earlierActivity === null);
}

/**
 * Whether the rest of a plan changes what it changed in the whole plan, and nothing else. What its completed steps changed is so
 * already: findings about other policies are gone, those about several users are about fewer, and both sides start elsewhere.
 */
function isRestOfImpact({ impact: rest = [] }: Impacted, { impact: whole = [], steps }: Impacted): boolean {
	const ends = ({ group, change, condition, unless, after }: PlanImpact): unknown => [
		group,
		change,
		condition,
		unless,
		{ ...after, unknown: null },
	];
	const isPart = (one: PlanImpact, other: PlanImpact): boolean =>
		one.userIds.every((id) => other.userIds.includes(id)) &&
		sameValue(ends(one), ends(other)) &&
		isSameReason(one.because, other.because);
	const open = new Set(steps.flatMap(({ covers }) => covers.map(({ id }) => id)));
	const moved = new Set(steps.flatMap(taggedUsers));
	const isOpen = ({ policyIds, userIds, before, after }: PlanImpact): boolean => {
		const thresholds = [...before.thresholds, ...after.thresholds].flat();
		const ids = [...policyIds, ...thresholds.map(({ tagId }) => tagId ?? "")];
		return ids.some((id) => open.has(id)) || userIds.some((id) => moved.has(id));
	};
	return (
		rest.every((one) => whole.some((other) => isPart(one, other))) &&
		whole.filter(isOpen).every((other) => rest.some((one) => isPart(one, other)))
	);
}

function isSameImpact(one: Impacted["impact"], other: Impacted["impact"]): boolean {
	if (one === undefined || other === undefined) return one === other;
	const isEach = ([finding, found]: readonly [PlanImpact, PlanImpact | undefined]): boolean =>
		found !== undefined && isSameFinding(finding, found);
	return one.length === other.length && one.every((finding, index) => isEach([finding, other[index]]));
}

/** Whether both mean the same, in whatever words the reasons are. */
function isSameFinding(one: PlanImpact, other: PlanImpact): boolean {
	return (
		sameValue(withoutReasons(one), withoutReasons(other)) &&
		isSameReason(one.because, other.because) &&
		isSameReason(one.before.unknown, other.before.unknown) &&
		isSameReason(one.after.unknown, other.after.unknown)
	);
}

/** Nor with the moment at which it is so first, which passes, nor with what only shows it. */
function withoutReasons({ because: _, at: __, example: ___, before, after, ...finding }: PlanImpact) {
	return { ...finding, before: { ...before, unknown: null }, after: { ...after, unknown: null } };
}

/** Returns findings of the first that the second does not have. */
function without(impact: readonly PlanImpact[] = [], others: readonly PlanImpact[] = []): readonly PlanImpact[] {
	return impact.filter((finding) => !others.some((other) => isSameFinding(finding, other)));
}
