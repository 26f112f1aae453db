/**
 * Controls a running emulator: reads and changes state, rules, clock, rate limit and request log, and queues faults. The same
 * functions in process and, as JSON without a stamp, under /emulator/.
 */
import { ConfigurationError } from "../../common/errors.ts";
import { describeActivity } from "../activities.ts";
import { maxClockMs, maxQueuedFaults, minClockMs } from "../assumptions.ts";
import { badRequest } from "../request-error.ts";
import { changesToMerge, changesToReplace, mergePatch, type OrganizationPatch, toSeed } from "../seed/changes.ts";
import { findRulesProblems, findSeedProblems, type Seed, type SeedOrganization } from "../seed/check.ts";
import { formatPath, type SeedProblem } from "../seed/problems.ts";
import { executeDueActivities, makeContext } from "../service.ts";
import type { OperationContext, Rules } from "../state.ts";
import type { Store } from "../store.ts";
import type { Fault, FaultQueue } from "./faults.ts";
import type { RateLimit, RateLimitBuckets } from "./rate-limit.ts";
import type { RequestLog } from "./request-log.ts";
import { checkClockChange, checkFault, checkFields, checkStateRequest, limitFields, rulesFields } from "./schema.ts";

/** Sets the clock (it goes on from there), moves it, or lets it follow the real one again. */
export type ClockChange = { readonly nowMs: number } | { readonly advanceMs: number } | { readonly reset: true };

/** One organization in the form of a seed, and its activities, oldest first. */
export interface OrganizationView {
	readonly organization: SeedOrganization;
	readonly activities: readonly Readonly<Record<string, unknown>>[];
}

/** Returns the emulator's clock, which follows `base` until it is changed. */
export function makeClock(base: () => number) {
	let offsetMs = 0;
	const now = (): number => base() + offsetMs;
	return {
		now,
		isSet: (): boolean => offsetMs !== 0,
		change(order: ClockChange): number {
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

/** Throws a RequestError that names every problem, with `within` before its path. */
function rejectProblems(problems: readonly SeedProblem[], ...within: readonly string[]): void {
	if (problems.length === 0) return;
	throw badRequest(problems.map(({ path, message }) => `${formatPath([...within, ...path])}: ${message}`).join("; "));
}

/** Writes the organizations of a seed that the store does not have. Throws a ConfigurationError when the seed has problems. */
export function seedStore(store: Store, seed: Seed, nowMs: number): void {
	const problems = findSeedProblems(seed);
	const [first] = problems;
	if (first !== undefined) {
		const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more problems)`;
		throw new ConfigurationError(`the seed is not valid: ${formatPath(first.path)}: ${first.message}${others}`);
	}
	const known = new Set(store.summaries().map(({ organizationId }) => organizationId));
	const isNew = ({ organizationId }: SeedOrganization) => !known.has(organizationId.toLowerCase());
	writeSeed(store, seed.organizations.filter(isNew), nowMs);
}

function writeSeed(store: Store, organizations: readonly SeedOrganization[], nowMs: number): void {
	store.writeAll(organizations.map((one) => [one.organizationId.toLowerCase(), changesToReplace(one, nowMs)]));
}

export interface EmulatorParts {
	readonly store: Store;
	readonly faults: FaultQueue;
	readonly log: RequestLog;
	readonly limits: RateLimitBuckets;
	readonly clock: ReturnType<typeof makeClock>;
}

/** Returns the context of an organization after its due activities were executed. Throws when it does not exist. */
function currentContext({ store, clock }: EmulatorParts, organizationId: string): OperationContext {
	const context = makeContext(store, organizationId.toLowerCase(), clock.now());
	executeDueActivities(store, context);
	return context;
}

function applySeed({ store, clock }: EmulatorParts, seed: Seed): void {
	rejectProblems(findSeedProblems(seed));
	writeSeed(store, seed.organizations, clock.now());
}

/** Merges the patch into its organization. `check` throws when the outcome is not valid. */
function applyPatch(parts: EmulatorParts, patch: OrganizationPatch, check?: (merged: SeedOrganization) => void): void {
	const { organization } = currentContext(parts, patch.organizationId);
	const merged = mergePatch(organization, patch);
	check?.(merged);
	parts.store.write(organization.organizationId, changesToMerge(organization, merged, parts.clock.now()));
}

/** Each function is also an endpoint under /emulator/. What cannot be done throws or rejects with a RequestError. */
export type Control = ReturnType<typeof makeControl>;

export function makeControl(parts: EmulatorParts) {
	const { faults, log, limits, clock } = parts;
	return {
		/** Returns one organization. Throws when there is none with that id. */
		state(organizationId: string): OrganizationView {
			const { organization, activitiesNewestFirst } = currentContext(parts, organizationId);
			const activities = [...activitiesNewestFirst()].reverse().map((one) => describeActivity(one, "", true));
			return { organization: toSeed(organization), activities };
		},
		/**
		 * Resolves when the change is durable. A seed creates its organizations or replaces them, activities included. A patch merges
		 * entities into one organization by id, or removes them. Rejects, changing nothing, when the result would not be a valid seed.
		 */
		async changeState(change: Seed | OrganizationPatch): Promise<void> {
			checkStateRequest(change);
			if ("organizations" in change) applySeed(parts, change as Seed);
			else applyPatch(parts, change, (merged) => rejectProblems(findSeedProblems({ organizations: [merged] })));
		},
		/** Replaces the rules of an organization. Pending activities keep the rules that applied when they were submitted. */
		async setRules(organizationId: string, rules: Rules): Promise<void> {
			checkFields({ organizationId, rules }, rulesFields);
			rejectProblems(findRulesProblems(rules), "rules");
			applyPatch(parts, { organizationId, rules });
		},
		/** Returns the emulator's time after the change, in milliseconds. */
		setClock(change: ClockChange): number {
			checkClockChange(change);
			return clock.change(change);
		},
		addFault(fault: Fault): void {
			checkFault(fault);
			if (faults.list().length >= maxQueuedFaults) {
				throw badRequest(`${maxQueuedFaults} faults are queued already; to remove them: DELETE /emulator/faults`);
			}
			faults.add(fault);
		},
		/** Returns the queued faults, with their remaining counts. */
		faults: faults.list,
		clearFaults: faults.clear,
		/** Sets a rate limit, with full buckets; undefined removes it. */
		setLimit(limit: RateLimit | undefined): void {
			if (limit !== undefined) checkFields(limit, limitFields);
			limits.set(limit);
		},
		limit: limits.get,
		/** Returns the request log, oldest first. It never holds stamps or bodies. */
		requests: log.entries,
		/** Returns the max requests in flight at once since the log was cleared. Those under /emulator/ do not count. */
		maxInFlight: log.maxInFlight,
		clearRequests: log.clear,
	};
}
