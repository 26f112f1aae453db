/**
 * The one way from a document to what is applied: settle open activities, read, decide, read what the decision needs, plan. Every
 * door uses it. Without a Submitter, it changes nothing.
 */

import { defined } from "../common/defined.ts";
import { LiveProblemError, OrgsyncError } from "../common/errors.ts";
import type { ThreeWay } from "../plan/base/three-way.ts";
import type { Unread } from "../plan/change.ts";
import {
	type Decision,
	decide,
	dependsOnTime,
	documentsToRead,
	planDecided,
	type Question,
	type Reading,
} from "../plan/decide.ts";
import type { DesiredOrganization, Known, LastApplied, LiveOrganization } from "../plan/organization.ts";
import type { Plan, PlanContext } from "../plan/plan.ts";
import { isSamePlan } from "../plan/same-plan.ts";
import { isSending } from "../plan/step-groups.ts";
import { sameValue } from "../plan/value.ts";
import { reasonText } from "../say/reason.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads } from "../wire/operations.ts";
import type { JournalSummary } from "./journal/journal.ts";
import { awaitAll, type QueryFunction, queryIfAvailable } from "./read/live-queries.ts";
import { readOtherPending } from "./read/other-pending.ts";
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
import type { SubmitResult } from "./submit/outcomes.ts";

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

interface CompareOptions extends Pick<Question, "reads" | "base"> {
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds from any beginning, never set back; where it is left out, `now` measures how long the queries take. */
	readonly steadyNow?: () => number;
	/** What is open, rejected and abandoned; left out, pending activities are not looked for. */
	readonly journal?: JournalSummary;
	/** See PendingOptions in pending-activities.ts. */
	readonly listsAll?: boolean;
	/** Whether what was rejected before is submitted again. */
	readonly retryRejected?: boolean | undefined;
	/** See PlanContext. */
	readonly horizonMs?: number | undefined;
	/** The user for whom approvals are forecast, in lower case; left out, it is the user of the key, for which whoami is asked. */
	readonly submitterId?: string | undefined;
	/** Returns the public key that stamps the requests, once one was made; undefined where it is not known. */
	readonly publicKey?: () => string | undefined;
	/** For a plan that is submitted: the reader, without answers from before the list. Left out, live state is read once. */
	readonly readerFreshSinceList?: (() => Reader) | undefined;
}

/** How a door reaches one organization. */
interface Door extends CompareOptions {
	readonly reader: Reader;
	/** Returns the last-applied state as it is known now. */
	readonly lastApplied: () => LastApplied;
	/** Settles open activities of earlier runs; left out where nothing may be written. */
	readonly settle?: (() => Promise<ReadonlyMap<string, SubmitResult>>) | undefined;
	/** Whether answers from before that time, which others share, are too old for this plan. The door expires them. */
	readonly mustReadAgain?: (comparison: Comparison, startedAtMs: number) => boolean;
}

/** An organization as a door converges it. */
export interface Convergence {
	readonly comparison: Comparison;
	/** Requests of earlier runs that were settled before the organization was read, by fingerprint. */
	readonly settled: ReadonlyMap<string, SubmitResult>;
	/** Reads the organization again and makes its plan as it is then. */
	readonly compareAgain: () => Promise<Comparison>;
}

/** Settles, reads and plans. Throws what `settle` and `compareLive` throw. */
export async function converge(document: DesiredOrganization, door: Door): Promise<Convergence> {
	const settled = (await door.settle?.()) ?? new Map();
	const compareAgain = async (): Promise<Comparison> => {
		for (;;) {
			const startedAtMs = door.now();
			const comparison = await compareLive(document, door.reader, door.lastApplied(), door);
			if (door.mustReadAgain?.(comparison, startedAtMs) !== true) return comparison;
		}
	};
	return { comparison: await compareAgain(), settled, compareAgain };
}

/** Max milliseconds between the reading of an organization and a submit: after that its plan is made again. */
export const maxPlanAgeMs = 5 * 60 * 1000;

