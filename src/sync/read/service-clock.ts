/**
 * Measures the service's clock from its answers. Machines can be an hour off, and the service checks the age of a request by
 * its own clock. Timestamps of requests are therefore made by that clock.
 *
 * One answer is no clock: a cache, a gateway or a broken server can write any `Date`. What depends on the time is decided only
 * where all answers and our own clock agree.
 */
import { LiveProblemError } from "../../common/errors.ts";
import type { NotRead } from "../../policy/access.ts";
import { reasonText } from "../../say/reason.ts";
import type { Reader } from "../../wire/client.ts";
import { confirmOrganization } from "./live-queries.ts";

/** Unverified, chosen: clocks that differ by less are equal. A `Date` has whole seconds, and runners with correct clocks must make equal bytes. */
const toleranceMs = 30_000;

/** Max milliseconds between an answer's time and our clock for what depends on the time. */
const clockToleranceMs = 5 * 60_000;

/** When something was asked: by our clock, and by the journal's order of writing where that is known. */
interface AskedAt {
	readonly askedAtMs: number;
	readonly position: number | undefined;
}

/** The time of an answer, and the time that it should have, both in milliseconds since 1970. */
interface ClockDisagreement {
	readonly answeredMs: number;
	readonly expectedMs: number;
	/** Whether other answers say what it should be, as with an emulator whose clock was set; otherwise our own clock does. */
	readonly isByAnswers: boolean;
}

interface AnswerTime {
	readonly serverTimeMs: number;
	/** Milliseconds to add to our clock to get it. */
	readonly offsetMs: number;
	readonly isClockSet: boolean;
}

/** A reader that measures the service's clock with each answer. */
export type ClockedReader = ReturnType<typeof withServiceClock>;

/** Returns the reader with a clock: it compares `Date` with `now`. `position` is the journal's present one. */
export function withServiceClock(reader: Reader, now: () => number, position?: number) {
	const times: AnswerTime[] = [];
	let isAnswered = false;
	let oldest: AskedAt = { askedAtMs: now(), position };
	const query: Reader["query"] = async (operation, fields) => {
		const answer = await reader.query(operation, fields);
		isAnswered = true;
		const { serverTimeMs, askedAtMs = now(), isClockSet = false } = answer;
		if (serverTimeMs !== undefined) times.push({ serverTimeMs, offsetMs: serverTimeMs - askedAtMs, isClockSet });
		oldest = {
			askedAtMs: Math.min(oldest.askedAtMs, answer.askedAtMs ?? oldest.askedAtMs),
			position: oldest.position && Math.min(oldest.position, answer.askedAtPosition ?? oldest.position),
		};
		return answer;
	};
	const exactOffsetMs = (): number => chooseOffset(times);
	return {
		query,
		/**
		 * Asks one documented query if there was no answer yet: it shows the service's clock, and that the organization exists. If
		 * that query is denied, our own clock counts. Where the only answer disagrees with our clock, another is asked for. Throws
		 * what Reader.query throws.
		 */
		async ensureAnswered(organizationId: string): Promise<void> {
			const confirm = () => confirmOrganization((operation) => this.query(operation, { organizationId }));
			if (!isAnswered) await confirm();
			if (times.length === 1 && findDisagreement(times) !== undefined) await confirm();
		},
		/** Returns the milliseconds to add to our clock to get the service's; 0 if they agree or the service has no Date. */
		clockOffsetMs: (): number => (Math.abs(exactOffsetMs()) < toleranceMs ? 0 : exactOffsetMs()),
		/** Returns the same without a tolerance: windows of members begin and end at a second. */
		exactOffsetMs,
		/** Returns the service's time: the latest `Date` of answers that agree, never ahead of its clock. Undefined without one. */
		serviceTimeMs(): number | undefined {
			const agreeing = times.filter(({ offsetMs }) => Math.abs(offsetMs - exactOffsetMs()) <= clockToleranceMs);
			return agreeing.length === 0 ? undefined : Math.max(...agreeing.map(({ serverTimeMs }) => serverTimeMs));
		},
		/** Returns the answer whose time is furthest from what the other clocks say; undefined while all agree. */
		disagreement: () => findDisagreement(times),
		/** Returns when the oldest of its answers was asked: a reader that shares answers gives earlier ones. */
		oldest: () => oldest,
	};
}

/** Returns the offset that our own clock supports best; of a clock that was set, the latest. */
function chooseOffset(times: readonly AnswerTime[]): number {
	const offsets = times.map(({ offsetMs }) => offsetMs);
	if (times.some(({ isClockSet }) => isClockSet)) return offsets.at(-1) ?? 0;
	return offsets.reduce((best, one) => (Math.abs(one) <= Math.abs(best) ? one : best), offsets[0] ?? 0);
}

function findDisagreement(times: readonly AnswerTime[]): ClockDisagreement | undefined {
	const isByAnswers = times.some(({ isClockSet }) => isClockSet);
	const expectedMs = isByAnswers ? (times[0]?.offsetMs ?? 0) : 0;
	const distanceOf = ({ offsetMs }: AnswerTime): number => Math.abs(offsetMs - expectedMs);
	const [furthest] = times.toSorted((left, right) => distanceOf(right) - distanceOf(left));
	if (furthest === undefined || distanceOf(furthest) <= clockToleranceMs) return undefined;
	const { serverTimeMs, offsetMs } = furthest;
	return { answeredMs: serverTimeMs, expectedMs: serverTimeMs - offsetMs + expectedMs, isByAnswers };
}

/** Returns why the time is not certain, with both times; undefined while all clocks agree. */
export function whyUncertainTime({ disagreement }: Pick<ClockedReader, "disagreement">): NotRead | undefined {
	const found = disagreement();
	return found && { kind: "clocks-disagree", ...found, toleranceMs: clockToleranceMs };
}

const clockHint = "set the clock of this machine, or find what changes the Date header of answers";

/** Throws LiveProblemError for `what`, which depends on the time, unless `because` is undefined: see `whyUncertainTime`. */
export function refuseUncertainTime(what: string, because: NotRead | undefined): void {
	if (because !== undefined) throw new LiveProblemError(`${what}: ${reasonText(because)}`, { hint: clockHint });
}
