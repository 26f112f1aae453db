/** What a plan changes for who can do what: the verdict, bad news, and everything else. */
import type { Plan } from "../../plan/plan.ts";
import { notesOf, type Row, type Section, section } from "../../say/section.ts";
import { powersGrid } from "./impact-matrix.ts";
import { describeImpact, type ImpactLine, impactHeadingOf, originsOf, summarizeImpact } from "./impact-words.ts";

/** Returns the section; without content where the plan has no impact. `isDrift`: it is what apply would change. */
export function impactSection(plan: Plan, isDrift = false, heading: string = impactHeadingOf(isDrift)): Section {
	const summary = summarizeImpact(plan);
	const lines = describeImpact(plan);
	const bad = lines.filter(({ isBad }) => isBad);
	const others = lines.filter(({ isBad }) => !isBad);
	const lead = summary === null ? {} : { lead: [summary] };
	// Where nothing changes, the sentence says it alone.
	if (lines.length === 0) return section("impact", [], { ...lead, number: 0, shorten: "early" });
	const rows = bad.map((line) => ({ ...impactRow(line), about: originsOf(line, plan) }));
	return section("impact", rows, {
		...{ ...lead, title: heading, form: "sentences", number: lines.length, grid: () => powersGrid(plan) },
		look: bad.some(({ sign }) => sign === "!!") ? "bad" : bad.length > 0 ? "attention" : "plain",
		rest: {
			title: bad.length === 0 ? "Who gains or loses access" : "Who else gains or loses access",
			rows: others.map(impactRow),
		},
	});
}

/** Returns one sentence with its sign, and the example and policies below it. */
export function impactRow({ sign, sentence, detail }: ImpactLine): Row {
	return { sign, said: sentence, notes: notesOf("plain", detail) };
}
