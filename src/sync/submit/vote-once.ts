/**
 * Votes on an activity so that the vote is cast exactly once. What the code here keeps:
 *
 * - While a vote of the same user counts, none is sent: votes are read, and the journal remembers those that were.
 * - The bytes are on disk before they are sent. While it is open whether they arrived, the same bytes follow and no others.
 * - No answer proves that a vote counts: the texts about it disagree (docs/internals/service.md#votes). It counts when it is among the
 *   votes of its activity, or the activity has ended as it asks.
 */
import { randomInt } from "node:crypto";
import { OrgsyncError, StorageError } from "../../common/errors.ts";
import { isCounting, voteLifetimeMs } from "../../plan/activities/activity-events.ts";
import type { ReturnedActivity } from "../../plan/activities/reviewed-activity.ts";
import type { Outcome } from "../../plan/report.ts";
import type { Reader, SubmitAnswer, Voter } from "../../wire/client.ts";
import { approvals, bodyLifetimeMs, type VoteName } from "../../wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../wire/request-body.ts";
import type { VoteDecision, VoteEntry, VoteJournal } from "../journal/votes.ts";
import { endedStatuses } from "../read/list-activities.ts";
import { lifetimeMarginMs } from "./choose-request.ts";
import { isProcessing, outcomeOfStatus } from "./outcomes.ts";
import { readReturnedActivity, votableStatuses } from "./returned-activity.ts";
import { sendStamped } from "./submit-once.ts";

/** Who votes: at least one of both is known. In lower case. */
export interface VoterIdentity {
	readonly userId: string | null;
	readonly publicKey: string | null;
}

export interface VoteContext {
	readonly voter: Voter;
	readonly reader: Reader;
	readonly journal: VoteJournal;
	readonly identity: VoterIdentity;
	/** Whether another credential stamps votes than queries, as a passkey does: it can be another user's. */
	readonly stampsApart?: boolean;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	/** Milliseconds to add to `now` to get the service's clock. */
	readonly clockOffsetMs: number;
	/** How long to read an activity again that the service is processing, in milliseconds. */
	readonly waitMs: number;
}

interface VoteOutcome {
	/** That of the activity; `unknown`: it is in doubt whether the vote counts; `denied`, `failed`: the service refused the vote. */
	readonly outcome: Outcome;
	/** Whether the vote is among those of the activity, or the activity has ended as it asks. */
	readonly isCounted: boolean;
	/** The activity as it was read last. */
	readonly activity: ReturnedActivity;
	/** Whether this call sent the vote, for the first time or again. */
	readonly isSent: boolean;
	readonly message: string | null;
	/** Whether no other vote would fare better: the key is not accepted, or nothing can be sent. */
	readonly isFatal: boolean;
	readonly keyNotAccepted: boolean;
}

/** What a vote selects, and how an activity ends that has ended as the vote asks. */
const votes: Readonly<Record<VoteName, { readonly selection: string; readonly end: string }>> = {
	approve_activity: { selection: "VOTE_SELECTION_APPROVED", end: "ACTIVITY_STATUS_COMPLETED" },
	reject_activity: { selection: "VOTE_SELECTION_REJECTED", end: "ACTIVITY_STATUS_REJECTED" },
};

/** After this much more, bytes cannot arrive any more, whatever the clocks say. */
const clockMarginMs = 10 * 60 * 1000;

/** A vote of two users at the same moment must not be the same bytes, which would be one vote: times are spread over this. */
const timeSpreadMs = 60 * 1000;

/** How long a vote that was accepted is looked for among those of its activity, in milliseconds. */
const visibilityMs = 3000;

/** Whether the user's vote of this kind is among those of the activity, and counts still by the service's clock. */
export function hasVoted(
	activity: Pick<ReturnedActivity, "votes">,
	operation: VoteName,
	identity: VoterIdentity,
	serviceNowMs: number,
): boolean {
	return ownVotes(activity, operation, identity).some((vote) => isCounting(vote, serviceNowMs));
}

/** Returns the user's votes of this kind, those that have lapsed included. */
function ownVotes(
	activity: Pick<ReturnedActivity, "votes">,
	operation: VoteName,
	{ userId, publicKey }: VoterIdentity,
): ReturnedActivity["votes"] {
	return activity.votes.filter((vote) => {
		const isOwn =
			userId !== null && vote.userId !== null
				? vote.userId === userId
				: publicKey !== null && vote.publicKey === publicKey;
		return isOwn && vote.selection === votes[operation].selection;
	});
}

