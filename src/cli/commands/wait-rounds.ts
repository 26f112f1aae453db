/** The readings of `wait`: which activities are read again, when, and what is shown of each. */

import { ServiceError, TransportError } from "../../common/errors.ts";
import { showText } from "../../common/escape.ts";
import { findEvents, type SeenActivity } from "../../plan/activities/activity-events.ts";
import type { UserNames } from "../../plan/users.ts";
import { phraseText } from "../../render/print/text.ts";
import type { EndedActivity } from "../../render/result/result.ts";
import { nameActivity } from "../../render/sections/status.ts";
import { sayEvent, saySeen } from "../../say/activities.ts";
import { isOpen, type Journal, type JournalEntry, knownOutcome } from "../../sync/journal/journal.ts";
import type { ActivityRecord } from "../../sync/read/list-activities.ts";
import { findActivity, readRequested } from "../../sync/read/pending-activities.ts";
import { readAgain } from "../../sync/read/read-again.ts";
import { settleEntry } from "../../sync/settle.ts";
import { isPendingOutcome, outcomeOfStatus } from "../../sync/submit/outcomes.ts";
import { nextPauseMs, readingIntervalMs } from "../../sync/wait-for-end.ts";
import { type Activity, readAnyActivity } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import type { Flags } from "../flags/given-flags.ts";
import type { Call } from "../output/output.ts";
import type { OrganizationFlags } from "./selection.ts";

export type WaitFlags = OrganizationFlags & Flags<"wait">;

/** An activity that `wait` waits for, as it was read last. */
export interface Watched extends Omit<EndedActivity, "message"> {
	readonly organizationId: string;
	/** `ACTIVITY_TYPE_…`; null for an operation that orgsync does not submit. */
	readonly type: string | null;
	readonly userNames: UserNames["userNames"];
	/** Whether the journal has it: then it records the outcome. */
	readonly isOurs: boolean;
	/** Whether the service returned it. */
	readonly isRead: boolean;
	/** Null if it was never read. */
	readonly seen: SeenActivity | null;
}

export interface WaitRun extends Call<WaitFlags> {
	readonly journal: Journal;
	readonly reader: Reader;
}

/** Reads at growing intervals until all have ended, or the time is over, and returns them as they were read last. */
export async function pollUntilEnded(watched: readonly Watched[], run: WaitRun): Promise<readonly Watched[]> {
	const { terminal, output, flags } = run;
	const untilMs = terminal.now() + flags.wait * 1000;
	let now = await readAll(watched, ({ isRead }) => !isRead, run);
	let isFirst = true;
	for (let pauseMs = nextPauseMs(); ; pauseMs = nextPauseMs(pauseMs)) {
		// An activity that cannot be read now cannot be read later either.
		const pending = now.filter(isUnended);
		const leftMs = untilMs - terminal.now();
		if (pending.length === 0 || leftMs <= 0) return now;
		if (isFirst) for (const one of pending) output.note(`${nameActivity(one)}: ${phraseText(saySeen(one.seen, one))}`);
		isFirst = false;
		output.progress(`waiting: ${pending.length} not ended yet, ${Math.ceil(leftMs / 60_000)} min left`);
		output.detail(`${pending.length} not ended yet`);
		const organizations = new Set(pending.map(({ organizationId }) => organizationId)).size;
		await terminal.sleep(Math.min(Math.max(pauseMs, organizations * readingIntervalMs), leftMs));
		try {
			now = await readAll(now, isUnended, run);
		} catch (error) {
			if (!(error instanceof TransportError || error instanceof ServiceError)) throw error;
			output.note(`pending activities could not be read, and will be read again: ${showText(error.message)}`);
		}
	}
}

function isUnended({ outcome, isRead }: Watched): boolean {
	return isRead && (outcome === "unknown" || isPendingOutcome(outcome));
}

/** Reads some of the activities again, and shows what is new of each. */
async function readAll(
	all: readonly Watched[],
	isWanted: (one: Watched) => boolean,
	run: WaitRun,
): Promise<readonly Watched[]> {
	const byOrganization = Map.groupBy(all.filter(isWanted), ({ organizationId }) => organizationId);
	const updated = new Map<Watched, Watched>();
	for (const [organizationId, some] of byOrganization) {
		const known = some.flatMap(({ activityId, type }) => (activityId === null ? [] : [{ activityId, type }]));
		const records =
			run.flags.reads === "auto" && known.length > 0
				? await readAgain(organizationId, known, run.reader)
				: new Map<string, ActivityRecord>();
		for (const one of some) updated.set(one, await update(one, records, run));
	}
	for (const [before, now] of updated) {
		for (const event of now.events.slice(before.events.length)) {
			run.output.note(`${nameActivity(now)}: ${phraseText(sayEvent(event, now))}`);
		}
	}
	return all.map((one) => updated.get(one) ?? one);
}

async function update(one: Watched, records: ReadonlyMap<string, ActivityRecord>, run: WaitRun): Promise<Watched> {
	const { journal, flags, terminal } = run;
	const record = records.get(one.activityId?.toLowerCase() ?? "");
	if (!one.isOurs) {
		if (record === undefined) return { ...one, outcome: "unknown", isRead: false };
		const activity = readAnyActivity(record);
		return withActivity({ ...one, outcome: outcomeOfStatus(activity.status), isRead: true }, activity, terminal.now());
	}
	const entry = journal.entry(one.fingerprint ?? "");
	const activity = entry === undefined || flags.reads === "documented" ? undefined : await settle(entry, record, run);
	const settled = journal.entry(one.fingerprint ?? "");
	const now: Watched = {
		...one,
		activityId: settled?.activityId ?? one.activityId,
		outcome: settled === undefined ? "unknown" : knownOutcome(settled),
		isRead: activity !== undefined || (settled !== undefined && !isOpen(settled)),
	};
	return activity === undefined ? now : withActivity(now, activity, terminal.now());
}

/** Records what became of an entry of the journal, and returns its activity; undefined if the service does not show it. */
async function settle(entry: JournalEntry, record: ActivityRecord | undefined, run: WaitRun) {
	const { journal, reader, terminal } = run;
	// Another process may have recorded how it ended.
	if (!isOpen(entry)) return undefined;
	const requested = record === undefined ? undefined : readRequested(entry, record);
	if (requested !== undefined && outcomeOfStatus(requested.status) === entry.outcome) return requested;
	const found =
		entry.activityId === null
			? await findActivity(entry, reader)
			: requested === undefined
				? undefined
				: { activity: requested };
	const result = settleEntry(entry, found, { journal, now: terminal.now });
	if (result !== undefined && result.journalError !== null) throw result.journalError;
	return result?.activity ?? undefined;
}

function withActivity(one: Watched, activity: Activity, nowMs: number): Watched {
	const events = one.seen === null ? [] : findEvents(one.seen, activity, nowMs);
	return { ...one, seen: activity, events: [...one.events, ...events] };
}
