/** What is read of activities while orgsync waits for them, in words. */
import { showText } from "../../common/escape.ts";
import type { ActivityEvent, SeenActivity } from "../../plan/activities/activity-events.ts";
import type { StepResult } from "../../plan/report.ts";
import { showSaidUser } from "../../plan/user-labels.ts";
import type { UserNames } from "../../plan/users.ts";
import { describeStatus } from "../waiting-text.ts";

type Vote = Pick<Extract<ActivityEvent, { readonly event: "vote" }>, "userId" | "userName" | "selection">;

const selections: ReadonlyMap<string, string> = new Map([
	["VOTE_SELECTION_APPROVED", "approved"],
	["VOTE_SELECTION_REJECTED", "rejected"],
]);

/** Returns the state of an activity as a phrase, and who has voted so far. */
export function describeSeen(seen: SeenActivity | null, names: UserNames): string {
	if (seen === null) return "not read yet";
	const votes = seen.votes.map((vote) => {
		const { userId, userName, selection = "" } = vote;
		return nameVote({ userId: userId ?? null, ...(userName === undefined ? {} : { userName }), selection }, names);
	});
	return [nameStatus(seen.status), ...new Set(votes)].join(", ");
}

/** Returns a vote or a new status as a phrase: `approved by bob at 2026-11-21T12:00:00.000Z`. */
export function describeEvent(event: ActivityEvent, names: UserNames): string {
	if (event.event === "status") return nameStatus(event.status);
	return `${nameVote(event, names)}${event.votedAt === null ? "" : ` at ${event.votedAt}`}`;
}

/** Returns the votes that were read while a step waited, one phrase each. */
export function describeVotes({ events = [] }: StepResult, names: UserNames): readonly string[] {
	return events.filter(({ event }) => event === "vote").map((event) => describeEvent(event, names));
}

/** Returns a status without its verb: `pending approval`, `completed`. */
function nameStatus(status: string): string {
	return describeStatus(status).replace(/^(is|was) /, "");
}

function nameVote({ userId, userName, selection }: Vote, names: UserNames): string {
	const what = selections.get(selection) ?? `voted on (${showText(selection)})`;
	const liveNames = userId === null || userName === undefined ? {} : { [userId.toLowerCase()]: userName };
	return `${what} by ${userId === null ? "an unknown user" : showSaidUser(userId, names, liveNames)}`;
}
