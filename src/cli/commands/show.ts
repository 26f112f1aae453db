/**
 * `show`: a saved plan as its reviewer needs it. It calls no service and reads no document.
 */

import { defined } from "../../common/defined.ts";
import { exitCodes } from "../../common/errors.ts";
import { statedFactsOf } from "../../document/saved/saved-plan.ts";
import { resultHead, type ShowResult } from "../../render/result/result.ts";
import { readSavedPlan } from "../files/saved-plan-file.ts";
import type { Terminal } from "../output/output.ts";

/** Returns the plans in this file, or in standard input for `-`. Throws ConfigurationError for anything but a saved plan. */
export async function show(file: string, terminal: Terminal): Promise<ShowResult> {
	const saved = await readSavedPlan(file, terminal);
	const { plans, threeWay } = saved;
	return {
		...resultHead("show", exitCodes.inSync, null),
		plans,
		savedPlan: statedFactsOf(saved),
		...defined({ threeWay }),
	};
}
