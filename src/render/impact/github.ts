/** Impact as annotations, each at the line of what it comes from. */
import type { Plan } from "../../plan/plan.ts";
import { phraseText } from "../print/text.ts";
import { describeImpact, originsOf, summarizeImpact } from "./words.ts";

export interface ImpactNote {
	readonly level: "warning" | "notice";
	readonly title: string;
	readonly message: string;
	/** The first with a line in a document is where it is shown. */
	readonly addresses: readonly string[];
}

/** Returns the bad news, worst first, and then the verdict; none where the plan has no impact. */
export function impactNotes(plan: Plan, isDrift: boolean): readonly ImpactNote[] {
	const title = isDrift ? "apply would change who can do what" : "who can do what";
	const summary = summarizeImpact(plan);
	const lines = describeImpact(plan);
	return [
		...lines
			.filter(({ isBad }) => isBad)
			.map((line): ImpactNote => {
				const parts = [line.sentence, line.detail].filter(({ length }) => length > 0);
				return { level: "warning", title, message: parts.map(phraseText).join("; "), addresses: originsOf(line, plan) };
			}),
		...(summary === null || lines.length === 0
			? []
			: [{ level: "notice" as const, title, message: summary, addresses: [] }]),
	];
}
