/**
 * Activities that are pending: as the service lists them where that can be read, else as the journal remembers them, and
 * what the journal sent without an answer. And what became of one that the journal holds open, by reading instead of
 * sending.
 */
import { isUnavailable } from "../errors.ts";
import type { Reads } from "../plan/plan.ts";
import type { ActivityState } from "../plan/step.ts";
import type { WaitingActivity } from "../plan/waiting.ts";
import { type Activity, isRecord, readActivity } from "../wire/activity.ts";
import { findMismatch } from "../wire/activity-mismatch.ts";
import type { Reader } from "../wire/client.ts";
import { bodyLifetimeMs, extendedReads, type SubmitName, type SubmitOperation, submits } from "../wire/operations.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { type ActivityRecord, listPages } from "./list-activities.ts";
import { confirmOrganization } from "./live-queries.ts";

/** Our five operations by the type of their activities; a list is never asked for any other. */
const byType: ReadonlyMap<string, SubmitOperation & { readonly name: SubmitName }> = new Map(
	Object.values(submits).map((operation) => [operation.type, operation]),
);

/** Statuses of an activity that can still end one way or another (docs/service.md#activity-statuses). */
const waitingStatuses = [
	"ACTIVITY_STATUS_CREATED",
	"ACTIVITY_STATUS_PENDING",
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
];

/** Statuses of an activity that nothing can come of any more. */
const endedStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

/** An activity is never older than its body by more than this: five minutes ahead are accepted, and clocks differ. */
const clockMarginMs = 10 * 60 * 1000;

/** Activities that are pending, as far as they are known. */
export interface PendingActivities {
	readonly activities: readonly WaitingActivity[];
	/** Those that were abandoned and are still pending: they hold nothing back. */
	readonly abandoned: readonly WaitingActivity[];
	/** Those of the journal that were rejected since the journal last heard of them. */
	readonly rejected: readonly WaitingActivity[];
	/** Why there may be others, of which nothing is known; null when the service listed them all. */
	readonly unlisted: string | null;
	/** Whether the service lists activities and the end of the list was not reached: a duplicate could hide there. */
	readonly isCutOff: boolean;
}

export interface PendingOptions {
	readonly reads: Reads;
	/** Our own clock, milliseconds since 1970. */
	readonly nowMs: number;
	/** The operations that matter; left out, all five. */
	readonly operations?: readonly SubmitName[];
	/** Whether a service that lists no activities is asked if it has the organization: it may be that which is missing. */
	readonly confirms?: boolean;
	/** Whether to ask how those ended that the service lists no more; left out, they are not asked for. */
	readonly asksForEnds?: boolean;
}

/**
 * The activities of an organization that are pending, and what our journal sent without an answer. With `"documented"`
 * reads, and where the service does not list activities, those that are pending are the journal's. Throws what
 * Reader.query throws, other than 403, 404 and 501 of the service itself.
 */
