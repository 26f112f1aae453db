/**
 * What `plan` and `drift` show of all organizations: each has its verdict, those with something to look at come first and
 * in full, and of several one sentence sums them up.
 */
import { type ExitCode, exitCodes } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { findsDifference, type Plan } from "../../plan/plan.ts";
import { hasFindings, type ThreeWay } from "../../plan/three-way.ts";
import { positionsOf } from "../../render/positions.ts";
import { type Broken, type CommandResult, judgeResult } from "../../render/result.ts";
import { count, renderPlan, type Style, summarizePlan } from "../../render/text.ts";
import { renderThreeWay } from "../../render/three-way-text.ts";
import { describeFailure, exitCodeOfError, type Failure, type Result } from "../output.ts";
import type { AllCompared, Unlooked } from "./comparing.ts";

/** The first of these that occurs is the exit code of several organizations (docs/commands.md#exit-codes). */
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

/** How plans are shown as text. */
export interface Rendering {
	/** The sentence on a plan. */
	readonly summarize: (plan: Plan) => string;
	/** A plan in full, with its sentence at the end. */
	readonly render: (plan: Plan, style: Style) => string;
	/** Whether there is more to say of a plan than its differences. */
	readonly hasMore: (plan: Plan) => boolean;
}

/** How a command shows what it compared. */
export interface Showing extends Rendering {
	readonly command: string;
	/** The exit code of the organizations that were looked at. */
	readonly exitCode: ExitCode;
	/** What the command's output holds beside the plans. */
	readonly more?: Pick<CommandResult, "threeWay" | "drift">;
}

/** Plans alone, and beside what a base tells of them. */
export function renderingOf(threeWay: readonly ThreeWay[] = []): Rendering {
	const bases = new Map(threeWay.map((one) => [one.organizationId, one]));
	return {
		summarize: summarizePlan,
		render: (plan, style) => {
			const base = bases.get(plan.organizationId);
			return base === undefined ? renderPlan(plan, style) : renderThreeWay(plan, base, style, summarizePlan(plan));
		},
		hasMore: (plan) => hasFindings(bases.get(plan.organizationId) ?? null),
	};
}

/** Every plan, and every organization that could not be looked at. */
export function showPlans({ compared, unlooked }: AllCompared, showing: Showing): Result {
	const { command, exitCode, more = {} } = showing;
	const plans = compared.map(({ comparison }) => comparison.plan);
	const broken = unlooked.map(describeUnlooked);
	const isAlone = plans.length + broken.length === 1;
	return {
		exitCode: worstOf([exitCode, ...unlooked.map(({ error }) => exitCodeOfError(error))]),
		text: (style) => {
			if (isAlone) return renderPlans(plans, style, showing);
			const unread = broken.map(
				(one) => `Organization ${one.organizationId}: could not be read: ${showText(one.error.message)}\n`,
			);
			const each = [renderPlans(plans, style, showing), unread.join("")].filter((part) => part !== "").join("\n");
			return `${each}${each === "" ? "" : "\n"}${judgeResult({ command, plans, broken, ...more }).verdict}\n`;
		},
		json: { plans, ...more, ...(broken.length === 0 ? {} : { broken }) },
		failures: failuresOf(unlooked),
		positionOf: positionsOf(compared.map(({ comparison }) => comparison.desired)),
	};
}

/** Of several plans those with something to look at in full, then one line for each of the others; one always in full. */
export function renderPlans(plans: readonly Plan[], style: Style, rendering: Rendering = renderingOf()): string {
	const { full, quiet } = sortPlans(plans, rendering);
	const lines = quiet.map((plan) => `Organization ${showText(plan.organizationId)}: ${rendering.summarize(plan)}\n`);
	return [...full.map((plan) => rendering.render(plan, style)), ...(lines.length === 0 ? [] : [lines.join("")])].join(
		"\n",
	);
}

/** The plans that `apply` asks about: as renderPlans, but those with nothing to look at are only counted, in one line. */
export function renderPlansToApply(plans: readonly Plan[], style: Style): string {
	const rendering = renderingOf();
	const { full, quiet } = sortPlans(plans, rendering);
	const line = quiet.length === 0 ? [] : [`${count(quiet.length, "organization", "organizations")}: no changes.\n`];
	return [...full.map((plan) => rendering.render(plan, style)), ...line].join("\n");
}

function sortPlans(plans: readonly Plan[], { hasMore }: Rendering) {
	const isFull = (plan: Plan): boolean => plans.length === 1 || findsDifference(plan) || hasMore(plan);
	return { full: plans.filter(isFull), quiet: plans.filter((plan) => !isFull(plan)) };
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
