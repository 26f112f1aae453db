/** Which bytes are sent for a request, from what the journal has of equal ones: the decision alone, without a service. */
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/sync/journal/journal.ts";
import type { SubmitContext } from "../../src/sync/submit/activity-request.ts";
import { chooseRequest, isSuperseded } from "../../src/sync/submit/choose-request.ts";
import { outcomeOfAnswer, type SubmitResult } from "../../src/sync/submit/outcomes.ts";
import { activityOf, addBob, bodyOfAddBob, keyOfAddBob } from "./submit-support.ts";
import { minuteMs, quarterHourMs } from "./support.ts";

const quarterMs = Math.floor(1_767_225_600_000 / quarterHourMs) * quarterHourMs;
const nowMs = quarterMs + 2 * minuteMs;
const readPosition = 7;
const context = { now: () => nowMs, serverTimeMs: nowMs, readPosition } as unknown as SubmitContext;

/** An entry of an equal request, made so many milliseconds after the beginning of the quarter of an hour. */
function entryOf(afterMs: number, outcome: "in-flight" | "completed" | "failed", activityId: string | null) {
	const body = bodyOfAddBob(quarterMs + afterMs);
	const common = { body, requestDigest: keyOfAddBob, covers: [], planDigests: [], sentAtMs: nowMs, activityId };
	const settled = outcome === "in-flight" ? {} : { settledAtMs: nowMs, settledPosition: readPosition + 1 };
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
		["in the very second in which the activity ended, in whole seconds", 0, 0, false],
		["in that second, where the activity has whole seconds and the tag has not", 0, 999, false],
		["in the second after it", 0, 1000, true],
		["later, where both have milliseconds", 400, 401, true],
		["at the same millisecond", 400, 400, false],
		["in that second, where the tag has whole seconds and the activity has not", 400, 0, false],
	])("and whose tag changed %s", (_fact, endedMs, changedMs, expected) => {
		const completed = endedAt("ACTIVITY_STATUS_COMPLETED", quarterMs + endedMs);
		const request = { ...addBob, objectChangedAtMs: quarterMs + changedMs };
		expect(isSuperseded(completed, shared, request, context)).toBe(expected);
	});

	it("and whose activity was rejected or waits are the answer to this request, however long ago", () => {
		for (const status of ["ACTIVITY_STATUS_REJECTED", "ACTIVITY_STATUS_CONSENSUS_NEEDED"]) {
			expect(isSuperseded(endedAt(status, nowMs - quarterHourMs), shared, addBob, context)).toBe(false);
		}
	});
});
