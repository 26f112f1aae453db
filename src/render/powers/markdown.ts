/** Powers in Markdown: a list of rows for each organization, or the explanation of one power. */

import { type Block, bullets, codeSpan, paragraph } from "../markdown-text.ts";
import { phraseMarkdown } from "../print/markdown.ts";
import { showOrganization } from "../result/organization-name.ts";
import { type CommandResult, isPowers } from "../result/result.ts";
import { capitalize } from "../text.ts";
import type { OrganizationPowers } from "./organization-powers.ts";
import { describeRootQuorum, describeUnreadAccess, rowsOf } from "./rows.ts";
import { labelOf } from "./text.ts";
import { answersOf } from "./why-lines.ts";

/** Returns the blocks of every organization; none for results of other commands. */
export function powersBlocks(result: CommandResult): readonly Block[] {
	if (!isPowers(result)) return [];
	return result.organizations.flatMap((one) => {
		const head = `Organization ${codeSpan(showOrganization(one))}, at ${codeSpan(one.at)}. ${phraseMarkdown(describeRootQuorum(one))}`;
		return [
			{ ...paragraph(head, 1), group: one.organizationId },
			...[unreadBlock(one), ...(one.why === undefined ? [rowsBlock(one)] : whyBlocks(one))].map((block) => ({
				...block,
				group: one.organizationId,
			})),
		];
	});
}

function unreadBlock(organization: OrganizationPowers): Block {
	return bullets(
		1,
		["unknown", "unknowns"],
		"Could not be read",
		describeUnreadAccess(organization).map(phraseMarkdown),
	);
}

function rowsBlock(organization: OrganizationPowers): Block {
	const lines = rowsOf(organization).map(({ titles, lines: who }) => {
		const said = who.map((line) => `${labelOf(line.label, line.who)}${phraseMarkdown(line.who)}`);
		return [titles.map((title) => codeSpan(title)).join(", "), ...said.map((one) => `  - ${one}`)].join("\n");
	});
	return bullets(2, ["power", "powers"], "Who can do what", lines);
}

function whyBlocks(organization: OrganizationPowers): readonly Block[] {
	return answersOf(organization).map(({ answer, lines }) => {
		const shown = lines.map(({ line, details }) =>
			[phraseMarkdown(line), ...details.map((detail) => `  - ${phraseMarkdown(detail)}`)].join("\n"),
		);
		return bullets(2, ["reason", "reasons"], capitalize(phraseMarkdown(answer)), shown);
	});
}