/** Whether a vote that the journal has as counted is among those of the activity, where none of the user's counts any more. */
function hasLapsed(
	{ body }: VoteEntry,
	target: ReturnedActivity,
	operation: VoteName,
	identity: VoterIdentity,
): boolean {
	return ownVotes(target, operation, identity).some(({ castAtMs }) => (castAtMs ?? 0) >= body.timestampMs);
}

/** Casts the vote, unless one of the user counts. Errors of the service are results; a StorageError means nothing was sent. */
export async function voteOnce(
	operation: VoteName,
	target: ReturnedActivity,
	context: VoteContext,
): Promise<VoteOutcome> {
	const { identity, journal, now, clockOffsetMs } = context;
	const serviceNowMs = now() + clockOffsetMs;
	if (hasVoted(target, operation, identity, serviceNowMs)) return { ...resultOf(target), isCounted: true };
	if (endedStatuses.includes(target.status)) {
		const message = "the activity ended before the vote, so none was submitted";
		return { ...resultOf(target), isCounted: target.status === votes[operation].end, message };
	}
	const key = {
		...{ organizationId: target.organizationId.toLowerCase(), operation, target: target.fingerprint },
		voter: identity.userId ?? identity.publicKey ?? "",
	};
	const decision = journal.claimVote(key, (entries) => chooseVote(entries, target, operation, context));
	if (decision.kind === "skip") return { ...resultOf(target), ...decision.result };
	const body = decision.kind === "send" ? decision.body : decision.entry.body;
	const answer = await sendStamped(() => context.voter.vote(body));
	if (answer.kind === "not-sent") {
		if (decision.kind === "send") journal.recordVote(body.fingerprint, "void", now());
		return { ...plain, activity: target, outcome: "not-attempted", message: answer.because, isFatal: true };
	}
	return settle(body, answer, decision.kind === "resend", operation, target, context);
}

const plain = { isCounted: false, isSent: false, message: null, isFatal: false, keyNotAccepted: false } as const;

function resultOf(activity: ReturnedActivity): VoteOutcome {
	return { ...plain, activity, outcome: outcomeOfStatus(activity.status) };
}

type Choice =
	| Extract<VoteDecision, { readonly kind: "send" | "resend" }>
	| { readonly kind: "skip"; readonly result: Partial<VoteOutcome> };

/** Returns what to do about a vote that is not among those of its activity, or has lapsed there. */
function chooseVote(
	entries: readonly VoteEntry[],
	target: ReturnedActivity,
	operation: VoteName,
	{ now, clockOffsetMs, identity }: VoteContext,
): Choice {
	const serviceNowMs = now() + clockOffsetMs;
	const counted = entries.find((one) => one.state === "counted" && now() - (one.settledAtMs ?? 0) < voteLifetimeMs);
	if (counted !== undefined && !hasLapsed(counted, target, operation, identity)) {
		const message = "this vote counted when it was last read, so it is not sent again";
		return { kind: "skip", result: { isCounted: true, message } };
	}
	const open = entries.find(({ state }) => state === "in-flight");
	const ageMs = serviceNowMs - (open?.body.timestampMs ?? 0);
	if (open !== undefined && ageMs < bodyLifetimeMs - lifetimeMarginMs) return { kind: "resend", entry: open };
	if (ageMs < bodyLifetimeMs + clockMarginMs) {
		const message = "this vote was submitted before and is in doubt; run the command again in a few minutes";
		return { kind: "skip", result: { outcome: "unknown", message } };
	}
	const body = encodeSubmit(
		approvals[operation],
		target.organizationId.toLowerCase(),
		{ fingerprint: target.fingerprint },
		serviceNowMs - randomInt(timeSpreadMs),
	);
	return { kind: "send", body, nowMs: now() };
}

