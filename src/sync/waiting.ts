/**
 * Activities that have not ended: as the service lists them where that can be read, else as the journal remembers them, and
 * what the journal sent that nobody knows the end of. And what became of one that the journal holds open, by reading instead
 * of sending.
 */
import { ServiceError } from "../errors.ts";
import type { Reads } from "../plan/plan.ts";
import type { Step } from "../plan/steps.ts";
import type { WaitingActivity } from "../plan/waiting.ts";
import { type Activity, isRecord, readActivity } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type SubmitOperation, submits } from "../wire/operations.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { canSendAgain } from "./send.ts";

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

/** Statuses of an activity that nothing can come of any more. */
const endedStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

/** Most activities in one answer of `list_activities` (service-facts.md, last table). */
const pageLimit = 100;

/** More pages than this are not read: what waits is few, and each page is a request. */
const mostPages = 10;

/** An activity is never older than its body by more than this: five minutes ahead are accepted, and clocks differ. */
const clockMarginMs = 10 * 60 * 1000;

/** Activities that wait, as far as they are known. */
export interface WaitingRead {
	readonly activities: readonly WaitingActivity[];
	/** Why there may be others, of which nothing is known; null when the service listed them all. */
	readonly unlisted: string | null;
}

/**
 * The activities of an organization that wait, and what our journal sent of which nobody knows what became, without what
 * was given up. With `"documented"` reads, and where the service does not list activities, those that wait are the
 * journal's. Throws what Reader.query throws, other than 403, 404 and 501.
 */
export async function readWaiting(
	organizationId: string,
	reader: Reader,
	journal: Pick<Journal, "open" | "abandoned">,
	reads: Reads,
	nowMs: number,
): Promise<WaitingRead> {
	const givenUp = new Set([...journal.abandoned(organizationId)].map((name) => name.toLowerCase()));
	const listed = reads === "auto" ? await listWaiting(organizationId, reader) : undefined;
	const heardOf = new Set(listed?.activities.map(({ fingerprint }) => fingerprint));
	const found = [...(listed?.activities ?? [])];
	for (const entry of journal.open(organizationId)) {
		if (heardOf.has(entry.body.fingerprint)) continue;
		if (isInDoubt(entry)) {
			if (listed === undefined || !(await isOver(entry, reader, nowMs))) found.push(...fromEntry(entry));
		} else if (listed?.complete !== true) {
			// What the service said to wait, and lists no more, has ended.
			found.push(...fromEntry(entry));
		}
	}
	const activities = found.filter(
		({ activityId, fingerprint }) => !givenUp.has(activityId?.toLowerCase() ?? "") && !givenUp.has(fingerprint),
	);
	return { activities, unlisted: whyUnlisted(listed) };
}

function whyUnlisted(listed: Listed | undefined): string | null {
	if (listed === undefined) {
		return "the service does not list activities to this key, so only those of this journal are joined";
	}
	return listed.complete
		? null
		: `the service lists more activities that wait than the ${listed.activities.length} that were read`;
}

/** Whether nobody knows what became of it: no answer came, or one with a status that orgsync does not know. */
function isInDoubt({ outcome }: JournalEntry): boolean {
	return outcome === null || outcome === "unknown";
}

/** Whether reading shows that nothing can come of it any more: its activity has ended, or it never arrived and is too old. */
async function isOver(entry: JournalEntry, reader: Reader, nowMs: number): Promise<boolean> {
	const found = await findActivity(entry, reader);
	if (found === "none") return !canSendAgain(entry, nowMs);
	return found !== undefined && endedStatuses.includes(found.status);
}

/**
 * The activity that these bytes made: by its id where one is known, else by its fingerprint. `"none"` when the list reaches
 * back beyond the time they were made and does not have it: then they never arrived. Undefined when the service does not
 * say: it has no such query, does not know the id, or does not list that far back.
 */
export async function findActivity(entry: JournalEntry, reader: Reader): Promise<Activity | "none" | undefined> {
	return entry.activityId === null ? findByFingerprint(entry, reader) : readById(entry, entry.activityId, reader);
}

async function readById(entry: JournalEntry, activityId: string, reader: Reader): Promise<Activity | undefined> {
	const fields = { organizationId: entry.body.organizationId, activityId };
	const answer = await orUndefined(() => reader.query(extendedReads.get_activity, fields));
	const activity = answer?.value.activity;
	return isRecord(activity) ? readActivity(entry.body.operation, activity) : undefined;
}

async function findByFingerprint(entry: JournalEntry, reader: Reader): Promise<Activity | "none" | undefined> {
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

interface Listed {
	readonly activities: readonly WaitingActivity[];
	/** Whether the last page was read. */
	readonly complete: boolean;
}

async function listWaiting(organizationId: string, reader: Reader): Promise<Listed | undefined> {
	const filters = { organizationId, filterByStatus: waitingStatuses, filterByType: [...planned.keys()] };
	const activities: WaitingActivity[] = [];
	let lastLength: number | undefined;
	for await (const page of pages(reader, filters)) {
		lastLength = page.length;
		activities.push(...page.flatMap(fromRecord));
	}
	return lastLength === undefined ? undefined : { activities, complete: lastLength < pageLimit };
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
	const approvals = activity.votes.filter(({ selection }) => selection === "VOTE_SELECTION_APPROVED");
	const liveNames = approvals.flatMap(({ userId, userName }) =>
		userId === undefined || userName === undefined ? [] : [[userId.toLowerCase(), userName] as const],
	);
	return [
		{
			activityId: activity.id,
			fingerprint: activity.fingerprint,
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

const statusOf: Partial<Record<NonNullable<JournalEntry["outcome"]>, string>> = {
	"awaiting-approval": "ACTIVITY_STATUS_CONSENSUS_NEEDED",
	"awaiting-authenticator": "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
};

function fromEntry(entry: JournalEntry): readonly WaitingActivity[] {
	const operation = planned.get(entry.body.operation.type);
	const { activityId, outcome } = entry;
	if (operation === undefined) return [];
	const { parameters } = JSON.parse(entry.body.bytes) as { parameters: Record<string, unknown> };
	return [
		{
			activityId,
			fingerprint: entry.body.fingerprint,
			status: outcome === null ? null : (statusOf[outcome] ?? null),
			operation: operation.name,
			parameters,
			createdAt: new Date(entry.sentAtMs).toISOString(),
			approvedBy: null,
			saidBy: "journal",
		},
	];
}
