/** `apply --plan`: runs exactly the plan that was reviewed: its objects are planned again, and the new plan has to be the same. */

import {
	AppliedPlanError,
	ConfigurationError,
	LiveProblemError,
	NotPlannedError,
	type OrgsyncError,
	PlanAgeError,
	PlanModelError,
	StalePlanError,
} from "../../../common/errors.ts";
import { showText } from "../../../common/escape.ts";
import { organizationsIn } from "../../../document/read/fleet.ts";
import { refuseStale } from "../../../document/saved/refuse-stale.ts";
import { matchDocuments, type SavedPlan, statedFactsOf } from "../../../document/saved/saved-plan.ts";
import { sameParameters } from "../../../plan/activities/requests.ts";
import { createdTags, restOf } from "../../../plan/continue-plan.ts";
import { retriedIn } from "../../../plan/guards/overrides.ts";
import type { DesiredOrganization } from "../../../plan/organization.ts";
import { type NamedOrganization, namedIn, showOrganization } from "../../../plan/organization-name.ts";
import type { Plan, Reads, SavedPlanFacts } from "../../../plan/plan.ts";
import { fillStandIns } from "../../../plan/stand-in.ts";
import type { Step } from "../../../plan/step.ts";
import { type CommandContext, commandText, inOrganization } from "../../../plan/suggested-command.ts";
import { findCompletedSteps } from "../../../sync/completed-steps.ts";
import type { Comparison } from "../../../sync/converge.ts";
import type { JournalView } from "../../../sync/journal/journal.ts";
import { endOfPrecision } from "../../../wire/activity.ts";
import { withCases, withRequiredCases } from "../../files/access-files.ts";
import { readSavedPlan } from "../../files/saved-plan-file.ts";
import { readFleet } from "../../files/sources.ts";
import type { Flags } from "../../flags/given-flags.ts";
import type { OrganizationError } from "../../output/failure.ts";
import type { Call, Terminal } from "../../output/output.ts";
import { commandsOf, type SelectionFlags, selectFrom } from "../selection.ts";
import { isImpossible } from "./consent.ts";

export type SavedPlanFlags = SelectionFlags &
	Flags<"reads" | "abandon" | "digest" | "maxAge" | "retryRejected" | "resume">;

export interface SavedPlanCall extends Call<SavedPlanFlags> {
	readonly isGiven: (flag: string) => boolean;
}

/** A saved plan, and how it limits the apply that runs it. */
export interface ReviewedPlan {
	readonly saved: SavedPlan;
	readonly facts: SavedPlanFacts;
	/** The documents, narrowed to what the plan touches. */
	readonly organizations: readonly DesiredOrganization[];
	/** Organizations without a plan: they could not be read then, or could not converge. */
	readonly notPlanned: readonly OrganizationError[];
	/** The reads of the saved plan. Other reads make another plan. */
	readonly reads: Reads;
	/** What suggested commands repeat of the call. */
	readonly commands: CommandContext;
	/** Why it is refused before anything is read; null when it is not. */
	readonly refusal: LiveProblemError | null;
	/** Returns an error if the journal says that the whole plan of an organization was applied. */
	readonly findApplied: (journal: AppliedPlans) => AppliedPlanError | null;
	/** Returns an error if an object of the plan changed, or if a step to submit completed since. */
	readonly findStale: (comparisons: readonly Comparison[], journal: AppliedPlans) => OrgsyncError | null;
}

type AppliedPlans = Pick<JournalView, "completedEntries">;

/**
 * Returns the saved plan in this file. Calls no service. Throws ConfigurationError for a file that is not a saved plan, was
 * changed or is not the approved one, for other documents, and for flags that cannot be used with `--plan`. Throws
 * PlanAgeError for a plan that is older than `--max-age`.
 */
export async function readReviewedPlan(file: string, call: SavedPlanCall): Promise<ReviewedPlan> {
	const { flags, terminal } = call;
	refuseFlags(file, flags);
	const saved = await readCheckedPlan(file, flags, terminal);
	refuseSilentRetry(saved, flags);
	const reads = readsOf(saved, call);
	const isAlone = saved.plans.length + (saved.unread ?? []).length === 1;
	const read = await readFleet(flags, terminal);
	const hasCases = saved.plans.some(({ accessCases }) => accessCases !== undefined);
	const fleet = hasCases ? withCases(read, flags, terminal) : withRequiredCases(read, flags, terminal);
	const documents = [...organizationsIn(await selectFrom(fleet, call))];
	const planned = matchDocuments(saved, documents);
	return {
		saved,
		facts: statedFactsOf(saved),
		organizations: planned.filter(({ plan }) => !isImpossible(plan)).map(({ desired }) => desired),
		notPlanned: notPlannedIn(saved, documents, commandsOf(fleet, flags)),
		reads,
		commands: commandsOf(fleet, flags),
		refusal: isAlone && saved.plans.some(isImpossible) ? wasImpossible(flags) : null,
		findApplied: (journal) => {
			const done = planned.flatMap(({ plan, desired }) => {
				const found = findDone(plan, namedIn(desired), saved.digest, journal);
				return found.length > 0 && found.length === sentSteps(plan).length ? found : [];
			});
			return done.length > 0 ? describeApplied("the saved plan was already applied", done) : null;
		},
		findStale: (comparisons, journal) => findStale(saved, comparisons, journal),
	};
}

