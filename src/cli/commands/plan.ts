/**
 * `plan`: documents held against live, shown. It cannot submit anything: it is handed a Reader and nothing else.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { findsDifference } from "../../plan/plan.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type ComparisonFlags, compareAll, showPlans } from "./comparing.ts";

export interface PlanFlags extends ComparisonFlags {
	readonly detailedExitcode?: boolean;
	/** A file, a folder or a revision of git: the documents as they stood before. */
	readonly base?: string;
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const threeWay = flags.base === undefined ? undefined : await import("./three-way.ts");
	const bases = await threeWay?.readBases(flags.base ?? "", flags, terminal, voice);
	const comparisons = await compareAll(flags, terminal, voice, bases?.documents);
	const code: ExitCode = comparisons.some(({ plan: { problems } }) => problems.length > 0)
		? exitCodes.error
		: flags.detailedExitcode === true && comparisons.some((comparison) => findsDifference(comparison.plan))
			? exitCodes.changes
			: exitCodes.converged;
	const result = showPlans(comparisons, code);
	return threeWay?.withDropped(result, bases?.dropped ?? []) ?? result;
}
