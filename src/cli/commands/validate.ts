/**
 * `validate`: documents parsed, and nothing else. It asks no service anything.
 */
import { exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { Output, Result, Terminal } from "../output.ts";
import { readSharded, type ShareFlags } from "./comparing.ts";

/** Says that the documents are sound, or throws their problems. Asks no service anything. */
export async function validate(flags: ShareFlags, terminal: Terminal, output: Output): Promise<Result> {
	const organizations = await readSharded(flags, terminal, output);
	return {
		exitCode: exitCodes.converged,
		text: () =>
			organizations
				.map((desired) => `${desired.files.map(showText).join(", ")}: valid, organization ${desired.organizationId}\n`)
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
