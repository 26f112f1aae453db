/** A plan as text, for a terminal or a log. */

import type { Plan } from "../plan/plan.ts";
import { renderOverrides } from "./overrides-text.ts";
import { phraseText, sectionsText } from "./print/text.ts";
import { noteOtherName, showOrganization } from "./result/organization-name.ts";
import { approvalsSection, deniedSection } from "./sections/approvals.ts";
import { changesSection, type MarksOf, marksIn } from "./sections/changes.ts";
import { describeDangers } from "./sections/danger.ts";
import { expiriesSection } from "./sections/expiries.ts";
import { blockingSection, warningGuardsSection } from "./sections/guards.ts";
import { impactSection } from "./sections/impact.ts";
import { pendingSections } from "./sections/pending.ts";
import { problemsSection, rulesSection, warningsSection } from "./sections/problems.ts";
import { unknownSection } from "./sections/unknown.ts";
import { summarizePlan } from "./sections/verdict.ts";
import type { Style } from "./style.ts";

/** Returns the plan as text, ending with a newline. `lead` are lines before the changes. */
export function renderPlan(
	plan: Plan,
	style: Style,
	summary: string = summarizePlan(plan, "above", true),
	lead: readonly string[] = [],
	marks: MarksOf = marksIn(plan, null),
): string {
	const danger = describeDangers([plan]).map((line) => style.remove(phraseText(line)));
	const lines = [
		style.strong(`Organization ${showOrganization(plan)}`),
		...noteOtherName(plan),
		...danger,
		"",
		...sectionsText([deniedSection(plan), impactSection(plan)], style),
		...lead,
		...sectionsText([changesSection(plan, marks), problemsSection(plan), rulesSection(plan)], style),
		...renderOpen(plan, style),
		summary,
		...danger,
	];
	return `${lines.join("\n")}\n`;
}

/** Returns what a reader has to know beside the changes: unknowns, open activities, guards, access that ends soon, used overrides. */
export function renderOpen(plan: Plan, style: Style): readonly string[] {
	return [
		...sectionsText(
			[
				warningsSection(plan),
				unknownSection(plan),
				...pendingSections(plan),
				approvalsSection(plan),
				blockingSection(plan),
				warningGuardsSection(plan),
				expiriesSection(plan),
			],
			style,
		),
		...renderOverrides(plan.overrides, style, plan.guards),
	];
}
