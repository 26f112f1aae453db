/** Activities as they are read for a vote: one by its id, those on which users can vote, and those that ended. */
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/common/errors.ts";
import { maxListedActivities } from "../../../src/sync/read/list-activities.ts";
import {
	listEnded,
	listVotable,
	readReturnedActivity,
	toReturnedActivity,
} from "../../../src/sync/submit/returned-activity.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { submits } from "../../../src/wire/operations.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";

const sinceMs = 1_767_225_600_000;
const minuteMs = 60_000;
const needed = "ACTIVITY_STATUS_CONSENSUS_NEEDED";
const completed = "ACTIVITY_STATUS_COMPLETED";

function record(number: number, status: string, createdAtMs?: number, type: string = submits.delete_policies.type) {
	const createdAt = createdAtMs === undefined ? {} : { createdAt: String(createdAtMs) };
	const intent = { deletePoliciesIntent: { policyIds: [id("policy", number)] } };
	return {
		id: id("other", number),
		organizationId,
		fingerprint: `sha256:${number}`,
		type,
		status,
		intent,
		...createdAt,
	};
}

/** A reader that has one page after the other, and what it was asked. */
function readerOf(...pages: readonly (readonly object[] | ServiceError)[]) {
	const asked: Readonly<Record<string, unknown>>[] = [];
	const reader = {
		query: async (_operation: unknown, fields: Readonly<Record<string, unknown>>) => {
			const page = pages[asked.length] ?? [];
			asked.push(fields);
			if (page instanceof ServiceError) throw page;
			return { value: { activities: page, activity: page[0] }, serverTimeMs: sinceMs + asked.length };
		},
	};
	return { reader: reader as unknown as Reader, asked };
}

/** A page to which another can follow: five activities. */
const full = (...records: readonly object[]) => [
	...records,
	...Array.from({ length: 5 - records.length }, (_, index) => record(90 + index, "ACTIVITY_STATUS_FAILED", sinceMs)),
];

const numbersOf = (activities: readonly { readonly activityId: string }[]): readonly string[] =>
	activities.map(({ activityId }) => activityId);

describe("an activity of the service", () => {
	it("is read with its operation and what it asks for, or with neither for an unknown type", () => {
		expect(toReturnedActivity(record(1, needed, sinceMs))).toEqual({
			...{ activityId: id("other", 1), organizationId, fingerprint: "sha256:1", status: needed },
			...{ type: submits.delete_policies.type, operation: "delete_policies" },
			...{ intent: { policyIds: [id("policy", 1)] }, votes: [], canApprove: null, canReject: null, createdIds: [] },
			createdAtMs: sinceMs,
		});
		const other = toReturnedActivity({ ...record(1, needed, undefined, "ACTIVITY_TYPE_OTHER"), canApprove: true });
		expect(other).toMatchObject({
			operation: null,
			intent: null,
			canApprove: true,
			canReject: null,
			createdIds: [],
			createdAtMs: null,
		});
	});

	it("is the one with the id that was asked for, in any case, or none", async () => {
		const { reader, asked } = readerOf([record(1, needed)], [record(1, needed)], [record(2, needed)], []);
		const read = (activityId: string) => readReturnedActivity(organizationId, activityId, reader);
		expect(await read(id("other", 1))).toMatchObject({
			activity: { fingerprint: "sha256:1" },
			serverTimeMs: sinceMs + 1,
		});
		expect(await read(id("other", 1).toUpperCase())).toMatchObject({ activity: { activityId: id("other", 1) } });
		expect(await read(id("other", 1))).toBeUndefined();
		expect(await read(id("other", 1))).toBeUndefined();
		expect(asked[0]).toEqual({ organizationId, activityId: id("other", 1) });
	});

	it("is none where the service does not have the query or denies it, and an error where it fails", async () => {
		for (const status of [403, 404, 501]) {
			const { reader } = readerOf(new ServiceError("no", status, 5));
			expect(await readReturnedActivity(organizationId, "a", reader)).toBeUndefined();
		}
		const { reader } = readerOf(new ServiceError("no", 500, 13));
		await expect(readReturnedActivity(organizationId, "a", reader)).rejects.toThrow("no");
	});
});