/** Returns the organization as it is to be applied: read again after a pause. With another plan then, nothing is submitted. */
export async function refresh<T extends Convergence>(
	one: T,
	now: () => number,
): Promise<T | { readonly error: OrgsyncError }> {
	const { plan } = one.comparison;
	if (!isSending(plan) || now() - Date.parse(plan.readAt) <= maxPlanAgeMs) return one;
	try {
		const fresh = await one.compareAgain();
		if (isSamePlan(plan, fresh.plan)) {
			const { overrides } = plan;
			const same = overrides === undefined ? fresh.plan : { ...fresh.plan, overrides };
			return { ...one, comparison: { ...fresh, plan: same } };
		}
		const message = `the live state changed since it was read at ${plan.readAt}; nothing was submitted`;
		return { error: new LiveProblemError(message, { hint: "run the command again: it makes a new plan" }) };
	} catch (error) {
		if (error instanceof OrgsyncError) return { error };
		throw error;
	}
}

/** How often an organization that changes while it is read is read. */
const maxReadings = 5;

/**
 * Compares the desired organization with the live one and returns the plan, which is made once from one reading: read live state,
 * take the service's time, which decides what a document with windows wants, decide what differs, read what that needs (pending
 * activities, who can do what, whose key it is), plan. Each request is made only if it
 * can matter, because the number of requests is the cost; list_users, list_policies, get_organization_configs and whoami at
 * most once. If there is something to submit, at least one answer has shown the service's clock. Throws what readLive throws.
 *
 * All is read again where two readings of one plan are not of the same organization:
 *
 * - Another process can submit or settle a request meanwhile: then it is not yet, or no longer, among the open ones, and not in the
 *   last-applied state that was read before.
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
	const question: Question = { document, base: options.base, reads: options.reads };
	const openNow = () => journal?.openEntries(organizationId).map(({ body }) => body.fingerprint);
	let known = { applied: lastApplied, open: openNow() };
	for (let reading = 1; ; reading += 1) {
		const before = journal?.position();
		const { comparison, wholeLive } = await compareOnce(question, reader, known.applied, {
			...options,
			position: before,
		});
		const isSame = await isSameAfterList(question, comparison, wholeLive, options);
		const isWritten = journal !== undefined && journal.position() !== before;
		const now = isWritten ? { applied: journal.lastApplied(organizationId), open: openNow() } : known;
		if ((isSame && sameValue(now, known)) || reading === maxReadings) return comparison;
		known = now;
	}
}

/** Returns whether live state, read again after the pending activities were listed, is what the plan was made of. */
async function isSameAfterList(
	question: Question,
	{ plan, context }: Comparison,
	{ userTags, users, removables, policies }: LiveOrganization,
	{ reads, readerFreshSinceList }: CompareOptions,
): Promise<boolean> {
	const isListed =
		context.isCutOff === true || plan.unread.every(({ because }) => because.kind !== "activities-denied");
	if (readerFreshSinceList === undefined || reads !== "auto" || !isListed || !isSending(plan)) return true;
	const { query } = timeQueries(question.document.organizationId, readerFreshSinceList());
	const fresh = await readChangeable(documentsToRead(question), query, reads);
	return sameValue(fresh, { userTags, users, removables, ...defined({ policies }) });
}

/** `position` is the journal's. `wholeLive`: the live state of both documents where a base document was given. */
async function compareOnce(
	question: Question,
	reader: Reader,
	lastApplied: LastApplied,
	options: CompareOptions & { readonly position: number | undefined },
): Promise<{ readonly comparison: Comparison; readonly wholeLive: LiveOrganization }> {
	const { reads, now, horizonMs } = options;
	const { document } = question;
	const clocked = askOnce(withServiceClock(reader, now, options.position));
	const both = documentsToRead(question);
	const steadyNow = options.steadyNow ?? now;
	const { live: wholeLive, serverTimeMs } = await readLive(both, clocked, lastApplied, reads, steadyNow);
	const shownMs = clocked.serviceTimeMs();
	const uncertainty = dependsOnTime(question) ? whyUncertainTime(clocked) : undefined;
	const reading: Reading = {
		live: wholeLive,
		narrow: (desired) => (both === document ? wholeLive : narrowReading(desired, wholeLive, reads)),
		timeMs: shownMs ?? clocked.oldest().askedAtMs,
		whyUncertain: uncertainty && reasonText(uncertainty),
	};
	const decision = decide(question, reading);
	const { desired, live } = decision;
	const { query, answerTimes } = timeQueries(desired.organizationId, clocked, steadyNow);
	const { access, ...more } = await readNeeds(decision, clocked, query, options);
	// The plan is as old as the oldest answer that it is made of.
	const { askedAtMs, position } = clocked.oldest();
	const context: PlanContext = {
		...{ reads, readAtMs: askedAtMs },
		// Without windows, nothing may have been asked before.
		serviceTimeMs: desired === document ? (shownMs ?? clocked.serviceTimeMs() ?? askedAtMs) : reading.timeMs,
		horizonMs,
		...more,
		...(access === undefined ? {} : { access: accessAtKnownTime(access, whyUncertainTime(clocked)) }),
	};
	const comparison: Comparison = {
		...{ desired, live, context, ...planDecided(question, decision, reading, context) },
		serverTimeMs: earliest(serverTimeMs, answerTimes),
		clockOffsetMs: clocked.clockOffsetMs(),
		exactOffsetMs: clocked.exactOffsetMs(),
		readPosition: position,
	};
	return { comparison, wholeLive };
}

