/** Reads pending activities from the service's list, or from the journal, and finds the activity of an entry. */
import { isRecord } from "../../common/json.ts";
import { approversOf, isCounting } from "../../plan/activities/activity-events.ts";
import type { PendingActivity } from "../../plan/activities/pending.ts";
import type { CompletedActivity } from "../../plan/guards/finding.ts";
import type { Reads } from "../../plan/plan.ts";
import type { ActivityState } from "../../plan/step.ts";
import type { NotRead } from "../../policy/access.ts";
import { type Activity, readActivity } from "../../wire/activity.ts";
import { findMismatch } from "../../wire/activity-mismatch.ts";
import type { Reader } from "../../wire/client.ts";
import { bodyLifetimeMs, type SubmitOperation, submits, type WriteName, writes } from "../../wire/operations.ts";
import { parametersOf } from "../../wire/request-body.ts";
import type { Journal, JournalEntry } from "../journal/journal.ts";
import { completedStatus, readCompleted, withJournal } from "./completed-activities.ts";
import {
	type ActivityRecord,
	endedStatuses,
	listPages,
	maxListedActivities,
	type Page,
	readActivityRecord,
} from "./list-activities.ts";
import { confirmOrganization } from "./live-queries.ts";

/** The writes by the type of their activities; no other type is listed. */
const byType: ReadonlyMap<string, SubmitOperation & { readonly name: WriteName }> = new Map(
	Object.values(writes).map((operation) => [operation.type, operation]),
);

/** Statuses of an activity that has not ended (docs/internals/service.md#activity-statuses). */
export const pendingStatuses: readonly string[] = [
	"ACTIVITY_STATUS_CREATED",
	"ACTIVITY_STATUS_PENDING",
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
];

/** Max milliseconds by which an activity is older than its body: the service accepts five minutes ahead, and clocks differ. */
const clockMarginMs = 10 * 60 * 1000;

/** Max pages in which the activity of a request in doubt is looked up; one that is not found there stays in doubt. */
const maxLookupPages = 10;

/** Activities that are pending, as far as they are known. */
export type PendingActivities = Awaited<ReturnType<typeof readPendingActivities>>;

export interface PendingOptions {
	readonly reads: Reads;
	/** Our own clock, milliseconds since 1970. */
	readonly nowMs: number;
	/** The operations to read; all five when left out. */
	readonly operations?: readonly WriteName[];
	/** Whether to list the activities of all five, so that readings of other operations can share the answer. */
	readonly listsAll?: boolean;
	/** Whether to confirm the organization with a service that lists no activities: it may not exist. */
	readonly confirms?: boolean;
	/** Whether to read how activities ended that the service lists no longer; false when left out. */
	readonly asksForEnds?: boolean;
	/** The journal's completed activities, if completed ones are asked for: the service's come with the pending ones. */
	readonly completedEntries?: readonly JournalEntry[];
}

/**
 * Reads the pending activities of an organization, and adds the journal's requests in doubt. With `"documented"` reads, and
 * if the service lists no activities, the pending ones are the journal's. Throws what Reader.query throws, other than 403,
 * 404 and 501 of the service.
 */
export async function readPendingActivities(
	organizationId: string,
	reader: Reader,
	journal: Pick<Journal, "openEntries" | "abandonedNames">,
	{ reads, nowMs, operations, listsAll = false, confirms, asksForEnds = false, completedEntries }: PendingOptions,
) {
	const isWanted = (name: WriteName): boolean => operations === undefined || operations.includes(name);
	const open = journal.openEntries(organizationId);
	const types = typesOf(operations, open);
	const asksForCompleted = completedEntries !== undefined;
	// Completed activities of other types would hide those that are asked for.
	const filterByType = listsAll && !asksForCompleted ? [...new Set([...typesOf(undefined, open), ...types])] : types;
	const listed =
		reads === "auto" ? await listPending(organizationId, { types, filterByType, asksForCompleted }, reader) : undefined;
	if (confirms === true && reads === "auto" && listed === undefined) {
		await confirmOrganization((operation) => reader.query(operation, { organizationId }));
	}
	const listedFingerprints = new Set(listed?.activities.map(({ fingerprint }) => fingerprint));
	const found = [...(listed?.activities ?? [])];
	const rejected: PendingActivity[] = [];
	for (const entry of open) {
		if (listedFingerprints.has(entry.body.fingerprint) || !isWanted(entry.body.operation.name as WriteName)) continue;
		// A pending activity that the service lists no longer has ended. A request in doubt may never have arrived.
		const hasEnded = !isInDoubt(entry) && listed?.complete === true;
		const mustRead = listed !== undefined && (isInDoubt(entry) || (hasEnded && asksForEnds));
		const end = mustRead ? await readEnd(entry, reader, nowMs) : "open";
		if (end === "rejected") rejected.push({ ...toPendingActivity(entry), ...rejectedState });
		else if (end === "missing") found.push({ ...toPendingActivity(entry), isMissing: true });
		else if (end === "open" && !hasEnded) found.push(toPendingActivity(entry));
	}
	const names = new Set([...journal.abandonedNames(organizationId)].map((name) => name.toLowerCase()));
	const isAbandoned = ({ activityId, fingerprint }: PendingActivity): boolean =>
		names.has(activityId?.toLowerCase() ?? "") || names.has(fingerprint.toLowerCase());
	return {
		activities: found.filter((one) => !isAbandoned(one)),
		/** Those that were abandoned and are still pending: nothing waits for them. */
		abandoned: found.filter(isAbandoned),
		/** Those of the journal that were rejected after the journal last recorded them. */
		rejected,
		/** Why there may be others; null if the service listed them all. */
		unlisted: whyUnlisted(listed),
		/** Whether the service lists more activities than were read: a duplicate could be among them. */
		isCutOff: listed?.complete === false,
		/** Completed ones that changed user tags, the newest first, as far as they are known; empty where they were not asked for. */
		completed: withJournal(listed?.completed ?? [], completedEntries ?? []),
	};
}

