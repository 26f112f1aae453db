/** Which bytes are sent for a request, from what the journal has of equal ones: the decision alone, without a service. */
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../../src/sync/journal/journal.ts";
import type { ActivityRequest, SubmitContext } from "../../../src/sync/submit/activity-request.ts";
import { chooseRequest, isSuperseded } from "../../../src/sync/submit/choose-request.ts";
import { outcomeOfAnswer, type SubmitResult } from "../../../src/sync/submit/outcomes.ts";
import { bodyLifetimeMs } from "../../../src/wire/operations.ts";
import { minuteMs, quarterHourMs } from "../support.ts";
import { activityOf, addBob, bodyOfAddBob, keyOfAddBob } from "./submit-support.ts";

const quarterMs = Math.floor(1_767_225_600_000 / quarterHourMs) * quarterHourMs;
const nowMs = quarterMs + 2 * minuteMs;
const readPosition = 7;
const context = { now: () => nowMs, serverTimeMs: nowMs, readPosition } as unknown as SubmitContext;

/** An entry of an equal request, made so many milliseconds after the beginning of the quarter of an hour. */
function entryOf(
	afterMs: number,
	outcome: JournalEntry["outcome"],
	activityId: string | null,
	settledPosition = readPosition + 1,
) {
	const body = bodyOfAddBob(quarterMs + afterMs);
	const common = { body, requestDigest: keyOfAddBob, covers: [], planDigests: [], sentAtMs: nowMs, activityId };
	const settled = outcome === "in-flight" ? {} : { settledAtMs: nowMs, settledPosition };
	return { ...common, outcome, ...settled } as JournalEntry;
}

describe("of two open requests for the same", () => {
	it("the one whose activity is known is asked about, whichever was written last", () => {
		const known = entryOf(0, "in-flight", "an activity");
		const inDoubt = entryOf(1, "in-flight", null);
		for (const entries of [
			[known, inDoubt],
			[inDoubt, known],
		]) {
			expect(chooseRequest(entries, addBob, context)).toEqual({ kind: "resend", entry: known });
		}
	});
});

/** What is sent: how many milliseconds after the beginning of the quarter of an hour its bytes are made, and of what kind they are. */
function sentFor(
	entries: readonly JournalEntry[],
	request: ActivityRequest = addBob,
	more: Partial<SubmitContext> = {},
	superseded: readonly string[] = [],
) {
	const decision = chooseRequest(entries, request, { ...context, ...more }, superseded);
	if (decision.kind !== "send") return decision;
	const { entry, isShared, isRetry } = decision;
	return { atMs: entry.body.timestampMs - quarterMs, isShared, isRetry };
}

describe("an open request", () => {
	it.each<[fact: string, laterMs: number, kind: string, more?: Partial<SubmitContext>]>([
		["is sent again until a minute before its bytes expire", -1, "resend"],
		["is not sent again in the last minute", 0, "skip"],
		["is judged by the service's clock", -1, "skip", { clockOffsetMs: 1 }],
	])("%s", (_fact, laterMs, kind, more = {}) => {
		const endMs = quarterMs + bodyLifetimeMs - minuteMs;
		const late = { ...context, now: () => endMs + laterMs, ...more };
		expect(chooseRequest([entryOf(0, "in-flight", null)], addBob, late)).toMatchObject({ kind });
	});
});

describe("a request that was rejected", () => {
	const rejected = entryOf(0, "rejected", "an activity");

	it("is not sent again, unless the operator asks for that: then it is a retry with other bytes", () => {
		expect(chooseRequest([rejected], addBob, context)).toMatchObject({
			kind: "skip",
			result: { outcome: "rejected", requests: 0 },
		});
		const retried = { atMs: 1, isShared: false, isRetry: true };
		expect(sentFor([rejected], addBob, { retryRejected: true })).toEqual(retried);
	});

	it("before another one that ended since is no reason to hold it back, and no retry", () => {
		expect(sentFor([entryOf(1, "failed", null), rejected])).toEqual({ atMs: 2, isShared: false, isRetry: false });
	});
});

