/**
 * What a test may do to the emulator while it runs: look at state and the request log, change state and rules, set the
 * clock, order faults. The same functions in process and, as JSON without a stamp, under /emulator/.
 */
import { ConfigurationError } from "../errors.ts";
import { describeActivity } from "./activities.ts";
import { maxClockMs, maxQueuedFaults, minClockMs } from "./assumptions.ts";
import {
	checkClockChange,
	checkFault,
	checkRateLimit,
	checkRulesRequest,
	checkStateRequest,
} from "./control-schema.ts";
import type { Fault, FaultQueue } from "./faults.ts";
import type { RateLimit, RateLimitBuckets } from "./rate-limit.ts";
import { badRequest } from "./request-error.ts";
import type { RequestLog, RequestLogEntry } from "./request-log.ts";
import { changesToMerge, changesToReplace, mergePatch, type OrganizationPatch, toSeed } from "./seed-changes.ts";
import {
	findRulesProblems,
	findSeedProblems,
	formatPath,
	type Seed,
	type SeedOrganization,
	type SeedProblem,
} from "./seed-check.ts";
import { executeDueActivities, makeContext, type Sources } from "./service.ts";
import type { Rules } from "./state.ts";
import type { Store } from "./store.ts";

/** An order to the clock: set it (it goes on from there), move it, or let it follow the real one again. */
export type ClockChange = { readonly nowMs: number } | { readonly advanceMs: number } | { readonly reset: true };

/** One organization as the emulator holds it, in the shape of a seed, and its activities, oldest first. */
export interface OrganizationView {
	readonly organization: SeedOrganization;
	readonly activities: readonly Readonly<Record<string, unknown>>[];
}

/**
 * What the emulator lets its owner do; each is also an endpoint under /emulator/. What cannot be done throws (or rejects
 * with) a Refusal, whose `status` is what the endpoint answers.
 */
export interface Control {
	/** One organization. Throws when there is none of that id. */
	state(organizationId: string): OrganizationView;
	/**
	 * Resolves when the change is durable. A seed creates its organizations or replaces them, activities and all; a patch
	 * merges entities into one organization by id, or takes them away. Rejects, changing nothing, when the outcome would
	 * not be a seed without problems.
	 */
	changeState(change: Seed | OrganizationPatch): Promise<void>;
	/** Replaces the rules of an organization; activities that wait already keep the rules they met. */
	setRules(organizationId: string, rules: Rules): Promise<void>;
	/** The emulator's time after the order, in milliseconds. */
	setClock(order: ClockChange): number;
	addFault(fault: Fault): void;
	/** Faults that wait, with what is left of their counts. */
	faults(): readonly Fault[];
	clearFaults(): void;
	/** Lets only so many requests pass, with full buckets from now on; undefined lifts the limit. */
	setLimit(limit: RateLimit | undefined): void;
	/** The limit in force; undefined when there is none. */
	limit(): RateLimit | undefined;
	/** The request log, oldest first; it never holds stamps or bodies. */
	requests(): readonly RequestLogEntry[];
	/** The greatest number of requests under way at once since the log was cleared; those under /emulator/ do not count. */
	maxInFlight(): number;
	clearRequests(): void;
}

/** The emulator's time: the given one, moved by orders. */
export interface Clock {
	now(): number;
	change(order: ClockChange): number;
}

/** A clock that follows `base` until it is ordered otherwise. */
export function makeClock(base: () => number): Clock {
	let offsetMs = 0;
	const now = (): number => base() + offsetMs;
	return {
		now,
		change(order) {
			const before = offsetMs;
			if ("nowMs" in order) offsetMs = order.nowMs - base();
			else if ("advanceMs" in order) offsetMs += order.advanceMs;
			else offsetMs = 0;
			if (now() >= minClockMs && now() <= maxClockMs) return now();
			offsetMs = before;
			throw badRequest(
				`advanceMs: must lead to a time from ${minClockMs} to ${maxClockMs}; it is ${Math.trunc(now())} now`,
			);
		},
	};
}

function rejectSeedProblems(seed: unknown): void {
	rejectProblems(findSeedProblems(seed));
}

/** Throws a refusal that names every problem, `within` in front of its path. */
function rejectProblems(problems: readonly SeedProblem[], ...within: readonly string[]): void {
	if (problems.length === 0) return;
	throw badRequest(problems.map(({ path, message }) => `${formatPath([...within, ...path])}: ${message}`).join("; "));
}

/** Writes organizations of a seed that the store does not have. Throws a ConfigurationError when the seed has problems. */
export function seedStore(store: Store, seed: Seed, nowMs: number): void {
	const problems = findSeedProblems(seed);
	const [first] = problems;
	if (first !== undefined) {
		const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more problems)`;
		throw new ConfigurationError(`the seed is wrong at ${formatPath(first.path)}: ${first.message}${others}`);
	}
	const known = new Set(store.summaries().map(({ organizationId }) => organizationId));
	for (const organization of seed.organizations) {
		const organizationId = organization.organizationId.toLowerCase();
		if (!known.has(organizationId)) store.write(organizationId, changesToReplace(organization, nowMs));
	}
}

export interface EmulatorParts {
	readonly store: Store;
	readonly sources: Sources;
	readonly faults: FaultQueue;
	readonly log: RequestLog;
	readonly limits: RateLimitBuckets;
	readonly clock: Clock;
}

/** The control of an emulator made of these parts. */
export function makeControl({ store, sources, faults, log, limits, clock }: EmulatorParts): Control {
	const settledWorld = (organizationId: string) => {
		const context = makeContext(store, sources, organizationId.toLowerCase(), clock.now());
		executeDueActivities(store, context);
		return context;
	};
	return {
		state(organizationId) {
			const { organization } = settledWorld(organizationId);
			const activities = store.activities(organization.organizationId);
			return {
				organization: toSeed(organization),
				activities: activities.map((one) => describeActivity(one, "", true)),
			};
		},
		async changeState(change) {
			if ("organizations" in change) {
				checkStateRequest(change);
				rejectSeedProblems(change);
				for (const seed of (change as Seed).organizations) {
					store.write(seed.organizationId.toLowerCase(), changesToReplace(seed, clock.now()));
				}
			} else {
				checkStateRequest(change);
				const { organization } = settledWorld(change.organizationId);
				const merged = mergePatch(organization, change);
				rejectSeedProblems(merged);
				const [seed] = merged.organizations;
				if (seed === undefined) return;
				store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			}
			await store.committed();
		},
		async setRules(organizationId, rules) {
			checkRulesRequest({ organizationId, rules });
			rejectProblems(findRulesProblems(rules), "rules");
			const { organization } = settledWorld(organizationId);
			const merged = mergePatch(organization, { organizationId, rules });
			const [seed] = merged.organizations;
			if (seed === undefined) return;
			store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			await store.committed();
		},
		setClock(order) {
			checkClockChange(order);
			return clock.change(order);
		},
		addFault(fault) {
			checkFault(fault);
			if (faults.list().length >= maxQueuedFaults) {
				throw badRequest(`${maxQueuedFaults} orders wait already; DELETE /emulator/faults takes them back`);
			}
			faults.add(fault);
		},
		faults: faults.list,
		clearFaults: faults.clear,
		setLimit(limit) {
			if (limit !== undefined) checkRateLimit(limit);
			limits.set(limit);
		},
		limit: limits.get,
		requests: log.entries,
		maxInFlight: log.maxInFlight,
		clearRequests: log.clear,
	};
}
