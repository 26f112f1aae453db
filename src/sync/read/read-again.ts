/** Reads activities that have not ended again, with few requests: their number is the cost of waiting. */
import type { Reader } from "../../wire/client.ts";
import { type ActivityRecord, listPages, readActivityRecord } from "./list-activities.ts";
import { pendingStatuses } from "./pending-activities.ts";

/** Max pages of pending activities in one round of waiting; an activity on none of them is read by its id. */
const maxPages = 10;

interface WatchedActivity {
	readonly activityId: string;
	/** `ACTIVITY_TYPE_…`; null if it is not known. */
	readonly type: string | null;
}

/**
 * Returns the activities of an organization as they are now, by their ids in lower case; those that the service does not
 * show are missing. One activity costs one request. Of several, one list shows those that are still pending, and each of
 * the others costs a request. Throws what Reader.query throws, other than 403, 404 and 501 of the service.
 */
export async function readAgain(
	organizationId: string,
	watched: readonly WatchedActivity[],
	reader: Reader,
): Promise<ReadonlyMap<string, ActivityRecord>> {
	const found = new Map<string, ActivityRecord>();
	const types = [...new Set(watched.flatMap(({ type }) => type ?? []))].sort();
	if (watched.filter(({ type }) => type !== null).length > 1) {
		const filters = { organizationId, filterByStatus: pendingStatuses, filterByType: types };
		for await (const { activities } of listPages(reader, filters, { max: maxPages })) {
			for (const record of activities) found.set(String(record.id).toLowerCase(), record);
			if (watched.every(({ activityId }) => found.has(activityId.toLowerCase()))) break;
		}
	}
	for (const { activityId } of watched) {
		const id = activityId.toLowerCase();
		if (found.has(id)) continue;
		const read = await readActivityRecord(organizationId, activityId, reader);
		if (read !== undefined) found.set(id, read.record);
	}
	return found;
}
