/** Runs one step of a plan: submits its request, or joins the activity that does the same. */

import { defined, nonEmpty } from "../../common/defined.ts";
import { quoteForShell } from "../../common/escape.ts";
import { flag, type Said, say } from "../../common/said.ts";
import type { ActivityEvent } from "../../plan/activities/activity-events.ts";
import { nameOf, rejectedBefore, settleOrAbandon } from "../../plan/activities/pending.ts";
import { subjectOf } from "../../plan/activities/requests.ts";
import type { Change } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import type { StepForecast, StepResult } from "../../plan/report.ts";
import { type EarlierActivity, isCovered, type Step } from "../../plan/step.ts";
import type { ApprovalVerdict } from "../../policy/powers/forecast.ts";
import type { Reader } from "../../wire/client.ts";
import { appliedByEntry, appliedByStep } from "../applied-objects.ts";
import type { Comparison } from "../converge.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import type { ActivityRequest, SubmitContext } from "./activity-request.ts";
import { notAttempted, type SubmitResult } from "./outcomes.ts";
import { combineParts, type SubmittedPart, submitIndividually, toPartResults } from "./submit-individually.ts";
import { submitOnce } from "./submit-once.ts";
import { checkCreatedIds, explainResult, type ReadPolicies, refuseStaleUpdate } from "./written-objects.ts";

/** What the steps of one plan run with. */
export interface StepContext extends SubmitContext {
	readonly journal: Journal;
	/** When each tag was last changed, by its id; see ActivityRequest. */
	readonly tagChangedAtMs: ReadonlyMap<string, number>;
	readonly reader: Reader;
	readonly readPolicies: ReadPolicies;
}

/** Returns what a comparison knows of clocks, times and live ids, as the submits that follow it need it. */
export function timesOf({ live, serverTimeMs, clockOffsetMs, readPosition }: Comparison) {
	const tags = live.userTags.known ? live.userTags.value : [];
	const policies = live.policies?.known === true ? live.policies.value : [];
	const tagChangedAtMs = new Map(
		tags.flatMap(({ id, updatedAtMs }) => (updatedAtMs === undefined ? [] : [[id, updatedAtMs] as const])),
	);
	const liveIds = new Set([...tags, ...policies].map(({ id }) => id));
	return { serverTimeMs, clockOffsetMs, readPosition, tagChangedAtMs, liveIds };
}

/** A step that ran, and what became of its requests so far. */
export interface RanStep {
	readonly step: Step;
	readonly request: ActivityRequest;
	/** The result of the whole step, or of its only request. */
	readonly whole: SubmitResult;
	/** Empty for a step that was submitted as one request. */
	readonly parts: readonly SubmittedPart[];
	readonly events: readonly ActivityEvent[];
	/** By the context's clock. */
	readonly startedAtMs: number;
	/** What the report says of it. */
	readonly result: StepResult;
}

/** Runs a step of the plan. Errors of the service are results. */
export async function runStep(step: Step, plan: Plan, context: StepContext): Promise<RanStep> {
	const startedAtMs = context.now();
	const joined = findJoined(step, plan, context);
	const request = requestOf(step, plan, joined, context);
	const isHeld = step.earlierActivity !== null && joined === undefined;
	const submit = async (): Promise<SubmitResult> => {
		const stale = joined === undefined ? await refuseStaleUpdate(step, plan, context) : null;
		return stale ?? explainResult(step, await submitOnce(request, context, joined), plan, context);
	};
	const whole = isHeld ? resultOfEarlier(step, step.earlierActivity, plan) : await submit();
	const parts = isHeld ? [] : await submitIndividually(request, whole, context);
	return withResult({ step, request, whole, parts, events: [], startedAtMs }, isHeld ? startedAtMs : context.now());
}

/** Returns the step with its result as the report has it. `nowMs` is when it ended, or was read last. */
function withResult(ran: Omit<RanStep, "result">, nowMs: number): RanStep {
	const { step, whole, parts, events, startedAtMs } = ran;
	const submitted = parts.length === 0 ? checkCreatedIds(step, whole) : combineParts(whole, parts);
	return { ...ran, result: toStepResult(step, submitted, nowMs - startedAtMs, parts, events) };
}

/** Returns all results of the step's requests. */
export function requestsOf({
	request,
	whole,
	parts,
}: RanStep): readonly { readonly request: ActivityRequest; readonly result: SubmitResult }[] {
	return parts.length === 0 ? [{ request, result: whole }] : parts;
}

/** Returns the step with other results of its requests, in the order of `requestsOf`. */
export function withResults(
	ran: RanStep,
	results: readonly SubmitResult[],
	events: readonly ActivityEvent[],
	nowMs: number,
): RanStep {
	const { whole, parts } = ran;
	const [first = whole] = results;
	const next = withResult(
		{
			...ran,
			whole: parts.length === 0 ? first : whole,
			parts: parts.map((part, index) => ({ ...part, result: results[index] ?? part.result })),
			events: [...ran.events, ...events],
		},
		nowMs,
	);
	// What the policies decided was seen when the step was submitted; how its activity ends does not show that again.
	const { forecast } = ran.result;
	const isKnown = forecast !== undefined && forecast.wasRight !== null;
	return isKnown ? { ...next, result: { ...next.result, forecast } } : next;
}

