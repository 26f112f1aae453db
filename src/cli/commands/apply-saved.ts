/**
 * `apply --plan`: what was reviewed is what runs. The saved plan says which objects; everything about them is read and
 * planned again, and runs only when that is the same plan.
 */

import { matchDocuments, type SavedPlan, statedFactsOf } from "../../document/saved-plan.ts";
import {
	AppliedPlanError,
	ConfigurationError,
	LiveProblemError,
	NotPlannedError,
	type OrgsyncError,
	PlanAgeError,
	StalePlanError,
} from "../../errors.ts";
import { showText } from "../../escape.ts";
import type { DesiredOrganization } from "../../plan/organization.ts";
import { retriedIn } from "../../plan/overrides.ts";
import type { Plan, Reads, SavedPlanFacts } from "../../plan/plan.ts";
import { refuseStale } from "../../plan/stale.ts";
import type { Step } from "../../plan/step.ts";
import type { Comparison } from "../../sync/compare.ts";
import { findCompletedSteps } from "../../sync/completed-steps.ts";
import type { JournalView } from "../../sync/journal.ts";
import type { OrganizationError } from "../failure.ts";
import type { Output, Terminal } from "../output.ts";
import { readSavedPlan } from "../saved-plan-file.ts";
import { isImpossible } from "./apply-consent.ts";
import { readSelected, type SelectionFlags } from "./selection.ts";

interface SavedPlanFlags extends SelectionFlags {
	readonly reads: Reads;
	readonly readsGiven?: boolean;
	readonly abandon: readonly string[];
	readonly digest?: string;
	readonly maxAge?: number;
	readonly retryRejected?: boolean;
}

/** A saved plan, and what it says about the apply that runs it. */
export interface ReviewedPlan {
	readonly saved: SavedPlan;
	readonly facts: SavedPlanFacts;
	/** The documents, narrowed to what the plan touches. */
	readonly organizations: readonly DesiredOrganization[];
	/** Organizations without a plan: they could not be read then, or could not converge. */
	readonly notPlanned: readonly OrganizationError[];
	/** The reads that it was planned with: with others it would not be the same plan. */
	readonly reads: Reads;
	/** Why it is refused before anything is read; null when it is not. */
	readonly refusal: LiveProblemError | null;
	/** Returns why it is refused: the journal says that all of the plan for an organization was carried out. */
	readonly findApplied: (journal: AppliedPlans) => AppliedPlanError | null;
	/** Returns why it is refused: live changed since it was made, or a step that would be sent was completed for it before. */
	readonly findStale: (comparisons: readonly Comparison[], journal: AppliedPlans) => OrgsyncError | null;
}

type AppliedPlans = Pick<JournalView, "completedEntries">;

/**
 * Returns the saved plan in this file. Throws ConfigurationError before anything is read from the service: for a file that is
 * no saved plan, was changed or is not the approved one, for other documents, and for flags that exclude `--plan`. Throws
 * PlanAgeError for a plan that is older than `--max-age`.
 */
export async function readReviewedPlan(
	file: string,
	flags: SavedPlanFlags,
	terminal: Terminal,
	output: Output,
): Promise<ReviewedPlan> {
	refuseFlags(file, flags);
	const saved = await readSavedPlan(file, terminal);
	refuseOther(saved, file, flags);
	refuseOld(saved, flags.maxAge, terminal.now());
	refuseSilentRetry(saved, flags);
	const reads = readsOf(saved, flags);
	const planned = matchDocuments(saved, await readSelected(flags, terminal, output));
	return {
		saved,
		facts: statedFactsOf(saved),
		organizations: planned.filter(({ plan }) => !isImpossible(plan)).map(({ desired }) => desired),
		notPlanned: notPlannedIn(saved),
		reads,
		refusal: refusalOf(saved),
		findApplied: (journal) => {
			const done = planned.flatMap(({ plan }) => {
				const found = findDone(plan, saved.digest, journal);
				return found.length > 0 && found.length === sentSteps(plan).length ? found : [];
			});
			return done.length > 0 ? describeApplied("the saved plan was already applied", done) : null;
		},
		findStale: (comparisons, journal) => findStale(saved, comparisons, journal),
	};
}

function notPlannedIn({ plans, unread = [] }: SavedPlan): readonly OrganizationError[] {
	const message = "the plan file states that it could not be read when the plan was made; nothing was sent";
	return [
		...plans.filter(isImpossible).map(({ organizationId }) => ({ organizationId, error: wasImpossible() })),
		...unread.map((organizationId) => {
			return { organizationId, error: new NotPlannedError(message, { hint: planAgain }) };
		}),
	];
}

const planAgain = "plan again, and have the new plan reviewed";

function findStale(saved: SavedPlan, comparisons: readonly Comparison[], journal: AppliedPlans): OrgsyncError | null {
	const plans = new Map(saved.plans.map((plan) => [plan.organizationId, plan]));
	const revisited = comparisons.flatMap(({ plan: fresh, live }) => {
		const plan = plans.get(fresh.organizationId);
		return plan === undefined ? [] : [{ saved: plan, fresh, live }];
	});
	try {
		refuseStale(revisited);
	} catch (error) {
		if (error instanceof StalePlanError) return error;
		throw error;
	}
	const again = comparisons.flatMap(({ plan }) => findDone(plan, saved.digest, journal));
	return again.length > 0 ? describeApplied("the saved plan was already applied in part", again) : null;
}

