/**
 * One answer for everybody who asks the same: a thousand resources of an organization are read with one query.
 *
 * The rule it keeps: who has submitted something reads anew what it touched; what others submitted meanwhile does not make
 * an answer too old, because each resource looks only at its own objects.
 */
import { AuthenticationError, ConfigurationError } from "../errors.ts";
import type { QueryAnswer, Reader } from "../wire/client.ts";

export interface SharedReads {
	/** A Reader for one resource: what it has touched since an answer came is asked for again. */
	readerFor(resource: string): Reader;
	/** Notes that the resource has submitted something. */
	touch(resource: string): void;
}

interface Shared {
	readonly answer: Promise<QueryAnswer>;
	/** Counts up; higher than the last touch of a resource: it was asked for after that. */
	readonly askedAt: number;
}

/**
 * The reader's answers, each asked for once. `steadyNow` is milliseconds from any beginning: the time at which the service
 * answered is told as the time at which it was asked, because whoever gets the answer later cannot measure how long it took.
 */
export function shareReads(reader: Reader, steadyNow: () => number): SharedReads {
	const ask = async (...question: Parameters<Reader["query"]>): Promise<QueryAnswer> => {
		const beganMs = steadyNow();
		const { value, serverTimeMs } = await reader.query(...question);
		const tookMs = Math.max(0, steadyNow() - beganMs);
		return { value, serverTimeMs: serverTimeMs === undefined ? undefined : serverTimeMs - tookMs };
	};
	const shared = new Map<string, Shared>();
	const touched = new Map<string, number>();
	let count = 0;
	return {
		readerFor: (resource) => ({
			query(operation, fields) {
				const key = `${operation.name} ${JSON.stringify(fields)}`;
				const known = shared.get(key);
				if (known !== undefined && known.askedAt > (touched.get(resource) ?? 0)) return known.answer;
				count += 1;
				const fresh: Shared = { answer: ask(operation, fields), askedAt: count };
				shared.set(key, fresh);
				fresh.answer.catch((error: unknown) => {
					// A key that is not accepted is not accepted for the next one either; anything else may have passed.
					const lasting = error instanceof AuthenticationError || error instanceof ConfigurationError;
					if (!lasting && shared.get(key) === fresh) shared.delete(key);
				});
				return fresh.answer;
			},
		}),
		touch: (resource) => {
			count += 1;
			touched.set(resource, count);
		},
	};
}
