/**
 * Never twice: one wish is one activity, whatever happens to answers, processes and people in between.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { ActivityRequest } from "../../src/sync/activity-request.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { requestDigestOf } from "../../src/sync/journal.ts";
import { openJournal } from "../../src/sync/journal-file.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { submitOnce } from "../../src/sync/submit-once.ts";
import type { SubmitAnswer, Submitter } from "../../src/wire/client.ts";
import { approvals, submits } from "../../src/wire/operations.ts";
import { encodeSubmit, type RequestBody } from "../../src/wire/request-body.ts";
import { desiredOf, id, organizationId, sectionsOf, wantTag } from "../plan/support-organizations.ts";
import {
	acme,
	adminKey,
	alice,
	applyToReport,
	approverStamper,
	Bench,
	bob,
	carol,
	latestOf,
	minuteMs,
	policies,
	quarterHourMs,
	signers,
	strangerStamper,
	wantSigners,
} from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

const addBob: ActivityRequest = {
	organizationId,
	operation: "update_user_tag",
	parameters: { userTagId: signers, addUserIds: [bob], removeUserIds: [] },
	covers: [{ address: "userTag:signers", id: signers }],
};
const keyOfAddBob = requestDigestOf(organizationId, addBob.operation, addBob.parameters);
/** Where members cannot be read, everybody who is wanted is added. */
const keyOfWithBob = requestDigestOf(organizationId, addBob.operation, {
	...addBob.parameters,
	addUserIds: [alice, bob],
});
const withBob = wantSigners(alice, bob);
const updates = { operation: "update_user_tag" } as const;
const twoApprovals = { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } };
const forEver = 0x7fff;

function bodyOfAddBob(timestampMs: number): RequestBody {
	return encodeSubmit(submits.update_user_tag, organizationId, addBob.parameters, timestampMs);
}

/** The quarter of an hour in which the test's clock is. */
function quarter(): number {
	return bench.nowMs - (bench.nowMs % quarterHourMs);
}

function fingerprints(): readonly (string | null)[] {
	return bench.requests("submit").map(({ fingerprint }) => fingerprint);
}

/** A submitter that hears these answers, and the bodies that it was given. */
function hears(...answers: readonly (SubmitAnswer | ((body: RequestBody) => SubmitAnswer))[]) {
	const bodies: RequestBody[] = [];
	const submitter: Submitter = {
		async submit(body) {
			const answer = answers[bodies.length] ?? answers.at(-1);
			bodies.push(body);
			if (answer === undefined) throw new Error("nothing was to be sent");
			return typeof answer === "function" ? answer(body) : answer;
		},
	};
	return { submitter, bodies };
}

function activityOf(body: RequestBody, status: string): SubmitAnswer {
	const { fingerprint } = body;
	const activity = { id: "an activity", organizationId, status, type: body.operation.type, fingerprint };
	return {
		kind: "activity",
		activity: {
			...activity,
			intent: null,
			result: null,
			failure: null,
			votes: [],
			createdAtMs: undefined,
			updatedAtMs: undefined,
		},
		serverTimeMs: undefined,
		requests: 1,
	};
}

function refused(httpStatus: number, grpcCode = 3): SubmitAnswer {
	return {
		kind: "refused",
		httpStatus,
		grpcCode,
		message: "the service does not want it",
		policyEvaluations: [],
		keyNotAccepted: grpcCode === 16,
		requests: 1,
	};
}

async function approve(fingerprint: string | null): Promise<void> {
	const body = encodeSubmit(approvals.approve_activity as never, organizationId, { fingerprint }, bench.nowMs);
	const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
}

