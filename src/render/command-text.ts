/**
 * The results of the small commands as text, each ending with a newline.
 */

import { showText, writeJson } from "../common/escape.ts";
import { outcomeWords } from "../say/outcomes.ts";
import { showOrganization } from "./result/organization-name.ts";
import type { ImportKeyResult, InitResult, PasskeyResult, ValidateResult } from "./result/result.ts";

export function renderValidate({ organizations }: ValidateResult): string {
	return organizations
		.map((one) => `${one.files.map(showText).join(", ")}: valid, organization ${showOrganization(one)}\n`)
		.join("");
}

export function renderInit({ file, organizationId, nextCommand }: InitResult): string {
	const set = organizationId === null ? "Set ORGSYNC_ORGANIZATION_ID first.\n" : "";
	return `Wrote ${showText(file)}.\n${set}Next: ${showText(nextCommand)}\n`;
}

/** Returns the bundle unchanged, the file that holds it, or why there is none yet. */
export function renderImportKey({
	outcome,
	activityId,
	fingerprint,
	importBundle,
	out,
	message,
}: ImportKeyResult): string {
	if (importBundle !== undefined) return `${importBundle}\n`;
	if (out !== undefined) return `The import bundle is in ${showText(out)}.\n`;
	const detail = message === null || message === undefined ? "" : `: ${showText(message)}`;
	const activity = activityId === null ? "" : `${showText(`activity ${activityId}, fingerprint ${fingerprint}`)}\n`;
	return `No bundle yet, ${outcomeWords[outcome]}${detail}\n${activity}`;
}

/** Returns the two ways to register the passkey. */
export function renderPasskey({ parameters, seed }: PasskeyResult): string {
	return `Created a passkey for localhost. It signs for no one before it is registered.

Parameters of create_authenticators, which registers it at the service:
${writeJson(parameters, 2)}

Entry for \`authenticators\` of the user in a seed of the emulator:
${writeJson(seed, 2)}
`;
}
