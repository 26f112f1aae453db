/** Makes activities from submits: idempotency by bytes, time window, denials, votes, delays, execution. Pure: returns changes. */
import { approvals, bodyLifetimeMs, maxClockLeadMs, type SubmitOperation } from "../wire/operations.ts";
import {
	canApprove,
	canReject,
	delayedStatus,
	futureTimestampMessage,
	hasSecondAuthenticator,
	staleTimestampMessage,
	voteLifetimeMs,
} from "./assumptions.ts";
import type { activityFaults } from "./control/faults.ts";
import { deriveUuid, fingerprintOf, laterTime, makeUuid, timeAt, toMilliseconds } from "./identifiers.ts";
import type { JsonObject } from "./kinds/entity-kind.ts";
import { submitHandlers } from "./kinds/table.ts";
import { type Decision, decide } from "./policies/decide.ts";
import { badRequest, deniedByPolicies, RequestError } from "./request-error.ts";
import { servedSubmits } from "./served-submits.ts";
import type {
	ActivityRecord,
	OperationContext,
	Organization,
	PolicyEvaluation,
	StampedRequest,
	StateChange,
	Vote,
} from "./state.ts";
import { describeUser } from "./user-queries.ts";

export type ForcedEnd = (typeof activityFaults)[number] | undefined;

export interface SubmitResult {
	readonly activity: ActivityRecord;
	readonly changes: readonly StateChange[];
	readonly replayed: boolean;
}

const submitsByName: ReadonlyMap<string, SubmitOperation> = new Map(
	[...Object.values(servedSubmits), ...Object.values(approvals)].map((operation) => [operation.name, operation]),
);

function checkWindow(timestampMs: string, nowMs: number): void {
	const age = nowMs - Number(timestampMs);
	if (age >= bodyLifetimeMs) throw badRequest(staleTimestampMessage);
	if (-age > maxClockLeadMs) throw badRequest(futureTimestampMessage);
}

/** Returns the stable id of the policy that represents a rule about one type of activity. */
export function policyIdOfRule(organizationId: string, type: string): string {
	return deriveUuid("rule", organizationId, type);
}

function checkDenials({ organizationId, rules }: Organization, type: string, userId: string): void {
	const rule = rules.deny?.find((row) => row.type === type && (row.userId === undefined || row.userId === userId));
	if (rule === undefined) return;
	throw deniedByPolicies([{ policyId: policyIdOfRule(organizationId, type), outcome: "OUTCOME_DENY_EXPLICIT" }]);
}

/** Returns the parameters that the intent repeats: the operation's fields, as they were sent (docs/internals/service.md#activity-object). */
function intentOf(operation: SubmitOperation, parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const sent = operation.fields.filter((field) => parameters[field] !== undefined && parameters[field] !== null);
	return Object.fromEntries(sent.map((field) => [field, parameters[field]]));
}

export function makeVote(
	request: StampedRequest,
	context: OperationContext,
	activityId: string,
	selection: Vote["selection"],
): Vote {
	const { userId, publicKey, signature, scheme } = request.signer;
	const id = makeUuid(context.nowMs);
	const user = describeUser(context.organization, userId);
	const message = request.rawBody.toString("utf8");
	const createdAt = timeAt(context.nowMs);
	return { id, userId, user, activityId, selection, message, publicKey, signature, scheme, createdAt };
}

/** Returns the votes that have not expired (docs/internals/service.md#votes). */
export function activeVotes(activity: ActivityRecord, nowMs: number): readonly Vote[] {
	return activity.votes.filter((vote) => nowMs - toMilliseconds(vote.createdAt) < voteLifetimeMs);
}

function approvingVotes(activity: ActivityRecord, nowMs: number): readonly Vote[] {
	return activeVotes(activity, nowMs).filter((vote) => vote.selection === "VOTE_SELECTION_APPROVED");
}

export function countApprovals(activity: ActivityRecord, nowMs: number): number {
	return new Set(approvingVotes(activity, nowMs).map((vote) => vote.userId)).size;
}

