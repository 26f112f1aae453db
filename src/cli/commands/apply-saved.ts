/**
 * `apply --plan`: what was reviewed is what runs. The saved plan says which objects; everything about them is read and
 * planned again, and runs only when that is the same plan.
 */
import { AppliedPlanError, ConfigurationError, LiveProblemError, NotPlannedError, PlanAgeError } from "../../errors.ts";
import { showText } from "../../escape.ts";
import { retriedIn } from "../../plan/overrides.ts";
import type { Plan, Reads } from "../../plan/plan.ts";
import { matchDocuments, type SavedPlan, statedFactsOf } from "../../plan/saved.ts";
import { refuseStale } from "../../plan/stale.ts";
import type { Step } from "../../plan/step.ts";
import { overridesHeading } from "../../render/overrides-text.ts";
import { tellRunOverrides, tellSavedPlan } from "../../render/result.ts";
import { findCompletedSteps } from "../../sync/completed-steps.ts";
import type { JournalView } from "../../sync/journal.ts";
import type { Output, Result, Terminal } from "../output.ts";
import { readSavedPlan } from "../saved-plan-file.ts";
import { isImpossible } from "./apply-consent.ts";
import { refused } from "./apply-result.ts";
import type { Review } from "./apply-review.ts";
import { readSelected, type SelectionFlags } from "./comparing.ts";

export interface SavedPlanFlags extends SelectionFlags {
	readonly reads: Reads;
	readonly readsGiven?: boolean;
	readonly abandon: readonly string[];
	readonly digest?: string;
	readonly maxAge?: number;
	readonly retryRejected?: boolean;
}

/**
 * The review that the plan in this file had. Throws ConfigurationError before anything is read from the service: for a
 * file that is no saved plan, not as it was saved or not the one that was approved, for other documents, and for flags that
 * cannot go with it; PlanAgeError for one that is older than `--max-age`.
 */
export async function openReview(
	file: string,
	flags: SavedPlanFlags,
	terminal: Terminal,
	output: Output,
): Promise<Review> {
	refuseFlags(file, flags);
	const saved = await readSavedPlan(file, terminal);
	refuseOther(saved, file, flags);
	refuseOld(saved, flags.maxAge, terminal.now());
	refuseSilentRetry(saved, flags);
	const reads = readsOf(saved, flags);
	const planned = matchDocuments(saved, await readSelected(flags, terminal, output));
	const plans = new Map(planned.map(({ plan }) => [plan.organizationId, plan]));
	const facts = statedFactsOf(saved);
	const tell = (result: Result): Result => {
		const said = tellSavedPlan({ command: "apply", savedPlan: facts, ...result.json });
		const text: Result["text"] = (style) => {
			const lines = result.text(style);
			const made = tellRunOverrides({ savedPlan: facts }).map((line) => `  ${line}\n`);
			const overrides = made.length === 0 ? "" : `${overridesHeading}:\n${made.join("")}`;
			return lines === "" ? "" : `${lines}${overrides}${said}\n`;
		};
		return { ...result, json: { ...result.json, savedPlan: facts }, text };
	};
	return {
		refusal: refusalOf(saved, tell),
		organizations: planned.filter(({ plan }) => !isImpossible(plan)).map(({ desired }) => desired),
		notPlanned: [
			...saved.plans.filter(isImpossible).map(({ organizationId }) => ({ organizationId, error: wasImpossible() })),
			...(saved.unread ?? []).map((organizationId) => ({
				organizationId,
				error: new NotPlannedError(
					"the plan file states that it could not be read when the plan was made; nothing was sent",
					{
						hint: "plan again, and have the new plan reviewed",
					},
				),
			})),
		],
		reads,
		report: { planDigest: saved.digest },
		findApplied: (journal) => {
			const done = planned.flatMap(({ plan }) => {
				const found = findDone(plan, saved.digest, journal);
				return found.length > 0 && found.length === sentSteps(plan).length ? found : [];
			});
			return done.length > 0 ? describeApplied("the saved plan was applied already", done) : null;
		},
		refuseStale: (comparisons, journal) => {
			refuseStale(
				comparisons.flatMap(({ plan: fresh, live }) => {
					const plan = plans.get(fresh.organizationId);
					return plan === undefined ? [] : [{ saved: plan, fresh, live }];
				}),
			);
			const again = comparisons.flatMap(({ plan }) => findDone(plan, saved.digest, journal));
			if (again.length > 0) throw describeApplied("the saved plan was applied already in part", again);
		},
		tell,
	};
}

function refuseFlags(file: string, flags: SavedPlanFlags): void {
	if (flags.only.length > 0) {
		throw new ConfigurationError("--only cannot go with --plan: a saved plan is narrowed when it is made", {
			hint: "orgsync plan --only KIND[/GLOB] --out FILE",
		});
	}
	if (flags.abandon.length > 0) {
		throw new ConfigurationError("--abandon cannot go with --plan: what waits was part of what was reviewed", {
			hint: "give it up with apply, or plan again after it has ended",
		});
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

/** A plan of one organization that cannot be is refused as without having been saved, and without asking the service again. */
function refusalOf({ plans, unread = [] }: SavedPlan, tell: Review["tell"]): Result | null {
	const [plan, ...others] = plans;
	if (plan === undefined || others.length + unread.length > 0 || !isImpossible(plan)) return null;
	return tell(refused([], wasImpossible(), []));
}

/** Why it was not possible then, only the file says: `show` shows that as what it is. */
function wasImpossible(): LiveProblemError {
	return new LiveProblemError(
		"the plan file states that the organization cannot become what the document says, and has no steps for it; nothing was sent",
		{ hint: "orgsync plan says why; change the document, or the organization by hand, then plan again" },
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
		throw new PlanAgeError(`the saved plan cannot be applied any more, nothing was sent: ${because}`, {
			hint: "plan again, and have the new plan reviewed",
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
function findDone(plan: Plan, digest: string, journal: Pick<JournalView, "completedEntries">): readonly Done[] {
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
