/**
 * Measures the service's clock from its answers. Machines can be an hour off, and the service checks the age of a request by
 * its own clock. Timestamps of requests are therefore made by that clock.
 */
import type { Reader } from "../wire/client.ts";
import { confirmOrganization } from "./live-queries.ts";

/**
 * Unverified, chosen: clocks that differ by less count as equal. A `Date` has whole seconds, an answer takes a while, and
 * runners with correct clocks must make the same bytes.
 */
const toleranceMs = 30_000;

/** When something was asked: by our clock, and by the journal's order of writing where that is known. */
interface AskedAt {
	readonly askedAtMs: number;
	readonly position: number | undefined;
}

/** A reader that measures the service's clock with each answer. */
export interface ClockedReader extends Reader {
	/**
	 * Asks one documented query if there was no answer yet: it shows the service's clock, and that the organization exists. If
	 * that query is denied, our own clock counts. Throws what Reader.query throws.
	 */
	ensureAnswered(organizationId: string): Promise<void>;
	/** Returns the milliseconds to add to our clock to get the service's; 0 if they agree or the service has no Date. */
	clockOffsetMs(): number;
	/** Returns the same without a tolerance: windows of members begin and end at a second. */
	exactOffsetMs(): number;
	/**
	 * Returns the service's time, milliseconds since 1970: the latest `Date` of its answers, never ahead of its clock. Undefined
	 * before the first answer, and if the service has no Date.
	 */
	serviceTimeMs(): number | undefined;
	/** Returns when the oldest of its answers was asked: a reader that shares answers gives earlier ones. */
	oldest(): AskedAt;
}

/**
 * Returns the reader with a clock: it compares the `Date` of answers with `now`, milliseconds since 1970. `position` is the
 * journal's present one; undefined without a journal.
 */
export function withServiceClock(reader: Reader, now: () => number, position?: number): ClockedReader {
	let offsetMs: number | undefined;
	let latestMs: number | undefined;
	let isAnswered = false;
	let oldest: AskedAt = { askedAtMs: now(), position };
	return {
		async query(operation, fields) {
			const answer = await reader.query(operation, fields);
			isAnswered = true;
			const { serverTimeMs, askedAtMs = now() } = answer;
			if (serverTimeMs !== undefined) {
				offsetMs = serverTimeMs - askedAtMs;
				latestMs = Math.max(latestMs ?? serverTimeMs, serverTimeMs);
			}
			oldest = {
				askedAtMs: Math.min(oldest.askedAtMs, answer.askedAtMs ?? oldest.askedAtMs),
				position: oldest.position && Math.min(oldest.position, answer.askedAtPosition ?? oldest.position),
			};
			return answer;
		},
		async ensureAnswered(organizationId) {
			if (isAnswered) return;
			await confirmOrganization((operation) => this.query(operation, { organizationId }));
		},
		clockOffsetMs: () => (offsetMs === undefined || Math.abs(offsetMs) < toleranceMs ? 0 : offsetMs),
		exactOffsetMs: () => offsetMs ?? 0,
		serviceTimeMs: () => latestMs,
		oldest: () => oldest,
	};
}
