/** `show`: a saved plan as its reviewer needs it. It calls no service and reads no document. */

import { defined } from "../../common/defined.ts";
import { exitCodes } from "../../common/errors.ts";
import { statedFactsOf } from "../../document/saved/saved-plan.ts";
import { type PlannedResult, resultHead } from "../../render/result/result.ts";
import { readSavedPlan } from "../files/saved-plan-file.ts";
import type { Terminal } from "../output/output.ts";

/** Returns the plans in this file, or in standard input for `-`. Throws ConfigurationError for anything but a saved plan. */
export async function show(file: string, terminal: Terminal): Promise<PlannedResult<"show">> {
	const saved = await readSavedPlan(file, terminal);
	const { plans, threeWay = [], unread = [] } = saved;
	const exitCode = exitCodes.inSync;
	const error = { code: "not-planned", message: "it was unreadable when the plan was made", hint: null };
	const bases = new Map(threeWay.map((one) => [one.organizationId, one]));
	return {
		...resultHead("show", exitCode, null),
		organizations: [
			...plans.map((plan) => {
				const { organizationId } = plan;
				return { organizationId, exitCode, plan, ...defined({ threeWay: bases.get(organizationId) }) };
			}),
			...unread.map((organizationId) => {
				return { organizationId, exitCode, failed: { organizationId, error, steps: [] } };
			}),
		],
		dropped: threeWay.filter(({ head }) => head === null),
		savedPlan: statedFactsOf(saved),
	};
}
