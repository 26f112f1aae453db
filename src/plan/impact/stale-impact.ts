/** Compares the impact that reviewers of a saved plan saw with what it is now. The file only states it; it is found again. */
import { isSameReason } from "../../policy/powers/reason.ts";
import { listFindings } from "../../say/findings.ts";
import type { UserNames } from "../users.ts";
import { sameValue } from "../value.ts";
import type { Consequences } from "./consequences.ts";
import { impactModel, type PlanImpact } from "./impact.ts";

type Impacted = Pick<Consequences, "impact" | "impactVerdict" | "impactModel" | "impactAtOtherTimes" | "steps">;

/** Returns whether the plan's impact was found by an older model than this one, or by a newer; "same" where it has none. */
export function ageOfImpact({ impact, impactModel: model = 1 }: Impacted): "older" | "same" | "newer" {
	if (impact === undefined || model === impactModel) return "same";
	return model < impactModel ? "older" : "newer";
}

/** Returns how the impact differs, before and after, by the names of now; null where it does not, nothing is submitted, or another model found the saved one. */
export function describeOtherImpact(saved: Impacted, fresh: Impacted, names: UserNames): string | null {
	if (!isCompared(fresh) || ageOfImpact(saved) !== "same") return null;
	const isSame = saved.impactVerdict === fresh.impactVerdict && isSameImpact(saved.impact, fresh.impact);
	// Dangers at another time become fewer as time passes; what was not reviewed is another thing.
	const later = without(fresh.impactAtOtherTimes, saved.impactAtOtherTimes);
	if (isSame && later.length === 0) return null;
	const said = isSame
		? `the plan file does not state that, at another time, ${listFindings(later, names)}; now that is so`
		: compare(saved, fresh, names);
	return `${said}; its reviewers went by that`;
}

/** Whether the impact of this plan matters: it submits something. */
export function isCompared({ steps }: Pick<Impacted, "steps">): boolean {
	return steps.some(({ earlierActivity }) => earlierActivity === null);
}

function compare(saved: Impacted, fresh: Impacted, names: UserNames): string {
	const stated = without(saved.impact, fresh.impact);
	const found = without(fresh.impact, saved.impact);
	const [was, is] = [stated, found].map((findings) => listFindings(findings, names));
	if (saved.impact === undefined)
		return `the plan file states nothing about who can do what; now ${is || stays(fresh)}`;
	if (fresh.impact === undefined) return `the plan file states that ${was || stays(saved)}; now policies are not read`;
	if (stated.length + found.length === 0) {
		return `the plan file states that its impact is ${saved.impactVerdict}; now it is ${fresh.impactVerdict}`;
	}
	if (was === is) return `the plan file states that ${was}; now it is so for other users, or by other policies`;
	if (found.length === 0)
		return `the plan file states that ${was}; now ${fresh.impact.length === 0 ? stays(fresh) : "that is not so"}`;
	if (stated.length > 0 || saved.impact.length === 0)
		return `the plan file states that ${was || stays(saved)}; now ${is}`;
	return `the plan file does not state that ${is}; now that is so`;
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

/** Nor with the moment at which it is so first: it passes. */
function withoutReasons({ because: _, at: __, before, after, ...finding }: PlanImpact) {
	return { ...finding, before: { ...before, unknown: null }, after: { ...after, unknown: null } };
}

/** Returns findings of the first that the second does not have. */
function without(impact: readonly PlanImpact[] = [], others: readonly PlanImpact[] = []): readonly PlanImpact[] {
	return impact.filter((finding) => !others.some((other) => isSameFinding(finding, other)));
}

/** Returns what no finding means. */
function stays({ impactVerdict }: Impacted): string {
	return impactVerdict === "unknown" ? "it is unknown who could do what" : "who can do what would stay the same";
}
