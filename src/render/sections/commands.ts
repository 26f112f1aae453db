/** The results of the small commands: what each wrote or found, and what to do next. */
import { showAddress, writeJson } from "../../common/escape.ts";
import { outcomeWords } from "../../say/outcomes.ts";
import { identifier, type Phrase, quote, reason, time } from "../../say/phrase.ts";
import { namePerson } from "../../say/powers.ts";
import { listed, type Section } from "../../say/section.ts";
import type { AccessResult, ImportKeyResult, InitResult, PasskeyResult } from "../result/result.ts";
import { longestReason } from "./windows.ts";

function linesSection(...lines: readonly Phrase[]): Section {
	return listed("lines", lines, (said) => said);
}

export function initSection({ file, casesFile, organizationId, nextCommand }: InitResult): Section {
	const beside: Phrase = casesFile === undefined ? [] : [" and ", identifier(casesFile)];
	return linesSection(
		["Wrote ", identifier(file), ...beside, "."],
		...(organizationId === null ? [["Set ORGSYNC_ORGANIZATION_ID first."]] : []),
		["Next: ", identifier(nextCommand)],
	);
}

/** Returns the file that holds the bundle, or why there is none yet. */
export function importKeySection({ outcome, activityId, fingerprint, out, message }: ImportKeyResult): Section {
	if (out !== undefined) return linesSection(["The import bundle is in ", identifier(out), "."]);
	const detail: Phrase = message === null || message === undefined ? [] : [": ", reason(message)];
	return linesSection(
		[`No bundle yet, ${outcomeWords[outcome]}`, ...detail],
		...(activityId === null
			? []
			: [["activity ", identifier(activityId), ", fingerprint ", identifier(fingerprint ?? "")]]),
	);
}

/** Returns the two ways to register the passkey, with JSON to copy. */
export function passkeyText({ parameters, seed }: PasskeyResult): string {
	return `Created a passkey for localhost. It signs for no one before it is registered.

Parameters of create_authenticators, which registers it at the service:
${writeJson(parameters, 2)}

Entry for \`authenticators\` of the user in a seed of the emulator:
${writeJson(seed, 2)}
`;
}

/** Returns what became of the entry of a user in the document, and what to do next. */
export function accessSections(result: AccessResult): Readonly<Record<"written" | "next", Section>> {
	const { access, command: of, nextCommand } = result;
	const isUnchanged = access.effect === "unchanged";
	const isEnding = of === "grant" && access.until !== undefined;
	return {
		written: linesSection([
			...[isUnchanged ? "Unchanged " : "Wrote ", identifier(access.file), `:${access.line}: `],
			...[...sayAccess(result), "."],
		]),
		next: linesSection(
			...(isUnchanged
				? []
				: [["Nothing was submitted. Next: review ", identifier(access.file), ", then ", identifier(nextCommand)]]),
			...(isEnding ? [["The access ends with the first apply at or after its end: keep one on a schedule."]] : []),
		),
	};
}

function sayAccess({ access, command: of, organizations }: AccessResult): Phrase {
	const { address, effect, userId, until, reason: why } = access;
	const who = namePerson(userId, organizations[0]?.plan ?? { userNames: {} });
	const tag = identifier(showAddress(address));
	if (of === "grant") {
		const end: Phrase = until === undefined ? ["without an end"] : ["until ", time(until)];
		const because: Phrase = why === undefined ? [] : [", reason ", quote(why, longestReason)];
		return [who, effect === "unchanged" ? " already" : "", " has ", tag, " ", ...end, ...because];
	}
	if (effect === "unchanged") return ["the document does not give ", tag, " to ", who];
	if (effect === "removed") return [who, " is no longer listed for ", tag];
	return ["the access of ", who, " to ", tag, " ended ", time(until ?? "")];
}
