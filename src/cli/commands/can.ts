/** `can`: whether a user can do an activity, as an exit code. It has a Reader, so it cannot submit. */

import {
	ConfigurationError,
	combineExitCodes,
	type ExitCode,
	exitCodes,
	ServiceError,
	UndecidedError,
} from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import type { PowerExplanation } from "../../policy/powers/explain-power.ts";
import { resultHead } from "../../render/result/head.ts";
import type { CanResult } from "../../render/result/organization-powers.ts";
import type { Flags } from "../flags/given-flags.ts";
import { parseGroupWhere } from "../flags/power-names.ts";
import type { Call } from "../output/output.ts";
import { type AskingFlags, askedIn, askPowers } from "./powers.ts";

type CanFlags = AskingFlags & Flags<"because">;

/** Several answers are one: no where one is no, and yes only where all are. */
const answers: Readonly<Record<PowerExplanation["verdict"], ExitCode>> = {
	alone: exitCodes.inSync,
	together: exitCodes.pendingApproval,
	"root-quorum": exitCodes.pendingApproval,
	conditional: exitCodes.undecided,
	unknown: exitCodes.undecided,
	denied: exitCodes.rejectedOrDenied,
	no: exitCodes.rejectedOrDenied,
};

/** Returns whether the user can do it, in every organization that has the user. Throws UndecidedError where a query is denied. */
export async function can(words: readonly string[], call: Call<CanFlags>): Promise<CanResult> {
	const [user = "", activity = ""] = words;
	// The name of a group never ends like that of a file.
	const isFile = activity === "-" || /\.(?:json|ya?ml)$/i.test(activity);
	const asked = isFile ? await askedIn(activity, call) : askedBy(activity);
	const question = { ...asked, user, tag: undefined, why: true };
	const { organizations } = await askPowers(question, call, true).catch(refuseDenied);
	const verdicts = organizations.flatMap(({ why = [] }) => why.map(({ verdict }) => answers[verdict]));
	const exitCode = verdicts.length === 0 ? exitCodes.undecided : combineExitCodes(verdicts);
	return { ...resultHead("can", exitCode, null), because: call.flags.because === true, organizations };
}

function askedBy(activity: string) {
	const asked = parseGroupWhere(activity, "ACTIVITY");
	if (asked.group.groups.length > 0) return { ...asked, organizationId: null };
	throw new ConfigurationError(`ACTIVITY ${showText(activity)}: not every action is an activity`, {
		hint: `write RESOURCE/ACTION, such as ${activity.toUpperCase()}/CREATE`,
	});
}

/** The exit code of a denied query is that of a no. */
function refuseDenied(error: unknown): never {
	if (!(error instanceof ServiceError) || error.exitCode !== exitCodes.rejectedOrDenied) throw error;
	throw new UndecidedError(error.message, {
		cause: error,
		...(error.advice === undefined ? {} : { hint: error.advice }),
	});
}
