/**
 * Reads `list_activities` page by page. Neither the direction of the page cursor nor the order of the list is documented, so
 * both are learned from the answers. A list that was not read to its end, or back to the moment that matters, is unknown.
 */
import { ifAvailable } from "../../common/errors.ts";
import { isRecord } from "../../common/json.ts";
import { endOfPrecision, readTime } from "../../wire/activity.ts";
import type { Reader } from "../../wire/client.ts";
import { extendedReads } from "../../wire/operations.ts";

/** Max activities in one answer of `list_activities` (docs/internals/service.md#extended-reads). */
const pageLimit = 100;

/** Every page limit of a service is a multiple of this. */
const smallestPageStep = 5;

/** Max pages that are read of a list whose every activity matters: a service may never end its list. */
const maxPages = 1000;

export const maxListedActivities = maxPages * pageLimit;

export const endedStatuses = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_FAILED"];

export type ActivityRecord = Readonly<Record<string, unknown>>;

export interface Page {
	/** Activities that no page before had, newest first. */
	readonly activities: readonly ActivityRecord[];
	/** Whether there are no others: nothing follows, or the page was not full and all of it was new. */
	readonly isLast: boolean;
	/** All activities created after this are in this page or one before; undefined unless the list is seen to be newest first. */
	readonly listedSinceMs: number | undefined;
	/** The service's clock when it answered, milliseconds since 1970; undefined when it does not say. */
	readonly serverTimeMs: number | undefined;
}

/**
 * Yields the pages of `list_activities` until one is the last or nothing new follows; none if the service does not have the
 * query, denies it, or answers with no list. Throws what Reader.query throws otherwise.
 *
 * Unverified, chosen: `before` comes first, as "created before this one". If a page repeats activities, the service reads it
 * the other way round (or not at all), so `after` is next. A service with a smaller limit cuts pages at a multiple of five:
 * after such a page the next one is read. A list whose first page shows the newest activity first begins with the newest.
 */
export async function* listPages(
	reader: Reader,
	filters: Readonly<Record<string, unknown>>,
	{ max = maxPages }: { readonly max?: number } = {},
): AsyncGenerator<Page, void, undefined> {
	const seen = new Set<string>();
	const times: (number | undefined)[] = [];
	const walk = new Walk();
	for (let count = 0; count < max; count += 1) {
		const answer = await askPage(reader, {
			...filters,
			paginationOptions: { limit: String(pageLimit), ...walk.cursor() },
		});
		if (answer === undefined) return;
		const { all, serverTimeMs } = answer;
		const activities = all.filter(({ id }) => typeof id === "string" && !seen.has(id));
		for (const { id } of activities) seen.add(String(id));
		times.push(...activities.map(({ createdAt }) => readTime(createdAt)));
		const next = walk.read(all, activities);
		yield { activities, isLast: next === "complete", listedSinceMs: listedSince(times), serverTimeMs };
		if (next !== "more") return;
	}
}

/** Where a reader of pages is in the list, and what the pages have shown of the cursor. */
class Walk {
	#direction: "before" | "after" = "before";
	#last: string | undefined;
	/** Whether a page has had as many activities as one can have. */
	#isFull = false;
	/** Whether the first page had its newest activity last. */
	#isOldestFirst: boolean | undefined;
	/** Whether a cursor has led to activities that all were new: then an empty page is the end. */
	#leads = false;
	/** Whether a page had both new and known activities: then an empty page elsewhere is no end. */
	#isDoubtful = false;
	/** Whether nothing at all was `before`. */
	#hadNothingBefore = false;

	cursor(): Readonly<Record<string, string | undefined>> {
		return { [this.#direction]: this.#last };
	}

	/** Returns whether all was read with this page, there may be more, or no request shows it. */
	read(all: readonly ActivityRecord[], fresh: readonly ActivityRecord[]): "complete" | "more" | "unknown" {
		this.#isFull ||= all.length >= pageLimit;
		if (fresh.length === 0 && this.#last !== undefined) return this.#readNothingNew(all);
		if (fresh.length < all.length) {
			this.#isDoubtful = true;
			return this.#turn();
		}
		if (this.#last === undefined) this.#isOldestFirst = isOldestFirst(all);
		else this.#leads = true;
		const mayGoOn = all.length > 0 && all.length % smallestPageStep === 0;
		this.#last = String(fresh.at(-1)?.id);
		return mayGoOn ? "more" : this.#end();
	}

	#readNothingNew(all: readonly ActivityRecord[]): "complete" | "more" | "unknown" {
		const isEmpty = all.length === 0;
		if (isEmpty && this.#leads) return this.#end();
		if (this.#direction === "before") {
			if (isEmpty && !this.#isFull && !this.#isOldestFirst) return "complete";
			this.#hadNothingBefore = isEmpty;
			return this.#turn();
		}
		if (isEmpty) return this.#hadNothingBefore ? "unknown" : this.#end();
		// Pages that repeat, none of them full, are a list that no cursor divides; one without the cursor's activity obeys it.
		const isObeyed = this.#hadNothingBefore && !all.some(({ id }) => id === this.#last);
		return !this.#isFull || isObeyed ? this.#end() : "unknown";
	}

	#turn(): "more" | "unknown" {
		if (this.#direction === "after") return "unknown";
		this.#direction = "after";
		return "more";
	}

	#end(): "complete" | "unknown" {
		return this.#isDoubtful ? "unknown" : "complete";
	}
}

/** Whether the times of the activities, or where they are equal the order of UUIDv7, show that the newest is the last. */
export function isOldestFirst(activities: readonly ActivityRecord[]): boolean {
	const [first, last] = [activities[0], activities.at(-1)];
	const [from, to] = [readTime(first?.createdAt), readTime(last?.createdAt)];
	if (from !== undefined && to !== undefined && from !== to) return from < to;
	return timeOfId(first?.id) < timeOfId(last?.id);
}

/** Returns the milliseconds in a UUIDv7; NaN for another id. What follows them is random. */
function timeOfId(id: unknown): number {
	const [, high = "", low = ""] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(String(id)) ?? [];
	return Number.parseInt(high + low, 16);
}

/** Returns the moment since which a list with these times has all activities; undefined unless they show that it is newest first. */
function listedSince(times: readonly (number | undefined)[]): number | undefined {
	const known = times.map((time = Number.NaN) => time);
	const isOrdered = known.every((time, index) => time <= (known[index - 1] ?? time));
	const sinceMs = endOfPrecision(known.at(-1) ?? Number.NaN);
	return isOrdered && sinceMs < (known[0] ?? 0) ? sinceMs : undefined;
}

/** Returns an activity as it is now, with the service's clock; undefined if the service does not show one of this id. */
export async function readActivityRecord(organizationId: string, activityId: string, reader: Reader) {
	const answer = await ifAvailable(reader.query(extendedReads.get_activity, { organizationId, activityId }));
	const record = answer?.value.activity;
	const isShown = isRecord(record) && String(record.id).toLowerCase() === activityId.toLowerCase();
	return answer !== undefined && isShown ? { record, serverTimeMs: answer.serverTimeMs } : undefined;
}

async function askPage(reader: Reader, fields: Readonly<Record<string, unknown>>) {
	const answer = await ifAvailable(reader.query(extendedReads.list_activities, fields));
	const all = answer?.value.activities ?? [];
	if (answer === undefined || !Array.isArray(all) || !all.every(isRecord)) return undefined;
	return { all, serverTimeMs: answer.serverTimeMs };
}