describe("the bytes of a wish", () => {
	it("are in the journal, unsettled, before they are sent", async () => {
		const { submitter } = bench.client();
		const seen: unknown[] = [];
		const looking: Submitter = {
			async submit(body) {
				const second = await openJournal(bench.journalFile);
				const entry = second.entry(body.fingerprint);
				second.close();
				seen.push([entry?.body.bytes === body.bytes, entry?.outcome, entry?.covers]);
				return submitter.submit(body);
			},
		};
		const { report } = await bench.run(withBob, { submitter: looking });
		expect(seen).toEqual([[true, "in-flight", ["userTag:signers"]]]);
		expect(report.steps[0]?.outcome).toBe("completed");
		const entry = await latestOf(bench.journal, keyOfAddBob);
		expect(entry).toMatchObject({ outcome: "completed", activityId: report.steps[0]?.activityId });
	});

	it("are the same in the same quarter of an hour and others in the next", async () => {
		const sent: RequestBody[] = [];
		for (const afterMs of [0, 7 * minuteMs, 8 * minuteMs]) {
			const stub = hears((body) => activityOf(body, "ACTIVITY_STATUS_COMPLETED"));
			const journal = await openJournal(":memory:");
			const nowMs = bench.nowMs + afterMs;
			await submitOnce(addBob, { ...bench.context(stub), serverTimeMs: undefined, journal, now: () => nowMs });
			journal.close();
			sent.push(...stub.bodies);
		}
		const [first, same, next] = sent;
		expect(same?.bytes).toBe(first?.bytes);
		expect(first?.timestampMs).toBe(quarter());
		expect(next?.timestampMs).toBe(quarter() + quarterHourMs);
		expect(next?.fingerprint).not.toBe(first?.fingerprint);
	});

	it("hold no key or stamp, and neither does the journal's file", async () => {
		await bench.run(withBob);
		bench.journal.close();
		const file = readFileSync(bench.journalFile).toString("latin1");
		bench.journal = await openJournal(bench.journalFile);
		expect(file).toContain(bodyOfAddBob(quarter()).bytes);
		expect(file.includes(adminKey)).toBe(false);
		expect(file).not.toMatch(/stamp":|signature|X-Stamp/i);
	});
});

describe("a wish that waits for approval", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, twoApprovals));

	it("is joined by the next run, and by a run in another quarter of an hour, with no activity more", async () => {
		const first = await bench.run(withBob);
		expect(exitCodeOf(first.report)).toBe(8);
		const [step] = first.report.steps;
		expect(step).toMatchObject({ outcome: "awaiting-approval", requests: 1 });
		for (const afterMs of [1, 30 * minuteMs]) {
			bench.nowMs += afterMs;
			const { report } = await bench.run(withBob);
			expect(report.steps[0]).toMatchObject({ outcome: "awaiting-approval", activityId: step?.activityId });
		}
		expect(bench.activities().length).toBe(1);
		// The runs after it read what became of it.
		expect(fingerprints().length).toBe(1);
	});

	it("is asked for by the same bytes where activities cannot be read, once a run that wants it", async () => {
		const first = await bench.run(withBob, {}, "documented");
		for (const afterMs of [1, 30 * minuteMs]) {
			bench.nowMs += afterMs;
			const { report } = await bench.run(withBob, {}, "documented");
			const { activityId } = first.report.steps[0] ?? {};
			expect(report.steps[0]).toMatchObject({ outcome: "awaiting-approval", activityId, requests: 1 });
		}
		expect(bench.activities().length).toBe(1);
		expect(fingerprints().length).toBe(3);
		expect(new Set(fingerprints()).size).toBe(1);
	});

	it("keeps its activity's id where asking by the same bytes fails", async () => {
		const first = await bench.run(withBob, {}, "documented");
		const { activityId } = first.report.steps[0] ?? {};
		expect(activityId).toMatch(/^[0-9a-f-]{36}$/);
		const { report } = await bench.run(
			withBob,
			hears({ kind: "unknown", because: "404 with text/html", requests: 1 }),
			"documented",
		);
		expect(report.steps[0]).toMatchObject({ outcome: "awaiting-approval", activityId });
	});

	it("is joined by a second runner that has no journal", async () => {
		const first = await bench.run(withBob);
		bench.nowMs += 2 * minuteMs;
		const journal = await openJournal(":memory:");
		const second = await bench.run(withBob, { journal });
		journal.close();
		expect(second.report.steps[0]?.activityId).toBe(first.report.steps[0]?.activityId);
		expect(bench.activities().length).toBe(1);
	});

	it("is asked about no more, and not sent again, when its bytes are too old", async () => {
		const first = await bench.run(withBob, {}, "documented");
		bench.nowMs += 61 * minuteMs;
		bench.emulator.clearRequests();
		const { report } = await bench.run(withBob, {}, "documented");
		expect(report.steps[0]).toMatchObject({
			outcome: "awaiting-approval",
			activityId: first.report.steps[0]?.activityId,
			requests: 0,
			message: expect.stringContaining("too old"),
		});
		expect(bench.requests("submit")).toEqual([]);
	});

	it.each([
		["auto", 0],
		["documented", 1],
	] as const)("is done when it was approved: with %s reads the next run finds it by %i submit", async (reads, requests) => {
		const first = await bench.run(withBob, {}, reads);
		await approve(first.report.steps[0]?.fingerprint ?? null);
		bench.emulator.clearRequests();
		bench.nowMs += minuteMs;
		const { comparison, report } = await bench.run(withBob, {}, reads);
		expect(comparison.plan.steps.length).toBe(requests);
		expect(fingerprints().length).toBe(requests);
		expect(report.converged).toBe(true);
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect((await bench.run(withBob, {}, reads)).comparison.plan.steps).toEqual([]);
		// The wish and the vote.
		expect(bench.activities().length).toBe(2);
	});

	it.each([
		["a key that is not accepted", refused(401, 16)],
		["a code of the service", refused(404, 5)],
		["a policy's denial", refused(403, 7)],
		["a gateway's page", { kind: "unknown", because: "not an answer of this service", requests: 1 }],
		["no connection", { kind: "not-sent", because: "no connection", requests: 1 }],
	] as const)("stays pending when asking for it by the same bytes is answered with %s", async (_what, answer) => {
		await bench.run(withBob, {}, "documented");
		const { report } = await bench.run(withBob, hears(answer), "documented");
		expect(report.steps).toMatchObject([
			{ outcome: "awaiting-approval", message: expect.stringContaining("asking again") },
		]);
		expect((await latestOf(bench.journal, keyOfWithBob))?.outcome).toBe("awaiting-approval");
		await bench.run(withBob, {}, "documented");
		expect(bench.activities().length).toBe(1);
	});
});

