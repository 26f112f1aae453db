/** Impact and approvals of a plan as text. */
import { listCovers } from "../common/escape.ts";
import type { Plan } from "../plan/plan.ts";
import { coveredAddresses } from "../plan/step.ts";
import { type ApprovalLine, approvalHeadings, describeApprovals, describeForecaster } from "./approval-words.ts";
import { describeImpact, type ImpactLine, impactHeadingOf, summarizeImpact } from "./impact-words.ts";
import { phraseText } from "./print/text.ts";
import { renderUnder, type Style } from "./style.ts";

/** Returns the steps that would be denied and the impact, each with an empty line after it; none where nothing is known. */
export function renderImpact(plan: Plan, style: Style, isDrift = false): readonly string[] {
	const denied = describeApprovals(plan).filter(({ verdict }) => verdict === "denied");
	return [
		...renderUnder(style.remove(`${approvalHeadings.denied}:`), [
			...denied.map((line) => `${style.remove("!!")} ${describeApprovalLine(line)}`),
			...describeForecaster(denied, plan).map(phraseText),
		]),
		...renderImpactUnder(impactHeadingOf(isDrift), plan, style),
	];
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

/** Returns what is foretold of the other steps; none where all run at once, which the summary says. */
export function renderApprovals(plan: Plan, style: Style): readonly string[] {
	const lines = describeApprovals(plan);
	if (lines.every(({ verdict }) => verdict === "runs")) return [];
	const open = lines.filter(({ verdict }) => verdict !== "denied");
	return renderUnder(style.warn(`${approvalHeadings.open}:`), open.map(describeApprovalLine));
}

/** Returns the objects and what is foretold of them, on one line below the heading. */
function describeApprovalLine({ why, steps }: ApprovalLine): string {
	return `${listCovers(coveredAddresses(steps))}  ${phraseText(why)}`;
}
