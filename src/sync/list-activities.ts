/**
 * Reads `list_activities` page by page. The direction of the page cursor is not documented, so this does not rely on it:
 * only the content of a page counts. A list is complete if its last page has only new activities.
 */
import { ifAvailable } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { Reader } from "../wire/client.ts";
import { extendedReads } from "../wire/operations.ts";

/** Max activities in one answer of `list_activities` (docs/service.md#extended-reads). */
const pageLimit = 100;

/** Every page limit of a service is a multiple of this. */
const smallestPageStep = 5;

/** Max pages that are read: few activities are pending at a time, and each page is a request. */
const maxPages = 10;

export type ActivityRecord = Readonly<Record<string, unknown>>;

export interface Page {
	/** Activities that no page before had, newest first. */
	readonly activities: readonly ActivityRecord[];
	/** Whether there are no others: nothing follows, or the page was not full and all of it was new. */
	readonly isLast: boolean;
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
): AsyncGenerator<Page, void, undefined> {
	const seen = new Set<string>();
	let direction: "before" | "after" = "before";
	let oldest: string | undefined;
	let isFull = false;
	for (let count = 0; count < maxPages; count += 1) {
		const cursor = oldest === undefined ? {} : { [direction]: oldest };
		const answer = await askPage(reader, { ...filters, paginationOptions: { limit: String(pageLimit), ...cursor } });
		if (answer === undefined) return;
		const { all, serverTimeMs } = answer;
		const activities = all.filter(({ id }) => typeof id === "string" && !seen.has(id));
		for (const { id } of activities) seen.add(String(id));
		const isNew = activities.length === all.length;
		isFull ||= all.length >= pageLimit;
		const mayGoOn = all.length > 0 && all.length % smallestPageStep === 0;
		// Pages that repeat, none of them full, are a list that no cursor divides.
		const isLast = isNew ? !mayGoOn : !isFull && direction === "after" && activities.length === 0;
		yield { activities, isLast, serverTimeMs };
		if (isLast) return;
		if (!isNew) {
			if (direction === "after") return;
			direction = "after";
		} else oldest = String(activities.at(-1)?.id);
	}
}

async function askPage(reader: Reader, fields: Readonly<Record<string, unknown>>) {
	const answer = await ifAvailable(reader.query(extendedReads.list_activities, fields));
	const all = answer?.value.activities ?? [];
	if (answer === undefined || !Array.isArray(all) || !all.every(isRecord)) return undefined;
	return { all, serverTimeMs: answer.serverTimeMs };
}
