/**
 * Activities that have not ended: as the service lists them where that can be read, else as the journal remembers them.
 * And what became of one that the journal holds open, by reading instead of sending.
 */
import { ServiceError } from "../errors.ts";
import type { Reads } from "../plan/plan.ts";
import type { Step } from "../plan/steps.ts";
import type { WaitingActivity } from "../plan/waiting.ts";
import { type Activity, isRecord, readActivity } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type SubmitOperation, submits } from "../wire/operations.ts";
import type { Journal, JournalEntry } from "./journal.ts";

/** The operations of steps, by the type of their activities; the import of a private key never enters a plan. */
const planned: ReadonlyMap<string, SubmitOperation & { readonly name: Step["operation"] }> = new Map(
	[
		submits.update_user_tag,
		submits.delete_oauth_providers,
		submits.delete_policies,
		submits.delete_tvc_app_and_deployments,
	].map((operation) => [operation.type, operation]),
);

/** Statuses of an activity that can still end one way or another (service-facts.md, "Activity"). */
const waitingStatuses = [
	"ACTIVITY_STATUS_CREATED",
	"ACTIVITY_STATUS_PENDING",
	"ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
];

/** Most activities in one answer of `list_activities` (service-facts.md, last table). */
const pageLimit = 100;

/** More pages than this are not read: what waits is few, and each page is a request. */
const mostPages = 10;

/** An activity is never older than its body by more than this: five minutes ahead are accepted, and clocks differ. */
const clockMarginMs = 10 * 60 * 1000;

/** Activities that wait; unless `complete`, only those that the journal knows of, and of others nothing is known. */
export interface WaitingRead {
	readonly activities: readonly WaitingActivity[];
	readonly complete: boolean;
}

/**
 * The activities of an organization that wait, without those that were given up. With `"documented"` reads, and where the
 * service does not list activities, they are the journal's. Throws what Reader.query throws, other than 403, 404 and 501.
 */
export async function readWaiting(
	organizationId: string,
	reader: Reader,
	journal: Pick<Journal, "open" | "abandoned">,
	reads: Reads,
): Promise<WaitingRead> {
	const givenUp = new Set([...journal.abandoned(organizationId)].map((name) => name.toLowerCase()));
	const listed = reads === "auto" ? await listWaiting(organizationId, reader) : undefined;
	const found = listed ?? journal.open(organizationId).flatMap(fromEntry);
	const activities = found.filter(
		({ activityId, fingerprint }) => !givenUp.has(activityId.toLowerCase()) && !givenUp.has(fingerprint),
	);
	return { activities, complete: listed !== undefined };
}

/** One activity as the service has it now; undefined when the service does not say, or does not know it. */
export async function readOneActivity(entry: JournalEntry, reader: Reader): Promise<Activity | undefined> {
	if (entry.activityId === null) return undefined;
	const fields = { organizationId: entry.body.organizationId, activityId: entry.activityId };
	const answer = await orUndefined(() => reader.query(extendedReads.get_activity, fields));
	const activity = answer?.value.activity;
	return isRecord(activity) ? readActivity(entry.body.operation, activity) : undefined;
}

/**
 * The activity that these bytes made, found by its fingerprint. `"none"` when the list reaches back beyond the time they
 * were made and does not have it: then they never arrived. Undefined when the service does not list activities, or not
 * that far.
 */
export async function findActivity(entry: JournalEntry, reader: Reader): Promise<Activity | "none" | undefined> {
	const { operation, organizationId, fingerprint, timestampMs } = entry.body;
	const filters = { organizationId, filterByType: [operation.type] };
	let complete = false;
	for await (const page of pages(reader, filters)) {
		const found = page.find((activity) => activity.fingerprint === fingerprint);
		if (found !== undefined) return readActivity(operation, found);
		const last = page.at(-1);
		const lastMs = last === undefined ? undefined : readActivity(operation, last).createdAtMs;
		complete = page.length < pageLimit || (lastMs !== undefined && lastMs < timestampMs - clockMarginMs);
		if (complete) break;
	}
	return complete ? "none" : undefined;
}

async function listWaiting(organizationId: string, reader: Reader): Promise<readonly WaitingActivity[] | undefined> {
	const filters = { organizationId, filterByStatus: waitingStatuses, filterByType: [...planned.keys()] };
	const found: WaitingActivity[] = [];
	let readable = false;
	for await (const page of pages(reader, filters)) {
		readable = true;
		found.push(...page.flatMap(fromRecord));
	}
	return readable ? found : undefined;
}

type Page = readonly Readonly<Record<string, unknown>>[];

/** The pages of `list_activities`, newest first; none at all when the service does not have it or denies it. */
async function* pages(reader: Reader, filters: Readonly<Record<string, unknown>>): AsyncGenerator<Page> {
	let before: string | undefined;
	for (let count = 0; count < mostPages; count += 1) {
		const paginationOptions = { limit: String(pageLimit), ...(before === undefined ? {} : { before }) };
		const fields = { ...filters, paginationOptions };
		const answer = await orUndefined(() => reader.query(extendedReads.list_activities, fields));
		if (answer === undefined) return;
		const activities = (answer.value.activities ?? []) as Page;
		yield activities;
		const last = activities.at(-1)?.id;
		if (activities.length < pageLimit || typeof last !== "string") return;
		before = last;
	}
}

async function orUndefined<T>(ask: () => Promise<T>): Promise<T | undefined> {
	try {
		return await ask();
	} catch (error) {
		if (error instanceof ServiceError && [403, 404, 501].includes(error.httpStatus)) return undefined;
		throw error;
	}
}

function fromRecord(record: Readonly<Record<string, unknown>>): readonly WaitingActivity[] {
	const operation = planned.get(String(record.type));
	if (operation === undefined || !waitingStatuses.includes(String(record.status))) return [];
	const activity = readActivity(operation, record);
	return [
		{
			activityId: activity.id,
			fingerprint: activity.fingerprint,
			status: activity.status,
			operation: operation.name,
			parameters: activity.intent ?? {},
			createdAt: activity.createdAtMs === undefined ? null : new Date(activity.createdAtMs).toISOString(),
			approvedBy: activity.votes
				.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED")
				.flatMap(({ userId }) => (userId === undefined ? [] : [userId])),
			saidBy: "service",
		},
	];
}

const statusOf = {
	"awaiting-approval": "ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"awaiting-authenticator": "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
} as const;

function fromEntry(entry: JournalEntry): readonly WaitingActivity[] {
	const operation = planned.get(entry.body.operation.type);
	const { activityId, outcome } = entry;
	if (operation === undefined || activityId === null) return [];
	if (outcome !== "awaiting-approval" && outcome !== "awaiting-authenticator") return [];
	const { parameters } = JSON.parse(entry.body.bytes) as { parameters: Record<string, unknown> };
	return [
		{
			activityId,
			fingerprint: entry.body.fingerprint,
			status: statusOf[outcome],
			operation: operation.name,
			parameters,
			createdAt: new Date(entry.sentAtMs).toISOString(),
			approvedBy: null,
			saidBy: "journal",
		},
	];
}
