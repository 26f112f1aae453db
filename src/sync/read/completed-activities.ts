/** Activities that changed user tags and completed, for the guard `reversals`. No query is made for them alone. */
import type { CompletedActivity } from "../../plan/guards/finding.ts";
import { readActivity } from "../../wire/activity.ts";
import { writes } from "../../wire/operations.ts";
import { parametersOf } from "../../wire/request-body.ts";
import { completionTime, submitterOf } from "../attribute.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { ActivityRecord } from "./list-activities.ts";

export const completedStatus = "ACTIVITY_STATUS_COMPLETED";

/** Returns those among these records, in the order of the list. */
export function readCompleted(records: readonly ActivityRecord[]): readonly CompletedActivity[] {
	const operation = writes.update_user_tag;
	const isWanted = ({ type, status }: ActivityRecord) => type === operation.type && status === completedStatus;
	return records.filter(isWanted).map((record): CompletedActivity => {
		const { id, fingerprint, intent } = readActivity(operation, record);
		return {
			...{ activityId: id, fingerprint, parameters: intent ?? {} },
			completedAtMs: completionTime(record) ?? null,
			...submitterOf(record),
			saidBy: "service",
		};
	});
}

/** Returns what the service listed and what the journal has besides, the newest first. */
export function withJournal(
	listed: readonly CompletedActivity[],
	entries: readonly JournalEntry[],
): readonly CompletedActivity[] {
	const known = new Set(listed.map(({ fingerprint }) => fingerprint));
	const own = new Set(entries.map(({ body }) => body.fingerprint));
	const others = entries.filter(({ body }) => !known.has(body.fingerprint));
	const marked = inOrder(listed).map((one) => (own.has(one.fingerprint) ? { ...one, isOurs: true as const } : one));
	const all = [...marked, ...others.map(fromJournal)];
	return all.sort((left, right) => (right.completedAtMs ?? 0) - (left.completedAtMs ?? 0));
}

/** Unverified, chosen: a list whose times are all equal is newest first, as the documented ones are. */
function inOrder(listed: readonly CompletedActivity[]): readonly CompletedActivity[] {
	const isOldestFirst = (listed[0]?.completedAtMs ?? 0) < (listed.at(-1)?.completedAtMs ?? 0);
	return isOldestFirst ? listed.toReversed() : listed;
}

function fromJournal(entry: JournalEntry): CompletedActivity {
	return {
		...{ activityId: entry.activityId, fingerprint: entry.body.fingerprint, parameters: parametersOf(entry.body) },
		completedAtMs: entry.outcome === "in-flight" ? null : entry.settledAtMs,
		...{ userId: null, userName: null, saidBy: "journal", isOurs: true },
	};
}
