/**
 * A document held against the live organization: reads, then decides. It is handed a Reader and a memory, so neither
 * planning nor drift detection can change anything.
 */
import { isUnavailable } from "../errors.ts";
import type { Unread } from "../plan/change.ts";
import { needsCaller } from "../plan/guards.ts";
import type { DesiredOrganization, Known, LiveOrganization, Memory } from "../plan/organization.ts";
import { makePlan, type Plan, type PlanContext, type Reads } from "../plan/plan.ts";
import { type BaseDocument, makeThreeWay, type ThreeWay, unite } from "../plan/three-way.ts";
import { holdThreeWay } from "../plan/three-way-held.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads } from "../wire/operations.ts";
import type { JournalView } from "./journal.ts";
import { readPendingActivities, toPendingActivity } from "./pending-activities.ts";
import { narrowReading, readLive } from "./read.ts";
import { withServiceClock } from "./service-clock.ts";

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
 * The plan for this document as the organization is now. What waits, and whose key it is, is asked only when there is
 * something to submit that it could matter to: the number of requests is the cost. Nothing is submitted by a clock that was
 * not compared with the service's. Throws what readLive throws.
 */
export async function compareLive(
	desired: DesiredOrganization,
	reader: Reader,
	memory: Memory,
	options: CompareOptions,
): Promise<Comparison> {
	const { reads, journal, base } = options;
	const first = { askedAtMs: options.now(), position: journal?.position() };
	const timed = withServiceClock(reader, options.now);
	const { oldest, ...noted } = trackOldestAnswer(timed, first);
	const both = base === undefined || base.desired === null ? desired : unite(base.desired, desired);
	const { live: all, serverTimeMs } = await readLive(both, noted, memory, reads, options.steadyNow ?? options.now);
	// A reader that shares answers may give one from before: the plan is as old as the oldest of them.
	const { askedAtMs, position } = oldest();
	const context = { reads, readAtMs: askedAtMs };
	const read = () => ({ serverTimeMs, clockOffsetMs: timed.clockOffsetMs(), readPosition: position });
	const live = both === desired ? all : narrowReading(desired, all, reads);
	const plan = makePlan(desired, live, context);
	const threeWay = base === undefined ? undefined : makeThreeWay(base, desired, all);
	if (plan.steps.length === 0)
		return { desired, plan, live, context, ...read(), ...(threeWay === undefined ? {} : { threeWay }) };
	const asksCaller = reads === "auto" && needsCaller(plan.changes);
	const operations = [...new Set(plan.steps.map(({ operation }) => operation))];
	const question = { reads, nowMs: options.now(), operations, asksForEnds: true };
	const [waiting, caller] = await Promise.all([
		journal === undefined ? undefined : readPendingActivities(desired.organizationId, timed, journal, question),
		asksCaller ? readCaller(desired.organizationId, timed) : notAsked,
	]);
	await timed.ensureAnswered(desired.organizationId);
	const unread: Unread[] = [];
	if (reads === "auto" && waiting !== undefined && waiting.unlisted !== null) {
		unread.push({ address: "activity:*", because: waiting.unlisted, standsIn: "nothing" });
	}
	if (asksCaller && !caller.known) {
		const because = `${caller.because}, so nobody checked that whoever applies keeps a way in`;
		unread.push({ address: "caller", because, standsIn: "nothing" });
	}
	const found = {
		...context,
		waiting: waiting?.activities ?? [],
		rejected: [
			...(journal?.rejectedEntries(desired.organizationId) ?? []).map(toPendingActivity),
			...(waiting?.rejected ?? []),
		],
		abandoned: waiting?.abandoned ?? [],
		retryRejected: options.retryRejected === true,
		isCutOff: waiting?.isCutOff ?? false,
		caller,
		unread,
	};
	const whole = makePlan(desired, live, found);
	const held = threeWay === undefined ? {} : { threeWay: holdThreeWay(threeWay, whole) };
	return { desired, plan: whole, live, context: found, ...read(), ...held };
}

/** When something was asked: by our clock, and by the journal's order of writing where that is known. */
interface Asked {
	readonly askedAtMs: number;
	readonly position: number | undefined;
}

/** The reader, which notes the oldest of its answers; `first` is the present. */
function trackOldestAnswer(reader: Reader, first: Asked): Reader & { oldest(): Asked } {
	let { askedAtMs, position } = first;
	return {
		async query(...question) {
			const answer = await reader.query(...question);
			askedAtMs = Math.min(askedAtMs, answer.askedAtMs ?? askedAtMs);
			if (position !== undefined) position = Math.min(position, answer.askedAtPosition ?? position);
			return answer;
		},
		oldest: () => ({ askedAtMs, position }),
	};
}

const notAsked: Known<string> = { known: false, because: "nobody asked" };

async function readCaller(organizationId: string, reader: Reader): Promise<Known<string>> {
	try {
		const { userId } = (await reader.query(extendedReads.whoami, { organizationId })).value;
		return typeof userId === "string"
			? { known: true, value: userId.toLowerCase() }
			: { known: false, because: "the service does not say whose key it is" };
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		return { known: false, because: `the service does not answer whoami (HTTP ${error.httpStatus})` };
	}
}