describe("a request that completed while the organization was read", () => {
	const completed = entryOf(0, "completed", "an activity");

	it("is not sent, unless its result is needed: then the same bytes ask for that", () => {
		expect(chooseRequest([completed], addBob, context)).toMatchObject({
			kind: "skip",
			result: { outcome: "completed", requests: 0 },
		});
		expect(chooseRequest([completed], { ...addBob, needsResult: true }, context)).toEqual({
			kind: "resend",
			entry: completed,
		});
	});

	it("is asked about with its own bytes in the next quarter of an hour too, until they expire", () => {
		const before = entryOf(-1, "completed", "an activity");
		const needsResult = { ...addBob, needsResult: true };
		expect(chooseRequest([before], needsResult, context)).toEqual({ kind: "resend", entry: before });
		const late = { ...context, now: () => quarterMs + bodyLifetimeMs };
		expect(chooseRequest([before], needsResult, late)).toMatchObject({
			kind: "skip",
			result: { outcome: "completed" },
		});
	});

	it("is sent with other bytes if its effect was reverted since, also where its result is needed", () => {
		const superseded = [completed.body.fingerprint];
		for (const needsResult of [false, true]) {
			const request = { ...addBob, needsResult };
			expect(sentFor([completed], request, {}, superseded)).toEqual({ atMs: 1, isShared: false, isRetry: false });
		}
	});
});

describe("a request that ended before the organization was read", () => {
	const earlier = (outcome: JournalEntry["outcome"], afterMs = 0) => entryOf(afterMs, outcome, null, readPosition);
	const needsResult = { ...addBob, needsResult: true };

	it.each<[fact: string, entries: readonly JournalEntry[], request: ActivityRequest, atMs: number, isShared: boolean]>([
		["and completed is sent with other bytes", [earlier("completed")], addBob, 1, false],
		["and failed is sent with other bytes", [earlier("failed")], addBob, 1, false],
		["and failed is not asked about for its result", [earlier("failed")], needsResult, 1, false],
		["and was never attempted is sent with the same bytes", [earlier("not-attempted")], addBob, 0, true],
		["in another quarter of an hour leaves the first bytes of this one", [earlier("failed", -1)], addBob, 0, true],
		["twice leaves the third bytes", [earlier("failed", 1), earlier("failed")], addBob, 2, false],
	])("%s", (_fact, entries, request, atMs, isShared) => {
		expect(sentFor(entries, request)).toEqual({ atMs, isShared, isRetry: false });
	});

	it("is sent with other bytes, although this journal has none of it: another runner's activity was reverted", () => {
		const superseded = [quarterMs, quarterMs + 1].map((timestampMs) => bodyOfAddBob(timestampMs).fingerprint);
		expect(sentFor([], addBob, {}, superseded)).toEqual({ atMs: 2, isShared: false, isRetry: false });
	});

	it("is sent with the time at which its object was changed, if that is in the last quarter of an hour", () => {
		const changedAt = (objectChangedAtMs: number) => sentFor([earlier("completed")], { ...addBob, objectChangedAtMs });
		expect(changedAt(nowMs)).toMatchObject({ atMs: nowMs - quarterMs });
		expect(changedAt(nowMs + 1)).toMatchObject({ atMs: 1 });
		expect(changedAt(nowMs - quarterHourMs + 1)).toMatchObject({ atMs: nowMs - quarterMs - quarterHourMs + 1 });
		expect(changedAt(nowMs - quarterHourMs)).toMatchObject({ atMs: 1 });
	});

	it("is sent where no reading is known, as is one that completed since", () => {
		expect(sentFor([entryOf(0, "completed", null)], addBob, { readPosition: undefined })).toMatchObject({ atMs: 1 });
	});
});

