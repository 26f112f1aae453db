/** `validate`: checks documents. It calls no service. */

import { exitCodes } from "../../common/errors.ts";
import { namedIn } from "../../plan/organization-name.ts";
import { resultHead, type ValidateResult } from "../../render/result/result.ts";
import type { Call } from "../output/output.ts";
import { readSharded, type ShareFlags } from "./selection.ts";

/** Returns the organizations of the documents. Throws DocumentError with all their problems. */
export async function validate(call: Call<ShareFlags>): Promise<ValidateResult> {
	const organizations = await readSharded(call);
	return {
		...resultHead("validate", exitCodes.inSync, null),
		organizations: organizations.map((desired) => ({
			...namedIn(desired),
			documentDigest: desired.digest,
			files: desired.files,
		})),
	};
}
