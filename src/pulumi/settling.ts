/**
 * What became of activities that have not ended. In this room settling only reads: a journal and a state are evidence, and
 * nothing is submitted because they hold it. Where the service cannot be asked, a resource resubmits the same request, but
 * only its own, and only if a step of its current plan wants exactly that.
 */
import type { Plan, Reads } from "../plan/plan.ts";
import { wishOf } from "../sync/journal.ts";
import { rememberEntry } from "../sync/remember.ts";
import { canSendAgain, noteActivity, type SendContext, type Sent, settleEntry } from "../sync/send.ts";
import { findActivity } from "../sync/waiting.ts";
import type { Reader } from "../wire/client.ts";
import { decodeExactly } from "./kept-read.ts";

export interface SettlingContext extends Omit<SendContext, "serverTimeMs"> {
	readonly reader: Reader;
	readonly reads: Reads;
	/** What became of activities so far, by fingerprint. Grows. */
	readonly settled: Map<string, Sent>;
}

/** Asks the service about each open activity that is not settled yet. Returns whether one completed. */
export async function settleByReading(organizationId: string, context: SettlingContext): Promise<boolean> {
	if (context.reads !== "auto") return false;
	const { journal, reader, settled, now } = context;
	let completed = false;
	for (const entry of journal.open(organizationId)) {
		const { fingerprint } = entry.body;
		if (settled.has(fingerprint)) continue;
		const found = await findActivity(entry, reader);
		if (found === undefined) continue;
		if (found === "none") {
			// It never arrived, and now it never can: its wish may be submitted again.
			if (!canSendAgain(entry, now())) journal.settled(fingerprint, "not-attempted", null, now());
			continue;
		}
		// Another activity's end says nothing about this one.
		if (found.fingerprint !== fingerprint) continue;
		completed = note(organizationId, fingerprint, noteActivity(entry, found, context), context) || completed;
	}
	return completed;
}

/**
 * Resubmits the same request for each step that joins an activity of our own journal, which the service could not be asked
 * about. Returns whether one was submitted: then what is pending has to be read again.
 */
export async function resubmitJoined(plan: Plan, context: SettlingContext): Promise<boolean> {
	const { journal, settled } = context;
	let submitted = false;
	for (const { waitsFor, operation, parameters } of plan.steps) {
		if (waitsFor?.verdict !== "joins" || settled.has(waitsFor.fingerprint)) continue;
		const { fingerprint } = waitsFor;
		const isOurs = plan.waiting.some((one) => one.fingerprint === fingerprint && one.saidBy === "journal");
		const entry = isOurs ? journal.entry(fingerprint) : undefined;
		if (entry === undefined) continue;
		const wanted = wishOf(plan.organizationId, operation, parameters);
		const body = decodeExactly(entry.body.bytes);
		if (body?.wish !== wanted || body.fingerprint !== fingerprint) continue;
		// Only decoded bytes are submitted: the entry itself is not trusted.
		const sent = await settleEntry({ ...entry, body }, { ...context, serverTimeMs: undefined });
		if (sent === undefined) continue;
		note(plan.organizationId, fingerprint, sent, context);
		submitted = true;
	}
	return submitted;
}

/** Records what became of an activity. Returns whether it completed. */
function note(organizationId: string, fingerprint: string, sent: Sent, context: SettlingContext): boolean {
	const { journal, settled, now } = context;
	settled.set(fingerprint, sent);
	const entry = journal.entry(fingerprint);
	if (sent.outcome !== "completed" || entry === undefined) return false;
	const memory = journal.memory(organizationId);
	journal.remember(organizationId, rememberEntry(entry, memory, new Date(now()).toISOString()));
	return true;
}