/** Returns the activity with what the policies say of its newest vote. */
export function noteEvaluations(record: ActivityRecord, said: readonly PolicyEvaluation[]): ActivityRecord {
	const newest = record.votes.at(-1);
	if (newest === undefined) return record;
	return { ...record, evaluations: { ...record.evaluations, [newest.id]: said } };
}

/** Lets the policies decide the activity with the votes that it has. Undefined: they decide nothing. */
function decideNow(record: ActivityRecord, { organization, nowMs }: OperationContext): Decision | undefined {
	return decide(organization, record, approvingVotes(record, nowMs), nowMs);
}

/** Returns a new activity with its submitter's vote, before any check. */
function makeRecord(operation: SubmitOperation, request: StampedRequest, context: OperationContext): ActivityRecord {
	const { organizationId, rules } = context.organization;
	const parameters = request.body.parameters as Readonly<Record<string, unknown>>;
	const id = makeUuid(context.nowMs);
	const isVote = operation.name in approvals;
	return {
		id,
		organizationId,
		operation: operation.name,
		type: operation.type,
		status: "ACTIVITY_STATUS_CREATED",
		timestampMs: String(request.body.timestampMs),
		fingerprint: fingerprintOf(request.rawBody),
		parameters: intentOf(operation, parameters),
		result: null,
		failure: null,
		votes: [makeVote(request, context, id, "VOTE_SELECTION_APPROVED")],
		approvalsNeeded: isVote ? 1 : (rules.approvals?.[operation.type] ?? 1),
		authenticatorNeeded: !isVote && (rules.authenticators?.includes(operation.type) ?? false),
		pendingMs: isVote ? 0 : (rules.pendingMs?.[operation.type] ?? 0),
		dueMs: null,
		createdAt: timeAt(context.nowMs),
		updatedAt: timeAt(context.nowMs),
	};
}

/** Returns a new result: the activity, and `changes` with its own behind them. */
function makeResult(activity: ActivityRecord, changes: readonly StateChange[] = []): SubmitResult {
	return { activity, changes: [...changes, { change: "activity", activity }], replayed: false };
}

/** Executes an activity that needs no more votes or time. If it no longer fits the state, it becomes FAILED and changes nothing. */
export function executeActivity(record: ActivityRecord, context: OperationContext): SubmitResult {
	const updatedAt = laterTime(context.nowMs, record.updatedAt);
	const handler = submitHandlers.get(record.operation);
	try {
		handler?.check(context.organization, record.parameters);
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		const failure = { code: error.code, message: error.message, details: error.details };
		return makeResult({ ...record, status: "ACTIVITY_STATUS_FAILED", failure, dueMs: null, updatedAt });
	}
	const made = handler?.execute(context, record.parameters) ?? { changes: [], result: {} };
	const { changes, result } = record.leavesOut === undefined ? made : leaveOut(made, record.leavesOut);
	return makeResult({ ...record, status: "ACTIVITY_STATUS_COMPLETED", result, dueMs: null, updatedAt }, changes);
}

/** Returns what the activity does without the id of the last policy that it creates, or without that policy. */
function leaveOut<Made extends { readonly changes: readonly StateChange[]; readonly result: JsonObject }>(
	{ changes, result }: Made,
	what: NonNullable<ActivityRecord["leavesOut"]>,
) {
	const ids = Array.isArray(result.policyIds) ? result.policyIds : [];
	return { changes: what === "fewer-ids" ? changes : changes.slice(0, -1), result: { policyIds: ids.slice(0, -1) } };
}

/** Decides an activity after an approval, and moves it on as far as that and the clock allow. */
export function advanceActivity(record: ActivityRecord, context: OperationContext): SubmitResult {
	const decision = decideNow(record, context);
	if (decision === undefined) return moveOn(record, context, true);
	return moveOn(noteEvaluations(record, decision.evaluations), context, decision.isAllowed);
}

