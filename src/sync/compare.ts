/** Compares a document with the live organization, and makes the plan. Without a Submitter, it changes nothing. */
import { desiredAt, windowsOf, withoutWindows } from "../plan/access-window.ts";
import { type BaseDocument, makeThreeWay, type ThreeWay, unite } from "../plan/base/three-way.ts";
import { holdThreeWay } from "../plan/base/three-way-held.ts";
import type { Change, Unread } from "../plan/change.ts";
import { diff } from "../plan/diff.ts";
import { needsCaller } from "../plan/guards/guards.ts";
import type { DesiredOrganization, Known, LastApplied, LiveOrganization } from "../plan/organization.ts";
import { makePlan, type Plan, type PlanContext, type Reads } from "../plan/plan.ts";
import { needsPowers } from "../plan/rules/rules.ts";
import { groupSteps } from "../plan/step-groups.ts";
import { operationsFor } from "../plan/steps.ts";
import { sameValue } from "../plan/value.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads, type SubmitName } from "../wire/operations.ts";
import type { JournalSummary } from "./journal/journal.ts";
import { awaitAll, type QueryFunction, queryIfAvailable } from "./read/live-queries.ts";
import { readPendingActivities, toPendingActivity } from "./read/pending-activities.ts";
import { narrowReading, readChangeable, readLive, timeQueries } from "./read/read.ts";
import {
	accessAtKnownTime,
	askOnce,
	readNamedAccess,
	readOrganizationName,
	readSubmitter,
	toCaller,
} from "./read/read-access.ts";
import { type ClockedReader, whyUncertainTime, withServiceClock } from "./read/service-clock.ts";

export interface Comparison {
	/** What the document wants at the service's time, with its windows. */
	readonly desired: DesiredOrganization;
	readonly plan: Plan;
	/** What the plan was made of besides the document. */
	readonly live: LiveOrganization;
	readonly context: PlanContext;
	/** See ReadResult in read.ts: a time by the service's clock before which nothing was read. */
	readonly serverTimeMs: number | undefined;
	/** Milliseconds to add to our clock to get the service's; see service-clock.ts. */
	readonly clockOffsetMs: number;
	/** The same without a tolerance, for `validUntil` of the plan; left out, it is `clockOffsetMs`. */
	readonly exactOffsetMs?: number;
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
	readonly journal?: JournalSummary;
	/** See PendingOptions in pending-activities.ts. */
	readonly listsAll?: boolean;
	/** Whether what was rejected before is submitted again. */
	readonly retryRejected?: boolean;
	/** See PlanContext. */
	readonly horizonMs?: number;
	/** The document as it stood before: then the three-way comparison is made too, from one reading for both documents. */
	readonly base?: BaseDocument;
	/** The user for whom approvals are foretold, in lower case; left out, it is the user of the key, for which whoami is asked. */
	readonly submitterId?: string;
	/** Returns the public key that stamps the requests, once one was made; undefined where it is not known. */
	readonly publicKey?: () => string | undefined;
	/**
	 * For a plan that is submitted: returns the reader again, and it gives no answer from before pending activities were listed.
	 * Left out, live state is read once.
	 */
	readonly readerAfterList?: () => Reader;
}

/** How often an organization that changes while it is read is read. */
const maxReadings = 5;

/**
 * Compares the desired organization with the live one and returns the plan, which is made once: read live state, take the
 * service's time, which decides what a document with windows wants, diff,
 * read what the steps depend on (pending activities, who can do what, whose key it is), plan. Each request is made only if it
 * can matter, because the number of requests is the cost; list_users, list_policies, get_organization_configs and whoami at
 * most once. If there is something to submit, at least one answer has shown the service's clock. Throws what readLive throws.
 *
 * All is read again where two readings of one plan are not of the same organization:
 *
 * - Another process can settle a request meanwhile: then it is no longer among the open ones, and not yet in the last-applied state
 *   that was read before.
 * - An activity can end after live state was read and before pending ones were listed: then neither shows it. So what is submitted is
 *   planned from live state that is the same after the list, which costs the queries of live state once more.
 */
