/** `validate`: checks documents. It calls no service. */

import { exitCodes } from "../../common/errors.ts";
import { organizationsIn } from "../../document/read/fleet.ts";
import { namedIn } from "../../plan/organization-name.ts";
import { resultHead, type ValidateResult } from "../../render/result/result.ts";
import { readFleet } from "../files/sources.ts";
import type { Call } from "../output/output.ts";
import { type ShareFlags, takeShare } from "./selection.ts";

/** Returns the organizations of the documents. Throws DocumentError with all their problems. */
export async function validate(call: Call<ShareFlags>): Promise<ValidateResult> {
	const fleet = takeShare(await readFleet(call.flags, call.terminal), call);
	return {
		...resultHead("validate", exitCodes.inSync, null),
		organizations: [...organizationsIn(fleet)].map((desired) => ({
			...namedIn(desired),
			documentDigest: desired.digest,
			files: desired.files,
		})),
	};
}
