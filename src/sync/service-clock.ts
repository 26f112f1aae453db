/**
 * The service's clock as its answers tell it. Machines can be an hour off; the service judges how old a request is by its
 * own clock, so times that it judges are made and compared by that one.
 */
import type { Reader } from "../wire/client.ts";
import { confirmOrganization } from "./live-queries.ts";

/**
 * Unverified, chosen: two clocks that differ by less count as one. A `Date` has whole seconds and an answer takes a while,
 * and runners whose clocks are right have to make the same bytes.
 */
const toleranceMs = 30_000;

/** A reader that notes what each answer says of the time. */
export interface ClockedReader extends Reader {
	/**
	 * Asks one documented query where nothing was answered yet: then the service's time is known, and that it has the
	 * organization. Where that query is denied our own clock has to do. Throws what Reader.query throws.
	 */
	ensureAnswered(organizationId: string): Promise<void>;
	/** Milliseconds to add to our clock to get the service's; 0 where they agree, or the service has not told its time. */
	clockOffsetMs(): number;
}

/** The reader, with its answers' `Date` held against our own clock (`now`, milliseconds since 1970). */
export function withServiceClock(reader: Reader, now: () => number): ClockedReader {
	let offsetMs: number | undefined;
	let isAnswered = false;
	return {
		async query(operation, fields) {
			const answer = await reader.query(operation, fields);
			isAnswered = true;
			const { serverTimeMs, askedAtMs = now() } = answer;
			if (serverTimeMs !== undefined) offsetMs = serverTimeMs - askedAtMs;
			return answer;
		},
		async ensureAnswered(organizationId) {
			if (isAnswered) return;
			await confirmOrganization((operation) => this.query(operation, { organizationId }));
		},
		clockOffsetMs: () => (offsetMs === undefined || Math.abs(offsetMs) < toleranceMs ? 0 : offsetMs),
	};
}