function refuseFlags(file: string, flags: SavedPlanFlags): void {
	if (flags.only.length > 0) {
		throw new ConfigurationError(
			"--only and --plan cannot be used together: a saved plan is narrowed when it is made",
			{
				hint: "orgsync plan --only KIND[/GLOB] --out FILE",
			},
		);
	}
	if (flags.abandon.length > 0) {
		throw new ConfigurationError(
			"--abandon and --plan cannot be used together: pending activities were part of the review",
			{
				hint: "abandon it with apply without --plan, or plan again after it ended",
			},
		);
	}
	if (file === "-" && flags.file.includes("-")) {
		throw new ConfigurationError("--plan and --file cannot both be standard input");
	}
}

/** Throws ConfigurationError when the plan submits again what was rejected, and whoever applies it does not say so too. */
function refuseSilentRetry({ plans }: SavedPlan, { retryRejected }: SavedPlanFlags): void {
	const retried = plans.reduce((sum, plan) => sum + retriedIn(plan).size, 0);
	if (retried === 0 || retryRejected === true) return;
	const what = retried === 1 ? "1 change that was" : `${retried} changes that were`;
	throw new ConfigurationError(`the file states that the saved plan submits ${what} rejected before`, {
		hint: "to submit them again: add --retry-rejected; otherwise plan again without it",
	});
}

/** The reads that it was planned with: with others it would not be the same plan. */
function readsOf({ plans }: SavedPlan, flags: SavedPlanFlags): Reads {
	const reads = plans[0]?.reads ?? flags.reads;
	if (flags.readsGiven !== true || flags.reads === reads) return reads;
	throw new ConfigurationError(`--reads ${flags.reads}: the saved plan was read with --reads ${reads}`, {
		hint: "leave --reads out: a saved plan is applied as it was read",
	});
}

/** A plan of one organization that cannot converge is refused as without having been saved, and without asking the service. */
function refusalOf({ plans, unread = [] }: SavedPlan): LiveProblemError | null {
	const [plan, ...others] = plans;
	return plan !== undefined && others.length + unread.length === 0 && isImpossible(plan) ? wasImpossible() : null;
}

/** Why it was not possible then, only the file says: `show` shows that as what it is. */
function wasImpossible(): LiveProblemError {
	return new LiveProblemError(
		"the plan file states that the organization cannot converge, and has no steps for it; nothing was sent",
		{ hint: "orgsync plan shows why: change the document, or the organization manually, then plan again" },
	);
}

/** Refuses a plan that is not the one that was approved. */
function refuseOther({ digest }: SavedPlan, file: string, flags: SavedPlanFlags): void {
	if (flags.digest === undefined || flags.digest === digest) return;
	const name = file === "-" ? "standard input" : showText(file);
	throw new ConfigurationError(`${name} is not the plan that --digest names: its digest is ${digest}`, {
		hint: "apply the file that was reviewed, or have this one reviewed: orgsync show prints it with its digest",
	});
}

/** Clocks of the machines that plan and apply may differ by so much, in milliseconds. */
const clockMarginMs = 5 * 60 * 1000;

/** Refuses a plan that is older than `--max-age`. The file states its times: only `--digest` vouches for them. */
function refuseOld({ plans }: SavedPlan, maxAgeMs: number | undefined, nowMs: number): void {
	if (maxAgeMs === undefined) return;
	for (const { organizationId, readAt } of plans) {
		const ageMs = nowMs - Date.parse(readAt);
		if (ageMs >= -clockMarginMs && ageMs <= maxAgeMs) continue;
		const because =
			ageMs < 0
				? `it states that organization ${organizationId} was read at ${readAt}, which is in the future`
				: `it states that organization ${organizationId} was read at ${readAt}, longer ago than --max-age allows`;
		throw new PlanAgeError(`the saved plan is too old, nothing was sent: ${because}`, {
			hint: planAgain,
		});
	}
}

interface Done {
	readonly organizationId: string;
	readonly activityId: string | null;
	readonly settledAtMs: number;
}

function sentSteps({ steps }: Plan): readonly Step[] {
	return steps.filter(({ earlierActivity }) => earlierActivity === null);
}

/** Of the steps that the plan sends, those that were completed for the saved plan with this digest. */
function findDone(plan: Plan, digest: string, journal: AppliedPlans): readonly Done[] {
	const { organizationId } = plan;
	const found = findCompletedSteps(sentSteps(plan), journal.completedEntries(organizationId, digest));
	return found.map(({ entry: { activityId, settledAtMs } }) => ({ organizationId, activityId, settledAtMs }));
}

/** More activities than this are only counted. */
const mostDone = 5;

function describeApplied(what: string, done: readonly Done[]): AppliedPlanError {
	const lines = done.slice(0, mostDone).map(({ organizationId, activityId, settledAtMs }) => {
		const time = new Date(settledAtMs);
		const at = Number.isNaN(time.getTime()) ? "" : ` at ${time.toISOString()}`;
		return `organization ${organizationId}, activity ${showText(activityId ?? "without an id")} completed${at}`;
	});
	const more = done.length > mostDone ? `; and ${done.length - mostDone} more` : "";
	return new AppliedPlanError(`${what}, nothing was sent: ${lines.join("; ")}${more}`, {
		hint: "a saved plan runs once: plan again, and have the new plan reviewed",
	});
}
