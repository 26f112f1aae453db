/**
 * `plan`: documents held against live, shown. It cannot submit anything: it is handed a Reader and nothing else.
 */
import { exitCodes } from "../../errors.ts";
import { findsDifference } from "../../plan/plan.ts";
import { summarizePlan } from "../../plan/render/text.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type ComparisonFlags, compareAll } from "./comparing.ts";
import { showPlans } from "./showing.ts";

export interface PlanFlags extends ComparisonFlags {
	readonly detailedExitcode?: boolean;
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	return showPlans(await compareAll(flags, terminal, voice), {
		command: "plan",
		summarize: summarizePlan,
		codeOf: (one) => {
			if (one.problems.length > 0) return exitCodes.error;
			return flags.detailedExitcode === true && findsDifference(one) ? exitCodes.changes : exitCodes.converged;
		},
	});
}
