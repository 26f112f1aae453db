/** What went wrong: the error of a call, of one organization, and the objects that changed since a saved plan was made. */

import type { OutdatedObject, Problem } from "../../common/errors.ts";
import { showAddress } from "../../common/escape.ts";
import { identifier, type Phrase, reason, type Span } from "../../say/phrase.ts";
import { listed, notesOf, type Row, type Section, section } from "../../say/section.ts";
import type { FailedOrganization } from "../result/found.ts";
import type { ErrorDescription } from "../result/result.ts";
import { sayOrganization } from "./organization.ts";
import { problemsSection } from "./problems.ts";

/** Returns the error of a call with the problems of its documents, and its hint. */
export function errorSection(error: ErrorDescription | null, problems: readonly Problem[]): Section {
	const lead = error === null ? {} : { lead: [onOneLine(error.message)] };
	return section("error", problemsSection({ problems }).rows, { ...lead, foot: hintOf(error) });
}

/** Returns why the work in an organization ended. */
export function stoppedSection(failed: Pick<FailedOrganization, "error"> | null): Section {
	return section("stopped", failed === null ? [] : [errorRow(failed.error)]);
}

/** Returns the organizations without a plan, with the errors that say why. */
export function unplannedSection(unplanned: readonly FailedOrganization[]): Section {
	return listed("unplanned", unplanned, (one) => errorRow(one.error, [...sayOrganization(one), ": "]));
}

/** Returns what changed since the saved plan was made. `nameOf` returns the organization to name; null where there is only one. */
export function staleSection(
	outdated: readonly OutdatedObject[],
	nameOf: (organizationId: string) => string | null,
): Section {
	const rows = outdated.map(({ address, organizationId, because }): Row => {
		const name = nameOf(organizationId);
		const about: Phrase = name === null ? [] : ["organization ", reason(name), ": "];
		const said = [...about, identifier(showAddress(address)), ": ", reason(because)];
		return { said, about: [address], organizationId };
	});
	return section("stale", rows);
}

function errorRow(error: ErrorDescription, lead: Phrase = []): Row {
	return { said: [...lead, onOneLine(error.message)], notes: notesOf("plain", ...hintOf(error)) };
}

function hintOf(error: ErrorDescription | null): readonly Phrase[] {
	return error === null || error.hint === null ? [] : [["Hint: ", onOneLine(error.hint)]];
}

/** Returns the text, which may have several lines for a terminal, as one. */
function onOneLine(text: string): Span {
	return reason(text.trim().replaceAll(/\s*\n\s*/g, " "));
}
