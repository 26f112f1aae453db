/** Broken rules in words, the same in every format. */
import { showAddress } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import { brokenRules, type JudgedRule } from "../plan/rules/judge.ts";

export const rulesHeading = "Broken rules";

/** Returns a line for each rule that live state breaks: its address, what breaks it, and whether the plan repairs it. */
export function describeBrokenRules(plan: Pick<Plan, "rules" | "steps">): readonly string[] {
	return brokenRules(plan).map((rule) => describeBrokenRule(rule, plan));
}

export function describeBrokenRule(rule: JudgedRule, { steps }: Pick<Plan, "steps">): string {
	const { address, before, effect } = rule;
	const message = before.state === "broken" ? before.message : "";
	const after = steps.length === 0 ? "" : ` (${effects[effect]})`;
	return `rule broken: ${showAddress(address)}: ${message}${after}`;
}

const effects: Readonly<Record<JudgedRule["effect"], string>> = {
	none: "this plan does not repair it",
	repairs: "this plan repairs it",
	breaks: "this plan breaks it",
	worsens: "this plan breaks it further",
};
