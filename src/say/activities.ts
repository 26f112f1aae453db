/** The words for activities of the service: their status, their votes, and what a pending one waits for. */

import { defined } from "../common/defined.ts";
import { showName } from "../common/escape.ts";
import type { ActivityEvent, SeenActivity } from "../plan/activities/activity-events.ts";
import type { PendingActivity } from "../plan/activities/pending.ts";
import type { Named } from "../plan/organization.ts";
import type { ActivityState } from "../plan/step.ts";
import { namesForSaid } from "../plan/user-labels.ts";
import type { UserNames } from "../plan/users.ts";
import { identifier, joinPhrases, nameSpan, type Phrase, reason } from "./phrase.ts";
import { namePerson } from "./powers.ts";

/** A Map, because a status can be any word, `constructor` included. */
const statuses: ReadonlyMap<string, readonly [verb: string, state: string]> = new Map([
	["ACTIVITY_STATUS_COMPLETED", ["is ", "completed"]],
	["ACTIVITY_STATUS_CONSENSUS_NEEDED", ["is ", "pending approval"]],
	["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", ["is ", "waiting for an authenticator"]],
	["ACTIVITY_STATUS_REJECTED", ["was ", "rejected"]],
	["ACTIVITY_STATUS_FAILED", ["", "failed"]],
	["ACTIVITY_STATUS_CREATED", ["has ", "not started"]],
	["ACTIVITY_STATUS_PENDING", ["is ", "in progress"]],
]);

/** Returns a status without its verb: `pending approval`, `completed`; one that orgsync does not know by its name. */
function sayState(status: string): Phrase {
	const state = statuses.get(status)?.[1];
	return state === undefined ? ["has the status ", reason(showName(status))] : [state];
}

/** Returns the same with its verb, to follow the activity. */
export function sayStatus(status: string): Phrase {
	return [statuses.get(status)?.[0] ?? "", ...sayState(status)];
}

/** Returns what the activity is waiting for, since when, and who approved it; of one in doubt, when it was submitted. */
export function sayPending(
	activity: ActivityState & Omit<PendingActivity, keyof ActivityState | "state" | "operation" | "parameters">,
	names: UserNames,
): Phrase {
	const { activityId, createdAt, approvedBy, lapsed = [], liveNames = {}, saidBy } = activity;
	const id = identifier(showName(activityId ?? ""));
	const fingerprint: Phrase = ["; fingerprint ", identifier(showName(activity.fingerprint))];
	if (activity.state === "rejected") {
		return ["activity ", id, createdAt === null ? "" : `, submitted ${createdAt},`, " was rejected", ...fingerprint];
	}
	if (activity.state === "in-doubt") {
		const submitted = createdAt === null ? "in doubt: submitted" : `in doubt: submitted ${createdAt}`;
		const answer: Phrase = activityId === null ? [", no answer"] : [" as activity ", id, ", whose status is unknown"];
		return [submitted, ...answer, ...fingerprint];
	}
	const approvers = (approvedBy ?? []).map(
		(userId): Phrase => [
			namePerson(userId, namesForSaid(userId, names, liveNames)),
			lapsed.includes(userId) ? " (lapsed after 24 hours)" : "",
		],
	);
	return [
		...["activity ", id, " ", ...sayStatus(activity.status)],
		createdAt === null ? "" : ` since ${createdAt}`,
		...(approvers.length === 0 ? [] : [", approved by ", ...joinPhrases(approvers, ", ")]),
		...(saidBy === "journal" ? [", as last known"] : []),
		...fingerprint,
	];
}

type Vote = Pick<Extract<ActivityEvent, { readonly event: "vote" }>, "userId" | "userName" | "selection">;

const selections: ReadonlyMap<string, string> = new Map([
	["VOTE_SELECTION_APPROVED", "approved"],
	["VOTE_SELECTION_REJECTED", "rejected"],
]);

function sayVote({ userId, userName, selection }: Vote, names: UserNames): Phrase {
	const said = selections.get(selection);
	const what: Phrase = said === undefined ? ["voted on (", reason(selection), ")"] : [said];
	if (userId === null) return [...what, " by an unknown user"];
	const liveNames = userName === undefined ? {} : { [userId.toLowerCase()]: userName };
	return [...what, " by ", namePerson(userId, namesForSaid(userId, names, liveNames))];
}

/** Returns the state of an activity, and who has voted so far. */
export function saySeen(seen: SeenActivity | null, names: UserNames): Phrase {
	if (seen === null) return ["not read yet"];
	const votes = seen.votes.map(({ userId = null, userName, selection = "" }) =>
		sayVote({ userId, ...defined({ userName }), selection }, names),
	);
	const different = new Map(votes.map((vote) => [JSON.stringify(vote), vote]));
	return joinPhrases([sayState(seen.status), ...different.values()], ", ");
}

/** Returns a vote or a new status: `approved by bob at 2026-11-21T12:00:00.000Z`. */
export function sayEvent(event: ActivityEvent, names: UserNames): Phrase {
	if (event.event === "status") return sayState(event.status);
	return [...sayVote(event, names), event.votedAt === null ? "" : ` at ${event.votedAt}`];
}

/** Returns which live objects have the names that an activity gives. Unverified, chosen: the service may allow two tags of one name. */
export function sayTaken(kind: "policy" | "userTag", taken: readonly Named[]): Phrase {
	const [noun, verb] = kind === "policy" ? ["policy ", "refuses"] : ["user tag ", "may refuse"];
	const holders = taken.map(
		({ id, name }): Phrase => [noun, identifier(id), " has the name ", nameSpan(showName(name))],
	);
	return ["name taken: ", ...joinPhrases(holders, ", "), `; the service ${verb} a second one`];
}
