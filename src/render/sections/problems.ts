/** What stops an organization from converging, what a document probably means otherwise, and the rules that live state breaks. */
import type { Problem } from "../../common/errors.ts";
import { showAddress } from "../../common/escape.ts";
import type { Plan } from "../../plan/plan.ts";
import { brokenRules, type JudgedRule } from "../../plan/rules/judge.ts";
import { identifier, type Phrase, reason } from "../../say/phrase.ts";
import { breachText } from "../../say/rules.ts";
import type { Row, Section } from "../../say/section.ts";

export function problemsSection({ problems }: Pick<Plan, "problems">): Section {
	return {
		id: "problems",
		title: "This organization cannot converge",
		look: "bad",
		noun: ["problem", "problems"],
		rows: problems.map(problemRow),
		shorten: "never",
	};
}

export function warningsSection({ warnings = [] }: Pick<Plan, "warnings">): Section {
	return {
		id: "warnings",
		title: "Warnings",
		look: "attention",
		noun: ["warning", "warnings"],
		rows: warnings.map(problemRow),
		shorten: "last",
	};
}

/** Returns a problem at its place in a document. */
function problemRow({ file, line, column, code, message }: Problem): Row {
	return { at: { file, line, column, code }, said: [reason(message)] };
}

/** Returns the rules that live state breaks: what breaks each, and whether the plan repairs it. */
export function rulesSection(plan: Pick<Plan, "rules" | "steps">): Section {
	return {
		id: "broken-rules",
		title: "Broken rules",
		look: "bad",
		noun: ["broken rule", "broken rules"],
		rows: brokenRules(plan).map((rule) => ({ said: sayBrokenRule(rule, plan), about: [rule.address] })),
		shorten: "never",
	};
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