describe("bytes that another runner may have sent", () => {
	const entry = { body: bodyOfAddBob(quarterMs), covers: [], nowMs };
	const shared = { kind: "send", entry, isShared: true, isRetry: false } as const;
	const endedAt = (status: string, updatedAtMs: number): SubmitResult => {
		const answer = activityOf(bodyOfAddBob(quarterMs), status);
		if (answer.kind !== "activity") throw new Error("it is an activity");
		const activity = { ...answer.activity, updatedAtMs };
		return { ...outcomeOfAnswer({ ...answer, activity }), fingerprint: activity.fingerprint, requests: 1 };
	};

	it.each([
		["more than a minute before the organization was read leaves room for another", -minuteMs - 1, true],
		["a minute before it, which clocks may differ by, is the answer to this request", -minuteMs, false],
		["after it is the answer to this request", 1, false],
	])("and whose activity failed %s", (_fact, afterMs, expected) => {
		const failed = endedAt("ACTIVITY_STATUS_FAILED", nowMs + afterMs);
		expect(isSuperseded(failed, shared, addBob, context)).toBe(expected);
		expect(isSuperseded(failed, { ...shared, isShared: false }, addBob, context)).toBe(false);
	});

	it.each([
		["at a time that is not known", 0, undefined, false],
		["before the activity ended", 0, -1000, false],
		["in the very second in which the activity ended, in whole seconds", 0, 0, false],
		["in that second, where the activity has whole seconds and the tag has not", 0, 999, false],
		["in the second after it", 0, 1000, true],
		["later, where both have milliseconds", 400, 401, true],
		["at the same millisecond", 400, 400, false],
		["in that second, where the tag has whole seconds and the activity has not", 400, 0, false],
	])("and whose tag changed %s", (_fact, endedMs, changedMs, expected) => {
		const completed = endedAt("ACTIVITY_STATUS_COMPLETED", quarterMs + endedMs);
		const request = { ...addBob, objectChangedAtMs: changedMs === undefined ? undefined : quarterMs + changedMs };
		expect(isSuperseded(completed, shared, request, context)).toBe(expected);
	});

	it("and whose result is known without a submit, or whose effect cannot be seen, are the answer to this request", () => {
		const completed = endedAt("ACTIVITY_STATUS_COMPLETED", quarterMs);
		const request = { ...addBob, objectChangedAtMs: quarterMs + minuteMs };
		expect(isSuperseded(completed, shared, request, context)).toBe(true);
		expect(isSuperseded(completed, { kind: "skip", result: completed }, request, context)).toBe(false);
		expect(isSuperseded(completed, shared, { ...request, isUnobservable: true }, context)).toBe(false);
		expect(isSuperseded(completed, { ...shared, isShared: false }, request, context)).toBe(false);
	});

	it("and that created what the reading shows under another name leave room for another", () => {
		const { activity, ...ended } = endedAt("ACTIVITY_STATUS_COMPLETED", nowMs);
		const type = "ACTIVITY_TYPE_CREATE_USER_TAG";
		const made = { ...ended, activity: { ...activity, type, result: { userTagId: "A1" } } } as SubmitResult;
		const creation = { ...addBob, needsResult: true };
		const readWith = (...ids: readonly string[]) => ({ ...context, liveIds: new Set(ids) });
		expect(isSuperseded(made, shared, creation, readWith("a1"))).toBe(true);
		expect(isSuperseded(made, shared, creation, readWith("a2"))).toBe(false);
		expect(isSuperseded(made, shared, creation, context)).toBe(false);
	});

	it("and whose activity has only the time of its creation ended then, and without a time nothing is known", () => {
		const ended = endedAt("ACTIVITY_STATUS_COMPLETED", 0);
		if (ended.activity === undefined) throw new Error("it has an activity");
		const at = (createdAtMs: number | undefined) => ({
			...ended,
			activity: { ...ended.activity, createdAtMs, updatedAtMs: undefined },
		});
		const request = { ...addBob, objectChangedAtMs: quarterMs + minuteMs };
		expect(isSuperseded(at(quarterMs) as SubmitResult, shared, request, context)).toBe(true);
		expect(isSuperseded(at(undefined) as SubmitResult, shared, request, context)).toBe(false);
	});

	it("and whose activity was rejected or waits are the answer to this request, however long ago", () => {
		for (const status of ["ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_CONSENSUS_NEEDED"]) {
			expect(isSuperseded(endedAt(status, nowMs - quarterHourMs), shared, addBob, context)).toBe(false);
		}
	});
});