export async function readPendingActivities(
	organizationId: string,
	reader: Reader,
	journal: Pick<Journal, "openEntries" | "abandonedNames">,
	{ reads, nowMs, operations, confirms, asksForEnds = false }: PendingOptions,
): Promise<PendingActivities> {
	const isAskedFor = (name: SubmitName): boolean => operations === undefined || operations.includes(name);
	const types = [...byType.values()].filter(({ name }) => isAskedFor(name)).map(({ type }) => type);
	const listed = reads === "auto" ? await listWaiting(organizationId, types, reader) : undefined;
	if (confirms === true && reads === "auto" && listed === undefined) {
		await confirmOrganization((operation) => reader.query(operation, { organizationId }));
	}
	const heardOf = new Set(listed?.activities.map(({ fingerprint }) => fingerprint));
	const found = [...(listed?.activities ?? [])];
	const rejected: WaitingActivity[] = [];
	for (const entry of journal.openEntries(organizationId)) {
		if (heardOf.has(entry.body.fingerprint) || !isAskedFor(entry.body.operation.name as SubmitName)) continue;
		// What the service said to be pending, and lists no more, has ended; one in doubt may never have begun.
		const hasEnded = !isInDoubt(entry) && listed?.complete === true;
		const isAsked = listed !== undefined && (isInDoubt(entry) || (hasEnded && asksForEnds));
		const end = isAsked ? await endOf(entry, reader, nowMs) : "open";
		if (end === "rejected") rejected.push({ ...toPendingActivity(entry), ...rejectedState });
		else if (end === "open" && !hasEnded) found.push(toPendingActivity(entry));
	}
	const names = new Set([...journal.abandonedNames(organizationId)].map((name) => name.toLowerCase()));
	const isAbandoned = ({ activityId, fingerprint }: WaitingActivity): boolean =>
		names.has(activityId?.toLowerCase() ?? "") || names.has(fingerprint.toLowerCase());
	return {
		activities: found.filter((one) => !isAbandoned(one)),
		abandoned: found.filter(isAbandoned),
		rejected,
		unlisted: whyUnlisted(listed),
		isCutOff: listed?.complete === false,
	};
}

function whyUnlisted(listed: Listed | undefined): string | null {
	if (listed === undefined) {
		return "the service does not list activities to this key, so only those of this journal are joined";
	}
	return listed.complete
		? null
		: `the service lists more pending activities than the ${listed.activities.length} that were read`;
}

/** Whether it was submitted without an answer, or with a status that orgsync does not know. */
function isInDoubt({ outcome }: JournalEntry): boolean {
	return outcome === "in-flight" || outcome === "unknown";
}

/**
 * What reading shows of a body: `over` when nothing can come of it any more, because its activity has ended or it never
 * arrived and is too old; `rejected` when its activity was rejected; else `open`.
 */
async function endOf(entry: JournalEntry, reader: Reader, nowMs: number): Promise<"open" | "over" | "rejected"> {
	const found = await findActivity(entry, reader);
	if (found === undefined) return "open";
	if ("missing" in found) return hasExpired(entry, found.serverTimeMs ?? nowMs) ? "over" : "open";
	if (found.activity.status === "ACTIVITY_STATUS_REJECTED") return "rejected";
	return endedStatuses.includes(found.activity.status) ? "over" : "open";
}

/** What reading shows of a body: its activity, or that no list has it (then by the service's clock at that time). */
export type ActivityLookup =
	| { readonly activity: Activity }
	| { readonly missing: true; readonly serverTimeMs: number | undefined };

/**
 * The activity that these bytes made: by its id where one is known, else by its fingerprint. It is missing when the list
 * reaches back beyond the time they were made and does not have it: then they never arrived. Undefined when the service
 * does not say: it has no such query, does not know the id, answers with another activity, or does not list that far back.
 */
export async function findActivity(entry: JournalEntry, reader: Reader): Promise<ActivityLookup | undefined> {
	return entry.activityId === null ? findByFingerprint(entry, reader) : readById(entry, entry.activityId, reader);
}

/** Whether the service can accept these bytes no more, with a margin for clocks. `serverTimeMs` is its own clock. */
export function hasExpired({ body }: Pick<JournalEntry, "body">, serverTimeMs: number): boolean {
	return serverTimeMs - body.timestampMs > bodyLifetimeMs + clockMarginMs;
}

async function readById(entry: JournalEntry, activityId: string, reader: Reader): Promise<ActivityLookup | undefined> {
	const { body } = entry;
	try {
		const fields = { organizationId: body.organizationId, activityId };
		const { activity } = (await reader.query(extendedReads.get_activity, fields)).value;
		return isRecord(activity) ? ours(entry, activity) : undefined;
	} catch (error) {
		if (isUnavailable(error)) return undefined;
		throw error;
	}
}

