/**
 * Plan to Report: takes the steps in their order, independent ones side by side, and obeys nothing but the plan.
 *
 * The rules it keeps: what depends on a step that has not completed is not attempted, everything else goes on; memory is
 * updated only by what the service said was completed; after the last step the touched kinds are read again.
 */

import { OrgsyncError } from "../errors.ts";
import { printScope } from "../plan/address.ts";
import type { Change } from "../plan/change.ts";
import { diff } from "../plan/diff.ts";
import type { DesiredOrganization, LiveOrganization } from "../plan/organization.ts";
import { retriesOf } from "../plan/overrides.ts";
import type { Plan } from "../plan/plan.ts";
import type { Report, Stats, StepResult } from "../plan/report.ts";
import { subjectOf } from "../plan/requests.ts";
import type { EarlierActivity, Step } from "../plan/step.ts";
import { coveredAddresses, isCovered } from "../plan/step.ts";
import { digestOf } from "../plan/value.ts";
import { nameOf, settleOrAbandon, type WaitingActivity } from "../plan/waiting.ts";
import type { Reader } from "../wire/client.ts";
import { appliedByEntry, appliedByStep, withUpdateTime } from "./applied-objects.ts";
import type { Comparison } from "./compare.ts";
import type { AppliedObject, Journal, JournalEntry } from "./journal.ts";
import type { SubmitResult } from "./outcomes.ts";
import { readLive } from "./read.ts";
import { combineParts, separableIds, submitIndividually, toPartResults } from "./submit-individually.ts";
import { type ActivityRequest, type SubmitContext, submitOnce } from "./submit-once.ts";

export interface ApplyContext extends Omit<SubmitContext, "serverTimeMs" | "clockOffsetMs" | "readPosition"> {
	readonly reader: Reader;
	readonly journal: Journal;
	/** How many independent steps run at once. */
	readonly concurrency: number;
	/** Whether the touched kinds are read again after the last step. */
	readonly verify: boolean;
	readonly stats: () => Stats;
	/** Once aborted, steps in flight are finished and no other is begun. */
	readonly signal?: AbortSignal;
	readonly onStep?: (result: StepResult, done: number, total: number) => void;
}

/**
 * Takes every step of the plan that can be taken, and says what became of each. Throws StorageError when the journal can
 * not be written: then nothing further is submitted, and what was has been told by `onStep`.
 */
export async function applyPlan(comparison: Comparison, context: ApplyContext): Promise<Report> {
	const { plan, desired, live, serverTimeMs, clockOffsetMs, readPosition } = comparison;
	const startedAtMs = context.now();
	const tagChangedAtMs = tagChangeTimes(live);
	const { results, retried } = await takeSteps(plan, {
		...context,
		...{ serverTimeMs, clockOffsetMs, readPosition, tagChangedAtMs },
	});
	const steps = plan.steps.map((step) => results.get(step.id) as StepResult);
	const completed = steps.filter(({ outcome }) => outcome === "completed");
	const { left, unverified } =
		context.verify && completed.length > 0
			? await tryToVerify(desired, plan, completed, context)
			: { left: null, unverified: null };
	const allCompleted = completed.length === steps.length;
	return {
		formatVersion: 1,
		organizationId: plan.organizationId,
		planDigest: context.planDigest ?? digestOf(plan),
		startedAt: new Date(startedAtMs).toISOString(),
		finishedAt: new Date(context.now()).toISOString(),
		steps,
		left,
		unverified,
		converged: allCompleted && plan.problems.length === 0 && (left ?? []).length === 0 && unverified === null,
		interrupted: context.signal?.aborted === true && steps.some(({ outcome }) => outcome === "not-attempted"),
		overrides: [
			// What was submitted again is known now; the plan only had it in view.
			...(plan.overrides ?? []).filter(({ flag }) => flag !== "retry-rejected"),
			...retriesOf(plan.steps.filter(({ id }) => retried.has(id))),
		],
		stats: context.stats(),
	};
}

type StepContext = ApplyContext &
	SubmitContext & {
		/** When each tag was last changed, by its id; see Wish in send.ts. */
		readonly tagChangedAtMs: ReadonlyMap<string, number>;
	};

function tagChangeTimes({ userTags }: LiveOrganization): StepContext["tagChangedAtMs"] {
	const tags = userTags.known ? userTags.value : [];
	return new Map(
		tags.flatMap(({ id, updatedAtMs }) => (updatedAtMs === undefined ? [] : [[id, updatedAtMs] as const])),
	);
}

/** What became of each step, by id, and the steps that were submitted although the same was rejected before. */
interface StepsTaken {
	readonly results: ReadonlyMap<string, StepResult>;
	readonly retried: ReadonlySet<string>;
}

