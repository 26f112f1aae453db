/**
 * A request becomes exactly one activity: its bytes, lost answers, killed runs and requests that never left. The reasons
 * are in src/sync/submit/submit-once.ts.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import { submitOnce } from "../../src/sync/submit/submit-once.ts";
import type { Submitter } from "../../src/wire/client.ts";
import type { RequestBody } from "../../src/wire/request-body.ts";
import { inWords } from "../in-words.ts";
import { desiredOf, organizationId, sectionsOf } from "../plan/support-organizations.ts";
import {
	activityOf,
	addBob,
	bench,
	bodyOfAddBob,
	fingerprints,
	forEver,
	hears,
	keyOfAddBob,
	quarter,
	refused,
	updates,
	withBob,
} from "./submit/submit-support.ts";
import {
	adminKey,
	alice,
	applyToReport,
	latestOf,
	minuteMs,
	policies,
	quarterHourMs,
	signers,
	wantSigners,
} from "./support.ts";

describe("the bytes of a request", () => {
	it("are in the journal, in flight, before they are sent", async () => {
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

	it("are the same in one quarter of an hour and differ in the next", async () => {
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

describe("two runners without a common journal, where activities cannot be listed", () => {
	it("make one new activity in a quarter of an hour after the first one failed", async () => {
		const removal = { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] };
		const desired = desiredOf({ absent: removal });
		const denyReads = ["list_activities"];
		await bench.emulator.setRules(organizationId, { denyReads });
		bench.emulator.addFault({ operation: "delete_policies", fault: "fail" });
		const other = await openJournal(":memory:");
		for (const journal of [bench.journal, other]) {
			expect((await bench.run(desired, { journal })).report.steps[0]?.outcome).toBe("failed");
		}
		await bench.emulator.setRules(organizationId, { denyReads, approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const ids: unknown[] = [];
		for (const journal of [bench.journal, other]) {
			bench.nowMs += minuteMs;
			const [step] = (await bench.run(desired, { journal })).report.steps;
			expect(step?.outcome).toBe("awaiting-approval");
			ids.push(step?.activityId);
		}
		other.close();
		expect(new Set(ids).size).toBe(1);
		expect(bench.activities().length).toBe(2);
	});
});

describe("a lost answer", () => {
	it("leads to the same bytes again, and there is one activity", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-after" });
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", requests: 2 });
		expect(new Set(fingerprints()).size).toBe(1);
		expect(bench.requests("submit").map(({ replayed }) => replayed)).toEqual([false, true]);
		expect(bench.activities().length).toBe(1);
		expect(report.inSync).toBe(true);
	});

	it.each([
		"auto",
		"documented",
	] as const)("that never comes is unknown and makes no second activity: %s reads", async (reads) => {
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
		expect(second.report.inSync).toBe(true);
		// Where members can be read there are no changes; where they cannot, the same bytes ask.
		expect(fingerprints()).toEqual(reads === "auto" ? [] : [first.report.steps[0]?.fingerprint]);
		expect(bench.activities().length).toBe(1);
	});

	it.each([
		"5xx",
		"html",
		"429",
		"truncated",
	] as const)("with nothing but %s is unknown and makes no second activity", async (fault) => {
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

describe("a run that is killed between sending and its answer", () => {
	/** What a killed run leaves behind. */
	async function leaveOpen(body: RequestBody): Promise<void> {
		await bench.journal.recordSending(body, keyOfAddBob, ["userTag:signers"], bench.nowMs);
	}

	it("is finished by the next run with the same bytes", async () => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		bench.nowMs += quarterHourMs;
		const { report } = await bench.run(withBob);
		expect(report.steps[0]).toMatchObject({ outcome: "completed", fingerprint: body.fingerprint });
		expect(fingerprints()).toEqual([body.fingerprint]);
		expect(bench.journal.entry(body.fingerprint)?.outcome).toBe("completed");
	});

	it("is not finished by a run whose document does not ask for it any more", async () => {
		await leaveOpen(bodyOfAddBob(quarter()));
		await bench.run(wantSigners(alice));
		expect(bench.requests("submit")).toEqual([]);
		expect(bench.tag(signers).userIds).toEqual([alice]);
	});

	it("more than an hour ago is reported and not sent again, while other steps go on", async () => {
		const body = bodyOfAddBob(quarter() - 60 * minuteMs);
		await leaveOpen(body);
		const desired = desiredOf({
			userTags: sectionsOf(withBob).userTags,
			absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
		});
		const { report } = await bench.run(desired);
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["unknown", "completed"]);
		expect(inWords(report.steps)[0]).toMatchObject({ requests: 0, message: expect.stringContaining("too old") });
		expect(bench.requests("submit").map(({ operation }) => operation)).toEqual(["delete_policies"]);
		expect(exitCodeOf(report)).toBe(7);
		bench.journal.recordOutcome(body.fingerprint, "abandoned", null, bench.nowMs);
		expect((await bench.run(desired)).report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
	});

	it("has its request sent again until one minute before the bytes expire", async () => {
		const requestsAfter = async (ageMs: number): Promise<number | undefined> => {
			await leaveOpen(bodyOfAddBob(bench.nowMs - ageMs));
			const { steps } = await applyToReport(await bench.compare(withBob), bench.context());
			return steps[0]?.requests;
		};
		expect(await requestsAfter(59 * minuteMs)).toBe(0);
		expect(await requestsAfter(59 * minuteMs - 1)).toBe(1);
	});

	it("stays unknown if something other than the service answers the same bytes", async () => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		const { report } = await bench.run(withBob, hears({ kind: "unknown", because: "404 with text/html", requests: 1 }));
		expect(report.steps[0]?.outcome).toBe("unknown");
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
	])("stays unknown if the same bytes are refused with %i (%i): an error is no proof", async (status, grpcCode) => {
		const body = bodyOfAddBob(quarter());
		await leaveOpen(body);
		const { report } = await bench.run(withBob, hears(refused(status, grpcCode)));
		expect(report.steps[0]?.outcome).toBe("unknown");
		expect(bench.journal.openEntries(organizationId).map((entry) => entry.body.fingerprint)).toEqual([
			body.fingerprint,
		]);
	});
});

describe("a request that never leaves the machine", () => {
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

	it("is in flight again while it is sent again", async () => {
		await applyToReport(await bench.compare(withBob), gone());
		const outcomes: unknown[] = [];
		const stub = hears((body) => {
			outcomes.push(bench.journal.entry(body.fingerprint)?.outcome);
			return activityOf(body, "ACTIVITY_STATUS_COMPLETED");
		});
		await bench.run(withBob, stub);
		expect(outcomes).toEqual(["in-flight"]);
	});

	it("because it cannot be stamped is not attempted", async () => {
		const stamper = { stamp: async () => Promise.reject(new TypeError("no key")) };
		const comparison = await bench.compare(withBob);
		const { steps } = await applyToReport(comparison, bench.context({}, bench.client({ stamper })));
		expect(steps[0]).toMatchObject({ outcome: "not-attempted", requests: 0 });
		expect(steps[0]?.message).toContain("could not be stamped");
	});
});
