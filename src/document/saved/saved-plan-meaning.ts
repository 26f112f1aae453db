/**
 * Checks what a saved plan states of who can do what against itself. Only `apply --plan` can find the impact again; here a
 * file is refused that contradicts itself, so that its guards, verdicts and findings cannot show different things.
 */

import type { Plan } from "../../plan/plan.ts";
import { compareText } from "../../plan/value.ts";
import type { Approval } from "../../policy/powers/forecast.ts";
import { printGroup, sensitiveGroups } from "../../policy/powers/groups.ts";
import { type ImpactVerdict, impactChanges } from "../../policy/powers/impact.ts";
import { first } from "./saved-plan-difference.ts";
import { isWrittenTime } from "./saved-plan-windows.ts";

type Finding = NonNullable<Plan["impact"]>[number];

/** Returns what contradicts itself in impact and approvals; undefined when all of it agrees. */
export function findWrongMeaning(plan: Plan): string | undefined {
	const { impact, impactVerdict, submitterId, steps, reads } = plan;
	const forecast = steps.filter(({ approval }) => approval !== undefined).length;
	if (forecast > 0 && forecast < steps.length) return "only some of its steps have an approval";
	const isWhole =
		(impact === undefined) === (impactVerdict === undefined) && (impact === undefined) === (forecast === 0);
	if (!isWhole) return "it has only some of impact, impactVerdict and approvals";
	if (impact === undefined || impactVerdict === undefined) {
		const extra = [
			submitterId,
			plan.tagNames,
			plan.policyNames,
			plan.impactModel,
			plan.impactTimed,
			plan.impactAtOtherTimes,
			plan.assumptions,
		].some((one) => one !== undefined);
		return extra ? "it has names or a submitter without an impact" : undefined;
	}
	if (steps.length === 0) return "it has an impact without a step";
	if (reads === "documented") return "it has an impact, although policies are not among its reads";
	return (
		findWrongApproval(plan) ??
		findWrongIn(impact) ??
		findWrongOrder(impact) ??
		findWrongVerdict(impact, impactVerdict) ??
		findWrongIn(plan.impactAtOtherTimes ?? []) ??
		findWrongGuards(plan, [...impact, ...(plan.impactAtOtherTimes ?? [])])
	);
}

function findWrongIn(impact: readonly Finding[]): string | undefined {
	return first(impact, (finding, index) => {
		const found = findWrongFinding(finding);
		return found && `impact[${index}]: ${found}`;
	});
}

function findWrongApproval({ steps }: Plan): string | undefined {
	const index = steps.findIndex(({ approval }) => approval !== undefined && !agrees(approval));
	return index < 0 ? undefined : `steps[${index}].approval: its members do not go with its verdict`;
}

/** Whether the verdict has what it needs, and nothing of another verdict. */
function agrees({ verdict, approverSets, thresholds, because, later }: Approval): boolean {
	if (later !== undefined && (verdict !== "denied" || !isWrittenTime(later.at))) return false;
	const isPending = verdict === "pending";
	const hasReason = verdict === "denied" || verdict === "unknown";
	const isEmpty = approverSets.length + thresholds.length === 0;
	const hasEmptySet = approverSets.some((set) => set.length === 0);
	return (isPending ? approverSets.length > 0 && !hasEmptySet : isEmpty) && hasReason === (because !== null);
}

function findWrongFinding(finding: Finding): string | undefined {
	const { change, userIds, before, after, isEscalation, because, group } = finding;
	const lists = [userIds, finding.witness, before.alone, after.alone, finding.policyIds];
	if (!lists.every(isSorted)) return "a list is not sorted";
	if ((change === "unknown") !== (because !== null)) return "because does not go with the change";
	if (isEscalation && (change !== "alone" || ("resource" in group && !sensitiveGroups.has(printGroup(group)))))
		return "isEscalation does not go with the change";
	return undefined;
}

/** Whether the texts are in order, each once. */
export function isSorted(list: readonly string[]): boolean {
	return list.every((item, index) => index === 0 || compareText(list[index - 1] ?? "", item) < 0);
}

function findWrongOrder(impact: readonly Finding[]): string | undefined {
	const ranks = impact.map(({ change }) => impactChanges.indexOf(change));
	return ranks.every((rank, index) => index === 0 || (ranks[index - 1] ?? 0) <= rank)
		? undefined
		: "impact is not ordered, worst first";
}

/** Changes that let people do more, and less. */
const more = ["alone", "fewer", "gains"] as const;
const less = ["nobody", "loses"] as const;

function findWrongVerdict(impact: readonly Finding[], verdict: ImpactVerdict): string | undefined {
	const has = (changes: readonly string[]): boolean => impact.some(({ change }) => changes.includes(change));
	const allowed: Readonly<Record<ImpactVerdict, boolean>> = {
		equivalent: impact.length === 0,
		"more-permissive": has(more) && !has(less),
		"less-permissive": has(less) && !has(more),
		both: impact.length > 0,
		unknown: true,
	};
	return allowed[verdict] ? undefined : `impactVerdict is ${verdict}, which does not go with its impact`;
}

/** A guard counts what the impact states: fewer would make it weaker than the plan, and one that is missing too. */
function findWrongGuards({ guards }: Plan, impact: readonly Finding[]): string | undefined {
	const unknown = impact.filter(({ change }) => change === "unknown").length + 1;
	const counts = {
		lockout: impact.filter(({ change }) => change === "nobody").length,
		escalation: impact.reduce((sum, { isEscalation, userIds }) => sum + (isEscalation ? userIds.length : 0), 0),
	} as const;
	const kinds = ["lockout", "escalation"] as const;
	const wrong = kinds.find((kind) => {
		const own = guards.filter((guard) => guard.kind === kind);
		const found = own[0]?.found ?? 0;
		return own.length > 1 || found < counts[kind] || found > counts[kind] + unknown;
	});
	return wrong === undefined ? undefined : `the guard ${wrong} does not go with the impact`;
}