describe("a wish that was fulfilled and undone again", () => {
	it("is really submitted again within the quarter of an hour", async () => {
		for (const desired of [withBob, wantSigners(alice), withBob]) {
			const { report } = await bench.run(desired);
			expect(report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
			expect(report.converged).toBe(true);
			bench.nowMs += minuteMs;
		}
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect(bench.activities().length).toBe(3);
		expect(new Set(fingerprints()).size).toBe(3);
	});

	it("is submitted with the present time by a runner that has no journal", async () => {
		await bench.run(withBob);
		bench.nowMs += minuteMs;
		await bench.run(wantSigners(alice));
		bench.nowMs += minuteMs;
		const journal = await openJournal(":memory:");
		const { report } = await bench.run(withBob, { journal });
		journal.close();
		// The quarter's bytes were answered with the activity that had ended; the wish needed one of its own.
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect(bench.activities().length).toBe(3);
	});

	it("is submitted once by two runners that share no journal, although each has to make other bytes", async () => {
		await bench.run(withBob);
		bench.nowMs += minuteMs;
		await bench.run(wantSigners(alice));
		bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const before = bench.activities().length;
		const runners = await Promise.all([1, 2].map(() => openJournal(":memory:")));
		const compared = await Promise.all(runners.map((journal) => bench.compare(withBob, bench.context({ journal }))));
		for (const [index, comparison] of compared.entries()) {
			bench.nowMs += minuteMs;
			const { steps } = await applyToReport(
				comparison,
				bench.context({ journal: runners[index] as (typeof runners)[number] }),
			);
			expect(steps).toMatchObject([{ outcome: "awaiting-approval" }]);
		}
		for (const journal of runners) journal.close();
		expect(bench.activities().length).toBe(before + 1);
	});

	it("is not submitted again when the service answers with what ended after the organization was read", async () => {
		const context = bench.context();
		const comparison = await bench.compare(withBob, context);
		const journal = await openJournal(":memory:");
		await bench.run(withBob, { journal });
		journal.close();
		const { steps } = await applyToReport(comparison, context);
		expect(steps[0]).toMatchObject({ outcome: "completed", requests: 1 });
		expect(bench.activities().length).toBe(1);
	});
});

describe("an activity that ended while the organization was being read", () => {
	it("is not taken for one that was undone since: nothing is submitted again", async () => {
		const client = bench.client();
		let looked = 0;
		let meanwhile: Promise<void> | undefined;
		/** Somebody else fulfils the wish after both queries have looked, and before their answers are written. */
		const fulfil = async (): Promise<void> => {
			while (looked < 2) await new Promise((resolve) => setTimeout(resolve, 1));
			bench.nowMs += 1500;
			const journal = await openJournal(":memory:");
			await submitOnce(addBob, { ...bench.context(), serverTimeMs: undefined, journal });
			journal.close();
			bench.nowMs += 2500;
		};
		const slow: ApplyContext["reader"] = {
			async query(operation, fields) {
				const answer = await client.reader.query(operation, fields);
				looked += 1;
				meanwhile ??= fulfil();
				await meanwhile;
				return { ...answer, serverTimeMs: Math.floor(bench.nowMs / 1000) * 1000 };
			},
		};
		const comparison = await bench.compare(withBob, bench.context({ reader: slow }));
		const { steps } = await applyToReport(comparison, bench.context());
		expect(steps).toMatchObject([{ outcome: "completed", requests: 1 }]);
		expect(bench.activities().length).toBe(1);
	});

	it.each([
		[10_000, 10_002, 1],
		[10_000, 13_000, 1],
		[10_000, 70_000, 1],
		[10_000, 70_001, 2],
	])("and failed at %i ms, read from %i ms on, is answered by %i activity: the service's clocks may be a minute apart", async (endedMs, readMs, count) => {
		const stub = endedAt(endedMs, "ACTIVITY_STATUS_FAILED");
		await submitOnce(addBob, { ...bench.context(stub), serverTimeMs: readMs });
		expect(stub.bodies.length).toBe(count);
	});

	it.each([
		[10_000, undefined, 1],
		[10_000, 9_000, 1],
		[10_000, 10_000, 1],
		[10_000, 10_001, 2],
	])("and completed at %i ms is the answer unless its tag was changed later (at %j ms): %i activity, whatever Date says", async (endedMs, objectChangedAtMs, count) => {
		for (const serverTimeMs of [undefined, endedMs, endedMs + 90_000]) {
			const journal = await openJournal(":memory:");
			const stub = endedAt(endedMs, "ACTIVITY_STATUS_COMPLETED");
			await submitOnce({ ...addBob, objectChangedAtMs }, { ...bench.context(stub), journal, serverTimeMs });
			journal.close();
			expect(stub.bodies.length).toBe(count);
		}
	});

	/** A service whose activity for any bytes ended at this time. */
	function endedAt(endedMs: number, status: string) {
		return hears((body) => {
			const answer = activityOf(body, status);
			return answer.kind === "activity"
				? { ...answer, activity: { ...answer.activity, updatedAtMs: endedMs } }
				: answer;
		});
	}
});

describe("two processes that share a journal and send the same wish at the same moment", () => {
	/** A submitter that sends at once, and hands over the answer when it is let go. */
	function held() {
		const { submitter } = bench.client();
		let letGo: () => void = () => undefined;
		let isAnswered: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			letGo = resolve;
		});
		const answered = new Promise<void>((resolve) => {
			isAnswered = resolve;
		});
		const slow: Submitter = {
			async submit(body) {
				const answer = await submitter.submit(body);
				isAnswered();
				await gate;
				return answer;
			},
		};
		return { submitter: slow, letGo, answered };
	}

	it("make one activity, and the older answer does not reopen what the newer one has closed", async () => {
		await bench.emulator.setRules(organizationId, twoApprovals);
		const other = await openJournal(bench.journalFile);
		const [slow, fast] = [held(), held()];
		fast.letGo();
		const context = (parts: Partial<ApplyContext>) => ({ ...bench.context(parts), serverTimeMs: undefined });
		const [older] = [submitOnce(addBob, context(slow)), submitOnce(addBob, context({ ...fast, journal: other }))];
		await Promise.all([slow.answered, fast.answered]);
		await approve(bodyOfAddBob(quarter()).fingerprint);
		await settleOpenEntries(organizationId, { ...bench.context({ journal: other }), reads: "auto" });
		expect((await latestOf(other, keyOfAddBob))?.outcome).toBe("completed");
		slow.letGo();
		expect(await older).toMatchObject({ outcome: "awaiting-approval" });
		expect(await latestOf(other, keyOfAddBob)).toMatchObject({ outcome: "completed" });
		expect(bench.journal.openEntries(organizationId)).toEqual([]);
		other.close();
		// The wish and the vote.
		expect(bench.activities().length).toBe(2);
	});

	it("leave open what one of them has sent when the other could not send it", async () => {
		const other = await openJournal(bench.journalFile);
		const slow = held();
		const offline = hears({ kind: "not-sent", because: "no connection", requests: 1 });
		const context = (parts: Partial<ApplyContext>) => ({ ...bench.context(parts), serverTimeMs: undefined });
		const sender = submitOnce(addBob, context(slow));
		expect(await submitOnce(addBob, context({ ...offline, journal: other }))).toMatchObject({ outcome: "unknown" });
		await slow.answered;
		expect(other.openEntries(organizationId)).toMatchObject([{ outcome: "in-flight" }]);
		slow.letGo();
		expect((await sender).outcome).toBe("completed");
		expect((await latestOf(other, keyOfAddBob))?.outcome).toBe("completed");
		other.close();
	});
});