/** Moves an activity on as far as its votes and the clock allow. `isAllowed` is what the policies say. */
function moveOn(record: ActivityRecord, context: OperationContext, isAllowed: boolean): SubmitResult {
	if (record.authenticatorNeeded && !hasSecondAuthenticator(record)) {
		return makeResult({ ...record, status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", dueMs: null });
	}
	if (!isAllowed || countApprovals(record, context.nowMs) < record.approvalsNeeded) {
		return makeResult({ ...record, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", dueMs: null });
	}
	if (record.pendingMs === 0) return executeActivity(record, context);
	return makeResult({ ...record, status: delayedStatus.first, dueMs: context.nowMs + record.pendingMs });
}

function forceOutcome(record: ActivityRecord, forcedStatus: "fail" | "reject"): SubmitResult {
	const failure = { code: 13, message: "failed because of a fault (/emulator/faults)", details: [] };
	if (forcedStatus === "fail") return makeResult({ ...record, status: "ACTIVITY_STATUS_FAILED", failure });
	return makeResult({ ...record, status: "ACTIVITY_STATUS_REJECTED" });
}

/** Returns what a vote on another activity changes. voting.ts has the handlers, so that this file does not depend on them. */
export type VoteHandler = (
	request: StampedRequest,
	context: OperationContext,
	own: ActivityRecord,
) => readonly StateChange[];

/** Returns the activity that the request makes, or made when the same bytes came before. Throws a RequestError for neither. */
export function submitActivity(
	operation: SubmitOperation,
	request: StampedRequest,
	context: OperationContext,
	castVote: VoteHandler | undefined,
	takeForced: () => ForcedEnd,
): SubmitResult {
	checkWindow(String(request.body.timestampMs), context.nowMs);
	const known = context.findByFingerprint(fingerprintOf(request.rawBody));
	if (known !== undefined) return { activity: known, changes: [], replayed: true };
	checkDenials(context.organization, operation.type, request.signer.userId);
	const made = makeRecord(operation, request, context);
	const decision = decideNow(made, context);
	if (decision?.isAllowed === false && !decision.isPossible()) throw deniedByPolicies(decision.evaluations);
	const record = decision === undefined ? made : noteEvaluations(made, decision.evaluations);
	submitHandlers.get(operation.name)?.check(context.organization, record.parameters);
	const votesCast = castVote?.(request, context, record) ?? [];
	const forced = takeForced();
	if (forced === "fail" || forced === "reject") return forceOutcome(record, forced);
	const isAllowed = decision?.isAllowed ?? true;
	const submitted = moveOn(forced === undefined ? record : { ...record, leavesOut: forced }, context, isAllowed);
	return { ...submitted, changes: [...votesCast, ...submitted.changes] };
}

/** Returns the status that an answer shows. `replayed`: the activity was there before the request. */
export function shownStatus({ status }: ActivityRecord, replayed: boolean): ActivityRecord["status"] {
	return replayed && status === delayedStatus.first ? delayedStatus.later : status;
}

/** Returns an activity as a user sees it (docs/internals/service.md#activity-object). */
export function describeActivity(record: ActivityRecord, userId: string, replayed: boolean): Record<string, unknown> {
	const operation = submitsByName.get(record.operation);
	if (operation === undefined) throw new Error(`no submit operation is called ${record.operation}`);
	return {
		id: record.id,
		organizationId: record.organizationId,
		status: shownStatus(record, replayed),
		type: record.type,
		timestampMs: record.timestampMs,
		intent: { [operation.intentKey]: record.parameters },
		...(record.result === null ? {} : { result: { [operation.resultKey]: record.result } }),
		votes: record.votes,
		appProofs: [],
		fingerprint: record.fingerprint,
		canApprove: canApprove(record, userId),
		canReject: canReject(record, userId),
		createdAt: record.createdAt,
		updatedAt: record.updatedAt,
		failure: record.failure,
	};
}
