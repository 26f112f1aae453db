/** Which judgments of policies still hold: not those that the activity's status contradicts, or a later one replaced. */
import type { Judgment } from "../../../render/result/result.ts";
import { readTime } from "../../../wire/activity.ts";

/** How the policies judged the activity at one moment, as the service has it. */
export interface EvaluationRecord {
	readonly policyEvaluations?: readonly RecordedJudgment[] | null;
	readonly createdAt?: unknown;
}

interface RecordedJudgment {
	readonly policyId?: string | null;
	readonly outcome?: string | null;
}

/** Returns the judgments of one record; none where it has null in their place. */
export function recordedJudgments({ policyEvaluations }: EvaluationRecord): readonly RecordedJudgment[] {
	return policyEvaluations ?? [];
}

const denials = ["OUTCOME_DENY_EXPLICIT", "OUTCOME_DENY_IMPLICIT"];
const judged = ["OUTCOME_ALLOW", ...denials, "OUTCOME_ERROR"];
const unfinished = [
	...judged,
	"OUTCOME_REQUIRES_CONSENSUS",
	"OUTCOME_REQUIRES_AUTHENTICATORS",
	"OUTCOME_TIME_INACTIVE",
];

/** The outcomes that agree with a status. A Map, because a status can be any word, `constructor` included. */
const outcomesOfStatus: ReadonlyMap<string, readonly string[]> = new Map([
	["ACTIVITY_STATUS_COMPLETED", ["OUTCOME_ALLOW"]],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", unfinished],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", unfinished],
	["ACTIVITY_STATUS_REJECTED", ["OUTCOME_REJECTED", ...denials]],
	["ACTIVITY_STATUS_FAILED", judged],
	["ACTIVITY_STATUS_CREATED", judged],
	["ACTIVITY_STATUS_PENDING", judged],
]);

/**
 * Returns the judgments in the order of their times, each with whether it still holds. One that only repeats the one before
 * it is left out.
 *
 * Unverified, chosen: records without times are in the order in which they were made.
 */
export function sortJudgments(records: readonly EvaluationRecord[], status: string | undefined): readonly Judgment[] {
	const byTime = [...records].sort((left, right) => {
		const [one, other] = [readTime(left.createdAt), readTime(right.createdAt)];
		return one === undefined || other === undefined ? 0 : one - other;
	});
	const all = byTime.flatMap(recordedJudgments);
	const changes = all.filter((judgment, index) => {
		const previous = all.slice(0, index).findLast(({ policyId }) => policyId === judgment.policyId);
		return previous === undefined || previous.outcome !== judgment.outcome;
	});
	const possible = outcomesOfStatus.get(status ?? "");
	return changes.map(({ policyId, outcome }, index) => {
		const isLast = !changes.slice(index + 1).some((later) => later.policyId === policyId);
		const isCurrent = isLast && (possible === undefined || possible.includes(outcome ?? ""));
		return { policyId: policyId ?? null, outcome: outcome ?? null, isCurrent };
	});
}