describe("a wish whose activity failed", () => {
	it("has new bytes in the next run", async () => {
		bench.emulator.addFault({ ...updates, fault: "fail" });
		const first = await bench.run(withBob);
		expect(first.report.steps[0]).toMatchObject({ outcome: "failed", message: expect.stringContaining("by order") });
		expect(exitCodeOf(first.report)).toBe(1);
		bench.nowMs += minuteMs;
		const second = await bench.run(withBob);
		expect(second.report.steps[0]).toMatchObject({ outcome: "completed", requests: 1 });
		expect(new Set(fingerprints()).size).toBe(2);
		expect(bench.activities().map(({ status }) => status)).toEqual([
			"ACTIVITY_STATUS_FAILED",
			"ACTIVITY_STATUS_COMPLETED",
		]);
	});

	it("has new bytes, too, for a runner that has no journal", async () => {
		bench.emulator.addFault({ ...updates, fault: "fail" });
		await bench.run(withBob);
		bench.nowMs += 2 * minuteMs;
		const journal = await openJournal(":memory:");
		const { report } = await bench.run(withBob, { journal });
		journal.close();
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
	});
});

describe("a wish that was rejected", () => {
	it("is not sent again, in this quarter of an hour or the next", async () => {
		bench.emulator.addFault({ ...updates, fault: "reject" });
		const first = await bench.run(withBob);
		expect(first.report.steps[0]?.outcome).toBe("rejected");
		expect(exitCodeOf(first.report)).toBe(9);
		bench.emulator.clearRequests();
		for (const afterMs of [minuteMs, quarterHourMs]) {
			bench.nowMs += afterMs;
			const { report } = await bench.run(withBob);
			expect(report.steps[0]).toMatchObject({
				outcome: "rejected",
				requests: 0,
				activityId: first.report.steps[0]?.activityId,
				message: expect.stringContaining("rejected before"),
			});
			expect(exitCodeOf(report)).toBe(9);
		}
		expect(bench.requests("submit")).toEqual([]);
	});

	it("is sent again with other bytes when that is asked for", async () => {
		bench.emulator.addFault({ ...updates, fault: "reject" });
		await bench.run(withBob);
		const { report } = await bench.run(withBob, { retryRejected: true });
		expect(report.steps[0]?.outcome).toBe("completed");
		expect(new Set(fingerprints()).size).toBe(2);
	});

	it("does not hold back another wish for the same tag", async () => {
		bench.emulator.addFault({ ...updates, fault: "reject" });
		await bench.run(withBob);
		const { report } = await bench.run(wantSigners(alice, bob, carol));
		expect(report.steps[0]?.outcome).toBe("completed");
	});
});

