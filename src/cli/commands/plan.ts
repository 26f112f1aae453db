/**
 * `plan`: compares documents with live and shows what `apply` would submit. It gets a Reader, so it cannot submit anything.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { findsDifference, type Plan, type SavedPlanFacts } from "../../plan/plan.ts";
import { positionsOf } from "../../render/positions.ts";
import { errorsOfFailed, type PlanResult, resultHead } from "../../render/result.ts";
import type { BaseFlags } from "../base.ts";
import { combineExitCodes, describeFailed, exitCodeOfError } from "../failure.ts";
import type { LocatedResult, Output, Terminal } from "../output.ts";
import { type ComparedOrganizations, type ComparisonFlags, compareAll } from "./comparing.ts";

export interface PlanFlags extends ComparisonFlags, BaseFlags {
	readonly detailedExitcode?: boolean;
	/** Plans to submit again what was rejected before. */
	readonly retryRejected?: boolean;
	/** A file that the plan is saved in. */
	readonly out?: string;
	readonly output?: string;
}

/** Returns the plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when something differs. */
export async function plan(flags: PlanFlags, terminal: Terminal, output: Output): Promise<LocatedResult> {
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, flags, terminal, output);
	const hasBase = flags.base !== undefined || flags.baseFile !== undefined;
	const bases = hasBase ? await (await import("./three-way.ts")).readBases(flags, terminal, output) : undefined;
	const found = await compareAll(flags, terminal, output, {
		...(bases === undefined ? {} : { bases: bases.documents }),
		...(flags.retryRejected === true ? { retryRejected: true } : {}),
	});
	const threeWay = [
		...found.compared.flatMap(({ comparison }) => comparison.threeWay ?? []),
		...(bases?.dropped ?? []),
	];
	const result = resultOf(found, threeWay, flags);
	const positionOf = positionsOf(found.compared.map(({ comparison }) => comparison.desired));
	return { result: save === null ? result : { ...result, savedPlan: save(result) }, positionOf };
}

function resultOf(
	{ compared, failed: errors }: ComparedOrganizations,
	threeWay: PlanResult["threeWay"] & {},
	flags: PlanFlags,
): PlanResult {
	const plans = compared.map(({ comparison }) => comparison.plan);
	const failed = errors.map((one) => describeFailed(one));
	const codes = [...plans.map((one) => codeOf(one, flags)), ...errors.map(({ error }) => exitCodeOfError(error))];
	return {
		...resultHead("plan", combineExitCodes(codes), errorsOfFailed(failed, true)[0] ?? null),
		plans,
		...(threeWay.length === 0 ? {} : { threeWay }),
		...(failed.length === 0 ? {} : { failed }),
	};
}

function codeOf(plan: Plan, { detailedExitcode }: PlanFlags): ExitCode {
	if (plan.problems.length > 0) return exitCodes.error;
	return detailedExitcode === true && findsDifference(plan) ? exitCodes.changes : exitCodes.inSync;
}

/** Returns the function that saves the plans of a result. Throws ConfigurationError when the file cannot be written. */
async function prepareToSave(
	out: string,
	{ output: resultFile }: PlanFlags,
	terminal: Terminal,
	output: Output,
): Promise<(result: PlanResult) => SavedPlanFacts> {
	const { prepareSavedPlanFile } = await import("../saved-plan-file.ts");
	const write = prepareSavedPlanFile(out, resultFile, terminal);
	const { factsOf, makeSavedPlan } = await import("../../document/saved-plan.ts");
	return ({ plans, threeWay, failed }) => {
		const unread = (failed ?? []).map(({ organizationId }) => organizationId);
		const { overrides } = output;
		const content = {
			plans,
			...(threeWay === undefined ? {} : { threeWay }),
			...(unread.length === 0 ? {} : { unread }),
			...(overrides.length === 0 ? {} : { overrides }),
		};
		const saved = makeSavedPlan(content, output.generatedBy);
		write(saved);
		const file = showText(out);
		output.note(`Saved plan ${saved.digest} to ${file}. To run exactly this plan: orgsync apply --plan ${file}`);
		return factsOf(saved);
	};
}