export function toStepResult(
	step: Step,
	submitted: SubmitResult,
	tookMs = 0,
	parts: readonly SubmittedPart[] = [],
	events: readonly ActivityEvent[] = [],
): StepResult {
	const {
		activity: _activity,
		isFatal: _isFatal,
		journalError: _journalError,
		isRetry: _isRetry,
		isEarlier: _isEarlier,
		isStale,
		...rest
	} = submitted;
	const results = parts.length === 0 ? [submitted] : parts.map(({ result }) => result);
	const forecast = checkForecast(step, results);
	return {
		step,
		...rest,
		tookMs,
		parts: toPartResults(parts),
		...defined({ isStale }),
		...defined({ events: nonEmpty(events), forecast }),
	};
}

function requestOf(
	step: Step,
	{ organizationId, changes }: Plan,
	joined: JournalEntry | undefined,
	{ tagChangedAtMs }: StepContext,
): ActivityRequest {
	const { operation, parameters, covers } = step;
	return {
		organizationId,
		operation,
		parameters,
		covers,
		objectChangedAtMs: tagChangedAtMs.get(subjectOf(step)),
		// Later steps need the ids.
		needsResult: operation.startsWith("create_"),
		isUnobservable: changes.some((change) => isCovered(change.address, step) && !isObservable(change)),
		appliedObjects: joined === undefined ? appliedByStep(parameters, changes) : appliedByEntry(joined),
	};
}

/** Returns the entry of the activity that a step joins, if only the journal knows it: the same bytes ask the service. */
function findJoined({ earlierActivity }: Step, plan: Plan, context: StepContext): JournalEntry | undefined {
	if (earlierActivity === null || earlierActivity.relation !== "same") return undefined;
	const { fingerprint } = earlierActivity;
	const activity = plan.waiting.find((one) => one.fingerprint === fingerprint);
	if (activity?.saidBy !== "journal" || context.settled?.has(fingerprint) === true) return undefined;
	return context.journal.entry(fingerprint);
}

/** Whether live state would show that the change was made: it has the members, and always the name. */
function isObservable(change: Change): boolean {
	return change.basis === "live" || (change.kind === "userTag" && change.before.name !== change.after.name);
}

export function resultOfEarlier(step: Step, earlier: EarlierActivity, plan: Plan): SubmitResult {
	const { activityId, fingerprint, relation } = earlier;
	if (relation === "conflicting") {
		return { ...notAttempted(describeConflict(step, earlier, plan)), activityId, fingerprint };
	}
	if (relation === "rejected") {
		return { ...notAttempted(rejectedBefore), outcome: "rejected", activityId, fingerprint };
	}
	const status = earlier.state === "in-doubt" ? undefined : earlier.status;
	const outcome = status === "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" ? "awaiting-authenticator" : "awaiting-approval";
	const message = "it was submitted before, and nothing was submitted now";
	return { ...notAttempted(message), outcome, activityId, fingerprint };
}

/** Returns why a step must not be submitted while this activity has not ended. */
function describeConflict({ operation }: Step, earlier: EarlierActivity, { waiting }: Plan): Said {
	const name = nameOf(earlier);
	if (earlier.state !== "in-doubt") {
		return say`it conflicts with pending activity ${name}: approve or reject that first, or abandon it with ${flag("abandon", quoteForShell(name))}`;
	}
	const activity = waiting.find(({ fingerprint }) => fingerprint === earlier.fingerprint);
	const answer = earlier.activityId === null ? "and is in doubt" : `as activity ${name}, which has an unknown status`;
	return say`another ${operation} was submitted for the same object ${activity?.createdAt ?? "before"} ${answer}: ${settleOrAbandon(name)}`;
}

/** Returns what was forecast, and whether that was right; undefined without an approval. `requests`: one, or one for each part. */
export function checkForecast(
	{ approval, earlierActivity }: Step,
	requests: readonly SubmitResult[],
): StepForecast | undefined {
	if (approval === undefined) return undefined;
	const { verdict } = approval;
	// The approval of a step that joins a pending activity says who can still complete it, not what becomes of a request.
	const happened = earlierActivity === null ? requests.map(findHappened) : [];
	const isKnown = verdict !== "unknown" && happened.length > 0 && !happened.includes(null);
	return { verdict, wasRight: isKnown ? happened.every((one) => one === verdict) : null };
}

/** Returns what the policies decided; null where the result does not show it. */
function findHappened({
	requests,
	outcome,
	activity,
	refusedStatus,
	keyNotAccepted,
}: SubmitResult): ApprovalVerdict | null {
	if (requests === 0) return null;
	if (outcome === "denied") return refusedStatus === 403 && !keyNotAccepted ? "denied" : null;
	if (activity?.status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") return "pending";
	if (activity?.status !== "ACTIVITY_STATUS_COMPLETED") return null;
	const approvers = activity.votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
	// An earlier run submitted it, and others have approved it since.
	return new Set(approvers.map(({ userId }) => userId)).size > 1 ? "pending" : "runs";
}
