/**
 * `validate`: documents parsed, and nothing else. It asks no service anything.
 */
import { exitCodes } from "../../errors.ts";
import { resultHead, type ValidateResult } from "../../render/result.ts";
import type { Output, Terminal } from "../output.ts";
import { readSharded, type ShareFlags } from "./selection.ts";

/** Says that the documents are sound, or throws their problems. Asks no service anything. */
export async function validate(flags: ShareFlags, terminal: Terminal, output: Output): Promise<ValidateResult> {
	const organizations = await readSharded(flags, terminal, output);
	return {
		...resultHead("validate", exitCodes.inSync, null),
		organizations: organizations.map(({ organizationId, digest, files }) => ({
			organizationId,
			documentDigest: digest,
			files,
		})),
	};
}
