/** Sections as annotations in the log of a pipeline: one for each row, at the line of what it is about. */
import type { Position } from "../../plan/organization.ts";
import type { Look, Row, Section } from "../../say/section.ts";
import type { Annotation, Level } from "../annotation.ts";
import { differenceText, outcomePhrase, rowText } from "./text.ts";

const levels: Readonly<Record<Look, Level>> = { bad: "error", attention: "warning", plain: "notice", good: "notice" };

export function sectionAnnotations(
	sections: readonly Section[],
	positionOf: (address: string) => Position | undefined,
): readonly Annotation[] {
	return sections.flatMap(({ look, noun: [title], rows, form }) =>
		(form === "steps" ? rows.flatMap(openRows) : rows).map((row): Annotation => {
			const at = (row.about ?? []).map(positionOf).find((position) => position !== undefined);
			const own = form === "steps" ? row.badge : undefined;
			const word = form === "differences" && row.badge !== undefined ? `${title}, ${row.badge.word}` : title;
			return {
				level: levels[own?.look ?? look],
				title: `orgsync: ${own?.word ?? word}`,
				message: form === "differences" ? differenceText(row) : [row, ...(row.rows ?? [])].map(rowText).join("; "),
				at,
			};
		}),
	);
}

/** Returns a step that did not complete, with what became of it; of one in parts, its parts instead. */
function openRows({ badge, said, notes = [], rows = [], about = [] }: Row): readonly Row[] {
	if (badge === undefined || badge.look === "good") return [];
	if (rows.length === 0) return [{ badge, said: [...said, ": ", ...outcomePhrase(badge)], notes, about }];
	return rows.flatMap(openRows).map((row) => ({ ...row, said: [...said, ": ", ...row.said] }));
}