export async function compareLive(
	document: DesiredOrganization,
	reader: Reader,
	lastApplied: LastApplied,
	options: CompareOptions,
): Promise<Comparison> {
	const { organizationId } = document;
	const { journal } = options;
	let known = lastApplied;
	for (let reading = 1; ; reading += 1) {
		const before = journal?.position();
		const { comparison, wholeLive } = await compareOnce(document, reader, known, options);
		const isSame = await isSameAfterList(document, comparison, wholeLive, options);
		const isSettled = journal !== undefined && journal.position() !== before;
		const now = isSettled ? journal.lastApplied(organizationId) : known;
		if ((isSame && sameValue(now, known)) || reading === maxReadings) return comparison;
		known = now;
	}
}

/** Returns whether live state, read again after the pending activities were listed, is what the plan was made of. */
async function isSameAfterList(
	document: DesiredOrganization,
	{ plan, context }: Comparison,
	{ userTags, users, removables }: LiveOrganization,
	{ reads, readerAfterList, base }: CompareOptions,
): Promise<boolean> {
	const isListed = context.isCutOff === true || plan.unread.every(({ scope }) => scope !== "activities");
	const isSubmitted = reads === "auto" && isListed && groupSteps(plan.steps).sent.length > 0;
	if (readerAfterList === undefined || !isSubmitted) return true;
	const { query } = timeQueries(document.organizationId, readerAfterList());
	return sameValue(await readChangeable(withBase(document, base), query, reads), { userTags, users, removables });
}

function withBase(document: DesiredOrganization, base: BaseDocument | undefined): DesiredOrganization {
	return base === undefined || base.desired === null ? document : unite(base.desired, document);
}

/** `wholeLive`: the live state of both documents where a base document was given. */
async function compareOnce(
	document: DesiredOrganization,
	reader: Reader,
	lastApplied: LastApplied,
	options: CompareOptions,
): Promise<{ readonly comparison: Comparison; readonly wholeLive: LiveOrganization }> {
	const { reads, now, journal, base } = options;
	const clocked = askOnce(withServiceClock(reader, now, journal?.position()));
	const both = withBase(document, base);
	const steadyNow = options.steadyNow ?? now;
	const reading = await readLive(both, clocked, lastApplied, reads, steadyNow);
	const shownMs = clocked.serviceTimeMs();
	const timeMs = shownMs ?? clocked.oldest().askedAtMs;
	const why = windowsOf(both).length > 0 ? whyUncertainTime(clocked) : undefined;
	const { desired, problems } =
		why === undefined ? { desired: desiredAt(document, timeMs), problems: [] } : withoutWindows(document, why);
	const live = both === document ? reading.live : narrowReading(desired, reading.live, reads);
	const found = diff(desired, live);
	const differences = { ...found, problems: [...found.problems, ...problems] };
	const operations = differences.problems.length > 0 ? [] : operationsFor(differences.changes);
	const { query, answerTimes } = timeQueries(desired.organizationId, clocked, steadyNow);
	const more =
		operations.length === 0
			? await readForRules(desired, reads, query)
			: await readContext(
					desired.organizationId,
					clocked,
					{ ...options, operations, query, live },
					differences.changes,
				);
	// The plan is as old as the oldest answer that it is made of.
	const { askedAtMs, position } = clocked.oldest();
	const context: PlanContext = {
		...{ reads, readAtMs: askedAtMs },
		// Without windows, nothing may have been asked before.
		serviceTimeMs: desired === document ? (shownMs ?? clocked.serviceTimeMs() ?? askedAtMs) : timeMs,
		...(options.horizonMs === undefined ? {} : { horizonMs: options.horizonMs }),
		...more,
		...(more.access === undefined ? {} : { access: accessAtKnownTime(more.access, whyUncertainTime(clocked)) }),
	};
	const plan = makePlan(desired, live, context, differences);
	const comparison: Comparison = {
		...{ desired, plan, live, context },
		serverTimeMs: earliest(reading.serverTimeMs, answerTimes),
		clockOffsetMs: clocked.clockOffsetMs(),
		exactOffsetMs: clocked.exactOffsetMs(),
		readPosition: position,
		...(base === undefined ? {} : { threeWay: holdThreeWay(makeThreeWay(base, desired, reading.live, timeMs), plan) }),
	};
	return { comparison, wholeLive: reading.live };
}