describe("a wish that is denied", () => {
	it("names the policies that denied it, and makes no activity", async () => {
		await bench.emulator.setRules(organizationId, { deny: [{ type: "ACTIVITY_TYPE_UPDATE_USER_TAG" }] });
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "denied", activityId: null });
		const evaluations = report.steps[0]?.policyEvaluations ?? [];
		expect(evaluations).toEqual([{ policyId: expect.stringMatching(/^[0-9a-f-]{36}$/), outcome: expect.any(String) }]);
		expect(exitCodeOf(report)).toBe(9);
		expect(bench.activities()).toEqual([]);
		await bench.emulator.setRules(organizationId, {});
		expect((await bench.run(withBob)).report.steps[0]?.outcome).toBe("completed");
	});
});

describe("a status", () => {
	it.each([
		["ACTIVITY_STATUS_COMPLETED", "completed"],
		["ACTIVITY_STATUS_CONSENSUS_NEEDED", "awaiting-approval"],
		["ACTIVITY_STATUS_AUTHENTICATORS_NEEDED", "awaiting-authenticator"],
		["ACTIVITY_STATUS_CREATED", "awaiting-approval"],
		["ACTIVITY_STATUS_PENDING", "awaiting-approval"],
		["ACTIVITY_STATUS_REJECTED", "rejected"],
		["ACTIVITY_STATUS_FAILED", "failed"],
		["ACTIVITY_STATUS_COMPLETED_LATER", "unknown"],
		["completed", "unknown"],
		["", "unknown"],
		["constructor", "unknown"],
		["__proto__", "unknown"],
	])("of %j is %s", async (status, outcome) => {
		const { submitter } = hears((body) => activityOf(body, status));
		const sent = await submitOnce(addBob, { ...bench.context({ submitter }), serverTimeMs: undefined });
		expect(sent.outcome).toBe(outcome);
		expect((await latestOf(bench.journal, keyOfAddBob))?.outcome).toBe(outcome);
		if (outcome === "unknown") expect(sent.message).toContain(`\`${status}\``);
		expect(bench.journal.lastApplied(organizationId).userTags).toEqual({});
	});

	it("that nobody knows is never success for apply, and only the same bytes follow", async () => {
		const stub = hears((body) => activityOf(body, "ACTIVITY_STATUS_SUPERSEDED"));
		const first = await bench.run(withBob, stub, "documented");
		expect(first.report).toMatchObject({ converged: false, steps: [{ outcome: "unknown" }] });
		expect(exitCodeOf(first.report)).toBe(1);
		bench.nowMs += quarterHourMs;
		await bench.run(withBob, stub, "documented");
		expect(new Set(stub.bodies.map(({ bytes }) => bytes)).size).toBe(1);
		expect(stub.bodies.length).toBe(2);
	});
});

