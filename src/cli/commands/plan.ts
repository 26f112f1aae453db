/**
 * `plan`: compares documents with live state and shows what `apply` would submit. It has a Reader, so it cannot submit.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { findsDifference, type Plan, type SavedPlanFacts } from "../../plan/plan.ts";
import { positionsOf } from "../../render/positions.ts";
import type { PlanResult } from "../../render/result.ts";
import type { BaseFlags } from "../base.ts";
import { withConnection } from "../connect.ts";
import { organizationsHead } from "../failure.ts";
import type { Call, LocatedResult } from "../output.ts";
import { type ComparisonFlags, compareEach } from "./comparing.ts";
import { readSelected } from "./selection.ts";

export interface PlanFlags extends ComparisonFlags, BaseFlags {
	readonly detailedExitcode?: boolean;
	/** Whether the plan submits rejected activities again. */
	readonly retryRejected?: boolean;
	/** The file of the saved plan. */
	readonly out?: string;
	readonly output?: string;
}

/** Returns the plan of every organization. Exit 0, or 2 with `--detailed-exitcode` when something differs. */
export async function plan(call: Call<PlanFlags>): Promise<LocatedResult> {
	const { flags } = call;
	const save = flags.out === undefined ? null : await prepareToSave(flags.out, call);
	const hasBase = flags.base !== undefined || flags.baseFile !== undefined;
	const bases = hasBase ? await (await import("./three-way.ts")).readBases(call) : undefined;
	const organizations = await readSelected(call);
	const { compared, failed } = await withConnection(call, (connection) =>
		compareEach(organizations, {
			...call,
			connection,
			...(bases === undefined ? {} : { bases: bases.documents }),
			...(flags.retryRejected === true ? { retryRejected: true } : {}),
		}),
	);
	const comparisons = compared.map(({ comparison }) => comparison);
	const plans = comparisons.map((one) => one.plan);
	const threeWay = [...comparisons.flatMap((one) => one.threeWay ?? []), ...(bases?.dropped ?? [])];
	const codes = plans.map((one) => codeOf(one, flags));
	const result: PlanResult = {
		...organizationsHead("plan", plans, failed, codes),
		...(threeWay.length === 0 ? {} : { threeWay }),
	};
	const positionOf = positionsOf(comparisons.map(({ desired }) => desired));
	return { result: save === null ? result : { ...result, savedPlan: save(result) }, positionOf };
}

function codeOf(plan: Plan, { detailedExitcode }: PlanFlags): ExitCode {
	if (plan.problems.length > 0) return exitCodes.error;
	return detailedExitcode === true && findsDifference(plan) ? exitCodes.changes : exitCodes.inSync;
}

/** Returns the function that saves the plans of a result. Throws ConfigurationError when the file cannot be written. */
async function prepareToSave(
	out: string,
	{ flags, terminal, output }: Call<PlanFlags>,
): Promise<(result: PlanResult) => SavedPlanFacts> {
	const { prepareSavedPlanFile } = await import("../saved-plan-file.ts");
	const write = prepareSavedPlanFile(out, flags.output, terminal);
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