/** Runs the steps as their dependencies and the concurrency allow; resolves when none is in flight. */
async function takeSteps(plan: Plan, context: StepContext): Promise<StepsTaken> {
	const results = new Map<string, StepResult>();
	const retried = new Set<string>();
	const waiting = [...plan.steps];
	const inFlight = new Set<Promise<void>>();
	let fatalMessage: string | null = null;
	const finish = (result: StepResult): void => {
		results.set(result.step.id, result);
		context.onStep?.(result, results.size, plan.steps.length);
	};
	while (waiting.length > 0 || inFlight.size > 0) {
		const before = waiting.length;
		for (let index = 0; index < waiting.length; ) {
			const step = waiting[index] as Step;
			// What is joined costs nothing, and whoever reads the report has to know of it.
			const isJoined = step.earlierActivity !== null;
			const because = isJoined
				? whyNot(step, results, undefined)
				: (fatalMessage ?? whyNot(step, results, context.signal));
			if (because !== null) {
				waiting.splice(index, 1);
				finish(notAttempted(step, because));
				continue;
			}
			if (inFlight.size >= context.concurrency || !isReady(step, results)) {
				index += 1;
				continue;
			}
			waiting.splice(index, 1);
			const flight: Promise<void> = takeStep(step, plan, context).then(({ result, sent }) => {
				inFlight.delete(flight);
				if (sent?.isFatal === true) fatalMessage = sent.message;
				if (sent?.isRetry === true) retried.add(step.id);
				finish(result);
				if (sent?.journalError !== undefined) throw sent.journalError;
			});
			inFlight.add(flight);
		}
		if (inFlight.size > 0) {
			await Promise.race(inFlight).catch(async (error: unknown) => {
				// Nothing may go on unseen: what is in flight ends, and is in the journal, before the error is told.
				await Promise.allSettled(inFlight);
				throw error;
			});
		} else if (waiting.length === before) {
			// Not from makePlan: a plan that was edited can wait for itself, or for a step that it does not hold.
			for (const step of waiting.splice(0)) finish(notAttempted(step, "it waits for steps that never come"));
		}
	}
	return { results, retried };
}

function isReady(step: Step, results: ReadonlyMap<string, StepResult>): boolean {
	return step.dependsOn.every((id) => results.get(id)?.outcome === "completed");
}

/** Why a step can never be taken in this run, or null when it still can. */
function whyNot(step: Step, results: ReadonlyMap<string, StepResult>, signal: AbortSignal | undefined): string | null {
	if (signal?.aborted === true) return "orgsync was interrupted before it";
	const blocking = step.dependsOn.find((id) => (results.get(id)?.outcome ?? "completed") !== "completed");
	return blocking === undefined
		? null
		: `${blocking} has to complete first, and it is ${results.get(blocking)?.outcome}`;
}

interface Taken {
	readonly result: StepResult;
	readonly sent: SubmitResult | null;
}

async function takeStep(step: Step, plan: Plan, context: StepContext): Promise<Taken> {
	const startedAtMs = context.now();
	const joined = joinedEntry(step, plan, context);
	if (step.earlierActivity !== null && joined === undefined) {
		return { result: holdStep(step, step.earlierActivity, plan), sent: null };
	}
	const request = requestOfStep(step, plan, joined, context);
	const together = await submitOnce(request, context, joined);
	const apart =
		together.outcome === "failed" && together.refusedStatus === 404 && separableIds(request).length > 0
			? await submitIndividually(request, context)
			: [];
	const sent = apart.length > 0 ? combineParts(together, apart) : together;
	const { activity: _activity, isFatal: _isFatal, journalError: _journalError, isRetry: _isRetry, ...rest } = sent;
	const tookMs = context.now() - startedAtMs;
	return { result: { step, ...rest, parts: toPartResults(apart), tookMs }, sent };
}

function requestOfStep(
	step: Step,
	plan: Plan,
	joined: JournalEntry | undefined,
	{ tagChangedAtMs }: StepContext,
): ActivityRequest {
	const { operation, parameters, covers } = step;
	const isUnobservable = plan.changes.some((change) => isCovered(change.address, step) && !isSeen(change));
	const appliedObjects = joined === undefined ? appliedByStep(parameters, plan.changes) : appliedByEntry(joined);
	const base = { organizationId: plan.organizationId, operation, parameters, covers, isUnobservable, appliedObjects };
	return { ...base, objectChangedAtMs: tagChangedAtMs.get(subjectOf(step)) };
}

/**
 * The journal's entry of the activity that a step joins, where only the journal knows that it is pending and the service
 * could not be asked: the step wants what its bytes ask for, so they may ask again. Undefined for any other step.
 */
function joinedEntry({ earlierActivity }: Step, plan: Plan, context: ApplyContext): JournalEntry | undefined {
	if (earlierActivity === null || earlierActivity.relation !== "same") return undefined;
	const { fingerprint } = earlierActivity;
	const activity = plan.waiting.find((one) => one.fingerprint === fingerprint);
	if (activity?.saidBy !== "journal" || context.settled?.has(fingerprint) === true) return undefined;
	return context.journal.entry(fingerprint);
}

/** Whether what was read would have shown that the change was made already: live members, or the name, which is always live. */
function isSeen(change: Change): boolean {
	return change.basis === "live" || (change.kind === "userTag" && change.before.name !== change.after.name);
}

