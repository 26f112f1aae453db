/**
 * One answer for all resources that ask the same query: a thousand resources of an organization cost one query.
 *
 * An answer is shared until it is a minute old, or until something is known that it cannot show: a resource that submits
 * reads again what it expired, and a settled activity ends the sharing of every earlier answer about its organization. Each such
 * reading is asked after the submit that it has to show; those of many resources that submit at once are one.
 */
import { defined } from "../../common/defined.ts";
import { AuthenticationError, ConfigurationError } from "../../common/errors.ts";
import type { QueryAnswer, Reader } from "../../wire/client.ts";
import { extendedReads } from "../../wire/operations.ts";

/** The maximum age of a shared answer. Long enough for one query per phase of a large program, short enough for drift. */
export const maxAgeMs = 60_000;

/** The name under which functions read: they share no answer from before a resource of this process submitted. */
export const functionReads = "(functions)";

export type SharedReads = ReturnType<typeof shareReads>;

/** The clocks of SharedReads, in milliseconds, and the journal's order of writing. */
export interface Clocks {
	/** Since 1970. */
	readonly now: () => number;
	/** From an arbitrary start, never set back. */
	readonly steadyNow: () => number;
	/** The journal's position; undefined while no journal is open. */
	readonly position?: () => number | undefined;
}

interface Shared {
	answer: Promise<QueryAnswer>;
	readonly organizationId: unknown;
	/** The counter when it was asked; infinite until then. Higher than that of a resource in `expired`: after it submitted. */
	order: number;
	/** By the steady clock; infinite until then. */
	askedAtMs: number;
	/** The counter when it was answered; undefined until then. */
	answeredOrder?: number;
}

/** Returns the reader's query, whose answers say when they were asked. */
function withTimes(reader: Reader, { now, steadyNow, position }: Clocks): Reader["query"] {
	return async (...question) => {
		const startedAtMs = steadyNow();
		const askedAtMs = now();
		const askedAtPosition = position?.();
		const { value, serverTimeMs, isClockSet } = await reader.query(...question);
		const tookMs = Math.max(0, steadyNow() - startedAtMs);
		return {
			value,
			serverTimeMs: serverTimeMs === undefined ? undefined : serverTimeMs - tookMs,
			askedAtMs,
			...defined({ isClockSet, askedAtPosition }),
		};
	};
}

/** Shares the answers of a reader. Times are those of the query, because its age counts, not when a resource uses it. */
export function shareReads(reader: Reader, clocks: Clocks) {
	const { steadyNow } = clocks;
	const shared = new Map<string, Shared>();
	const expired = new Map<string, number>();
	/** By resource, the order of its latest list of activities. */
	const listed = new Map<string, number>();
	let count = 0;

	const ask = withTimes(reader, clocks);
	const share = (key: string, ...[operation, fields]: Parameters<Reader["query"]>): Shared => {
		const never = Number.POSITIVE_INFINITY;
		const { organizationId } = fields;
		const fresh = { organizationId, order: never, askedAtMs: never } as Shared;
		const askNow = (): Promise<QueryAnswer> => {
			count += 1;
			Object.assign(fresh, { order: count, askedAtMs: steadyNow() });
			return ask(operation, fields);
		};
		// Those who need a later answer than one in flight wait for it, and share the next: many that submit at once read once.
		const earlier = shared.get(key);
		const isInFlight = earlier !== undefined && earlier.answeredOrder === undefined;
		fresh.answer = isInFlight ? earlier.answer.then(askNow, askNow) : askNow();
		shared.set(key, fresh);
		fresh.answer.then(
			() => {
				count += 1;
				fresh.answeredOrder = count;
			},
			(error: unknown) => {
				// A rejected key stays rejected; any other failure may be temporary.
				const lasting = error instanceof AuthenticationError || error instanceof ConfigurationError;
				if (!lasting && shared.get(key) === fresh) shared.delete(key);
			},
		);
		return fresh;
	};
	const isUsable = (known: Shared, afterOrder: number): boolean =>
		known.order > afterOrder && steadyNow() - known.askedAtMs < maxAgeMs;
	const readAfter = (resource: string, isAfterList: boolean): Reader => ({
		async query(operation, fields) {
			const key = `${operation.name} ${JSON.stringify(fields)}`;
			const known = shared.get(key);
			const afterOrder = Math.max(expired.get(resource) ?? 0, isAfterList ? (listed.get(resource) ?? 0) : 0);
			const one = known !== undefined && isUsable(known, afterOrder) ? known : share(key, operation, fields);
			const answer = await one.answer;
			if (operation.name === extendedReads.list_activities.name && one.answeredOrder !== undefined)
				listed.set(resource, Math.max(one.answeredOrder, listed.get(resource) ?? 0));
			return answer;
		},
	});

	return {
		/** A Reader for one resource: it shares no answer from before the resource last submitted something. */
		readerFor: (resource: string) => readAfter(resource, false),
		/** The same, and it shares no answer that was asked before the resource's latest list of activities was answered. */
		readerFreshSinceList: (resource: string) => readAfter(resource, true),
		/** Stops sharing earlier answers with a resource, because it has submitted something. */
		expireFor(resource: string): void {
			count += 1;
			expired.set(resource, count);
		},
		/** Stops sharing the answers about an organization that are older than `olderThanMs`; all of them when left out. */
		expireAll(organizationId: string, olderThanMs = 0): void {
			const beforeMs = steadyNow() - olderThanMs;
			for (const [key, known] of shared) {
				if (known.organizationId === organizationId && known.askedAtMs <= beforeMs) shared.delete(key);
			}
		},
	};
}
