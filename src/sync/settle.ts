/**
 * What the journal holds open, settled by reading before anything is planned. It is handed a Reader and cannot submit:
 * bytes follow only when a step of the present plan asks for them.
 */
import type { Reads } from "../plan/plan.ts";
import type { Reader } from "../wire/client.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { judgeActivity, type Sent } from "./outcomes.ts";
import { rememberEntry } from "./remember.ts";
import { record } from "./send.ts";
import { findActivity, isExpired } from "./waiting.ts";

export interface SettleContext {
	readonly reader: Reader;
	readonly journal: Pick<Journal, "open" | "settled" | "neverArrived">;
	/** With `"documented"` nothing can be read of activities, and everything stays as it is. */
	readonly reads: Reads;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/**
 * What was read of each open activity of the organization, by its fingerprint; the journal notes it. Throws what
 * Reader.query throws, other than 403, 404 and 501 of the service itself, and StorageError.
 */
export async function settle(organizationId: string, context: SettleContext): Promise<ReadonlyMap<string, Sent>> {
	const settled = new Map<string, Sent>();
	if (context.reads === "documented") return settled;
	for (const entry of context.journal.open(organizationId)) {
		const sent = await settleOne(entry, context);
		if (sent === undefined) continue;
		settled.set(entry.body.fingerprint, sent);
		if (sent.unrecorded !== undefined) throw sent.unrecorded;
	}
	return settled;
}

async function settleOne(entry: JournalEntry, context: SettleContext): Promise<Sent | undefined> {
	const { journal, now, reader } = context;
	const { fingerprint } = entry.body;
	const found = await findActivity(entry, reader);
	if (found === undefined) return undefined;
	if ("activity" in found) {
		const sent: Sent = { ...judgeActivity(found.activity), fingerprint, requests: 0 };
		const remember = sent.outcome === "completed" ? rememberEntry(entry) : undefined;
		return record(sent, entry.covers, remember, context);
	}
	// It never arrived, and now it never can: its wish may be submitted again.
	const isGone = entry.activityId === null && isExpired(entry, found.serverTimeMs ?? now());
	if (isGone) journal.neverArrived(fingerprint, now());
	return undefined;
}