/** Returns the types of these operations; of the five and of what the journal has where none is named: a service may lack others. */
function typesOf(operations: readonly WriteName[] | undefined, open: readonly JournalEntry[]): readonly string[] {
	if (operations !== undefined) return operations.map((name) => writes[name].type);
	return [...new Set([...Object.values(submits), ...open.map(({ body }) => body.operation)].map(({ type }) => type))];
}

function whyUnlisted(listed: Listed | undefined): NotRead | null {
	if (listed === undefined) return { kind: "activities-denied" };
	if (listed.complete) return null;
	const read = listed.activities.length;
	return { kind: "activities-cut-off", read, isMost: read >= maxListedActivities };
}

/** Whether it was submitted and no answer, or none that orgsync knows, shows what became of it. */
function isInDoubt({ outcome }: JournalEntry): boolean {
	return outcome === "in-flight" || outcome === "unknown";
}

/** How an entry ended: `over`, also if it never arrived and cannot any more; `missing` if it can still arrive. */
type End = "open" | "over" | "rejected" | "missing";

async function readEnd(entry: JournalEntry, reader: Reader, nowMs: number): Promise<End> {
	const found = await findActivity(entry, reader);
	if (found === undefined) return "open";
	if ("missing" in found) return hasExpired(entry, found.serverTimeMs, nowMs) ? "over" : "missing";
	if (found.activity.status === "ACTIVITY_STATUS_REJECTED") return "rejected";
	return endedStatuses.includes(found.activity.status) ? "over" : "open";
}

/** The activity of an entry, or that no list has it, with the service's clock at that time. */
export type ActivityLookup =
	| { readonly activity: Activity }
	| { readonly missing: true; readonly serverTimeMs: number | undefined };

/**
 * Finds the activity of an entry by its id if one is known, otherwise by its fingerprint. It is missing if the list reaches
 * back to before the request was made and does not have it: then the request never arrived. Undefined if the service does
 * not say: it has no such query, does not know the id, answers with another activity, or lists too few.
 */
export async function findActivity(entry: JournalEntry, reader: Reader): Promise<ActivityLookup | undefined> {
	return entry.activityId === null ? findByFingerprint(entry, reader) : readById(entry, entry.activityId, reader);
}

/** Whether the service cannot accept these bytes any more, by its answer and our clock: one stray `Date` proves nothing. */
export function hasExpired(
	{ body }: Pick<JournalEntry, "body">,
	serverTimeMs: number | undefined,
	nowMs: number,
): boolean {
	return Math.min(serverTimeMs ?? nowMs, nowMs) - body.timestampMs > bodyLifetimeMs + clockMarginMs;
}

async function readById(entry: JournalEntry, activityId: string, reader: Reader): Promise<ActivityLookup | undefined> {
	const found = await readActivityRecord(entry.body.organizationId, activityId, reader);
	return found && activityOf(entry, found.record);
}

async function findByFingerprint(entry: JournalEntry, reader: Reader): Promise<ActivityLookup | undefined> {
	const { operation, organizationId, fingerprint, timestampMs } = entry.body;
	const filters = { organizationId, filterByType: [operation.type] };
	for await (const page of listPages(reader, filters, { max: maxLookupPages })) {
		const found = page.activities.find((activity) => activity.fingerprint === fingerprint);
		if (found !== undefined) return activityOf(entry, found);
		const { isLast, listedSinceMs = Number.POSITIVE_INFINITY } = page;
		if (isLast || listedSinceMs < timestampMs - clockMarginMs)
			return { missing: true, serverTimeMs: page.serverTimeMs };
	}
	return undefined;
}

/** Returns the activity in a record if it is what the entry requested, otherwise undefined. */
export function readRequested({ body, activityId }: JournalEntry, record: ActivityRecord): Activity | undefined {
	const activity = readActivity(body.operation, record);
	const isOther = activityId !== null && activity.id.toLowerCase() !== activityId.toLowerCase();
	return isOther || findMismatch(body, activity) !== null ? undefined : activity;
}