describe("a lost answer", () => {
	it("is asked for again with the same bytes, and there is one activity", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-after" });
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
		expect(new Set(fingerprints()).size).toBe(1);
		expect(bench.requests("submit").map(({ replayed }) => replayed)).toEqual([false, true]);
		expect(bench.activities().length).toBe(1);
		expect(report.converged).toBe(true);
	});

	it.each([
		"auto",
		"documented",
	] as const)("that never comes is unknown, and never a second activity: %s reads", async (reads) => {
		bench.emulator.addFault({ ...updates, fault: "drop-after", count: forEver });
		const first = await bench.run(withBob, {}, reads);
		expect(first.report.steps[0]).toMatchObject({
			outcome: "unknown",
			message: expect.stringContaining("only the same request may be sent again"),
		});
		expect(exitCodeOf(first.report)).toBe(1);
		bench.emulator.clearFaults();
		bench.emulator.clearRequests();
		bench.nowMs += quarterHourMs;
		const second = await bench.run(withBob, {}, reads);
		expect(second.report.converged).toBe(true);
		// Where members can be read there is nothing left to do; where they cannot, the same bytes ask.
		expect(fingerprints()).toEqual(reads === "auto" ? [] : [first.report.steps[0]?.fingerprint]);
		expect(bench.activities().length).toBe(1);
	});

	it("before anything was done is settled by the same bytes, which then do it", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-before", count: forEver });
		await bench.run(withBob);
		bench.emulator.clearFaults();
		await bench.run(withBob);
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect(bench.activities().length).toBe(1);
	});

	it.each([
		"5xx",
		"html",
		"429",
		"truncated",
	] as const)("with %s to the end is unknown and never a second activity", async (fault) => {
		bench.emulator.addFault({
			...updates,
			fault,
			count: forEver,
			...(fault === "truncated" ? {} : { takesEffect: true }),
		});
		const { report } = await bench.run(withBob);
		expect(report.steps[0]?.outcome).toBe("unknown");
		bench.emulator.clearFaults();
		await bench.run(withBob);
		expect(bench.activities().length).toBe(1);
		expect(new Set(fingerprints()).size).toBe(1);
	});
});

