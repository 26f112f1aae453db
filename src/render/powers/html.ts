/** Powers on a page: a table of rows for each organization, or the explanation of one power. */

import { renderCard, section } from "../html/details.ts";
import { bdi, type Html, html } from "../html/html.ts";
import { organizationHtml } from "../html/organization.ts";
import { phraseHtml } from "../print/html.ts";
import { type CommandResult, isPowers } from "../result/result.ts";
import type { OrganizationPowers } from "./organization-powers.ts";
import { describeRootQuorum, describeUnreadAccess, type PowerLine, type PowerRow, rowsOf } from "./rows.ts";
import { answersOf } from "./why-lines.ts";

/** Returns a card for each organization; none for results of other commands. */
export function powersCards(result: CommandResult): readonly (Html | null)[] {
	if (!isPowers(result)) return [];
	return result.organizations.map((one) =>
		renderCard(section("Who can do what", "plain", renderOrganization(one)), `o-${one.organizationId}`),
	);
}

function renderOrganization(organization: OrganizationPowers): Html {
	const unread = describeUnreadAccess(organization).map((one) => html`<p class="doubt">${phraseHtml(one)}</p>`);
	return html`<p class="soft">Organization ${organizationHtml(organization)}, at <time datetime="${organization.at}">${organization.at}</time></p>
<p>${phraseHtml(describeRootQuorum(organization))}</p>${unread}
${organization.why === undefined ? renderTable(rowsOf(organization)) : renderWhy(organization)}`;
}

function renderTable(rows: readonly PowerRow[]): Html {
	if (rows.length === 0) return html`<p>No powers to show.</p>`;
	return html`<div class="scroll"><table class="powers"><thead><tr><th scope="col">Power</th><th scope="col">Who</th></tr></thead>
<tbody>${rows.map(renderRow)}</tbody></table></div>`;
}

function renderRow({ titles, doing, lines }: PowerRow): Html {
	const named = titles.map((title, at) => html`${at === 0 ? "" : ", "}${bdi(title)}`);
	return html`<tr><th scope="row">${named}<p class="soft">${phraseHtml(doing)}</p></th><td>${lines.map(renderLine)}</td></tr>\n`;
}

const looks: Readonly<Record<PowerLine["label"], "good" | "bad" | "attention" | "">> = {
	alone: "attention",
	together: "good",
	only: "",
	denied: "bad",
	if: "attention",
	unknown: "attention",
	"no one": "bad",
};

const words: Readonly<Record<PowerLine["label"], string>> = {
	alone: "alone",
	together: "together",
	only: "only",
	denied: "denied",
	if: "condition",
	unknown: "unknown",
	"no one": "no one",
};

function renderLine({ label, who }: PowerLine): Html {
	return html`<p><span class="word ${looks[label]}">${words[label]}</span> ${phraseHtml(who)}</p>`;
}

function renderWhy(organization: OrganizationPowers): Html {
	return html`${answersOf(organization).map(
		({ answer, lines }) =>
			html`<p class="lead">${phraseHtml(answer)}</p><ul class="why">${lines.map(
				({ line, details }) =>
					html`<li>${phraseHtml(line)}${
						details.length === 0
							? null
							: html`<ul>${details.map((detail) => html`<li>${phraseHtml(detail)}</li>`)}</ul>`
					}</li>\n`,
			)}</ul>`,
	)}`;
}
