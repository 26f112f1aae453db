/**
 * What `plan` and `drift` show of all organizations: each has its verdict, those with something to look at come first and
 * in full, and of several one sentence sums them up.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import { showText } from "../../plan/render/escape.ts";
import { positionsOf } from "../../plan/render/positions.ts";
import { type Broken, judgeResult } from "../../plan/render/result.ts";
import { count, renderPlan, type Style, summarizePlan } from "../../plan/render/text.ts";
import { renderThreeWay } from "../../plan/render/three-way-text.ts";
import { hasFindings, type ThreeWay } from "../../plan/three-way.ts";
import { describeFailure, exitCodeOfError, type Failure, type Result } from "../voice.ts";
import type { AllCompared, Unlooked } from "./comparing.ts";

/** The first of these that occurs is the exit code of several organizations (product.md section 5). */
const precedence: readonly ExitCode[] = [
	exitCodes.interrupted,
	exitCodes.partlyApplied,
	exitCodes.notAuthorized,
	exitCodes.rejectedOrDenied,
	exitCodes.stalePlan,
	exitCodes.guard,
	exitCodes.invalid,
	exitCodes.error,
	exitCodes.waiting,
	exitCodes.changes,
	exitCodes.converged,
];

/** The code that stands for all of them; that of convergence when there is none. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
	return precedence.find((code) => codes.includes(code)) ?? exitCodes.converged;
}

/** How a command shows plans. */
export interface Showing {
	readonly command: string;
	/** The sentence under each plan. */
	readonly summarize: (plan: Plan) => string;
	/** The exit code that a plan leads to. */
	readonly codeOf: (plan: Plan) => ExitCode;
}

/** Every plan, and every organization that could not be looked at. */
export function showPlans({ compared, unlooked }: AllCompared, { command, summarize, codeOf }: Showing): Result {
	const plans = compared.map(({ comparison }) => comparison.plan);
	const threeWay = compared.flatMap(({ comparison }) => comparison.threeWay ?? []);
	const broken = unlooked.map(describeUnlooked);
	const codes = [...plans.map(codeOf), ...unlooked.map(({ error }) => exitCodeOfError(error))];
	const isAlone = plans.length + broken.length === 1;
	return {
		exitCode: worstOf(codes),
		text: (style) => {
			const each = renderPlans(plans, style, summarize, threeWay);
			return isAlone
				? each
				: `${each}${each === "" ? "" : "\n"}${judgeResult({ command, plans, threeWay, broken }).verdict}\n`;
		},
		json: { plans, ...(threeWay.length === 0 ? {} : { threeWay }), ...(broken.length === 0 ? {} : { broken }) },
		failures: failuresOf(unlooked),
		positionOf: positionsOf(compared.map(({ comparison }) => comparison.desired)),
	};
}

/**
 * Of several plans those with something to look at in full, then one line for each of the others; one plan always in
 * full. With a base, what changed and what drifted since it is told too.
 */
export function renderPlans(
	plans: readonly Plan[],
	style: Style,
	summarize: (plan: Plan) => string = summarizePlan,
	threeWay: readonly ThreeWay[] = [],
): string {
	const bases = new Map(threeWay.map((one) => [one.organizationId, one]));
	const isFull = (plan: Plan): boolean =>
		plans.length === 1 || findsDifference(plan) || hasFindings(bases.get(plan.organizationId) ?? null);
	const full = plans.filter(isFull).map((plan) => {
		const base = bases.get(plan.organizationId);
		const summary = summarize(plan);
		return base === undefined ? renderPlan(plan, style, summary) : renderThreeWay(plan, base, style, summary);
	});
	const lines = plans
		.filter((plan) => !isFull(plan))
		.map((plan) => `Organization ${showText(plan.organizationId)}: ${summarize(plan)}\n`);
	return [...full, ...(lines.length === 0 ? [] : [lines.join("")])].join("\n");
}

/** An organization that could not be looked at, as the formats and JSON have it. */
export function describeUnlooked({ organizationId, error }: Unlooked): Broken {
	return { organizationId, error: describeFailure({ error }), steps: [] };
}

/** The same, to be told with their names; what is said of many is said once. */
export function failuresOf(all: readonly Unlooked[]): readonly Failure[] {
	const byMessage = Map.groupBy(all, ({ error }) => describeFailure({ error }).message);
	return [...byMessage.values()].flatMap(([first, ...others]) => {
		if (first === undefined) return [];
		const more = others.length === 0 ? "" : ` and ${count(others.length, "other", "others")}`;
		return [{ error: first.error, about: `organization ${first.organizationId}${more}` }];
	});
}