describe("a run that was killed between sending and its answer", () => {
	/** What a killed run leaves behind. */
	async function leaveOpen(body: RequestBody): Promise<void> {
		await bench.journal.recordSending(body, keyOfAddBob, ["userTag:signers"], bench.nowMs);
	}

	it("is finished by the next with the same bytes", async () => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		bench.nowMs += quarterHourMs;
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", fingerprint: body.fingerprint });
		expect(fingerprints()).toEqual([body.fingerprint]);
		expect(bench.journal.entry(body.fingerprint)?.outcome).toBe("completed");
	});

	it.each(["auto", "documented"] as const)("after it arrived is no second activity: %s reads", async (reads) => {
		const parameters = { userTagId: signers, addUserIds: [alice, bob], removeUserIds: [] };
		const body =
			reads === "auto"
				? bodyOfAddBob(quarter())
				: encodeSubmit(submits.update_user_tag, organizationId, parameters, quarter());
		const requestDigest = requestDigestOf(
			organizationId,
			"update_user_tag",
			reads === "auto" ? addBob.parameters : parameters,
		);
		await bench.journal.recordSending(body, requestDigest, ["userTag:signers"], bench.nowMs);
		await bench.client().submitter.submit(body);
		bench.nowMs += quarterHourMs;
		const { report } = await bench.run(withBob, {}, reads);
		expect(report.converged).toBe(true);
		expect(bench.activities().length).toBe(1);
		expect((await bench.run(withBob, {}, reads)).comparison.plan.changes).toEqual([]);
	});

	it("is not finished by a run whose document no longer wants it", async () => {
		await leaveOpen(bodyOfAddBob(quarter()));
		await bench.run(wantSigners(alice));
		expect(bench.requests("submit")).toEqual([]);
		expect(bench.tag(signers).userIds).toEqual([alice]);
	});

	it("an hour ago is told, and not sent again, while other steps go on", async () => {
		const body = bodyOfAddBob(quarter() - 60 * minuteMs);
		await leaveOpen(body);
		const desired = desiredOf({
			userTags: sectionsOf(withBob).userTags,
			absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
		});
		const { report } = await bench.run(desired);
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["unknown", "completed"]);
		expect(report.steps[0]).toMatchObject({ requests: 0, message: expect.stringContaining("too old") });
		expect(bench.requests("submit").map(({ operation }) => operation)).toEqual(["delete_policies"]);
		expect(exitCodeOf(report)).toBe(7);
		bench.journal.recordOutcome(body.fingerprint, "abandoned", null, bench.nowMs);
		expect((await bench.run(desired)).report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
	});

	it("is sent again until one minute before its bytes expire", async () => {
		const requestsAfter = async (ageMs: number): Promise<number | undefined> => {
			await leaveOpen(bodyOfAddBob(bench.nowMs - ageMs));
			const { steps } = await applyToReport(await bench.compare(withBob), bench.context());
			return steps[0]?.requests;
		};
		expect(await requestsAfter(59 * minuteMs)).toBe(0);
		expect(await requestsAfter(59 * minuteMs - 1)).toBe(1);
	});

	it("stays unknown when the key is not accepted", async () => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		const stranger = bench.context({}, bench.client({ stamper: strangerStamper }));
		const { steps } = await applyToReport(await bench.compare(withBob), stranger);
		expect(steps[0]).toMatchObject({ outcome: "unknown", message: expect.stringContaining("submitted before") });
		expect(bench.journal.openEntries(organizationId).map((entry) => entry.body.fingerprint)).toEqual([
			body.fingerprint,
		]);
	});

	it.each([
		[400, 3],
		[401, 16],
		[403, 7],
		[404, 5],
		[409, 6],
		[429, 8],
	])("stays unknown when the same bytes are refused with %i (%i): an error is no proof", async (status, grpcCode) => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		const { report } = await bench.run(withBob, hears(refused(status, grpcCode)));
		expect(report.steps[0]?.outcome).toBe("unknown");
		expect(bench.journal.openEntries(organizationId).map((entry) => entry.body.fingerprint)).toEqual([
			body.fingerprint,
		]);
	});

	it("stays unknown when something else than the service answers the same bytes", async () => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		const { report } = await bench.run(withBob, hears({ kind: "unknown", because: "404 with text/html", requests: 1 }));
		expect(report.steps[0]?.outcome).toBe("unknown");
		expect(bench.journal.openEntries(organizationId).map((entry) => entry.body.fingerprint)).toEqual([
			body.fingerprint,
		]);
	});
});

describe("a wish that never left this machine", () => {
	const gone = (): ApplyContext => bench.context({}, bench.client({ url: "http://127.0.0.1:1" }));

	it("is not attempted, and neither is any other", async () => {
		const desired = desiredOf({
			userTags: sectionsOf(withBob).userTags,
			absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
		});
		const comparison = await bench.compare(desired);
		const report = await applyToReport(comparison, { ...gone(), concurrency: 1 });
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "not-attempted"]);
		expect(report.steps[0]?.message).toContain("connection refused");
		expect(report.left).toBeNull();
		expect(exitCodeOf(report)).toBe(1);
		expect(bench.requests("submit")).toEqual([]);
	});

	it("is sent with the same bytes by the next run in the same quarter of an hour", async () => {
		const comparison = await bench.compare(withBob);
		const { steps } = await applyToReport(comparison, gone());
		bench.nowMs += minuteMs;
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", fingerprint: steps[0]?.fingerprint });
		expect(bench.activities().length).toBe(1);
	});

	it("is sent with new bytes a day later", async () => {
		await applyToReport(await bench.compare(withBob), gone());
		bench.nowMs += 24 * 60 * minuteMs;
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 1 });
	});

	it("is not sent by a later run whose document no longer wants it", async () => {
		await applyToReport(await bench.compare(withBob), gone());
		const { comparison } = await bench.run(wantSigners(alice));
		expect(comparison.plan.changes).toEqual([]);
		expect(bench.requests("submit")).toEqual([]);
		expect(bench.tag(signers).userIds).toEqual([alice]);
	});

	it("is in flight again once it is being sent again", async () => {
		await applyToReport(await bench.compare(withBob), gone());
		const outcomes: unknown[] = [];
		const stub = hears((body) => {
			outcomes.push(bench.journal.entry(body.fingerprint)?.outcome);
			return activityOf(body, "ACTIVITY_STATUS_COMPLETED");
		});
		await bench.run(withBob, stub);
		expect(outcomes).toEqual(["in-flight"]);
	});

	it("because it could not be stamped is not attempted", async () => {
		const stamper = { stamp: async () => Promise.reject(new TypeError("no key")) };
		const comparison = await bench.compare(withBob);
		const { steps } = await applyToReport(comparison, bench.context({}, bench.client({ stamper })));
		expect(steps[0]).toMatchObject({ outcome: "not-attempted", requests: 0 });
		expect(steps[0]?.message).toContain("could not be stamped");
	});
});

