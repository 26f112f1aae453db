/** The guard `ownPowers`: a plan that writes policies, and changes what its own submitter can do (docs/guards.md). */
import { kindOfType } from "../../policy/activities/types.ts";
import { typesOf } from "../../policy/powers/groups.ts";
import { type Change, isWritten } from "../change.ts";
import type { Consequences } from "../impact/consequences.ts";
import type { PlanImpact } from "../impact/impact.ts";
import type { UserNames } from "../users.ts";
import { type Guard, guardOf } from "./guards.ts";

/** Returns the guard where the submitter gains a power, or loses one that the plan needed. */
export function judgeOwnPowers(
	changes: readonly Change[],
	{ impact = [], impactAtOtherTimes = [], steps, submitterId }: Consequences,
	names: UserNames,
): readonly Guard[] {
	const where = changes.filter(isWritten).map(({ address }) => address);
	if (submitterId === undefined || where.length === 0) return [];
	const used = new Set(steps.map(({ operation }) => operation.toUpperCase()));
	// Who is enough alone by the root quorum gains and loses nothing.
	const isAlone = ({ alone }: PlanImpact["before"]): boolean => alone.includes(submitterId);
	const findings = [...impact, ...impactAtOtherTimes]
		.filter(({ userIds }) => userIds.includes(submitterId))
		.filter(
			(finding) =>
				(isGain(finding) && !isAlone(finding.before)) ||
				(isLoss(finding) && isUsed(finding, used) && !isAlone(finding.after)),
		);
	return guardOf("ownPowers", findings.length, where, { what: "own-powers", userId: submitterId, findings, names });
}

const isGain = ({ change }: PlanImpact): boolean => change === "alone" || change === "fewer" || change === "gains";

const isLoss = ({ change }: PlanImpact): boolean => change === "nobody" || change === "loses";

/** Whether an activity of the plan is in the group of the finding. `used`: kinds of activities. */
function isUsed({ group }: PlanImpact, used: ReadonlySet<string>): boolean {
	return typesOf(group).some(({ type }) => used.has(kindOfType(type)));
}
