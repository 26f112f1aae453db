/**
 * `plan`: documents held against live, shown. It cannot submit anything: it is handed a Reader and nothing else.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import type { SavedContent } from "../../plan/saved.ts";
import { tellSavedPlan } from "../../render/result.ts";
import type { BaseFlags } from "../base.ts";
import type { Output, Result, Terminal } from "../output.ts";
import { type ComparisonFlags, compareAll } from "./comparing.ts";
import { renderingOf, showPlans, worstOf } from "./showing.ts";

export interface PlanFlags extends ComparisonFlags, BaseFlags {
	readonly detailedExitcode?: boolean;
	/** Plans to submit again what was rejected before. */
	readonly retryRejected?: boolean;
	/** A file that the plan is saved in. */
	readonly out?: string;
	readonly output?: string;
}

/** The plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when there is something to do or to report. */
export async function plan(flags: PlanFlags, terminal: Terminal, output: Output): Promise<Result> {
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, flags, terminal, output);
	const hasBase = flags.base !== undefined || flags.baseFile !== undefined;
	const threeWay = hasBase ? await import("./three-way.ts") : undefined;
	const bases = await threeWay?.readBases(flags, terminal, output);
	const compared = await compareAll(flags, terminal, output, {
		...(bases === undefined ? {} : { bases: bases.documents }),
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	});
	const found = compared.compared.flatMap(({ comparison }) => comparison.threeWay ?? []);
	const shown = showPlans(compared, {
		command: "plan",
		...renderingOf(found),
		exitCode: worstOf(compared.compared.map(({ comparison }) => codeOf(comparison.plan, flags))),
		...(found.length === 0 ? {} : { more: { threeWay: found } }),
	});
	const result = threeWay?.withDropped(shown, bases?.dropped ?? []) ?? shown;
	if (save === null) return result;
	const unread = compared.unlooked.map(({ organizationId }) => organizationId);
	const { plans, threeWay: told } = result.json as unknown as Pick<SavedContent, "plans" | "threeWay">;
	const { overrides } = output;
	return save(
		{
			plans,
			...(told === undefined ? {} : { threeWay: told }),
			...(unread.length === 0 ? {} : { unread }),
			...(overrides.length === 0 ? {} : { overrides }),
		},
		result,
	);
}

function codeOf(plan: Plan, { detailedExitcode }: PlanFlags): ExitCode {
	if (plan.problems.length > 0) return exitCodes.error;
	return detailedExitcode === true && findsDifference(plan) ? exitCodes.changes : exitCodes.converged;
}

/** The function that saves the plans and tells so beside the result; refused now when the file cannot be written. */
async function prepareToSave(
	out: string,
	{ output: resultFile }: PlanFlags,
	terminal: Terminal,
	output: Output,
): Promise<(content: SavedContent, result: Result) => Result> {
	const { prepareSavedPlanFile } = await import("../saved-plan-file.ts");
	const write = prepareSavedPlanFile(out, resultFile, terminal);
	const { factsOf, makeSavedPlan } = await import("../../plan/saved.ts");
	return (content, result) => {
		const saved = makeSavedPlan(content, output.generatedBy);
		write(saved);
		const file = showText(out);
		output.note(`Saved plan ${saved.digest} to ${file}; orgsync apply --plan ${file} runs just this`);
		const savedPlan = factsOf(saved);
		const said = tellSavedPlan({ command: "plan", savedPlan });
		const text: Result["text"] = (style) => `${result.text(style)}\n${said}\n`;
		return { ...result, text, json: { ...result.json, savedPlan } };
	};
}
