/** The second stage of `apply`: shows the plans, checks the guards, asks, and makes sure that what was confirmed is still true. */
import { InterruptedError } from "../../../common/errors.ts";
import { isSamePlan } from "../../../plan/same-plan.ts";
import { groupSteps, isSending } from "../../../plan/step-groups.ts";
import type { FoundOrganization } from "../../../render/result/found.ts";
import { renderPlansToApply } from "../../../render/result-text.ts";
import type { Journal } from "../../../sync/journal/journal.ts";
import type { Call } from "../../output/output.ts";
import type { ComparedOrganization } from "../comparing.ts";
import { type Ask, describeImpossible, type GivenOverrides, isImpossible, refuseBlockedPlans } from "./consent.ts";

/** An organization with its plan, or all that there is to show of it. */
export type PreparedOrganization = (ComparedOrganization & { readonly organizationId: string }) | FoundOrganization;

/** The plans of a run. */
export interface Prepared {
	/** Sorted by organization. */
	readonly readings: readonly PreparedOrganization[];
	/** Why the saved plan must not run; null if it may, or if there is none. */
	readonly refusal: Error | null;
}

/** Whether the plans may run; if not, the error that stops them, or null if the operator declined. */
export type Confirmation = { readonly isConfirmed: true } | { readonly isConfirmed: false; readonly error: unknown };

/** What the stage needs of a run. */
interface ConfirmRun extends Pick<Call<unknown>, "output" | "terminal"> {
	readonly given: GivenOverrides;
	readonly journal: Pick<Journal, "abandon">;
	readonly signal: AbortSignal;
	readonly ask: Ask;
	/** Whether `ask` waits for a person. */
	readonly isPersonAsked: boolean;
	/** How many organizations the result is about. */
	readonly size: number;
}

/** Returns the organizations that have a plan. */
export function comparedIn(readings: readonly PreparedOrganization[]) {
	return readings.filter((one) => "comparison" in one);
}

/**
 * Returns the plans that may run. The world goes on while a person thinks: after the answer `readAgain` reads the organizations
 * again, and where a plan differs from the confirmed one it is shown, checked and asked about. So what is submitted is what
 * was confirmed, and guards have judged it as it is then.
 */
export async function confirm(
	first: Prepared,
	run: ConfirmRun,
	readAgain: (confirmed: Prepared) => Promise<Prepared>,
): Promise<{ readonly prepared: Prepared; readonly confirmation: Confirmation }> {
	let prepared = first;
	try {
		for (;;) {
			const answer = await showAndAsk(prepared, run);
			if (answer === "declined") return { prepared, confirmation: { isConfirmed: false, error: null } };
			if (answer === "not asked") break;
			const confirmed = prepared;
			prepared = await readAgain(confirmed);
			if (haveSamePlans(confirmed, prepared)) break;
			run.output.note("Live state changed while orgsync waited for the answer. This is the plan now:");
		}
		recordAbandoned(prepared, run);
		return { prepared, confirmation: { isConfirmed: true } };
	} catch (error) {
		run.output.showStack(error);
		return { prepared, confirmation: { isConfirmed: false, error } };
	}
}

/** Shows the plans, throws if something refuses them, and asks if there is something to submit. */
async function showAndAsk(
	{ readings, refusal }: Prepared,
	run: ConfirmRun,
): Promise<"confirmed" | "declined" | "not asked"> {
	const { given, output, signal, ask, isPersonAsked } = run;
	if (signal.aborted) throw new InterruptedError("orgsync was interrupted; nothing was submitted");
	const plans = comparedIn(readings).map(({ comparison }) => comparison.plan);
	const unchanged = readings.filter((one) => "state" in one && one.state === "inSync").length;
	if (plans.length + unchanged > 0) output.note(renderPlansToApply(plans, run.size, unchanged, output.style));
	if (refusal !== null) throw refusal;
	const [only] = plans;
	// One of several does not stop the others.
	if (run.size === 1 && only !== undefined && isImpossible(only)) throw describeImpossible(only);
	refuseBlockedPlans(plans, given.allowed);
	const sending = plans.filter(isSending);
	const steps = countSteps(readings);
	if (steps === 0) return "not asked";
	if (!(await ask(steps, sending, signal))) return "declined";
	return isPersonAsked ? "confirmed" : "not asked";
}

function countSteps(readings: readonly PreparedOrganization[]): number {
	return comparedIn(readings).reduce((sum, { comparison: { plan } }) => sum + groupSteps(plan.steps).sent.length, 0);
}

/** Whether each organization with something to submit has the plan that was confirmed. */
function haveSamePlans(confirmed: Prepared, fresh: Prepared): boolean {
	const plans = new Map(comparedIn(fresh.readings).map((one) => [one.organizationId, one.comparison.plan]));
	return comparedIn(confirmed.readings)
		.filter(({ comparison }) => isSending(comparison.plan))
		.every(({ organizationId, comparison }) => {
			const plan = plans.get(organizationId);
			return plan !== undefined && isSamePlan(comparison.plan, plan);
		});
}

/** Records what the operator abandons, once the plans may run. */
function recordAbandoned({ readings }: Prepared, { given, journal, terminal, output }: ConfirmRun): void {
	const read = given.abandoned.length === 0 ? [] : readings.filter((one) => !("failed" in one));
	for (const { organizationId } of read) {
		for (const name of given.abandoned) journal.abandon(organizationId, name, terminal.now());
	}
	const steps = countSteps(readings);
	if (steps > 0) output.progress(steps === 1 ? "submitting 1 activity" : `submitting ${steps} activities`);
}
