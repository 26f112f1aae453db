/** Settles open journal entries by reading, before planning. This file has no Submitter: it sends nothing. */
import type { Reads } from "../plan/plan.ts";
import type { Reader } from "../wire/client.ts";
import { appliedByEntry } from "./applied-objects.ts";
import type { Journal, JournalEntry } from "./journal/journal.ts";
import { type ActivityLookup, findActivity, hasExpired } from "./read/pending-activities.ts";
import { outcomeOfActivity, type SubmitResult } from "./submit/outcomes.ts";
import { recordResult } from "./submit/submit-once.ts";

export interface SettleContext {
	readonly reader: Reader;
	readonly journal: Pick<Journal, "openEntries" | "recordOutcome" | "recordNeverArrived">;
	/** With `"documented"` activities cannot be read, and every entry stays as it is. */
	readonly reads: Reads;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Reads each open activity and records its outcome. Returns results by fingerprint. Throws StorageError, and errors of reads. */
export async function settleOpenEntries(
	organizationId: string,
	context: SettleContext,
): Promise<ReadonlyMap<string, SubmitResult>> {
	const settled = new Map<string, SubmitResult>();
	if (context.reads === "documented") return settled;
	for (const entry of context.journal.openEntries(organizationId)) {
		const result = settleEntry(entry, await findActivity(entry, context.reader), context);
		if (result === undefined) continue;
		settled.set(entry.body.fingerprint, result);
		if (result.journalError !== null) throw result.journalError;
	}
	return settled;
}

/** Records what became of an entry's activity and returns it; undefined if what was found does not show it. */
export function settleEntry(
	entry: JournalEntry,
	found: ActivityLookup | undefined,
	context: Pick<SettleContext, "journal" | "now">,
): SubmitResult | undefined {
	const { journal, now } = context;
	const { fingerprint } = entry.body;
	if (found === undefined) return undefined;
	if ("activity" in found) {
		const result: SubmitResult = { ...outcomeOfActivity(found.activity), fingerprint, requests: 0 };
		const appliedObjects = result.outcome === "completed" ? appliedByEntry(entry) : undefined;
		return recordResult(result, entry.covers, appliedObjects, context);
	}
	// It never arrived and cannot arrive any more: an equal request may be submitted.
	const isGone = entry.activityId === null && hasExpired(entry, found.serverTimeMs, now());
	if (isGone) journal.recordNeverArrived(fingerprint, now());
	return undefined;
}