describe("an activity that takes its time", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, { pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 5000 } }));

	it("is asked for until it has completed", async () => {
		const { report } = await bench.run(withBob, { waitMs: 60_000 });
		expect(report.steps[0]?.outcome).toBe("completed");
		expect(report.steps[0]?.requests).toBeGreaterThan(2);
		expect(report.stats.submits).toBe(report.steps[0]?.requests);
		expect(bench.activities().length).toBe(1);
	});

	it("waits, and is not forgotten, when asking for it breaks off", async () => {
		const stub = hears((body) => activityOf(body, "ACTIVITY_STATUS_CREATED"), {
			kind: "not-sent",
			because: "no connection",
			requests: 1,
		});
		const { report } = await bench.run(withBob, { ...stub, waitMs: 60_000 });
		expect(report.steps[0]).toMatchObject({ outcome: "awaiting-approval", activityId: "an activity", requests: 2 });
		expect((await latestOf(bench.journal, keyOfAddBob))?.outcome).toBe("awaiting-approval");
	});

	it("waits when the time to wait has ended, and the next run finds it", async () => {
		const startMs = bench.nowMs;
		const first = await bench.run(withBob, { waitMs: 1000 });
		expect(first.report.steps[0]).toMatchObject({ outcome: "awaiting-approval", message: expect.any(String) });
		expect(bench.nowMs - startMs).toBe(1000);
		expect(exitCodeOf(first.report)).toBe(8);
		bench.nowMs += 10_000;
		const second = await bench.run(withBob);
		expect(second.comparison.plan.changes).toEqual([]);
		expect(bench.activities().length).toBe(1);
	});
});

it("an activity that needs an authenticator waits for it", async () => {
	await bench.emulator.setRules(organizationId, { authenticators: ["ACTIVITY_TYPE_UPDATE_USER_TAG"] });
	for (let run = 0; run < 2; run += 1) {
		const { report } = await bench.run(withBob);
		expect(report.steps[0]?.outcome).toBe("awaiting-authenticator");
		expect(exitCodeOf(report)).toBe(8);
	}
	expect(bench.activities().length).toBe(1);
});

it("a wish for what nobody has heard of is refused and failed, and says why", async () => {
	const desired = desiredOf({
		userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, id("user", 77)] } })],
	});
	const { report } = await bench.run(desired);
	expect(report.steps[0]).toMatchObject({ outcome: "failed", message: expect.stringContaining("no user found") });
});

describe("a wish that completed while the organization was read", () => {
	it("is not sent again: what was read may not have shown it yet", async () => {
		const readPosition = bench.journal.position();
		const context = { ...bench.context(), serverTimeMs: undefined, readPosition };
		expect((await submitOnce(addBob, context)).outcome).toBe("completed");
		expect(await submitOnce(addBob, context)).toMatchObject({ outcome: "completed", requests: 0 });
		expect(bench.requests("submit").length).toBe(1);

		const later = { ...context, readPosition: bench.journal.position() };
		expect(await submitOnce(addBob, later)).toMatchObject({ outcome: "completed", requests: 1 });
		expect(bench.requests("submit").length).toBe(2);
	});

	it("is told by the journal's order: a clock that was ahead once does not make an undone wish completed", async () => {
		const aheadMs = 3 * 60 * minuteMs;
		const context = { ...bench.context(), serverTimeMs: undefined };
		expect(
			(await submitOnce(addBob, { ...context, now: () => bench.nowMs + aheadMs, clockOffsetMs: -aheadMs })).outcome,
		).toBe("completed");
		const undone = { ...context, readPosition: bench.journal.position() };
		expect(await submitOnce(addBob, undone)).toMatchObject({ outcome: "completed", requests: 1 });
		expect(bench.requests("submit").length).toBe(2);
	});
});