/** Returns the organizations without a plan, by the names of their documents: those of the file are anybody's. */
function notPlannedIn(
	{ plans, unread = [] }: SavedPlan,
	documents: readonly DesiredOrganization[],
	commands: CommandContext,
): readonly OrganizationError[] {
	const impossible = new Set(plans.filter(isImpossible).map(({ organizationId }) => organizationId));
	const missing = new Set(unread);
	const message = "the plan file states that it could not be read when the plan was made; nothing was submitted";
	return documents.map(namedIn).flatMap((one): readonly OrganizationError[] => {
		const { organizationId } = one;
		if (impossible.has(organizationId))
			return [{ ...one, error: wasImpossible(inOrganization(commands, organizationId)) }];
		return missing.has(organizationId) ? [{ ...one, error: new NotPlannedError(message, { hint: planAgain }) }] : [];
	});
}

const planAgain = "plan again, and have the new plan reviewed";

function findStale(saved: SavedPlan, comparisons: readonly Comparison[], journal: AppliedPlans): OrgsyncError | null {
	const plans = new Map(saved.plans.map((plan) => [plan.organizationId, plan]));
	const uncertain = comparisons.flatMap(({ plan }) => plan.problems).find(({ code }) => code === "time-not-certain");
	if (uncertain !== undefined) return new LiveProblemError(`the saved plan depends on the time: ${uncertain.message}`);
	const revisited = comparisons.flatMap(({ plan: fresh, live, context: { serviceTimeMs, readAtMs } }) => {
		const plan = plans.get(fresh.organizationId);
		if (plan === undefined) return [];
		const rest = findRest(plan, live, saved.digest, journal);
		return [{ saved: rest, fresh, live, isBegun: rest !== plan, serviceTimeMs: serviceTimeMs ?? readAtMs }];
	});
	try {
		refuseStale(revisited);
	} catch (error) {
		if (error instanceof StalePlanError || error instanceof PlanModelError) return error;
		throw error;
	}
	const again = comparisons.flatMap(({ plan }) => findDone(plan, plan, saved.digest, journal));
	if (again.length > 0) return describeApplied("the saved plan was already applied in part", again);
	const elsewhere = comparisons.flatMap((one) => findDoneElsewhere(one, plans.get(one.plan.organizationId)));
	return elsewhere.length > 0
		? describeApplied("a step of the saved plan completed since it was made", elsewhere)
		: null;
}

/** Returns the plan without the steps that completed for it, if one of them created a tag; otherwise the whole plan. */
function findRest(plan: Plan, live: Comparison["live"], digest: string, journal: AppliedPlans): Plan {
	const created = createdTags(plan, live);
	const steps = fillStandIns(sentSteps(plan), created);
	const done = findCompletedSteps(steps, journal.completedEntries(plan.organizationId, digest)).map(({ step }) => step);
	const isBegun = done.some(({ operation }) => operation === "create_user_tag") && done.length < steps.length;
	return isBegun ? restOf(plan, done, created) : plan;
}

function refuseFlags(file: string, flags: SavedPlanFlags): void {
	const refuse = (flag: string, why: string, hint: string): never => {
		throw new ConfigurationError(`${flag} and --plan cannot be used together: ${why}`, { hint });
	};
	if (flags.only.length > 0) {
		refuse("--only", "a saved plan is narrowed when it is made", "plan again with --only and --out");
	}
	if (flags.abandon.length > 0) {
		const hint = "abandon it with apply without --plan, or plan again after it ended";
		refuse("--abandon", "pending activities were part of the review", hint);
	}
	if (flags.resume !== undefined) {
		const hint = "plan again: organizations that are in sync have no steps in the new plan";
		refuse("--resume", "a saved plan runs once", hint);
	}
	if (file === "-" && flags.file.includes("-")) {
		throw new ConfigurationError("--plan and --file cannot both be standard input");
	}
}

/** Throws ConfigurationError if the plan submits rejected activities again, unless `--retry-rejected` confirms it. */
function refuseSilentRetry({ plans }: SavedPlan, { retryRejected }: SavedPlanFlags): void {
	const retried = plans.reduce((sum, plan) => sum + retriedIn(plan).size, 0);
	if (retried === 0 || retryRejected === true) return;
	const what = retried === 1 ? "1 change that was" : `${retried} changes that were`;
	throw new ConfigurationError(`the file states that the saved plan submits ${what} rejected before`, {
		hint: "to submit them again: add --retry-rejected; otherwise plan again without it",
	});
}

