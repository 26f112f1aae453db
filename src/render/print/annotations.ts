/** Sections as annotations in the log of a pipeline: one for each row, at the line of what it is about. */
import type { Look, Row, Section } from "../../say/section.ts";
import type { Annotation, Level } from "../annotation.ts";
import { differenceText, outcomePhrase, phraseText, rowText } from "./text.ts";

export const levels: Readonly<Record<Look, Level>> = {
	bad: "error",
	attention: "warning",
	plain: "notice",
	good: "notice",
};

/** `positionOf` returns the place of an object; `organizationId` is that of its row, where the section is about several. */
export function sectionAnnotations(
	sections: readonly Section[],
	positionOf: (address: string, organizationId?: string) => Annotation["at"],
): readonly Annotation[] {
	return sections.flatMap((section): Annotation[] => {
		const {
			noun: [title],
			rows,
			form,
			lead,
		} = section;
		const above: Annotation[] =
			form !== "sentences" || lead === undefined
				? []
				: [{ level: "notice", title: `orgsync: ${title}`, message: phraseText(lead), at: undefined }];
		const shown = (form === "steps" ? rows.flatMap(openRows) : rows).map((row): Annotation => {
			const { at, about = [], organizationId } = row;
			const own = form === "steps" ? row.badge : undefined;
			const found = about.map((address) => positionOf(address, organizationId)).find((place) => place !== undefined);
			return {
				level: levels[own?.look ?? lookOf(row, section)],
				title: `orgsync: ${own?.word ?? at?.code ?? titleOf(row, section)}`,
				message: messageOf(row, section),
				at: at ?? found,
			};
		});
		return [...shown, ...above];
	});
}

/** What a sign does, where the rows are the plan itself. */
const actions: Readonly<Partial<Record<NonNullable<Row["sign"]>, string>>> = {
	"+": "create",
	"-": "remove",
	"~": "update",
	"!": "report",
};

function titleOf({ badge, isHeld, sign = "~" }: Row, { form, title, noun: [noun] }: Section): string {
	if (form !== "differences") return noun;
	if (isHeld === true) return "on hold";
	if (title === null) return actions[sign] ?? noun;
	return badge === undefined ? noun : `${noun}, ${badge.word}`;
}

/** What takes something away is a warning, and a sentence on what a plan means is no error. */
function lookOf({ sign, isHeld, rows = [] }: Row, { look, form }: Section): Look {
	if (form === "sentences") return look === "bad" ? "attention" : look;
	const removes = isHeld !== true && form === "differences" && [sign, ...rows.map((row) => row.sign)].includes("-");
	return removes && look === "plain" ? "attention" : look;
}

function messageOf(row: Row, { form }: Section): string {
	if (form === "differences") return differenceText(row);
	// A sentence says what its sign shows, and an annotation has its place already.
	const { sign, at: _, ...bare } = row;
	const shown = form === "sentences" || sign === undefined ? bare : { ...bare, sign };
	return [shown, ...(row.rows ?? [])].map(rowText).join("; ");
}

/** Returns a step that did not complete, with what became of it; of one in parts, its parts instead. */
function openRows({ badge, said, notes = [], rows = [], about = [] }: Row): readonly Row[] {
	if (badge === undefined || badge.look === "good") return [];
	if (rows.length === 0) return [{ badge, said: [...said, ": ", ...outcomePhrase(badge)], notes, about }];
	return rows.flatMap(openRows).map((row) => ({ ...row, said: [...said, ": ", ...row.said] }));
}
