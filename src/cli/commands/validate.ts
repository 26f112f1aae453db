/**
 * `validate`: documents parsed, and nothing else. It asks no service anything.
 */
import { exitCodes } from "../../errors.ts";
import { readDesired } from "../sources.ts";
import type { Result, Terminal } from "../voice.ts";
import type { DocumentFlags } from "./comparing.ts";

/** Says that the documents are sound, or throws their problems. Asks no service anything. */
export async function validate(flags: DocumentFlags, terminal: Terminal): Promise<Result> {
	const organizations = await readDesired(flags.file, terminal);
	return {
		exitCode: exitCodes.converged,
		text: () =>
			organizations
				.map((desired) => `${desired.files.join(", ")}: valid, organization ${desired.organizationId}\n`)
				.join(""),
		json: {
			organizations: organizations.map(({ organizationId, digest, files }) => ({
				organizationId,
				documentDigest: digest,
				files,
			})),
		},
	};
}
