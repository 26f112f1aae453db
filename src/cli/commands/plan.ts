/**
 * `plan`: documents held against live, shown. It cannot submit anything: it is handed a Reader and nothing else.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import type { Result, Terminal, Voice } from "../voice.ts";
import { type ComparisonFlags, compareAll, showPlans } from "./comparing.ts";

export interface PlanFlags extends ComparisonFlags {
	readonly detailedExitcode?: boolean;
	/** A file that the plan is saved in. */
	readonly out?: string;
	readonly output?: string;
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, voice: Voice): Promise<Result> {
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, flags.output, terminal, voice);
	const comparisons = await compareAll(flags, terminal, voice);
	const code: ExitCode = comparisons.some(({ plan: { problems } }) => problems.length > 0)
		? exitCodes.error
		: flags.detailedExitcode === true && comparisons.some((comparison) => findsDifference(comparison.plan))
			? exitCodes.changes
			: exitCodes.converged;
	const result = showPlans(comparisons, code);
	return save === null
		? result
		: save(
				comparisons.map((comparison) => comparison.plan),
				result,
			);
}

/** The function that saves the plans and tells so beside the result; refused now when the file cannot be written. */
async function prepareToSave(
	out: string,
	output: string | undefined,
	terminal: Terminal,
	voice: Voice,
): Promise<(plans: readonly Plan[], result: Result) => Result> {
	const { prepareSavedFile } = await import("../saved-file.ts");
	const write = prepareSavedFile(out, output, terminal);
	const { factsOf, makeSavedPlan } = await import("../../plan/saved.ts");
	return (plans, result) => {
		const saved = makeSavedPlan(plans, voice.generatedBy);
		write(saved);
		const file = showText(out);
		voice.note(`Saved plan ${saved.digest} to ${file}; orgsync apply --plan ${file} runs just this`);
		return { ...result, json: { ...result.json, savedPlan: factsOf(saved) } };
	};
}
