/**
 * Clocks that are wrong, ours and the service's: an equal request never makes a second activity because of one, and rows are
 * ordered by when they were written.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AccessState } from "../../src/policy/access.ts";
import { compareLive } from "../../src/sync/converge.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import { type ClaimDecision, requestDigestOf } from "../../src/sync/journal/journal.ts";
import { accessAtKnownTime } from "../../src/sync/read/read-access.ts";
import { refuseUncertainTime, whyUncertainTime, withServiceClock } from "../../src/sync/read/service-clock.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import type { ActivityRequest, SubmitContext } from "../../src/sync/submit/activity-request.ts";
import { submitOnce } from "../../src/sync/submit/submit-once.ts";
import type { Reader } from "../../src/wire/client.ts";
import { queries, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { desiredOf, known, organizationId, sectionsOf, unknown } from "../plan/support-organizations.ts";
import {
	acme,
	alice,
	applyToReport,
	Bench,
	bob,
	minuteMs,
	policies,
	quarterHourMs,
	signers,
	wantSigners,
} from "./support.ts";

const withBob = wantSigners(alice, bob);
const addBob: ActivityRequest = {
	organizationId,
	operation: "update_user_tag",
	parameters: { userTagId: signers, addUserIds: [bob], removeUserIds: [] },
	covers: [{ address: "userTag:signers", id: signers }],
};
const keyOfAddBob = requestDigestOf(organizationId, addBob.operation, addBob.parameters);
const updates = { operation: "update_user_tag" } as const;
const forEver = 0x7fff;

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

/** One run of apply by a machine whose clock is off by so much; the service's and the answers' are right. */
async function runWithClock(offMs: number, reads: "auto" | "documented" = "documented") {
	const now = () => bench.nowMs + offMs;
	const context = bench.context({ now });
	await settleOpenEntries(organizationId, { ...context, reads });
	const { reader, journal } = context;
	const memory = journal.lastApplied(organizationId);
	const comparison = await compareLive(withBob, reader, memory, { reads, now, journal });
	return applyToReport(comparison, context);
}

