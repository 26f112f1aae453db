/** What happens to a pending activity between two readings of it. Pure. */
import { defined } from "../../common/defined.ts";

/** A vote as far as it is known. */
export interface SeenVote {
	readonly id?: string | undefined;
	readonly userId?: string | undefined;
	/** What the service calls the user. */
	readonly userName?: string | undefined;
	/** `VOTE_SELECTION_APPROVED` or `VOTE_SELECTION_REJECTED`; any other word is passed through. */
	readonly selection?: string | undefined;
	/** Milliseconds since 1970. */
	readonly createdAtMs?: number | undefined;
}

export interface SeenActivity {
	readonly id: string;
	/** The service's word, for example `ACTIVITY_STATUS_CONSENSUS_NEEDED`. */
	readonly status: string;
	readonly votes: readonly SeenVote[];
}

/** Votes lapse after this long (docs/internals/service.md#votes). */
export const voteLifetimeMs = 24 * 60 * 60 * 1000;

/** Whether the vote counts still; one without a time does. */
export function isCounting({ castAtMs }: { readonly castAtMs: number | null }, nowMs: number): boolean {
	return castAtMs === null || nowMs - castAtMs < voteLifetimeMs;
}

/** Returns who approved an activity, and whose approval counts no longer. */
export function approversOf(
	approvals: readonly { readonly userId?: string | null | undefined; readonly counts: boolean }[],
): { readonly approvedBy: readonly string[]; readonly lapsed?: readonly string[] } {
	const usersOf = (some: typeof approvals): readonly string[] => some.flatMap(({ userId }) => userId ?? []);
	const counting = new Set(usersOf(approvals.filter(({ counts }) => counts)));
	const lapsed = usersOf(approvals).filter((userId) => !counting.has(userId));
	return { approvedBy: usersOf(approvals), ...(lapsed.length === 0 ? {} : { lapsed }) };
}

/** A vote or a new status that was read while orgsync waited. */
export type ActivityEvent = {
	readonly activityId: string;
	/** When it was read, by our clock, ISO 8601 in UTC. */
	readonly readAt: string;
} & (
	| {
			readonly event: "vote";
			/** Null where the service does not say. */
			readonly userId: string | null;
			/** What the service calls the user; left out where it does not say. */
			readonly userName?: string;
			readonly selection: string;
			/** When the user voted, by the service's clock, ISO 8601 in UTC; null where it does not say. */
			readonly votedAt: string | null;
	  }
	| { readonly event: "status"; readonly status: string }
);

/** Returns the votes, then the status, that `now` has and `before` has not. `nowMs` is when `now` was read. */
export function findEvents(before: SeenActivity, now: SeenActivity, nowMs: number): readonly ActivityEvent[] {
	const head = { activityId: now.id, readAt: new Date(nowMs).toISOString() };
	const isNew = (vote: SeenVote): boolean => !before.votes.some((one) => isSameVote(one, vote));
	return [
		...now.votes.filter(isNew).map((vote) => ({ ...head, ...describeVote(vote) })),
		...(now.status === before.status ? [] : [{ ...head, event: "status" as const, status: now.status }]),
	];
}

/** Whether both are one vote: by their ids, or by user and selection where one of them has no id. */
function isSameVote(left: SeenVote, right: SeenVote): boolean {
	if (left.id !== undefined && right.id !== undefined) return left.id === right.id;
	return left.userId?.toLowerCase() === right.userId?.toLowerCase() && left.selection === right.selection;
}

function describeVote({ userId, userName, selection = "", createdAtMs }: SeenVote) {
	return {
		event: "vote" as const,
		userId: userId ?? null,
		...defined({ userName }),
		selection,
		votedAt: createdAtMs === undefined ? null : new Date(createdAtMs).toISOString(),
	};
}