interface ContextOptions extends CompareOptions {
	readonly operations: readonly SubmitName[];
	readonly query: QueryFunction;
	readonly live: LiveOrganization;
}

/**
 * Reads what decides whether steps of these operations are submitted, and what becomes of them: activities of earlier requests,
 * the caller, and who can do what.
 */
async function readContext(
	organizationId: string,
	reader: ClockedReader,
	options: ContextOptions,
	changes: readonly Change[],
): Promise<Partial<PlanContext>> {
	const { reads, journal, now, retryRejected, operations, listsAll = false, query, live } = options;
	const asksCaller = reads === "auto" && needsCaller(changes);
	// The name costs no request: the answer that says whose key it is has it.
	const asksName = asksCaller || (reads === "auto" && options.submitterId === undefined);
	const [pending, caller, permissions, name] = await awaitAll([
		journal === undefined
			? undefined
			: readPendingActivities(organizationId, reader, journal, {
					...{ reads, nowMs: now(), operations, listsAll, asksForEnds: true },
					...(changesAgain(changes, live) ? { completedEntries: journal.completedTagEntries(organizationId) } : {}),
				}),
		asksCaller ? readCaller(query) : notAsked,
		reads === "auto" ? readPermissions(options) : {},
		asksName ? readOrganizationName(query, organizationId) : undefined,
	] as const);
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
		completed: pending?.completed ?? [],
		...{ caller, unread },
		...(name === undefined ? {} : { liveOrganizationName: name }),
		...permissions,
	};
}

/** Whether a tag would be changed that may have been changed before: only such a change can be one to and fro. */
function changesAgain(changes: readonly Change[], { userTags }: LiveOrganization): boolean {
	const unchanged = new Set(userTags.known ? userTags.value.flatMap((tag) => (tag.isUnchanged ? tag.id : [])) : []);
	return changes.some((change) => change.kind === "userTag" && !unchanged.has(change.tagId));
}

const notAsked: Known<string> = { known: false, because: "it was not asked for" };

async function readCaller(query: QueryFunction): Promise<Known<string>> {
	return toCaller(await queryIfAvailable(query, extendedReads.whoami));
}

/** Reads who can do what for a plan that submits nothing, where rules of the document are about powers. */
async function readForRules(
	{ rules = [] }: DesiredOrganization,
	reads: Reads,
	query: QueryFunction,
): Promise<Pick<PlanContext, "access" | "userNames">> {
	return reads === "auto" && needsPowers(rules) ? readNamedAccess(query) : {};
}

/** Reads who can do what, and who will submit the plan. */
async function readPermissions({
	query,
	submitterId: userId,
	publicKey = () => undefined,
}: ContextOptions): Promise<Pick<PlanContext, "access" | "userNames" | "submitter">> {
	const [named, submitter] = await awaitAll([
		readNamedAccess(query),
		readSubmitter(query, { userId, publicKey }),
	] as const);
	return { ...named, submitter };
}

/** Returns a time before which nothing was read: without one for live state, the others say nothing about it. */
function earliest(live: number | undefined, others: readonly (number | undefined)[]): number | undefined {
	return live === undefined ? undefined : Math.min(live, ...others.filter((time) => time !== undefined));
}