/** Reads what a decision needs: earlier requests, the caller, who can do what. Without operations, at most the latter. */
async function readNeeds(
	{ desired: { organizationId }, needs }: Decision,
	reader: ClockedReader,
	query: QueryFunction,
	options: CompareOptions,
): Promise<Partial<PlanContext>> {
	const { reads, journal, now, retryRejected, listsAll = false, submitterId } = options;
	const { operations } = needs;
	if (operations.length === 0) {
		const [others, access] = await awaitAll([
			needs.otherPending && readOtherPending(organizationId, needs.otherPending, reader),
			needs.powers ? readNamedAccess(query) : {},
		] as const);
		return { ...access, ...describeOthers(others, []) };
	}
	// First: what is listed here would otherwise be missing below, where a step can join it.
	const others = needs.otherPending && (await readOtherPending(organizationId, needs.otherPending, reader));
	// The name costs no request: the answer that says whose key it is has it.
	const asksName = needs.caller || (reads === "auto" && submitterId === undefined);
	const [pending, caller, permissions, name] = await awaitAll([
		journal === undefined
			? undefined
			: readPendingActivities(organizationId, reader, journal, {
					...{ reads, nowMs: now(), operations, listsAll, asksForEnds: true },
					...(needs.completed ? { completedEntries: journal.completedTagEntries(organizationId) } : {}),
				}),
		needs.caller ? readCaller(query) : notAsked,
		needs.powers ? readPermissions(query, options) : {},
		asksName ? readOrganizationName(query, organizationId) : undefined,
	] as const);
	await reader.ensureAnswered(organizationId);
	const unread: Unread[] = [];
	if (reads === "auto" && pending !== undefined && pending.unlisted !== null) {
		unread.push({ scope: "activities", because: pending.unlisted, standsIn: "nothing" });
	}
	if (needs.caller && !caller.known) {
		const because = { kind: "caller-unknown", why: caller.because } as const;
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
		caller,
		...describeOthers(others, unread),
		...defined({ liveOrganizationName: name }),
		...permissions,
	};
}

/** Returns the pending activities of others, and that there may be more where the service does not list them. */
function describeOthers(
	others: Awaited<ReturnType<typeof readOtherPending>> | undefined,
	unread: readonly Unread[],
): Pick<PlanContext, "otherPending" | "unread"> {
	if (others === undefined) return { unread };
	const { otherPending, isComplete } = others;
	const isSaid = isComplete || unread.some(({ scope }) => scope === "activities");
	const unlisted: Unread = { scope: "activities", because: { kind: "others-unlisted" }, standsIn: "nothing" };
	return { otherPending, unread: isSaid ? unread : [...unread, unlisted] };
}

const notAsked: Known<string> = { known: false, because: { kind: "not-asked" } };

async function readCaller(query: QueryFunction): Promise<Known<string>> {
	return toCaller(await queryIfAvailable(query, extendedReads.whoami));
}

/** Reads who can do what, and who will submit the plan. */
async function readPermissions(
	query: QueryFunction,
	{ submitterId: userId, publicKey = () => undefined }: CompareOptions,
): Promise<Pick<PlanContext, "access" | "userNames" | "credentials" | "submitter">> {
	const [named, submitter] = await awaitAll([
		readNamedAccess(query),
		readSubmitter(query, { userId, publicKey }),
	] as const);
	return { ...named, submitter };
}

/** Returns a time before which nothing was read: without one for live state, the others say nothing about it. */
function earliest(live: number | undefined, others: readonly number[]): number | undefined {
	return live === undefined ? undefined : Math.min(live, ...others.filter((time) => !Number.isNaN(time)));
}