/** Returns the reads of the saved plan. Throws ConfigurationError if `--reads` names others. */
function readsOf({ plans }: SavedPlan, { flags, isGiven }: SavedPlanCall): Reads {
	const reads = plans[0]?.reads ?? flags.reads;
	if (!isGiven("reads") || flags.reads === reads) return reads;
	throw new ConfigurationError(`--reads ${flags.reads}: the saved plan was read with --reads ${reads}`, {
		hint: "leave --reads out: a saved plan is applied as it was read",
	});
}

/** Returns the error for an organization that could not converge. Only the file says why; `show` prints that. */
function wasImpossible(commands: CommandContext): LiveProblemError {
	return new LiveProblemError(
		"the plan file states that the organization cannot converge, and has no steps for it; nothing was submitted",
		{
			hint: `\`${commandText({ command: "plan" }, commands)}\` shows why: change the document, or the organization manually, then plan again`,
		},
	);
}

type CheckFlags = Pick<SavedPlanFlags, "digest" | "maxAge">;

/** Returns the saved plan. Throws ConfigurationError if it is none, or not of `--digest`; PlanAgeError after `--max-age`. */
export async function readCheckedPlan(file: string, flags: CheckFlags, terminal: Terminal): Promise<SavedPlan> {
	const saved = await readSavedPlan(file, terminal);
	refuseOther(saved, file, flags);
	refuseOld(saved, flags.maxAge, terminal.now());
	return saved;
}

/** Throws ConfigurationError if the plan is not the approved one. */
function refuseOther({ digest }: SavedPlan, file: string, flags: CheckFlags): void {
	if (flags.digest === undefined || flags.digest === digest) return;
	const name = file === "-" ? "standard input" : showText(file);
	const show = file === "-" ? "show" : `\`${commandText({ command: "show", arguments: [file] }, {})}\``;
	throw new ConfigurationError(`${name} is not the plan of --digest: its digest is ${digest}`, {
		hint: `apply the file that was reviewed, or have this one reviewed: ${show} prints it with its digest`,
	});
}

/** Max milliseconds by which the clocks of the machines that plan and apply may differ. */
const clockMarginMs = 5 * 60 * 1000;

/** Throws PlanAgeError if the plan is older than `--max-age`. The file states its times; only `--digest` proves them. */
function refuseOld({ plans }: SavedPlan, maxAgeMs: number | undefined, nowMs: number): void {
	if (maxAgeMs === undefined) return;
	for (const { organizationId, readAt } of plans) {
		const ageMs = nowMs - Date.parse(readAt);
		if (ageMs >= -clockMarginMs && ageMs <= maxAgeMs) continue;
		const why = ageMs < 0 ? "which is in the future" : "longer ago than --max-age allows";
		const because = `it states that organization ${organizationId} was read at ${readAt}, ${why}`;
		throw new PlanAgeError(`the saved plan is too old, nothing was submitted: ${because}`, { hint: planAgain });
	}
}

interface Done {
	readonly organization: NamedOrganization;
	readonly activityId: string | null;
	readonly settledAtMs: number;
}

function sentSteps({ steps }: Plan): readonly Step[] {
	return steps.filter(({ earlierActivity }) => earlierActivity === null);
}

/** Returns the steps of the plan that the journal has as completed for the saved plan with this digest. */
function findDone(plan: Plan, organization: NamedOrganization, digest: string, journal: AppliedPlans): readonly Done[] {
	const found = findCompletedSteps(sentSteps(plan), journal.completedEntries(plan.organizationId, digest));
	return found.map(({ entry: { activityId, settledAtMs } }) => ({ organization, activityId, settledAtMs }));
}

/** Returns the steps that an activity did after the saved plan was made, as the service lists them: a journal can be lost. */
function findDoneElsewhere({ plan, context }: Comparison, saved: Plan | undefined): readonly Done[] {
	if (saved === undefined) return [];
	const isSince = (timeMs: number): boolean => endOfPrecision(timeMs) >= Date.parse(saved.readAt);
	return (context.completed ?? []).flatMap(({ activityId, parameters, completedAtMs }) => {
		const isOfStep = sentSteps(plan).some(
			(step) => step.operation === "update_user_tag" && sameParameters(step.parameters, parameters),
		);
		if (!isOfStep || completedAtMs === null || !isSince(completedAtMs)) return [];
		return [{ organization: plan, activityId, settledAtMs: completedAtMs }];
	});
}

const maxNamed = 5;

function describeApplied(what: string, done: readonly Done[]): AppliedPlanError {
	const lines = done.slice(0, maxNamed).map(({ organization, activityId, settledAtMs }) => {
		const time = new Date(settledAtMs);
		const at = Number.isNaN(time.getTime()) ? "" : ` at ${time.toISOString()}`;
		return `organization ${showOrganization(organization)}, activity ${showText(activityId ?? "without an id")} completed${at}`;
	});
	const more = done.length > maxNamed ? `; and ${done.length - maxNamed} more` : "";
	return new AppliedPlanError(`${what}, nothing was submitted: ${lines.join("; ")}${more}`, {
		hint: "a saved plan runs once: plan again, and have the new plan reviewed",
	});
}
