/**
 * What a test may do to the emulator while it runs: look at state and the request log, change state and rules, set the
 * clock, order faults. The same functions in process and, as JSON without a stamp, under /emulator/.
 */
import { ConfigurationError } from "../errors.ts";
import { describeActivity } from "./activities.ts";
import { firstMs, lastMs, waitingFaultsLimit } from "./choices.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Limit, Limits } from "./limits.ts";
import type { RequestLog, RequestLogEntry } from "./log.ts";
import { checkClockOrder, checkFault, checkLimit, checkRulesOrder, checkStateOrder } from "./orders.ts";
import { invalid } from "./refusals.ts";
import {
	findRulesMistakes,
	findSeedMistakes,
	formatPath,
	type Seed,
	type SeedMistake,
	type SeedOrganization,
} from "./seed.ts";
import { changesToMerge, changesToReplace, mergePatch, type OrganizationPatch, toSeed } from "./seeding.ts";
import { makeWorld, type Sources, settleDue } from "./service.ts";
import type { Rules } from "./state.ts";
import type { Store } from "./store.ts";

/** An order to the clock: set it (it goes on from there), move it, or let it follow the real one again. */
export type ClockOrder = { readonly nowMs: number } | { readonly advanceMs: number } | { readonly reset: true };

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
	 * not be a seed without mistakes.
	 */
	changeState(change: Seed | OrganizationPatch): Promise<void>;
	/** Replaces the rules of an organization; activities that wait already keep the rules they met. */
	setRules(organizationId: string, rules: Rules): Promise<void>;
	/** The emulator's time after the order, in milliseconds. */
	setClock(order: ClockOrder): number;
	addFault(fault: Fault): void;
	/** Faults that wait, with what is left of their counts. */
	faults(): readonly Fault[];
	clearFaults(): void;
	/** Lets only so many requests pass, with full buckets from now on; undefined lifts the limit. */
	setLimit(limit: Limit | undefined): void;
	/** The limit in force; undefined when there is none. */
	limit(): Limit | undefined;
	/** The request log, oldest first; it never holds stamps or bodies. */
	requests(): readonly RequestLogEntry[];
	/** The greatest number of requests under way at once since the log was cleared; those under /emulator/ do not count. */
	mostInFlight(): number;
	clearRequests(): void;
}

/** The emulator's time: the given one, moved by orders. */
export interface Clock {
	now(): number;
	order(order: ClockOrder): number;
}

/** A clock that follows `base` until it is ordered otherwise. */
export function makeClock(base: () => number): Clock {
	let offsetMs = 0;
	const now = (): number => base() + offsetMs;
	return {
		now,
		order(order) {
			const before = offsetMs;
			if ("nowMs" in order) offsetMs = order.nowMs - base();
			else if ("advanceMs" in order) offsetMs += order.advanceMs;
			else offsetMs = 0;
			if (now() >= firstMs && now() <= lastMs) return now();
			offsetMs = before;
			throw invalid(`advanceMs: must lead to a time from ${firstMs} to ${lastMs}; it is ${Math.trunc(now())} now`);
		},
	};
}

function rejectMistakes(seed: unknown): void {
	tellMistakes(findSeedMistakes(seed));
}

/** Throws a refusal that names every mistake, `within` in front of its path. */
function tellMistakes(mistakes: readonly SeedMistake[], ...within: readonly string[]): void {
	if (mistakes.length === 0) return;
	throw invalid(mistakes.map(({ path, message }) => `${formatPath([...within, ...path])}: ${message}`).join("; "));
}

/** Writes organizations of a seed that the store does not have. Throws a ConfigurationError when the seed has mistakes. */
export function seedStore(store: Store, seed: Seed, nowMs: number): void {
	const mistakes = findSeedMistakes(seed);
	const [first] = mistakes;
	if (first !== undefined) {
		const others = mistakes.length === 1 ? "" : ` (and ${mistakes.length - 1} more mistakes)`;
		throw new ConfigurationError(`the seed is wrong at ${formatPath(first.path)}: ${first.message}${others}`);
	}
	const known = new Set(store.summaries().map(({ organizationId }) => organizationId));
	for (const organization of seed.organizations) {
		const organizationId = organization.organizationId.toLowerCase();
		if (!known.has(organizationId)) store.write(organizationId, changesToReplace(organization, nowMs));
	}
}

export interface ControlParts {
	readonly store: Store;
	readonly sources: Sources;
	readonly faults: Faults;
	readonly log: RequestLog;
	readonly limits: Limits;
	readonly clock: Clock;
}

/** The control of an emulator made of these parts. */
export function makeControl({ store, sources, faults, log, limits, clock }: ControlParts): Control {
	const settledWorld = (organizationId: string) => {
		const world = makeWorld(store, sources, organizationId.toLowerCase(), clock.now());
		settleDue(store, world);
		return world;
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
				checkStateOrder(change);
				rejectMistakes(change);
				for (const seed of (change as Seed).organizations) {
					store.write(seed.organizationId.toLowerCase(), changesToReplace(seed, clock.now()));
				}
			} else {
				checkStateOrder(change);
				const { organization } = settledWorld(change.organizationId);
				const merged = mergePatch(organization, change);
				rejectMistakes(merged);
				const [seed] = merged.organizations;
				if (seed === undefined) return;
				store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			}
			await store.committed();
		},
		async setRules(organizationId, rules) {
			checkRulesOrder({ organizationId, rules });
			tellMistakes(findRulesMistakes(rules), "rules");
			const { organization } = settledWorld(organizationId);
			const merged = mergePatch(organization, { organizationId, rules });
			const [seed] = merged.organizations;
			if (seed === undefined) return;
			store.write(organization.organizationId, changesToMerge(organization, seed, clock.now()));
			await store.committed();
		},
		setClock(order) {
			checkClockOrder(order);
			return clock.order(order);
		},
		addFault(fault) {
			checkFault(fault);
			if (faults.list().length >= waitingFaultsLimit) {
				throw invalid(`${waitingFaultsLimit} orders wait already; DELETE /emulator/faults takes them back`);
			}
			faults.add(fault);
		},
		faults: faults.list,
		clearFaults: faults.clear,
		setLimit(limit) {
			if (limit !== undefined) checkLimit(limit);
			limits.set(limit);
		},
		limit: limits.get,
		requests: log.entries,
		mostInFlight: log.mostInFlight,
		clearRequests: log.clear,
	};
}
