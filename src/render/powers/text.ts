/** Powers as text: a table of two columns for each organization, or the explanation of one power. */

import { showText } from "../../common/escape.ts";
import type { Phrase } from "../../say/phrase.ts";
import { phraseText } from "../print/text.ts";
import { showOrganization } from "../result/organization-name.ts";
import type { PowersResult } from "../result/result.ts";
import type { Style } from "../style.ts";
import type { OrganizationPowers } from "./organization-powers.ts";
import { describeRootQuorum, describeUnreadAccess, type PowerLine, type PowerRow, rowsOf } from "./rows.ts";
import { answersOf } from "./why-lines.ts";

export function renderPowers({ organizations }: PowersResult, style: Style): string {
	return organizations
		.map((one) => {
			const head = style.strong(`Organization ${showOrganization(one)}, at ${showText(one.at)}`);
			return `${[head, ...powersLines(one)].join("\n")}\n`;
		})
		.join("\n");
}

/** Returns what is shown of an organization, without its name. */
function powersLines(organization: OrganizationPowers): readonly string[] {
	const unread = describeUnreadAccess(organization).map((one) => `  ${phraseText(one)}`);
	if (organization.why !== undefined) return [...unread, ...whyLines(organization)];
	const rows = rowsOf(organization);
	return [
		`  ${phraseText(describeRootQuorum(organization))}`,
		...unread,
		"",
		...(rows.length === 0 ? ["  no powers to show"] : rows.flatMap(renderRow)),
	];
}

function whyLines(organization: OrganizationPowers): readonly string[] {
	return answersOf(organization).flatMap(({ answer, lines }) => [
		`  ${phraseText(answer)}`,
		...lines.flatMap(({ line, details }) => [
			`    ${phraseText(line)}`,
			...details.map((detail) => `      ${phraseText(detail)}`),
		]),
	]);
}

/** Columns of the first column; longer titles are wrapped between their parts. */
const titleColumns = 26;

function renderRow({ titles, lines }: PowerRow): readonly string[] {
	const left = wrap(titles.map(showText));
	const right = lines.map(renderPowerLine);
	return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
		`  ${(left[at] ?? "").padEnd(titleColumns)}  ${right[at] ?? ""}`.trimEnd(),
	);
}

function wrap(titles: readonly string[]): readonly string[] {
	const lines: string[] = [];
	for (const [at, title] of titles.entries()) {
		const word = at === titles.length - 1 ? title : `${title},`;
		const last = lines.at(-1);
		if (last === undefined || `${last} ${word}`.length > titleColumns) lines.push(word);
		else lines[lines.length - 1] = `${last} ${word}`;
	}
	return lines;
}

/** Returns the line with its label: `alone: alice`, `only the root quorum`. */
function renderPowerLine({ label, who }: PowerLine): string {
	return `${labelOf(label, who)}${phraseText(who)}`;
}

/** Returns the label with what separates it from the users; the label alone where there are none. */
export function labelOf(label: PowerLine["label"], who: Phrase): string {
	if (who.length === 0) return label;
	if (label === "only") return "only ";
	return label === "if" ? "" : `${label}: `;
}