function activityOf(entry: JournalEntry, record: ActivityRecord): ActivityLookup | undefined {
	const activity = readRequested(entry, record);
	return activity === undefined ? undefined : { activity };
}

interface ListQuestion {
	readonly types: readonly string[];
	readonly filterByType: readonly string[];
	readonly asksForCompleted: boolean;
}

interface Listed {
	readonly activities: readonly PendingActivity[];
	/** Whether the last page was read. */
	readonly complete: boolean;
	readonly completed: readonly CompletedActivity[];
}

/** Returns pending activities of these types, which `filterByType` has, and completed ones beside them; undefined if unlisted. */
async function listPending(
	organizationId: string,
	{ types, filterByType, asksForCompleted }: ListQuestion,
	reader: Reader,
): Promise<Listed | undefined> {
	const filters = { organizationId, filterByType };
	const pages: Page[] = [];
	if (asksForCompleted) {
		for await (const page of listPages(reader, { ...filters, filterByStatus: [...pendingStatuses, completedStatus] })) {
			pages.push(page);
			// Pending ones are fewer, so they are listed alone where the list goes on behind completed ones.
			if (page.activities.some(({ status }) => status === completedStatus)) break;
		}
		if (pages.length === 0) return undefined;
	}
	const last = pages.at(-1);
	const isNewest = last !== undefined && (last.isLast || last.listedSinceMs !== undefined);
	const completed = isNewest ? readCompleted(last.activities) : [];
	if (last !== undefined && (last.isLast || !last.activities.some(({ status }) => status === completedStatus))) {
		return { ...readPending(pages, types), completed };
	}
	const alone: Page[] = [];
	for await (const page of listPages(reader, { ...filters, filterByStatus: pendingStatuses })) alone.push(page);
	return alone.length === 0 ? undefined : { ...readPending(alone, types), completed };
}

function readPending(pages: readonly Page[], types: readonly string[]): Pick<Listed, "activities" | "complete"> {
	const all = pages.flatMap(({ activities, serverTimeMs }) =>
		activities.filter((one) => types.includes(String(one.type))).map((one) => ({ one, serverTimeMs })),
	);
	// An activity without an intent could do anything.
	const isReadable = all.every(({ one }) => one.status === completedStatus || isRecord(one.intent));
	return {
		activities: all.flatMap((listed) => toListedActivity(listed.one, listed.serverTimeMs)),
		complete: pages.at(-1)?.isLast === true && isReadable,
	};
}

function toListedActivity(record: ActivityRecord, atMs: number | undefined): readonly PendingActivity[] {
	const operation = byType.get(String(record.type));
	if (operation === undefined || !pendingStatuses.includes(String(record.status))) return [];
	const activity = readActivity(operation, record);
	return [pendingOf(activity, atMs, { operation: operation.name, parameters: activity.intent ?? {} })];
}

/** Returns a pending activity that the service lists. `about`: the members that say what it changes; `atMs`: by the service's clock; undefined if unknown. */
export function pendingOf<About extends object>(activity: Activity, atMs: number | undefined, about: About) {
	const { id: activityId, fingerprint, status, createdAtMs } = activity;
	return {
		...{ activityId, fingerprint, state: "pending" as const, status },
		...about,
		createdAt: createdAtMs === undefined ? null : new Date(createdAtMs).toISOString(),
		...whoApproved(activity, atMs),
		saidBy: "service" as const,
	};
}

/** Returns who approved an activity so far, and what it calls them. `atMs`: by the service's clock; undefined if unknown. */
function whoApproved({ votes }: Activity, atMs = 0): Pick<PendingActivity, "approvedBy" | "lapsed" | "liveNames"> {
	const approvals = votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
	const liveNames = approvals.flatMap(({ userId, userName }) =>
		userId === undefined || userName === undefined ? [] : [[userId.toLowerCase(), userName] as const],
	);
	const judged = approvals.map(({ userId, createdAtMs = null }) => {
		return { userId, counts: isCounting({ castAtMs: createdAtMs }, atMs) };
	});
	return {
		...approversOf(judged),
		...(liveNames.length === 0 ? {} : { liveNames: Object.fromEntries(liveNames) }),
	};
}

const rejectedState: ActivityState = { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" };

/** By outcome; every other outcome, and none, leaves an entry in doubt. */
const states: Partial<Record<JournalEntry["outcome"], ActivityState>> = {
	"awaiting-approval": { state: "pending", status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
	"awaiting-authenticator": { state: "pending", status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" },
	rejected: rejectedState,
};

/** Returns a journal entry as an activity that may be pending, or was rejected. */
export function toPendingActivity({ body, activityId, outcome, sentAtMs }: JournalEntry): PendingActivity {
	return {
		activityId,
		fingerprint: body.fingerprint,
		...(states[outcome] ?? { state: "in-doubt" }),
		operation: body.operation.name as WriteName,
		parameters: parametersOf(body),
		createdAt: new Date(sentAtMs).toISOString(),
		approvedBy: null,
		saidBy: "journal",
	};
}