/** A step that an activity stands in the way of, or what may have become one: nothing is sent for it. */
function leaveAlone(step: Step, earlierActivity: EarlierActivity, activity: WaitingActivity | undefined): StepResult {
	const { activityId, fingerprint, state } = earlierActivity;
	const name = nameOf(earlierActivity);
	if (state !== "in-doubt") {
		const message = `activity ${name} waits and would change the same otherwise: decide it first, or give it up with --abandon ${name}`;
		return { ...notAttempted(step, message), activityId, fingerprint };
	}
	const answer = activityId === null ? "no answer came" : `activity ${name} has a status that nobody knows`;
	const message = `another ${step.operation} was submitted for the same object ${activity?.createdAt ?? "before"}, and ${answer}: ${settleOrAbandon(name)}`;
	return { ...notAttempted(step, message), activityId, fingerprint };
}

/** What becomes of a step for which nothing is sent, because of another activity. */
function holdStep(step: Step, earlierActivity: EarlierActivity, { waiting }: Plan): StepResult {
	const { activityId, fingerprint, relation } = earlierActivity;
	if (relation === "conflicting") {
		const activity = waiting.find((one) => one.fingerprint === fingerprint);
		return leaveAlone(step, earlierActivity, activity);
	}
	if (relation === "rejected") {
		const message = "it was rejected before, so it was not submitted again; --retry-rejected submits it";
		return { ...notAttempted(step, message), outcome: "rejected", activityId, fingerprint };
	}
	const status = earlierActivity.state === "in-doubt" ? undefined : earlierActivity.status;
	const outcome = status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" ? "awaiting-authenticator" : "awaiting-approval";
	const message = "it was submitted before, and nothing was sent now";
	return { ...notAttempted(step, message), outcome, activityId, fingerprint };
}

function notAttempted(step: Step, message: string): StepResult {
	return {
		step,
		outcome: "not-attempted",
		activityId: null,
		fingerprint: null,
		requests: 0,
		tookMs: 0,
		message,
		refusedStatus: null,
		keyNotAccepted: false,
		policyEvaluations: [],
		parts: [],
	};
}

/** Verification that cannot read is no reason to lose the report of what was sent. */
async function tryToVerify(
	desired: DesiredOrganization,
	plan: Plan,
	completed: readonly StepResult[],
	context: ApplyContext,
): Promise<Pick<Report, "left" | "unverified">> {
	try {
		return await verify(desired, plan, completed, context);
	} catch (error) {
		if (!(error instanceof OrgsyncError)) throw error;
		return { left: null, unverified: error.message };
	}
}

/** What still differs of the addresses that completed steps cover. Reads only the kinds that were touched. */
async function verify(
	desired: DesiredOrganization,
	plan: Plan,
	completed: readonly StepResult[],
	context: ApplyContext,
): Promise<Pick<Report, "left" | "unverified">> {
	const covered = new Set<string>(coveredAddresses(completed.map(({ step }) => step)));
	const touched = onlyTouched(
		desired,
		plan.changes.filter(({ address }) => covered.has(address)),
	);
	const { live } = await readLive(
		touched,
		context.reader,
		context.journal.lastApplied(plan.organizationId),
		plan.reads,
	);
	noteUpdateTimes(live, completed, plan, context);
	const unfinished = new Set<string>(
		coveredAddresses(plan.steps.filter(({ id }) => !completed.some(({ step }) => step.id === id))),
	);
	const lastApplied = context.journal.lastApplied(plan.organizationId);
	const { changes, problems, unread } = diff(touched, { ...live, lastApplied });
	// What could be read before and cannot any more was checked against nothing but what was just applied.
	const lostSight = unread.find((one) => !plan.unread.some((before) => printScope(before) === printScope(one)));
	// A tag that somebody else renamed or deleted meanwhile is a problem now, and its change no longer made.
	const lost = new Set(problems.map(({ path }) => path));
	const left = [...changes, ...plan.changes.filter(({ address }) => lost.has(address))].filter(
		({ address }) => covered.has(address) && !unfinished.has(address),
	);
	return { left, unverified: lostSight === undefined ? null : `${printScope(lostSight)}: ${lostSight.because}` };
}

/** Keeps the tags' `updatedAt` with what is remembered of them, so that a later change by others can be noticed. */
function noteUpdateTimes(
	live: LiveOrganization,
	completed: readonly StepResult[],
	plan: Plan,
	{ journal }: ApplyContext,
): void {
	if (!live.userTags.known) return;
	const lastApplied = journal.lastApplied(plan.organizationId);
	const changed = new Set(completed.map(({ step }) => subjectOf(step)));
	const applied: AppliedObject[] = live.userTags.value
		.filter(({ id }) => changed.has(id))
		.flatMap((tag) => withUpdateTime(tag, lastApplied.userTags[tag.id]));
	if (applied.length > 0) journal.recordApplied(plan.organizationId, applied);
}

function onlyTouched(desired: DesiredOrganization, changes: readonly Change[]): DesiredOrganization {
	const kinds = new Set(changes.filter(({ action }) => action !== "report").map(({ kind }) => kind));
	return { ...desired, objects: desired.objects.filter(({ kind }) => kinds.has(kind)) };
}