describe("the activities on which users can vote", () => {
	it("are those that need a vote, oldest first, of every page", async () => {
		const authenticators = "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED";
		const { reader, asked } = readerOf(full(record(3, needed, sinceMs + 2), record(4, completed, sinceMs)), [
			record(2, authenticators, sinceMs + 1),
			record(1, needed, sinceMs + 3),
		]);
		const found = await listVotable(organizationId, reader);
		expect(numbersOf(found?.activities ?? [])).toEqual([2, 3, 1].map((number) => id("other", number)));
		expect(found).toMatchObject({ isComplete: true, serverTimeMs: sinceMs + 2 });
		expect(asked[0]).toMatchObject({ organizationId, filterByStatus: [needed, authenticators] });
	});

	it("without times are in the reverse order of the list, which is newest first", async () => {
		const { reader } = readerOf([record(3, needed), record(2, needed), record(1, needed)]);
		const found = await listVotable(organizationId, reader);
		expect(numbersOf(found?.activities ?? [])).toEqual([1, 2, 3].map((number) => id("other", number)));
	});

	it("are all read, however many pages they have", async () => {
		const pages = Array.from({ length: 11 }, (_, page) =>
			Array.from({ length: page === 10 ? 7 : 100 }, (_, index) => record(1000 + page * 100 + index, needed)),
		);
		const found = await listVotable(organizationId, readerOf(...pages).reader);
		expect({ count: found?.activities.length, isComplete: found?.isComplete }).toEqual({
			count: 1007,
			isComplete: true,
		});
	});

	it("are not complete where the list has no end, and unknown where the service lists none", async () => {
		let asked = 0;
		const page = () => Array.from({ length: 100 }, (_, index) => ({ id: `${asked}-${index}`, status: needed }));
		const query = async () => ({ value: { activities: page() }, serverTimeMs: sinceMs + ++asked });
		const endless = { query } as unknown as Reader;
		const found = await listVotable(organizationId, endless);
		expect(found).toMatchObject({ isComplete: false, serverTimeMs: sinceMs + 1000 });
		expect({ asked, read: found?.activities.length }).toEqual({ asked: 1000, read: maxListedActivities });
		expect(await listVotable(organizationId, readerOf(new ServiceError("no", 404, 5)).reader)).toBeUndefined();
		expect(await listVotable(organizationId, readerOf([]).reader)).toMatchObject({ activities: [], isComplete: true });
	});
});

describe("the activities that ended since a time", () => {
	const list = (reader: Reader, names = ["delete_policies"] as const) =>
		listEnded(organizationId, names, sinceMs, reader);
	const oldest = sinceMs - 5 * minuteMs;

	it("are those that completed or were rejected, made at most five minutes before it or at an unknown time", async () => {
		const { reader, asked } = readerOf([
			record(1, completed, sinceMs + minuteMs),
			record(2, "ACTIVITY_STATUS_REJECTED", oldest),
			record(3, completed, oldest - 1),
			record(4, needed, sinceMs),
			record(5, completed),
		]);
		const found = await list(reader);
		expect(numbersOf(found.activities)).toEqual([id("other", 1), id("other", 2), id("other", 5)]);
		expect(asked[0]).toMatchObject({
			filterByType: ["ACTIVITY_TYPE_DELETE_POLICIES"],
			filterByStatus: [completed, "ACTIVITY_STATUS_REJECTED"],
		});
	});

	it("are read from the next page too, if this one does not reach back so far", async () => {
		const page = (last: number) => [...full().slice(1), record(7, completed, last)];
		const on = readerOf(page(oldest), [record(8, completed, sinceMs)]);
		expect(numbersOf((await list(on.reader)).activities)).toEqual([id("other", 7), id("other", 8)]);
		expect(on.asked).toHaveLength(2);
		const enough = readerOf(page(oldest - 1), [record(8, completed, sinceMs)]);
		expect(await list(enough.reader)).toEqual({ activities: [], isComplete: true });
		expect(enough.asked).toHaveLength(1);
		expect(await list(readerOf([]).reader)).toEqual({ activities: [], isComplete: true });
	});

	it("are read to the end of a list that is not newest first, and of one that ends within a second", async () => {
		const oldestFirst = [record(3, completed, oldest - 1), ...full().slice(1)];
		const second = (number: number) => record(number, completed, oldest - 1000);
		const oneSecond = Array.from({ length: 5 }, (_, index) => second(10 + index));
		for (const first of [oldestFirst, oneSecond]) {
			const { reader, asked } = readerOf(first, [record(8, completed, sinceMs)]);
			const found = await list(reader);
			expect({ read: numbersOf(found.activities), ...found, asked: asked.length }).toMatchObject({
				...{ read: [id("other", 8)], isComplete: true, asked: 2 },
			});
		}
	});

	it("are not complete where the list repeats or stops before that time", async () => {
		const page = Array.from({ length: 100 }, (_, index) => record(index, completed, sinceMs + 100_000 - index));
		expect(await list(readerOf(page, page, page).reader)).toMatchObject({ isComplete: false });
		expect(await list(readerOf(page, new ServiceError("no", 403, 7)).reader)).toMatchObject({ isComplete: false });
		expect(await list(readerOf(new ServiceError("no", 403, 7)).reader)).toMatchObject({ isComplete: false });
	});

	it("are not asked for without an operation", async () => {
		const { reader, asked } = readerOf([record(1, completed, sinceMs)]);
		expect(await listEnded(organizationId, [], sinceMs, reader)).toEqual({ activities: [], isComplete: true });
		expect(asked).toEqual([]);
	});
});
