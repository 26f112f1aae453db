/** The verdict on a plan, the same in every format: what differs, and what apply would do about it. */
import { failingCases } from "../../plan/access-cases/planned.ts";
import { blockingGuards } from "../../plan/guards/overrides.ts";
import { kinds } from "../../plan/kinds/index.ts";
import type { Plan } from "../../plan/plan.ts";
import { brokenRules } from "../../plan/rules/judge.ts";
import { coveredAddresses } from "../../plan/step.ts";
import { groupSteps } from "../../plan/step-groups.ts";
import { summarizeApprovals } from "../../say/approvals.ts";
import { capitalize, count, counted } from "../../say/count.ts";
import { type Verdict, verdictOf, withSentences } from "../../say/verdict.ts";
import { summarizeExpiries } from "./windows.ts";

/** Signs show in every format what apply would do, never what was done before. */
export const signsMean = "Signs show what apply would do: + add, - remove, ~ change, ! report only.";

/** Whether a sign of these changes could be taken for what was done before. */
export function needsSigns({ changes }: Pick<Plan, "changes">): boolean {
	return changes.some(({ action }) => action !== "report");
}

/** Returns what apply would submit, why it would not submit the rest, and access that ends soon. */
export function summarizePlan(plan: Plan): Verdict {
	const failing = failingCases(plan).length;
	const cases =
		failing === 0 ? "" : `${count(failing, "access case does", "access cases do")} not hold or cannot be judged.`;
	return withSentences(summarizeSteps(plan), cases, summarizeExpiries(plan));
}

function summarizeSteps(plan: Plan): Verdict {
	if (plan.problems.length > 0) {
		const found = `Cannot converge: ${count(plan.problems.length, "problem", "problems")} in the live organization`;
		return withSentences(verdictOf(found), "Apply would submit nothing.");
	}
	const reported = plan.changes.filter(({ action }) => action === "report").length;
	const note = reported === 0 ? "" : `${count(reported, "difference is", "differences are")} report-only.`;
	const broken = brokenRules(plan).length;
	const rules = broken === 0 ? "" : `${count(broken, "rule is", "rules are")} broken.`;
	const isBlocked = blockingGuards(plan).length > 0;
	const blocked = isBlocked ? "A guard blocks apply." : "";
	if (plan.changes.length === 0)
		return withSentences(verdictOf("No changes"), rules === "" ? describeInSync(plan) : rules, blocked);
	const { sent, held } = countSteps(plan);
	const waits = held.map((said) => `${capitalize(said)}.`);
	if (sent === 0) return withSentences(verdictOf("Nothing to submit"), ...waits, note, rules, blocked);
	const verdict: Verdict = {
		headline: [`Plan: ${count(sent, "activity", "activities")}`],
		clauses: summarizeApprovals(plan),
	};
	const kindsOf = `${capitalize(countByKind(plan))}.`;
	return withSentences(verdict, kindsOf, isBlocked ? "A guard blocks it." : "", ...waits, note, rules);
}

/** Returns how many activities apply would submit, and why it would not submit the others. */
function countSteps({ steps }: Plan): { readonly sent: number; readonly held: readonly string[] } {
	const { sent, pending, rejected, behind } = groupSteps(steps);
	const again = "not submitted again";
	return {
		sent: sent.length,
		held: [
			...counted(pending.length, "step is waiting for a pending activity", "steps are waiting for pending activities"),
			...counted(
				rejected.length,
				`step was rejected before, and is ${again}`,
				`steps were rejected before, and are ${again}`,
			),
			...counted(behind.length, "step depends on a rejected step", "steps depend on a rejected step"),
		],
	};
}

/** Returns what apply would do about the differences. */
export function summarizeCure(plan: Plan): string {
	if (plan.problems.length > 0) return "apply cannot fix it";
	if (plan.steps.length === 0) return plan.changes.length === 0 ? "apply would submit nothing" : "report-only";
	const { sent, held } = countSteps(plan);
	const submits = counted(sent, "activity", "activities").map((activities) => `apply would submit ${activities}`);
	return `${[...submits, ...held].join(", ")}${butBlocked(plan)}`;
}

/** Returns that a guard blocks apply, to end a sentence on what apply would do; empty where none does. */
export function butBlocked(plan: Plan): string {
	return blockingGuards(plan).length === 0 ? "" : ", but a guard blocks apply";
}

/** Returns the sentence that nothing differs, as far as the organization could be read, with `more` behind semicolons. */
export function describeInSync({ unread }: Pick<Plan, "unread">, more: readonly string[] = []): string {
	const inSync = `The organization is in sync${unread.length === 0 ? "" : ", as far as it could be read"}`;
	return `${[inSync, ...more].join("; ")}.`;
}

function countByKind(plan: Plan): string {
	const covered = new Set<string>(coveredAddresses(groupSteps(plan.steps).sent));
	const changed = plan.changes.filter(({ address }) => covered.has(address));
	return kinds
		.flatMap(({ name, words: [one, many] }) =>
			(["create", "update", "remove"] as const).flatMap((action) => {
				const found = changed.filter((change) => change.kind === name && change.action === action).length;
				return counted(found, `${one} to ${action}`, `${many} to ${action}`);
			}),
		)
		.join(", ");
}
