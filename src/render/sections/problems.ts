/** What stops an organization from converging, what a document probably means otherwise, and the rules that live state breaks. */
import type { Problem } from "../../common/errors.ts";
import { showAddress } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { brokenRules, type JudgedRule } from "../../plan/rules/judge.ts";
import { identifier, type Phrase, reason } from "../../say/phrase.ts";
import { breachText } from "../../say/rules.ts";
import { listed, type Row, type Section, section } from "../../say/section.ts";

export function problemsSection({ problems }: Pick<Plan, "problems">): Section {
	return section("problems", problems.map(problemRow));
}

export function warningsSection({ warnings = [] }: Pick<Plan, "warnings">): Section {
	return section("warnings", warnings.map(problemRow));
}

function problemRow({ file, line, column, code, message }: Problem): Row {
	return { at: { file, line, column, code }, said: [reason(message)] };
}

/** Returns the rules that live state breaks: what breaks each, and whether the plan repairs it. */
export function rulesSection(plan: Pick<Plan, "rules" | "steps">): Section {
	return listed("broken-rules", brokenRules(plan), (rule) => ({
		said: sayBrokenRule(rule, plan),
		about: [rule.address],
	}));
}

function sayBrokenRule({ address, before, effect }: JudgedRule, { steps }: Pick<Plan, "steps">): Phrase {
	const after = steps.length === 0 ? [] : [` (${effects[effect]})`];
	return ["rule broken: ", identifier(showAddress(address)), ": ", reason(breachText(before)), ...after];
}

const effects: Readonly<Record<JudgedRule["effect"], string>> = {
	none: "this plan does not repair it",
	repairs: "this plan repairs it",
	breaks: "this plan breaks it",
	worsens: "this plan breaks it further",
};
