/**
 * What `apply` tells in the end: the report of every organization, and of one that broke off, what it had come to.
 */
import { type ExitCode, exitCodes, LiveProblemError, StalePlanError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { exitCodeOf, type Report, type StepResult } from "../../plan/report.ts";
import { notApplied, notRead, renderReport, renderStep, summarizeBroken } from "../../render/report-text.ts";
import { judgeResult } from "../../render/result.ts";
import { count, type Style } from "../../render/text.ts";
import { exitCodeOfError, type Result } from "../output.ts";
import type { Unlooked } from "./comparing.ts";
import { describeUnlooked, failuresOf, worstOf } from "./showing.ts";

/** What became of one organization: its report, or what ended it early together with the steps that it had taken. */
export type Applied =
	| { readonly organizationId: string; readonly report: Report }
	| { readonly organizationId: string; readonly error: unknown; readonly steps: readonly StepResult[] };

type Broken = Extract<Applied, { error: unknown }>;

/** All reports and all that broke off. Steps that completed were told while they did, unless with `quiet`. */
export function showApplied(applied: readonly Applied[], plans: readonly Plan[], quiet: boolean): Result {
	const reports = applied.flatMap((one) => ("report" in one ? [one.report] : []));
	const broken = applied.filter((one) => "error" in one);
	const several = applied.length !== 1;
	const codes = applied.map((one) => ("report" in one ? exitCodeOf(one.report) : exitCodeOfBroken(one)));
	const totals = new Map(plans.map(({ organizationId, steps }) => [organizationId, steps.length]));
	const which = quiet ? "all" : "open";
	const told = { plans, reports, ...(broken.length === 0 ? {} : { broken: broken.map(describeBroken) }) };
	return {
		exitCode: worstOf(codes),
		text: (style) => {
			const idle = several ? applied.filter(isIdle).length : 0;
			const shown = several ? applied.filter((one) => !isIdle(one)) : applied;
			const each = shown.map((one) => {
				const head = several ? `${style.strong(`Organization ${one.organizationId}`)}\n` : "";
				const became =
					"report" in one
						? renderReport(one.report, style, which)
						: renderBroken(one, totals.get(one.organizationId), style, which);
				return `${head}${became}`;
			});
			const others = idle === 0 ? [] : [`${count(idle, "organization", "organizations")}: nothing to do.\n`];
			const sum = several ? [`${judgeResult({ command: "apply", ...told }).verdict}\n`] : [];
			return [...each, ...others, ...sum].join("\n");
		},
		json: told,
		failures: several ? failuresOf(broken) : broken.map(({ error }) => ({ error })),
	};
}

/** Whether nothing had to be submitted, and nothing is amiss: of a fleet such organizations are only counted. */
function isIdle(one: Applied): boolean {
	if (!("report" in one)) return false;
	const { steps, overrides } = one.report;
	return steps.length === 0 && overrides.length === 0 && exitCodeOf(one.report) === exitCodes.converged;
}

function exitCodeOfBroken({ error, steps }: Broken): ExitCode {
	return steps.some(({ outcome }) => outcome === "completed") ? exitCodes.partlyApplied : exitCodeOfError(error);
}

function describeBroken(one: Broken) {
	return { ...describeUnlooked(one), steps: one.steps };
}

function renderBroken(
	{ error, steps }: Broken,
	total: number | undefined,
	style: Style,
	which: "all" | "open",
): string {
	// A saved plan of what was not possible holds nothing to run: it was not even asked for.
	if (total === undefined) return `${error instanceof LiveProblemError ? summarizeBroken(0, 0) : notRead}\n`;
	const shown = steps.filter(({ outcome }) => which === "all" || outcome !== "completed");
	const lines = shown.flatMap((result) => renderStep(result, style));
	return `${[...lines, ...(lines.length === 0 ? [] : [""]), summarizeBroken(steps.length, total)].join("\n")}\n`;
}

/** The plans, of which nothing was sent because this was in the way. */
export function refused(plans: readonly Plan[], error: unknown, unlooked: readonly Unlooked[]): Result {
	return {
		exitCode: worstOf([exitCodeOfError(error), ...unlooked.map((one) => exitCodeOfError(one.error))]),
		text: () => "",
		json: {
			plans,
			reports: [],
			...brokenOf(unlooked),
			...(error instanceof StalePlanError ? { moved: error.moved } : {}),
		},
		failures: [{ error }, ...failuresOf(unlooked)],
	};
}

/** The plans, of which nothing was sent because whoever was asked did not agree. */
export function declined(plans: readonly Plan[], unlooked: readonly Unlooked[]): Result {
	return {
		exitCode: worstOf([exitCodes.error, ...unlooked.map((one) => exitCodeOfError(one.error))]),
		text: () => `${notApplied}\n`,
		json: { plans, reports: [], ...brokenOf(unlooked) },
		failures: failuresOf(unlooked),
	};
}

function brokenOf(unlooked: readonly Unlooked[]) {
	return unlooked.length === 0 ? {} : { broken: unlooked.map(describeUnlooked) };
}
