/**
 * What `apply` tells in the end: the report of every organization, and of one that broke off, what it had come to.
 */
import { type ExitCode, exitCodes, StalePlanError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { notApplied, renderReport, renderStep, summarizeBroken } from "../../plan/render/report-text.ts";
import type { Style } from "../../plan/render/text.ts";
import { exitCodeOf, type Report, type StepResult } from "../../plan/report.ts";
import { describeFailure, exitCodeOfError, type Failure, type Result } from "../voice.ts";

/** What became of one organization: its report, or what ended it early together with the steps that it had taken. */
export type Applied =
	| { readonly organizationId: string; readonly report: Report }
	| { readonly organizationId: string; readonly error: unknown; readonly steps: readonly StepResult[] };

type Broken = Extract<Applied, { error: unknown }>;

/** Where several exit codes apply (product.md section 5), the first of these; 4 stands where exitCodeOf has it. */
const precedence: readonly ExitCode[] = [
	exitCodes.interrupted,
	exitCodes.partlyApplied,
	exitCodes.notAuthorized,
	exitCodes.rejectedOrDenied,
	exitCodes.invalid,
	exitCodes.error,
	exitCodes.waiting,
	exitCodes.changes,
	exitCodes.converged,
];

/** All reports and all that broke off. Steps that completed were told while they did, unless with `quiet`. */
export function showApplied(applied: readonly Applied[], plans: readonly Plan[], quiet: boolean): Result {
	const reports = applied.flatMap((one) => ("report" in one ? [one.report] : []));
	const broken = applied.filter((one) => "error" in one);
	const several = applied.length > 1;
	const codes = applied.map((one) => ("report" in one ? exitCodeOf(one.report) : exitCodeOfBroken(one)));
	const totals = new Map(plans.map(({ organizationId, steps }) => [organizationId, steps.length]));
	const which = quiet ? "all" : "open";
	return {
		exitCode: precedence.find((code) => codes.includes(code)) ?? exitCodes.error,
		text: (style) =>
			applied
				.map((one) => {
					const head = several ? `${style.strong(`Organization ${one.organizationId}`)}\n` : "";
					const told =
						"report" in one
							? renderReport(one.report, style, which)
							: renderBroken(one, totals.get(one.organizationId) ?? 0, style, which);
					return `${head}${told}`;
				})
				.join("\n"),
		json: {
			plans,
			reports,
			...(broken.length === 0 ? {} : { broken: broken.map(describeBroken) }),
		},
		failures: broken.map((one) => failureOf(one, several)),
	};
}

function exitCodeOfBroken({ error, steps }: Broken): ExitCode {
	return steps.some(({ outcome }) => outcome === "completed") ? exitCodes.partlyApplied : exitCodeOfError(error);
}

function failureOf({ organizationId, error }: Broken, several: boolean): Failure {
	return several ? { error, about: `organization ${organizationId}` } : { error };
}

function describeBroken(one: Broken): Readonly<Record<string, unknown>> {
	const { organizationId, steps } = one;
	return { organizationId, error: describeFailure(failureOf(one, false)), steps };
}

function renderBroken({ steps }: Broken, total: number, style: Style, which: "all" | "open"): string {
	const shown = steps.filter(({ outcome }) => which === "all" || outcome !== "completed");
	const lines = shown.flatMap((result) => renderStep(result, style));
	return `${[...lines, ...(lines.length === 0 ? [] : [""]), summarizeBroken(steps.length, total)].join("\n")}\n`;
}

/** The plans, of which nothing was sent because this was in the way. */
export function refused(plans: readonly Plan[], error: unknown): Result {
	return {
		exitCode: exitCodeOfError(error),
		text: () => "",
		json: { plans, reports: [], ...(error instanceof StalePlanError ? { moved: error.moved } : {}) },
		failures: [{ error }],
	};
}

/** The plans, of which nothing was sent because whoever was asked did not agree. */
export function declined(plans: readonly Plan[]): Result {
	return {
		exitCode: exitCodes.error,
		text: () => `${notApplied}\n`,
		json: { plans, reports: [] },
	};
}