describe("our own clock", () => {
	const hours = [-120, -60, -59, -40, -20, -16, -1, 0, 1, 4, 6, 20, 61, 120];

	it.each(hours)("%i minutes off makes bytes that the service accepts", async (minutes) => {
		const { steps } = await runWithClock(minutes * minuteMs);
		expect(steps).toMatchObject([{ outcome: "completed", requests: 1 }]);
	});

	it.each(hours)("%i minutes off does not send other bytes while a request is in doubt", async (minutes) => {
		bench.emulator.addFault({ ...updates, fault: "drop-after", count: forEver });
		await runWithClock(minutes * minuteMs);
		bench.emulator.clearFaults();
		for (const laterMs of [20 * minuteMs, 30 * minuteMs, 15 * minuteMs]) {
			bench.nowMs += laterMs;
			await runWithClock(minutes * minuteMs);
		}
		expect(bench.activities().length).toBe(1);
	});

	it.each([
		[0, -40],
		[-40, 0],
		[0, 90],
		[90, 0],
		[-61, 61],
	])("that was %i minutes off and is %i minutes off now does not bypass a request in doubt", async (first, second) => {
		bench.emulator.addFault({ ...updates, fault: "drop-after", count: forEver });
		await runWithClock(first * minuteMs);
		bench.emulator.clearFaults();
		bench.nowMs += minuteMs;
		expect((await runWithClock(second * minuteMs)).steps).toMatchObject([{ outcome: "completed" }]);
		expect(bench.activities().length).toBe(1);
	});

	it("makes the same bytes as a runner with a correct clock, without a common journal", async () => {
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const first = await runWithClock(0);
		const mine = bench.journal;
		bench.journal = await openJournal(":memory:");
		const second = await runWithClock(-50 * minuteMs);
		bench.journal.close();
		bench.journal = mine;
		expect(second.steps[0]?.activityId).toBe(first.steps[0]?.activityId);
	});

	it("makes the same bytes if the document needs no query: the service is asked once for its clock", async () => {
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const removal = desiredOf({ absent: { ...sectionsOf(desiredOf({})).absent, policyIds: [policies[0] as string] } });
		const ids = new Set<string | null | undefined>();
		for (const offMs of [0, -16 * minuteMs, 121 * minuteMs]) {
			const now = () => bench.nowMs + offMs;
			const journal = await openJournal(":memory:");
			const context = bench.context({ now, journal });
			const comparison = await compareLive(removal, context.reader, journal.lastApplied(organizationId), {
				reads: "documented",
				now,
				journal,
			});
			ids.add((await applyToReport(comparison, context)).steps[0]?.activityId);
			journal.close();
		}
		expect(ids.size).toBe(1);
		expect(bench.activities().length).toBe(1);
	});

	it("is corrected only by more than the time that answers take", async () => {
		const reader: Reader = { query: async () => ({ value: {}, serverTimeMs: 1_000_000 }) };
		const offsetAt = async (nowMs: number): Promise<number> => {
			const timed = withServiceClock(reader, () => nowMs);
			await timed.query(queries.list_user_tags, {});
			return timed.clockOffsetMs();
		};
		expect(await offsetAt(1_000_000 + 29_999)).toBe(0);
		expect(await offsetAt(1_000_000 - 29_999)).toBe(0);
		expect(await offsetAt(1_000_000 + 30_000)).toBe(-30_000);
		expect(await offsetAt(1_000_000 - 30_000)).toBe(30_000);
		expect(withServiceClock(reader, () => 0).clockOffsetMs()).toBe(0);
	});

	it("is compared with the answer that agrees best, and the service's time never goes back", async () => {
		const times = [1_000_000, 1_004_000, 1_001_000];
		const reader: Reader = { query: async () => ({ value: {}, serverTimeMs: times.shift() }) };
		const timed = withServiceClock(reader, () => 1_000_500);
		expect([timed.exactOffsetMs(), timed.serviceTimeMs()]).toEqual([0, undefined]);
		const seen: unknown[] = [];
		for (let count = 1; count <= 4; count += 1) {
			await timed.query(queries.list_user_tags, {});
			seen.push([timed.exactOffsetMs(), timed.serviceTimeMs()]);
		}
		expect(seen).toEqual([
			[-500, 1_000_000],
			[-500, 1_004_000],
			[500, 1_004_000],
			[500, 1_004_000],
		]);
	});

	it("outvotes one stray answer, which a lone answer makes it ask about", async () => {
		const dayMs = 24 * 60 * minuteMs;
		const clockOf = (...times: (number | undefined)[]) => {
			const asked: string[] = [];
			const reader: Reader = {
				query: async ({ name }) => {
					asked.push(name);
					return { value: {}, serverTimeMs: times.shift() };
				},
			};
			return { asked, timed: withServiceClock(reader, () => 1_000_000) };
		};
		const facts = async (...times: (number | undefined)[]) => {
			const { asked, timed } = clockOf(...times);
			await timed.ensureAnswered(organizationId);
			const [offset, time] = [timed.clockOffsetMs(), timed.serviceTimeMs()];
			return { asked: asked.length, offset, time, disagreement: timed.disagreement() };
		};
		const right = { asked: 1, offset: 0, time: 1_000_000, disagreement: undefined };
		expect(await facts(1_000_000)).toEqual(right);
		expect(await facts(undefined)).toEqual({ ...right, time: undefined });
		const stray = { answeredMs: 1_000_000 + 10 * dayMs, expectedMs: 1_000_000, isByAnswers: false };
		expect(await facts(1_000_000 + 10 * dayMs, 1_000_000)).toEqual({ ...right, asked: 2, disagreement: stray });
		// Our own clock is wrong: both answers say so, and requests are made by them.
		const late = 1_000_000 + 40 * minuteMs;
		const own = { answeredMs: late, expectedMs: 1_000_000, isByAnswers: false };
		expect(await facts(late, late)).toEqual({ asked: 2, offset: 40 * minuteMs, time: late, disagreement: own });
	});
});