/** Reads the activity after the vote, until it shows what became of it, and records that. */
async function settle(
	body: RequestBody,
	answer: SubmitAnswer,
	isResend: boolean,
	operation: VoteName,
	target: ReturnedActivity,
	context: VoteContext,
): Promise<VoteOutcome> {
	const { now, sleep } = context;
	const startMs = now();
	const isAccepted = answer.kind === "activity";
	for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2000)) {
		const read = await readAgain(target, context);
		const isCounted = read !== undefined && counts(read, body, operation, context);
		const leftMs = startMs + (isCounted ? context.waitMs : isAccepted ? visibilityMs : 0) - now();
		const isOpen = read !== undefined && (isCounted ? isProcessing(read) : votableStatuses.includes(read.status));
		if (isOpen && leftMs > 0) {
			await sleep(Math.min(pauseMs, leftMs));
			continue;
		}
		if (isCounted) {
			const message = record(body, "counted", context);
			return { ...resultOf(read), isCounted, isSent: true, message };
		}
		const isRefused = (answer.kind === "refused" && !isResend) || isOfAnother(body, answer, context);
		const isOver = read !== undefined && !votableStatuses.includes(read.status) && !isProcessing(read);
		if (isRefused || isOver) record(body, "void", context);
		const activity = read ?? target;
		return { ...plain, activity, isSent: true, ...describeUncounted(answer, isRefused, read, isOver) };
	}
}

/** Records what became of the vote. Returns why it cannot be recorded, which changes nothing: the next run reads it again. */
function record(body: RequestBody, state: "counted" | "void", { journal, now }: VoteContext): string | null {
	try {
		journal.recordVote(body.fingerprint, state, now());
		return null;
	} catch (error) {
		if (error instanceof StorageError) return error.message;
		throw error;
	}
}

/** Whether the same bytes are another user's vote already, so that they are none of this one. */
function isOfAnother({ fingerprint }: RequestBody, answer: SubmitAnswer, { identity }: VoteContext): boolean {
	if (answer.kind !== "activity" || answer.activity.fingerprint !== fingerprint || identity.userId === null)
		return false;
	const voters = answer.activity.votes.flatMap(({ userId }) => userId?.toLowerCase() ?? []);
	return voters.length > 0 && !voters.includes(identity.userId);
}

function counts(
	activity: ReturnedActivity,
	body: RequestBody,
	operation: VoteName,
	{ identity, stampsApart, now, clockOffsetMs }: VoteContext,
): boolean {
	if (activity.status === votes[operation].end) return true;
	if (stampsApart === true && activity.votes.some((vote) => vote.messageFingerprint === body.fingerprint)) return true;
	return hasVoted(activity, operation, identity, now() + clockOffsetMs);
}

/** Returns the activity as it is now; undefined if the service does not show it, or no answer came. */
async function readAgain(target: ReturnedActivity, { reader }: VoteContext): Promise<ReturnedActivity | undefined> {
	try {
		const read = await readReturnedActivity(target.organizationId, target.activityId, reader);
		return read?.activity.fingerprint === target.fingerprint ? read.activity : undefined;
	} catch (error) {
		if (error instanceof OrgsyncError) return undefined;
		throw error;
	}
}

/** Returns what became of a vote that is not among those of its activity. */
function describeUncounted(
	answer: SubmitAnswer,
	isRefused: boolean,
	read: ReturnedActivity | undefined,
	isOver: boolean,
): Pick<VoteOutcome, "outcome" | "message"> & Partial<VoteOutcome> {
	if (isOver && read !== undefined) {
		return { outcome: outcomeOfStatus(read.status), message: "the activity ended before the vote could count" };
	}
	const keyNotAccepted = "keyNotAccepted" in answer && answer.keyNotAccepted === true;
	const fatal = { keyNotAccepted, isFatal: keyNotAccepted };
	if (isRefused && answer.kind === "activity") {
		return { outcome: "failed", message: "another user sent the same vote at the same moment; run the command again" };
	}
	if (isRefused && answer.kind === "refused") {
		const isDenied = answer.httpStatus === 401 || answer.httpStatus === 403;
		return { ...fatal, outcome: isDenied ? "denied" : "failed", message: answer.message };
	}
	const why =
		answer.kind === "activity"
			? read === undefined
				? "the service accepted the vote, and does not show its activity"
				: "the service accepted the vote, and does not show it among those of its activity"
			: answer.kind === "refused"
				? answer.message
				: answer.because;
	return { ...fatal, outcome: "unknown", message: `${why}; run the command again to find out: it sends the same vote` };
}
