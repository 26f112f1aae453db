/** Reads activities for a vote: one by its id, or all that are pending, each with the votes on it. */
import type { ReturnedActivity } from "../../plan/activities/reviewed-activity.ts";
import { endOfPrecision, readAnyActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { type WriteName, writeOfType, writes } from "../../wire/operations.ts";
import { type ActivityRecord, listPages, readActivityRecord } from "../read/list-activities.ts";
import { createdIdsOf } from "./outcomes.ts";
import { readSignedVotes } from "./signed-vote.ts";

/** Statuses of an activity on which a user can vote (docs/internals/service.md#activity-statuses). */
export const votableStatuses: readonly string[] = [
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
];

/** Returns a record of the service. Of an activity of an unknown type only the intent is wrong, and that is left out. */
export function toReturnedActivity(record: ActivityRecord): ReturnedActivity {
	const operation = writeOfType(record.type);
	const activity = readAnyActivity(record);
	return {
		activityId: activity.id,
		organizationId: activity.organizationId,
		fingerprint: activity.fingerprint,
		type: activity.type,
		status: activity.status,
		operation: operation?.name ?? null,
		intent: operation === undefined ? null : activity.intent,
		votes: readSignedVotes(record),
		canApprove: activity.canApprove ?? null,
		canReject: activity.canReject ?? null,
		createdAtMs: activity.createdAtMs ?? null,
		createdIds: operation === undefined ? [] : createdIdsOf(activity),
	};
}

/** Returns the activity with this id, and the service's clock; undefined if the service does not show it. Throws other errors of Reader.query. */
export async function readReturnedActivity(organizationId: string, activityId: string, reader: Reader) {
	const read = await readActivityRecord(organizationId, activityId, reader);
	return read && { activity: toReturnedActivity(read.record), serverTimeMs: read.serverTimeMs };
}

export interface ListedActivities {
	/** Oldest first. */
	readonly activities: readonly ReturnedActivity[];
	/** Whether the service listed all of them. */
	readonly isComplete: boolean;
	readonly serverTimeMs: number | undefined;
}

/** Returns all activities on which users can vote; undefined if none are listed to this key. Throws as `readReturnedActivity`. */
export async function listVotable(organizationId: string, reader: Reader): Promise<ListedActivities | undefined> {
	const found: ReturnedActivity[] = [];
	let last: { readonly isLast: boolean; readonly serverTimeMs: number | undefined } | undefined;
	for await (const page of listPages(reader, { organizationId, filterByStatus: votableStatuses })) {
		last = page;
		found.push(...page.activities.map(toReturnedActivity));
	}
	if (last === undefined) return undefined;
	const activities = found.filter(({ status }) => votableStatuses.includes(status)).reverse();
	return {
		activities: activities.sort((left, right) => (left.createdAtMs ?? 0) - (right.createdAtMs ?? 0)),
		isComplete: last.isLast,
		serverTimeMs: last.serverTimeMs,
	};
}

/** Clocks of the machine that planned and of the service differ by less than this. */
const clockMarginMs = 5 * 60 * 1000;

/**
 * Returns the activities of these operations that were made since then and completed or were rejected, the newest first. They
 * are complete if the list was read to its end or back to that time; not if the service does not list activities. `sinceMs`
 * is in milliseconds since 1970. Throws as `readReturnedActivity` does.
 */
export async function listEnded(
	organizationId: string,
	names: readonly WriteName[],
	sinceMs: number,
	reader: Reader,
): Promise<Pick<ListedActivities, "activities" | "isComplete">> {
	const filters = {
		...{ organizationId, filterByType: names.map((name) => writes[name].type) },
		filterByStatus: ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED"],
	};
	if (names.length === 0) return { activities: [], isComplete: true };
	const earliestMs = sinceMs - clockMarginMs;
	const found: ReturnedActivity[] = [];
	let isComplete = false;
	for await (const page of listPages(reader, filters)) {
		const activities = page.activities.map(toReturnedActivity);
		// One without a time could have been made since then.
		found.push(
			...activities.filter(({ createdAtMs }) => createdAtMs === null || endOfPrecision(createdAtMs) >= earliestMs),
		);
		const { isLast, listedSinceMs = Number.POSITIVE_INFINITY } = page;
		isComplete = isLast || listedSinceMs < earliestMs;
		if (isComplete) break;
	}
	return { activities: found.filter(({ status }) => filters.filterByStatus.includes(status)), isComplete };
}