async function findByFingerprint(entry: JournalEntry, reader: Reader): Promise<ActivityLookup | undefined> {
	const { operation, organizationId, fingerprint, timestampMs } = entry.body;
	for await (const page of listPages(reader, { organizationId, filterByType: [operation.type] })) {
		const found = page.activities.find((activity) => activity.fingerprint === fingerprint);
		if (found !== undefined) return ours(entry, found);
		const last = page.activities.at(-1);
		const lastMs = last === undefined ? undefined : readActivity(operation, last).createdAtMs;
		const reachesBack = lastMs !== undefined && lastMs < timestampMs - clockMarginMs;
		if (page.isLast || reachesBack) return { missing: true, serverTimeMs: page.serverTimeMs };
	}
	return undefined;
}

/** The activity, if it is what the bytes of the entry asked for. */
function ours({ body, activityId }: JournalEntry, record: ActivityRecord): ActivityLookup | undefined {
	const activity = readActivity(body.operation, record);
	const isOther = activityId !== null && activity.id.toLowerCase() !== activityId.toLowerCase();
	return isOther || findMismatch(body, activity) !== null ? undefined : { activity };
}

interface Listed {
	readonly activities: readonly WaitingActivity[];
	/** Whether the last page was read. */
	readonly complete: boolean;
}

async function listWaiting(
	organizationId: string,
	filterByType: readonly string[],
	reader: Reader,
): Promise<Listed | undefined> {
	const filters = { organizationId, filterByStatus: waitingStatuses, filterByType };
	const activities: WaitingActivity[] = [];
	let complete: boolean | undefined;
	let isReadable = true;
	for await (const page of listPages(reader, filters)) {
		// Of an activity without an intent nobody knows what it would do.
		isReadable &&= page.activities.every((one) => !byType.has(String(one.type)) || isRecord(one.intent));
		complete = page.isLast && isReadable;
		activities.push(...page.activities.flatMap(fromRecord));
	}
	return complete === undefined ? undefined : { activities, complete };
}

function fromRecord(record: ActivityRecord): readonly WaitingActivity[] {
	const operation = byType.get(String(record.type));
	if (operation === undefined || !waitingStatuses.includes(String(record.status))) return [];
	const activity = readActivity(operation, record);
	const approvals = activity.votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
	const liveNames = approvals.flatMap(({ userId, userName }) =>
		userId === undefined || userName === undefined ? [] : [[userId.toLowerCase(), userName] as const],
	);
	return [
		{
			activityId: activity.id,
			fingerprint: activity.fingerprint,
			state: "pending",
			status: activity.status,
			operation: operation.name,
			parameters: activity.intent ?? {},
			createdAt: activity.createdAtMs === undefined ? null : new Date(activity.createdAtMs).toISOString(),
			approvedBy: approvals.flatMap(({ userId }) => userId ?? []),
			...(liveNames.length === 0 ? {} : { liveNames: Object.fromEntries(liveNames) }),
			saidBy: "service",
		},
	];
}

const rejectedState: ActivityState = { state: "rejected", status: "ACTIVITY_STATUS_REJECTED" };

/** By outcome; every other outcome, and none, leaves an entry in doubt. */
const states: Partial<Record<JournalEntry["outcome"], ActivityState>> = {
	"awaiting-approval": { state: "pending", status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
	"awaiting-authenticator": { state: "pending", status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED" },
	rejected: rejectedState,
};

/** An entry of the journal as an activity: one that may be pending, or was rejected. */
export function toPendingActivity({ body, activityId, outcome, sentAtMs }: JournalEntry): WaitingActivity {
	const { parameters } = JSON.parse(body.bytes) as { parameters: Record<string, unknown> };
	return {
		activityId,
		fingerprint: body.fingerprint,
		...(states[outcome] ?? { state: "in-doubt" }),
		operation: body.operation.name as SubmitName,
		parameters,
		createdAt: new Date(sentAtMs).toISOString(),
		approvedBy: null,
		saidBy: "journal",
	};
}
