/** Compares a document with the live organization, and makes the plan. Without a Submitter, it changes nothing. */
import type { Change, Unread } from "../plan/change.ts";
import { diff } from "../plan/diff.ts";
import { needsCaller } from "../plan/guards.ts";
import type { DesiredOrganization, Known, LastApplied, LiveOrganization } from "../plan/organization.ts";
import { makePlan, type Plan, type PlanContext, type Reads } from "../plan/plan.ts";
import { operationsFor } from "../plan/steps.ts";
import { type BaseDocument, makeThreeWay, type ThreeWay, unite } from "../plan/three-way.ts";
import { holdThreeWay } from "../plan/three-way-held.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type SubmitName } from "../wire/operations.ts";
import type { JournalView } from "./journal.ts";
import { toId } from "./live-objects.ts";
import { type QueryFunction, queryIfAvailable } from "./live-queries.ts";
import { readPendingActivities, toPendingActivity } from "./pending-activities.ts";
import { narrowReading, readLive } from "./read.ts";
import { type ClockedReader, withServiceClock } from "./service-clock.ts";

export interface Comparison {
	readonly desired: DesiredOrganization;
	readonly plan: Plan;
	/** What the plan was made of besides the document. */
	readonly live: LiveOrganization;
	readonly context: PlanContext;
	/** See ReadResult in read.ts: a time by the service's clock before which nothing was read. */
	readonly serverTimeMs: number | undefined;
	/** Milliseconds to add to our clock to get the service's; see service-clock.ts. */
	readonly clockOffsetMs: number;
	/** The journal's position before the organization was read; undefined without a journal. */
	readonly readPosition: number | undefined;
	/** Where a base document was given. */
	readonly threeWay?: ThreeWay;
}

export interface CompareOptions {
	readonly reads: Reads;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds from any beginning, never set back; where it is left out, `now` measures how long the queries take. */
	readonly steadyNow?: () => number;
	/** What is open, rejected and abandoned; left out, pending activities are not looked for. */
	readonly journal?: Pick<JournalView, "openEntries" | "abandonedNames" | "rejectedEntries" | "position">;
	/** Whether what was rejected before is submitted again. */
	readonly retryRejected?: boolean;
	/** The document as it stood before: then the three-way comparison is made too, from one reading for both documents. */
	readonly base?: BaseDocument;
}

/**
 * Compares the desired organization with the live one and returns the plan, which is made once: read live state, diff,
 * read what the steps depend on (pending activities, whose key it is), plan. Each request is made only if it can matter,
 * because the number of requests is the cost. If there is something to submit, at least one answer has shown the service's
 * clock. Throws what readLive throws.
 */
export async function compareLive(
	desired: DesiredOrganization,
	reader: Reader,
	lastApplied: LastApplied,
	options: CompareOptions,
): Promise<Comparison> {
	const { reads, journal, base } = options;
	const clocked = withServiceClock(reader, options.now, journal?.position());
	const both = base === undefined || base.desired === null ? desired : unite(base.desired, desired);
	const reading = await readLive(both, clocked, lastApplied, reads, options.steadyNow ?? options.now);
	// The plan is as old as the oldest answer that it is made of.
	const { askedAtMs, position } = clocked.oldest();
	const live = both === desired ? reading.live : narrowReading(desired, reading.live, reads);
	const differences = diff(desired, live);
	const operations = differences.problems.length > 0 ? [] : operationsFor(differences.changes);
	const context: PlanContext = {
		reads,
		readAtMs: askedAtMs,
		...(operations.length === 0
			? {}
			: await readContext(desired.organizationId, clocked, { ...options, operations }, differences.changes)),
	};
	const plan = makePlan(desired, live, context, differences);
	return {
		...{ desired, plan, live, context },
		serverTimeMs: reading.serverTimeMs,
		clockOffsetMs: clocked.clockOffsetMs(),
		readPosition: position,
		...(base === undefined ? {} : { threeWay: holdThreeWay(makeThreeWay(base, desired, reading.live), plan) }),
	};
}

/** Reads what decides whether steps of these operations are submitted: activities of earlier requests, and the caller. */
async function readContext(
	organizationId: string,
	reader: ClockedReader,
	{ reads, journal, now, retryRejected, operations }: CompareOptions & { readonly operations: readonly SubmitName[] },
	changes: readonly Change[],
): Promise<Partial<PlanContext>> {
	const asksCaller = reads === "auto" && needsCaller(changes);
	const [pending, caller] = await Promise.all([
		journal === undefined
			? undefined
			: readPendingActivities(organizationId, reader, journal, { reads, nowMs: now(), operations, asksForEnds: true }),
		asksCaller ? readCaller(organizationId, reader) : notAsked,
	]);
	await reader.ensureAnswered(organizationId);
	const unread: Unread[] = [];
	if (reads === "auto" && pending !== undefined && pending.unlisted !== null) {
		unread.push({ scope: "activities", because: pending.unlisted, standsIn: "nothing" });
	}
	if (asksCaller && !caller.known) {
		const because = `${caller.because}, so the guards could not check that the caller keeps access`;
		unread.push({ scope: "caller", because, standsIn: "nothing" });
	}
	return {
		waiting: pending?.activities ?? [],
		rejected: [
			...(journal?.rejectedEntries(organizationId) ?? []).map(toPendingActivity),
			...(pending?.rejected ?? []),
		],
		abandoned: pending?.abandoned ?? [],
		retryRejected: retryRejected === true,
		isCutOff: pending?.isCutOff ?? false,
		...{ caller, unread },
	};
}

const notAsked: Known<string> = { known: false, because: "it was not asked for" };

async function readCaller(organizationId: string, reader: Reader): Promise<Known<string>> {
	const query: QueryFunction = async (operation) => (await reader.query(operation, { organizationId })).value;
	const answer = await queryIfAvailable(query, extendedReads.whoami);
	if (!answer.known) return answer;
	const { userId } = answer.value;
	return typeof userId === "string"
		? { known: true, value: toId(userId) }
		: { known: false, because: "the service does not say whose key it is" };
}
