/**
 * Services whose lists of activities differ in what is not documented: the order, what `before` and `after` mean, and where the
 * first page begins. A list is complete only if all of its activities were read.
 */
import { describe, expect, it } from "vitest";
import { type ActivityRecord, isOldestFirst, listPages } from "../../../src/sync/read/list-activities.ts";
import type { Reader } from "../../../src/wire/client.ts";

interface Habits {
	/** Whether a page has its newest activity first. */
	readonly isNewestFirst: boolean;
	/** Which end of the list a page without a cursor shows. */
	readonly begins: "newest" | "oldest";
	/** What `before` means; `after` means the other, and `nothing` answers both with an empty page. */
	readonly before: "older" | "newer" | "nothing" | "ignored";
	/** Milliseconds between two activities; 0 is all in one moment. */
	readonly apartMs?: number;
	readonly idOf?: (index: number) => string;
	/** The service cuts pages here, whatever it is asked for. */
	readonly most?: number;
}

const pad = (index: number): string => String(index).padStart(12, "0");
/** As UUIDv7: in the order in which they were made. */
const inOrder = (index: number): string => `019aa660-9400-7c3a-8f21-${pad(index)}`;
const random = (index: number): string => `${pad((index * 7919) % 10007).slice(4)}-1c1f-4c8e-9f35-${pad(index)}`;

/** A reader of `count` activities, the oldest of which has the index 0. */
function serve(
	count: number,
	{ isNewestFirst, begins, before, apartMs = 1000, idOf = inOrder, most = 1000 }: Habits,
): Reader {
	const all: ActivityRecord[] = Array.from({ length: count }, (_, index) => ({
		id: idOf(index),
		createdAt: { seconds: String(1_760_000_000 + Math.floor((index * apartMs) / 1000)), nanos: "0" },
	}));
	const ids = all.map(({ id }) => id);
	const query: Reader["query"] = async (_operation, fields) => {
		const options = (fields as { paginationOptions: Readonly<Record<string, string>> }).paginationOptions;
		const cursor = options.before ?? options.after;
		const limit = Math.min(most, Number(options.limit));
		const isOlder = (options.before !== undefined) === (before === "older");
		const at = ids.indexOf(String(cursor));
		const page =
			cursor === undefined || before === "ignored"
				? begins === "newest"
					? all.slice(-limit)
					: all.slice(0, limit)
				: before === "nothing"
					? []
					: isOlder
						? all.slice(Math.max(0, at - limit), at)
						: all.slice(at + 1, at + 1 + limit);
		return { value: { activities: isNewestFirst ? page.toReversed() : page }, serverTimeMs: undefined };
	};
	return { query } as Reader;
}

async function readAll(reader: Reader) {
	let read = 0;
	let isLast = false;
	let requests = 0;
	for await (const page of listPages(reader, {})) {
		read += page.activities.length;
		isLast = page.isLast;
		requests += 1;
	}
	return { read, isLast, requests };
}

const habits: Habits[] = [true, false].flatMap((isNewestFirst) =>
	(["newest", "oldest"] as const).flatMap((begins) =>
		(["older", "newer", "nothing", "ignored"] as const).flatMap((before) =>
			[1000, 300, 0].flatMap((apartMs) =>
				[inOrder, random].map((idOf) => ({ isNewestFirst, begins, before, apartMs, idOf })),
			),
		),
	),
);
const name = ({ isNewestFirst, begins, before, apartMs, idOf }: Habits): string =>
	`${isNewestFirst ? "newest" : "oldest"} first, from the ${begins}, before: ${before}, ${apartMs} ms apart, ${idOf === random ? "random" : "ordered"} ids`;

describe("a list of activities", () => {
	it.each(
		habits.map((one) => [name(one), one] as const),
	)("is complete only if all of it was read: %s", async (_name, one) => {
		for (const count of [0, 4, 99, 100, 150, 200, 350]) {
			const { read, isLast } = await readAll(serve(count, one));
			expect({ count, wrong: isLast && read < count }).toEqual({ count, wrong: false });
		}
	});

	it.each([
		["newest first", { isNewestFirst: true, begins: "newest", before: "older" }],
		["newest first, and before means newer", { isNewestFirst: true, begins: "newest", before: "newer" }],
		["oldest first", { isNewestFirst: false, begins: "oldest", before: "older" }],
		["oldest first, and before means newer", { isNewestFirst: false, begins: "oldest", before: "newer" }],
	] as const)("is read to its end where it is %s", async (_what, one) => {
		for (const count of [99, 101, 200, 350])
			expect(await readAll(serve(count, one))).toMatchObject({ read: count, isLast: true });
	});

	const usual = { isNewestFirst: true, begins: "newest", before: "older" } as const;

	it.each([50, 20, 5])("is read to its end if the service cuts pages at %i", async (most) => {
		expect(await readAll(serve(most + 8, { ...usual, most }))).toMatchObject({ read: most + 8, isLast: true });
	});

	it("costs a second request only if a page could have been cut", async () => {
		const read = await Promise.all([1, 2, 3, 4, 5, 6].map((count) => readAll(serve(count, usual))));
		expect(read.map(({ requests }) => requests)).toEqual([1, 1, 1, 1, 2, 1]);
	});

	it("that repeats and is shorter than a page is complete", async () => {
		expect(await readAll(serve(5, { ...usual, before: "ignored" }))).toMatchObject({ isLast: true });
	});
});

it("activities of one millisecond do not show in which order a list is", () => {
	const createdAt = { seconds: "1767225600", nanos: "0" };
	const made = (id: string) => ({ id: `01a20d52-${id}-8000-000000000001`, createdAt });
	expect(isOldestFirst([made("d572-7000"), made("d572-7fff")])).toBe(false);
	expect(isOldestFirst([made("d572-7fff"), made("d573-7000")])).toBe(true);
});
