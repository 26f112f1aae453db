/** Approves and rejects an activity by its fingerprint (docs/internals/service.md#votes). Each vote is an activity of its own. */
import { activeVotes, advanceActivity, makeVote, noteEvaluations, type VoteHandler } from "./activities.ts";
import { awaitsVotes, doubleVoteMessage, hasSecondAuthenticator, notPendingMessage } from "./assumptions.ts";
import { laterTime } from "./identifiers.ts";
import { badRequest, notFound } from "./request-error.ts";
import type { ActivityRecord, OperationContext, StampedRequest, Vote } from "./state.ts";

function findTarget(context: OperationContext, own: ActivityRecord): ActivityRecord {
	const target = context.findByFingerprint(String(own.parameters.fingerprint).toLowerCase());
	if (target === undefined) throw notFound("no activity found with that fingerprint");
	if (!awaitsVotes(target)) throw badRequest(notPendingMessage);
	return target;
}

function addVote(
	request: StampedRequest,
	context: OperationContext,
	target: ActivityRecord,
	selection: Vote["selection"],
): ActivityRecord {
	const { userId, assertion } = request.signer;
	const cast = activeVotes(target, context.nowMs).some(
		(vote) => vote.userId === userId && vote.selection === selection,
	);
	const givesAuthenticator =
		target.authenticatorNeeded &&
		assertion !== undefined &&
		target.votes[0]?.userId === userId &&
		selection === "VOTE_SELECTION_APPROVED" &&
		!hasSecondAuthenticator(target);
	if (cast && !givesAuthenticator) throw badRequest(doubleVoteMessage);
	const votes = [...target.votes, makeVote(request, context, target.id, selection)];
	return { ...target, votes, updatedAt: laterTime(context.nowMs, target.updatedAt) };
}

const approve: VoteHandler = (request, context, own) => {
	const voted = addVote(request, context, findTarget(context, own), "VOTE_SELECTION_APPROVED");
	return advanceActivity(voted, context).changes;
};

/** Returns the activity with the policies that lacked approvals as rejected (assumptions.ts). */
function noteRejection(rejected: ActivityRecord): ActivityRecord {
	const before = rejected.votes.at(-2)?.id ?? "";
	const open = rejected.evaluations?.[before]?.filter(({ outcome }) => outcome === "OUTCOME_REQUIRES_CONSENSUS");
	if (open === undefined) return rejected;
	return noteEvaluations(
		rejected,
		open.map(({ policyId }) => ({ policyId, outcome: "OUTCOME_REJECTED" })),
	);
}

const reject: VoteHandler = (request, context, own) => {
	const voted = addVote(request, context, findTarget(context, own), "VOTE_SELECTION_REJECTED");
	const rejected: ActivityRecord = { ...voted, status: "ACTIVITY_STATUS_REJECTED" };
	return [{ change: "activity", activity: noteRejection(rejected) }];
};

export const voteHandlers: ReadonlyMap<string, VoteHandler> = new Map([
	["approve_activity", approve],
	["reject_activity", reject],
]);