describe("an entry that was dated by a clock that was ahead", () => {
	const context = (parts: Partial<SubmitContext> = {}): SubmitContext => ({
		...bench.context(),
		serverTimeMs: undefined,
		...parts,
	});
	const bodyAt = (timestampMs: number) =>
		encodeSubmit(submits.update_user_tag, organizationId, addBob.parameters, timestampMs);

	it.each([
		"completed",
		"failed",
	] as const)("and is %s does not hide an open one that was written after it", async (outcome) => {
		const ahead = bodyAt(bench.nowMs + 3 * 60 * minuteMs);
		const open = bodyAt(bench.nowMs - minuteMs);
		await bench.journal.recordSending(ahead, keyOfAddBob, [], bench.nowMs);
		bench.journal.recordOutcome(ahead.fingerprint, outcome, null, bench.nowMs);
		await bench.journal.recordSending(open, keyOfAddBob, [], bench.nowMs);
		expect(await submitOnce(addBob, context())).toMatchObject({ fingerprint: open.fingerprint });
		expect(bench.requests("submit").map(({ fingerprint }) => fingerprint)).toEqual([open.fingerprint]);
	});

	it("and is open with a known activity is never bypassed, whatever was written after it", async () => {
		const known = bodyAt(bench.nowMs - 2 * minuteMs);
		const later = bodyAt(bench.nowMs - minuteMs);
		for (const body of [known, later]) await bench.journal.recordSending(body, keyOfAddBob, [], bench.nowMs);
		bench.journal.recordOutcome(known.fingerprint, "awaiting-approval", "an activity", bench.nowMs);
		bench.journal.recordOutcome(later.fingerprint, "completed", "another", bench.nowMs);
		expect(await submitOnce(addBob, context())).toMatchObject({ fingerprint: known.fingerprint });
	});
});

describe("two processes that share a journal and decide at the same moment", () => {
	it("make the same bytes although one has begun the next quarter of an hour", async () => {
		const other = await openJournal(bench.journalFile);
		const boundaryMs = Math.ceil(bench.nowMs / quarterHourMs) * quarterHourMs;
		bench.nowMs = boundaryMs;
		const send = (journal: typeof other, nowMs: number) =>
			submitOnce(addBob, { ...bench.context({ journal }), now: () => nowMs, serverTimeMs: undefined });
		const sent = await Promise.all([send(bench.journal, boundaryMs - 1), send(other, boundaryMs + 1)]);
		expect(new Set(sent.map(({ fingerprint }) => fingerprint)).size).toBe(1);
		expect(bench.activities().length).toBe(1);
		other.close();
	});

	it("see each other's choice before they make their own", async () => {
		const other = await openJournal(bench.journalFile);
		const seen: number[] = [];
		const claim = (journal: typeof other, timestampMs: number) =>
			journal.claim(keyOfAddBob, (entries): ClaimDecision => {
				seen.push(entries.length);
				const body = encodeSubmit(submits.update_user_tag, organizationId, addBob.parameters, timestampMs);
				return entries.length > 0 ? { kind: "skip" } : { kind: "send", entry: { body, covers: [], nowMs: 0 } };
			});
		await Promise.all([claim(bench.journal, 1), claim(other, 2)]);
		expect(seen).toEqual([0, 1]);
		expect(other.openEntries(organizationId).length).toBe(1);
		other.close();
	});
});

describe("a time that is not certain", () => {
	const disagreement = { answeredMs: 1, expectedMs: 2, isByAnswers: false };
	const because = whyUncertainTime({ disagreement: () => disagreement });

	it("refuses what depends on it, with both times, and nothing where all clocks agree", () => {
		expect(because).toMatchObject({ kind: "clocks-disagree", ...disagreement });
		expect(() => refuseUncertainTime("the end depends on the time", because)).toThrow("the end depends on the time: ");
		expect(whyUncertainTime({ disagreement: () => undefined })).toBeUndefined();
		expect(() => refuseUncertainTime("the end depends on the time", undefined)).not.toThrow();
	});

	it("leaves policies unknown of which one has a time, and all others as they are", () => {
		const access = (...times: readonly string[]): AccessState => ({
			...{ users: known([]), rootQuorum: known({ threshold: 1, userIds: [] }) },
			policies: known(
				times.map((time) => ({ ...{ id: "p", name: "", effect: "", consensus: "", condition: "" }, time })),
			),
		});
		const timed = access("", "time.now > Timestamp('2026-01-01T00:00:00Z')");
		expect(accessAtKnownTime(timed, because)).toEqual({ ...timed, policies: { known: false, because } });
		expect(accessAtKnownTime(timed, undefined)).toBe(timed);
		for (const other of [access(), access("", " "), { ...timed, policies: unknown }])
			expect(accessAtKnownTime(other, because)).toBe(other);
	});
});
