/** Sections as annotations in the log of a pipeline: one for each row, at the line of what it is about. */
import type { Position } from "../../plan/organization.ts";
import type { Look, Section } from "../../say/section.ts";
import type { Annotation, Level } from "../annotation.ts";
import { rowText } from "./text.ts";

const levels: Readonly<Record<Look, Level>> = { bad: "error", attention: "warning", plain: "notice", good: "notice" };

export function sectionAnnotations(
	sections: readonly Section[],
	positionOf: (address: string) => Position | undefined,
): readonly Annotation[] {
	return sections.flatMap(({ look, noun: [title], rows }) =>
		rows.map((row): Annotation => {
			const at = (row.about ?? []).map(positionOf).find((position) => position !== undefined);
			return { level: levels[look], title: `orgsync: ${title}`, message: rowText(row), at };
		}),
	);
}
