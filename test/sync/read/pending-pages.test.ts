/** How many pages of activities are read, and which types they are asked for. */
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../src/sync/journal/journal.ts";
import { findActivity, type PendingOptions, readPendingActivities } from "../../../src/sync/read/pending-activities.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { writes } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { organizationId } from "../../plan/support-organizations.ts";

const nowS = 1_760_000_000;
const type = writes.update_user_tag.type;
const body = encodeSubmit(writes.update_user_tag, organizationId, { userTagId: "t", newUserTagName: "n" }, nowS * 1000);
const entry = { body, outcome: "in-flight", activityId: null } as unknown as JournalEntry;

/** An activity so many seconds before now. */
const activity = (agoS: number, status = "CONSENSUS_NEEDED", more: object = {}) => ({
	...{ id: `at ${agoS} ${status}`, organizationId, type, status: `ACTIVITY_STATUS_${status}`, fingerprint: `f${agoS}` },
	...{ intent: { updateUserTagIntent: { userTagId: "t" } }, createdAt: { seconds: String(nowS - agoS), nanos: "1" } },
	...more,
});

/** A service that answers with these pages in turn, and then with empty ones. */
function serve(...pages: readonly (readonly object[])[]) {
	const asked: Readonly<Record<string, unknown>>[] = [];
	const query: Reader["query"] = async (_operation, fields) => {
		const activities = pages[asked.length] ?? [];
		asked.push(fields);
		return { value: { activities }, serverTimeMs: nowS * 1000 };
	};
	return { reader: { query }, asked };
}

async function read(
	options: Partial<PendingOptions>,
	open: readonly JournalEntry[],
	...pages: readonly (readonly object[])[]
) {
	const { reader, asked } = serve(...pages);
	const journal = { openEntries: () => open, abandonedNames: () => new Set<string>() };
	const found = await readPendingActivities(organizationId, reader, journal, {
		...{ reads: "auto", nowMs: nowS * 1000, operations: ["update_user_tag"], ...options },
	});
	return { ...found, asked, ids: found.activities.map(({ activityId }) => activityId) };
}
const statusesOf = (fields: object | undefined) =>
	(fields as { readonly filterByStatus: readonly string[] }).filterByStatus;
const completedStatus = "ACTIVITY_STATUS_COMPLETED";

describe("the types of a list of activities", () => {
	const typesOf = async (options: Partial<PendingOptions>, open: readonly JournalEntry[] = []) =>
		((await read(options, open)).asked[0] as { readonly filterByType: readonly string[] }).filterByType;

	it("are those of the operations, or all five where others share the answer", async () => {
		expect(await typesOf({})).toEqual([type]);
		const all = await typesOf({ listsAll: true, operations: ["create_policies"] });
		expect(all).toHaveLength(6);
		expect(all).toEqual(expect.arrayContaining([type, writes.create_policies.type, writes.delete_policies.type]));
	});

	it("are not all five where completed ones are asked for, which others would hide", async () => {
		expect(await typesOf({ listsAll: true, completedEntries: [] })).toEqual([type]);
	});

	it("are with those of open requests where all are listed", async () => {
		const creation = encodeSubmit(writes.create_policies, organizationId, { policies: [] }, 1);
		const open = [{ ...entry, body: creation, outcome: "awaiting-approval", activityId: "x" } as JournalEntry];
		expect(await typesOf({ listsAll: true }, open)).toContain(writes.create_policies.type);
	});
});

describe("a list with completed activities", () => {
	const done = activity(50, "COMPLETED");
	const five = [10, 20, 30, 40].map((agoS) => activity(agoS));

	it("is all where it ends", async () => {
		const { ids, asked, completed, unlisted } = await read({ completedEntries: [] }, [], [activity(10), done]);
		expect([ids, completed.map(({ activityId }) => activityId)]).toEqual([["at 10 CONSENSUS_NEEDED"], [done.id]]);
		expect(asked).toHaveLength(1);
		expect(statusesOf(asked[0])).toContain(completedStatus);
		expect(unlisted).toBeNull();
	});

	it("is read to the first completed one; pending ones are listed alone then", async () => {
		const { ids, asked, completed } = await read({ completedEntries: [] }, [], [...five, done], [activity(70)]);
		expect(ids).toEqual(["at 70 CONSENSUS_NEEDED"]);
		expect(completed).toHaveLength(1);
		expect(asked).toHaveLength(2);
		expect(statusesOf(asked[1])).not.toContain(completedStatus);
	});

	it("says nothing of completed ones in another order than newest first", async () => {
		const { completed } = await read({ completedEntries: [] }, [], [done, ...five], [activity(70)]);
		expect(completed).toEqual([]);
	});

	it("is read to its end where none has completed", async () => {
		const all = [...five, activity(45)];
		const { ids, asked, unlisted } = await read({ completedEntries: [] }, [], all, [activity(60)]);
		expect(ids).toHaveLength(6);
		expect(asked).toHaveLength(2);
		expect(unlisted).toBeNull();
	});

	it("is not asked for where it is not wanted", async () => {
		const { asked, completed } = await read({}, [], [activity(10), done]);
		expect(statusesOf(asked[0])).not.toContain(completedStatus);
		expect(completed).toEqual([]);
	});
});

describe("the activity of a request in doubt", () => {
	const older = (agoS: number) => [1, 2, 3, 4, agoS].map((one) => activity(one, "COMPLETED"));
	const find = (...pages: readonly (readonly object[])[]) => findActivity(entry, serve(...pages).reader);

	it("is missing where a list reaches back to more than ten minutes before the request", async () => {
		const { reader, asked } = serve(older(602));
		expect(await findActivity(entry, reader)).toEqual({ missing: true, serverTimeMs: nowS * 1000 });
		expect(asked).toHaveLength(1);
	});

	it("is looked for on the next page otherwise", async () => {
		const { reader, asked } = serve(older(600));
		await findActivity(entry, reader);
		expect(asked.length).toBeGreaterThan(1);
		const fingerprint = body.fingerprint;
		const found = activity(700, "COMPLETED", { fingerprint, intent: null });
		expect(await find(older(600), [found])).toMatchObject({ activity: { id: found.id } });
	});
});
