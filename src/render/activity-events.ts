/** What is read of activities while orgsync waits for them, in words. */
import { showText } from "../escape.ts";
import type { ActivityEvent } from "../plan/activity-events.ts";
import { showSaidUser } from "../plan/user-labels.ts";
import type { UserNames } from "../plan/users.ts";
import { describeStatus } from "./waiting-text.ts";

const selections: ReadonlyMap<string, string> = new Map([
	["VOTE_SELECTION_APPROVED", "approved"],
	["VOTE_SELECTION_REJECTED", "rejected"],
]);

/** Returns a vote or a new status as a phrase: `approved by bob at 2026-11-21T12:00:00.000Z`. */
export function describeEvent(event: ActivityEvent, names: UserNames): string {
	if (event.event === "status") return describeStatus(event.status);
	const { userId, userName, selection, votedAt } = event;
	const what = selections.get(selection) ?? `voted on (${showText(selection)})`;
	const liveNames = userId === null || userName === undefined ? {} : { [userId.toLowerCase()]: userName };
	const who = userId === null ? "an unknown user" : showSaidUser(userId, names, liveNames);
	return `${what} by ${who}${votedAt === null ? "" : ` at ${votedAt}`}`;
}
