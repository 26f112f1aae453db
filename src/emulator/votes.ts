/**
 * Approving and rejecting an activity by its fingerprint. An extension: outside the 13 operations (docs/service.md#votes). Each vote is an activity of its own as well as a vote on another.
 */
import { advance, type CastVote, liveVotes, makeVote } from "./activities.ts";
import {
	doubleVoteMessage,
	hasSecondAuthenticator,
	notWaitingMessage,
	rejectionsNeeded,
	waitsForVotes,
} from "./choices.ts";
import { laterTime } from "./identifiers.ts";
import { invalid, notFound } from "./refusals.ts";
import type { ActivityRecord, StampedRequest, Vote, World } from "./state.ts";

function findTarget(world: World, own: ActivityRecord): ActivityRecord {
	const target = world.findByFingerprint(String(own.parameters.fingerprint).toLowerCase());
	if (target === undefined) throw notFound("no activity found with that fingerprint");
	if (!waitsForVotes(target)) throw invalid(notWaitingMessage);
	return target;
}

function addVote(
	request: StampedRequest,
	world: World,
	target: ActivityRecord,
	selection: Vote["selection"],
): ActivityRecord {
	const { userId, passkey } = request.voter;
	const cast = liveVotes(target, world.nowMs).some((vote) => vote.userId === userId && vote.selection === selection);
	const givesAuthenticator =
		target.authenticatorNeeded &&
		passkey &&
		target.votes[0]?.userId === userId &&
		selection === "VOTE_SELECTION_APPROVED" &&
		!hasSecondAuthenticator(target);
	if (cast && !givesAuthenticator) throw invalid(doubleVoteMessage);
	const votes = [...target.votes, makeVote(request, world, target.id, selection)];
	return { ...target, votes, updatedAt: laterTime(world.nowMs, target.updatedAt) };
}

const approve: CastVote = (request, world, own) => {
	const voted = addVote(request, world, findTarget(world, own), "VOTE_SELECTION_APPROVED");
	return advance(voted, world).changes;
};

const reject: CastVote = (request, world, own) => {
	const voted = addVote(request, world, findTarget(world, own), "VOTE_SELECTION_REJECTED");
	const rejections = voted.votes.filter((vote) => vote.selection === "VOTE_SELECTION_REJECTED").length;
	const status = rejections >= rejectionsNeeded ? "ACTIVITY_STATUS_REJECTED" : voted.status;
	return [{ change: "activity", activity: { ...voted, status } }];
};

/** How each voting operation casts its vote, by operation name. */
export const castVotes: ReadonlyMap<string, CastVote> = new Map([
	["approve_activity", approve],
	["reject_activity", reject],
]);
