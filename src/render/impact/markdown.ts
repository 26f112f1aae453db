/** Impact in Markdown: bad news is never folded, and names are always code. */
import type { Plan } from "../../plan/plan.ts";
import { type Block, folded, paragraph, withMore } from "../markdown-text.ts";
import { phraseMarkdown } from "../print/markdown.ts";
import { plainStyle } from "../style.ts";
import { renderImpactLine } from "./text.ts";
import { describeImpact, type ImpactLine, impactHeadingOf, summarizeImpact } from "./words.ts";

/** Returns the verdict with the bad news below it, and the rest folded; none where the plan has no impact. */
export function impactBlocks(plan: Plan, isDrift: boolean): readonly Block[] {
	const summary = summarizeImpact(plan);
	if (summary === null) return [];
	const lines = describeImpact(plan);
	if (lines.length === 0) return [paragraph(summary, 4)];
	const bad = lines.filter(({ isBad }) => isBad);
	const others = lines.filter(({ isBad }) => !isBad);
	const title = `**${impactHeadingOf(isDrift)}:** ${summary}`;
	const first: Block = {
		rank: 1,
		noun: ["change of who can do what", "changes of who can do what"],
		// The verdict is a line of its own, so that it stays where the others do not fit.
		lines: [title, ...bad.map(renderBad)],
		wrap: ([verdict = title, ...kept], more) =>
			[verdict, ...(kept.length + more === 0 ? [] : [""]), ...withMore(kept, more).map((line) => `- ${line}`)].join(
				"\n",
			),
	};
	return [
		first,
		folded(
			6,
			["change of who takes part", "changes of who takes part"],
			`${bad.length === 0 ? "Who takes part in what" : "Who else takes part in what"} (${others.length})`,
			others.flatMap((line) => renderImpactLine(line, plainStyle)),
			"diff",
		),
	];
}

function renderBad({ sentence, detail }: ImpactLine): string {
	const more = detail.length === 0 ? "" : `<br><sub>${phraseMarkdown(detail)}</sub>`;
	return `${phraseMarkdown(sentence)}${more}`;
}
