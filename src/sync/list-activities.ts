/**
 * Reads `list_activities` page by page. Neither the direction of the page cursor nor the order of the list is documented, so
 * both are learned from the answers. A list that was not read to its end, or back to the moment that matters, is unknown.
 */
import { ifAvailable } from "../errors.ts";
import { isRecord } from "../json.ts";
import { endOfPrecision, readTime } from "../wire/activity.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads } from "../wire/operations.ts";

/** Max activities in one answer of `list_activities` (docs/service.md#extended-reads). */
const pageLimit = 100;

/** Every page limit of a service is a multiple of this. */
const smallestPageStep = 5;

/** Max pages that are read of a list whose every activity matters: a service may never end its list. */
const maxPages = 1000;

/** Max activities that are read of one list. */
export const maxListedActivities = maxPages * pageLimit;

export type ActivityRecord = Readonly<Record<string, unknown>>;

export interface Page {
	/** Activities that no page before had, newest first. */
	readonly activities: readonly ActivityRecord[];
	/** Whether there are no others: nothing follows, or the page was not full and all of it was new. */
	readonly isLast: boolean;
	/**
	 * All activities that were created after this are in this page or one before, milliseconds since 1970. Undefined while the
	 * pages do not show that the list is newest first.
	 */
	readonly listedSinceMs: number | undefined;
	/** The service's clock when it answered, milliseconds since 1970; undefined when it does not say. */
	readonly serverTimeMs: number | undefined;
}

/**
 * Yields the pages of `list_activities` until one is the last or has nothing new; none if the service does not have the
 * query, denies it, or answers with no list. Throws what Reader.query throws otherwise.
 *
 * Unverified, chosen: `before` comes first, as "created before this one". If a page repeats activities, the service reads it
 * the other way round (or not at all), so `after` is next. A service with a smaller limit cuts pages at a multiple of five:
 * after such a page the next one is read.
 */
export async function* listPages(
	reader: Reader,
	filters: Readonly<Record<string, unknown>>,
	{ max = maxPages }: { readonly max?: number } = {},
): AsyncGenerator<Page, void, undefined> {
	const seen = new Set<string>();
	const times: (number | undefined)[] = [];
	let direction: "before" | "after" = "before";
	let oldest: string | undefined;
	let isFull = false;
	for (let count = 0; count < max; count += 1) {
		const cursor = oldest === undefined ? {} : { [direction]: oldest };
		const answer = await askPage(reader, { ...filters, paginationOptions: { limit: String(pageLimit), ...cursor } });
		if (answer === undefined) return;
		const { all, serverTimeMs } = answer;
		const activities = all.filter(({ id }) => typeof id === "string" && !seen.has(id));
		for (const { id } of activities) seen.add(String(id));
		times.push(...activities.map(({ createdAt }) => readTime(createdAt)));
		const isNew = activities.length === all.length;
		isFull ||= all.length >= pageLimit;
		const mayGoOn = all.length > 0 && all.length % smallestPageStep === 0;
		// Pages that repeat, none of them full, are a list that no cursor divides.
		const isUndivided = !isFull && direction === "after" && activities.length === 0;
		const isLast = isNew ? !mayGoOn : isUndivided;
		yield { activities, isLast, listedSinceMs: listedSince(times), serverTimeMs };
		if (isLast) return;
		if (!isNew) {
			if (direction === "after") return;
			direction = "after";
		} else oldest = String(activities.at(-1)?.id);
	}
}

/** Returns the moment since which a list with these times has all activities; undefined unless they show that it is newest first. */
function listedSince(times: readonly (number | undefined)[]): number | undefined {
	const [first, last] = [times[0], times.at(-1)];
	if (first === undefined || last === undefined || endOfPrecision(last) >= first) return undefined;
	const isOrdered = times.every(
		(time, index) => time !== undefined && (index === 0 || time <= (times[index - 1] ?? 0)),
	);
	return isOrdered ? endOfPrecision(last) : undefined;
}

async function askPage(reader: Reader, fields: Readonly<Record<string, unknown>>) {
	const answer = await ifAvailable(reader.query(extendedReads.list_activities, fields));
	const all = answer?.value.activities ?? [];
	if (answer === undefined || !Array.isArray(all) || !all.every(isRecord)) return undefined;
	return { all, serverTimeMs: answer.serverTimeMs };
}
