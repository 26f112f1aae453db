/** Impact of a plan as text. */
import type { Plan } from "../../plan/plan.ts";
import { phraseText, sectionsText } from "../print/text.ts";
import { deniedSection } from "../sections/approvals.ts";
import { renderUnder, type Style } from "../style.ts";
import { describeImpact, type ImpactLine, impactHeadingOf, summarizeImpact } from "./words.ts";

/** Returns the steps that would be denied and the impact, each with an empty line after it; none where nothing is known. */
export function renderImpact(plan: Plan, style: Style, isDrift = false): readonly string[] {
	return [...sectionsText([deniedSection(plan)], style), ...renderImpactUnder(impactHeadingOf(isDrift), plan, style)];
}

/** Returns the impact under this heading, and an empty line after it; none where nothing is known. */
export function renderImpactUnder(heading: string, plan: Plan, style: Style): readonly string[] {
	const summary = summarizeImpact(plan);
	if (summary === null) return [];
	const lines = describeImpact(plan);
	if (lines.length === 0) return [summary, ""];
	return renderUnder(style.strong(`${heading}:`), [summary, ...lines.flatMap((line) => renderImpactLine(line, style))]);
}

/** Returns the sentence with its sign, and the example and policies below it. */
export function renderImpactLine({ sign, sentence, detail }: ImpactLine, style: Style): readonly string[] {
	const mark = { "!!": style.remove, "+": style.add, "-": style.remove, "?": style.warn }[sign];
	return [
		`${mark(sign)} ${phraseText(sentence)}`,
		...(detail.length === 0 ? [] : [`    ${style.faint(phraseText(detail))}`]),
	];
}
