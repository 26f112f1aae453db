import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { submitOnce } from "../../src/sync/submit/submit-once.ts";
import type { Submitter } from "../../src/wire/client.ts";
import { inWords } from "../in-words.ts";
import { organizationId } from "../plan/support-organizations.ts";
import {
	addBob,
	approve,
	bench,
	bodyOfAddBob,
	fingerprints,
	hears,
	keyOfAddBob,
	quarter,
	twoApprovals,
	updates,
	withBob,
} from "./submit/submit-support.ts";
import {
	alice,
	applyToReport,
	bob,
	carol,
	latestOf,
	minuteMs,
	quarterHourMs,
	signers,
	wantSigners,
} from "./support.ts";

describe("a request whose effect was reverted", () => {
	it("is submitted again within the quarter of an hour", async () => {
		for (const desired of [withBob, wantSigners(alice), withBob]) {
			const { report } = await bench.run(desired);
			expect(report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
			expect(report.inSync).toBe(true);
			bench.nowMs += minuteMs;
		}
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect(bench.activities().length).toBe(3);
		expect(new Set(fingerprints()).size).toBe(3);
	});

	it("is submitted again by a runner without a journal too", async () => {
		await bench.run(withBob);
		bench.nowMs += minuteMs;
		await bench.run(wantSigners(alice));
		bench.nowMs += minuteMs;
		const journal = await openJournal(":memory:");
		const { report } = await bench.run(withBob, { journal });
		journal.close();
		// The quarter's bytes were answered with the activity that had ended; the request needed one of its own.
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		expect(bench.activities().length).toBe(3);
	});

	it("is submitted once by two runners without a common journal", async () => {
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

	it("is submitted once by two runners of whom one has bytes of an earlier quarter of an hour in doubt", async () => {
		const { submitter } = bench.client();
		/** The service gets the request, and its answer is lost. */
		const deaf: Submitter = {
			async submit(body) {
				const { requests } = await submitter.submit(body);
				return { kind: "unknown", because: "the answer was lost", requests };
			},
		};
		await bench.run(withBob, { submitter: deaf });
		const journal = await openJournal(":memory:");
		bench.nowMs += quarterHourMs;
		await bench.run(wantSigners(alice), { journal });
		const approvals = { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 };
		bench.emulator.setRules(organizationId, { approvals, denyReads: ["list_activities"] });
		const before = bench.activities().length;
		bench.nowMs += minuteMs;
		const { report } = await bench.run(withBob);
		// The bytes in doubt were answered with the activity that had ended, then those of this quarter of an hour were sent.
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 2 }]);
		const other = await openJournal(":memory:");
		const comparison = await bench.compare(withBob, bench.context({ journal: other }));
		const { steps } = await applyToReport(comparison, bench.context({ journal: other }));
		expect(steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		for (const one of [journal, other]) one.close();
		expect(bench.activities().length).toBe(before + 1);
	});

	it("is not submitted again if its activity ended after the organization was read", async () => {
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

describe("an activity that ended while the organization was read", () => {
	it("does not count as reverted: nothing is submitted again", async () => {
		const client = bench.client();
		let looked = 0;
		let meanwhile: Promise<void> | undefined;
		/** Another user makes the same change after both queries have looked, and before their answers are written. */
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
});

describe("a request that completed while the organization was read", () => {
	it("is known from the journal's order: a clock that was ahead once does not make a reverted request completed", async () => {
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

describe("two processes that share a journal and submit equal requests at once", () => {
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

	it("make one activity, and the older answer does not reopen what the newer one has settled", async () => {
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
		// The request and the vote.
		expect(bench.activities().length).toBe(2);
	});

	it("keep open what one of them has sent if the other cannot send it", async () => {
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

describe("a request whose activity failed", () => {
	it("has new bytes in the next run", async () => {
		bench.emulator.addFault({ ...updates, fault: "fail" });
		const first = await bench.run(withBob);
		expect(first.report.steps[0]).toMatchObject({
			outcome: "failed",
			message: expect.stringContaining("because of a fault"),
		});
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

	it("has new bytes for a runner without a journal too", async () => {
		bench.emulator.addFault({ ...updates, fault: "fail" });
		await bench.run(withBob);
		bench.nowMs += 2 * minuteMs;
		const journal = await openJournal(":memory:");
		const { report } = await bench.run(withBob, { journal });
		journal.close();
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
	});
});

describe("a request that was rejected", () => {
	it("is not sent again, in this quarter of an hour or the next", async () => {
		bench.emulator.addFault({ ...updates, fault: "reject" });
		const first = await bench.run(withBob);
		expect(first.report.steps[0]?.outcome).toBe("rejected");
		expect(exitCodeOf(first.report)).toBe(9);
		bench.emulator.clearRequests();
		for (const afterMs of [minuteMs, quarterHourMs]) {
			bench.nowMs += afterMs;
			const { report } = await bench.run(withBob);
			expect(inWords(report.steps)[0]).toMatchObject({
				outcome: "rejected",
				requests: 0,
				activityId: first.report.steps[0]?.activityId,
				message: expect.stringContaining("rejected before"),
			});
			expect(exitCodeOf(report)).toBe(9);
		}
		expect(bench.requests("submit")).toEqual([]);
	});

	it("does not hold back another request for the same tag", async () => {
		bench.emulator.addFault({ ...updates, fault: "reject" });
		await bench.run(withBob);
		const { report } = await bench.run(wantSigners(alice, bob, carol));
		expect(report.steps[0]?.outcome).toBe("completed");
	});
});
