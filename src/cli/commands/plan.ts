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
	/** A file, a folder or a revision of git: the documents as they stood before. */
	readonly base?: string;
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const threeWay = flags.base === undefined ? undefined : await import("./three-way.ts");
	const bases = await threeWay?.readBases(flags.base ?? "", flags, terminal, voice);
	const compared = await compareAll(flags, terminal, voice, bases === undefined ? {} : { bases: bases.documents });
	const result = showPlans(compared, {
		command: "plan",
		summarize: summarizePlan,
		codeOf: (one) => {
			if (one.problems.length > 0) return exitCodes.error;
			return flags.detailedExitcode === true && findsDifference(one) ? exitCodes.changes : exitCodes.converged;
		},
	});
	return threeWay?.withDropped(result, bases?.dropped ?? []) ?? result;
}
