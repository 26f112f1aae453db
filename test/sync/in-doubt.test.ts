/**
 * Requests in doubt: how reading or the same bytes end the doubt, and how the operator does.
 */

import { describe, expect, it } from "vitest";
import type { Reads } from "../../src/plan/plan.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import { digestOf } from "../../src/plan/value.ts";
import { renderPlan } from "../../src/render/result-text.ts";
import { plainStyle } from "../../src/render/style.ts";
import { inWords as asPublished, savePlan } from "../../src/say/published.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { openJournal } from "../../src/sync/journal/file.ts";
import { requestDigestOf } from "../../src/sync/journal/journal.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { checkSchema } from "../check-schema.ts";
import { inWords } from "../in-words.ts";
import { desiredOf, id, organizationId, sectionsOf } from "../plan/support-organizations.ts";
import {
	addBob,
	bench,
	forEver,
	made,
	needTwo,
	othersSubmit,
	planOf,
	queriesOf,
	run,
	twoHours,
	updates,
	useDocumented,
	vote,
	withBob,
} from "./run-support.ts";
import { alice, bob, carol, minuteMs, policies, signers, wantSigners } from "./support.ts";

describe("a request in doubt", () => {
	const withCarolToo = wantSigners(alice, bob, carol);

	/** No answer ever comes: the bytes are lost before the service takes them, or after. */
	async function lose(fault: "drop-before" | "drop-after", reads: Reads = "auto"): Promise<string> {
		bench.emulator.addFault({ ...updates, fault, count: forEver });
		const { report } = await run(withBob, {}, reads);
		expect(report.steps).toMatchObject([{ outcome: "unknown", activityId: null }]);
		bench.emulator.clearFaults();
		bench.emulator.clearRequests();
		return String(report.steps[0]?.fingerprint);
	}

	it.each<[Reads, "all" | "documented"]>([
		["auto", "all"],
		["auto", "documented"],
		["documented", "all"],
	])("holds back another request for its tag until it is abandoned: %s reads of a service with %s", async (reads, service) => {
		if (service === "documented") useDocumented();
		const sentAt = new Date(bench.nowMs).toISOString();
		const fingerprint = await lose("drop-before", reads);
		bench.nowMs += minuteMs;
		const { comparison, report } = await run(withCarolToo, {}, reads);
		const { plan } = comparison;
		expect(plan.waiting).toMatchObject([
			{
				activityId: null,
				fingerprint,
				state: "in-doubt",
				relation: "conflicting",
				covers: [{ address: "userTag:signers", id: signers }],
				createdAt: sentAt,
			},
		]);
		const [step] = inWords(report.steps);
		expect(step).toMatchObject({ outcome: "not-attempted", activityId: null, fingerprint, requests: 0 });
		for (const text of [step?.message, renderPlan(plan, plainStyle)]) {
			expect(text).toContain(`update_user_tag`);
			expect(text).toContain(sentAt);
			expect(text).toMatch(/ and is in doubt: |in doubt: submitted \S+, no answer; /);
			expect(text).toContain(`otherwise --abandon ${fingerprint} abandons it`);
			expect(text).toContain("the document as it was then");
		}
		expect(exitCodeOf(report)).toBe(1);
		expect(bench.requests("submit")).toEqual([]);
		expect(checkSchema("plan.json", { ...savePlan(plan), documentDigest: digestOf("the document") })).toEqual([]);
		expect(checkSchema("report.json", JSON.parse(JSON.stringify(report, asPublished)))).toEqual([]);

		bench.journal.abandon(organizationId, fingerprint, bench.nowMs);
		const after = await run(withCarolToo, {}, reads);
		expect(after.comparison.plan.waiting).toEqual([]);
		expect(after.report.steps).toMatchObject([{ outcome: "completed" }]);
		expect(bench.tag(signers).userIds).toEqual([alice, bob, carol].sort());
	});

	it("is sent again with the same bytes if the document asks for it, and then the other request is sent too", async () => {
		const fingerprint = await lose("drop-before");
		await run(withCarolToo);
		const again = await run(withBob);
		expect(again.report.steps).toMatchObject([{ outcome: "completed", fingerprint }]);
		bench.nowMs += minuteMs;
		expect((await run(withCarolToo)).report).toMatchObject({ inSync: true, steps: [{ outcome: "completed" }] });
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it("holds nothing back once it is found to have completed, also in a plan that settles nothing", async () => {
		await lose("drop-after");
		expect(await planOf(withCarolToo)).toMatchObject({ waiting: [], steps: [{ earlierActivity: null }] });
		expect((await run(withCarolToo)).report.inSync).toBe(true);
		expect(made()).toEqual({ activities: 2, submits: 1 });
	});

	it("holds nothing back once it cannot arrive any more", async () => {
		await lose("drop-before");
		bench.nowMs += twoHours;
		expect((await planOf(withCarolToo)).waiting).toEqual([]);
		expect((await planOf(withCarolToo, "documented")).waiting).toMatchObject([{ activityId: null }]);
		expect((await run(withCarolToo)).report.inSync).toBe(true);
	});

	it("is shown once, as its activity, if the service lists that", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const fingerprint = await lose("drop-after");
		const { waiting } = await planOf(withCarolToo);
		expect(waiting).toMatchObject([
			{ activityId: bench.activities()[0]?.id, fingerprint, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
		]);
		expect(waiting.length).toBe(1);
	});

	it("can be an activity with an unknown status, which is named by its id", async () => {
		const strangeId = id("other", 1);
		const body = encodeSubmit(submits.update_user_tag, organizationId, addBob, bench.nowMs);
		const requestDigest = requestDigestOf(organizationId, "update_user_tag", addBob);
		await bench.journal.recordSending(body, requestDigest, ["userTag:signers"], bench.nowMs);
		bench.journal.recordOutcome(body.fingerprint, "unknown", strangeId, bench.nowMs);
		const { comparison, report } = await run(withCarolToo, {
			submitter: { submit: async () => ({ kind: "unknown", because: "no answer", requests: 1 }) },
		});
		expect(comparison.plan.waiting).toMatchObject([
			{ activityId: strangeId, state: "in-doubt", relation: "conflicting" },
		]);
		expect(inWords(report.steps)).toMatchObject([
			{ outcome: "not-attempted", message: expect.stringContaining(`--abandon ${strangeId}`) },
		]);
		expect(renderPlan(comparison.plan, plainStyle)).toContain(`activity ${strangeId}, whose status is unknown`);
	});

	it("lets the other steps go on, and the run is partly applied", async () => {
		await lose("drop-before");
		const absent = { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] };
		const { report } = await run(desiredOf({ userTags: sectionsOf(withCarolToo).userTags, absent }));
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "completed"]);
		expect(exitCodeOf(report)).toBe(7);
	});
});

describe("after the hour in which the same bytes are accepted", () => {
	it("an activity that was approved meanwhile is recorded by get_activity, without a submit", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		bench.nowMs += twoHours;
		await vote("approve_activity", first.report.steps[0]?.fingerprint);
		bench.emulator.clearRequests();
		const settled = await settleOpenEntries(organizationId, { ...bench.context(), reads: "auto" });
		expect([...settled.values()]).toMatchObject([
			{ outcome: "completed", activityId: first.report.steps[0]?.activityId, requests: 0 },
		]);
		expect(bench.emulator.requests().map(({ operation }) => operation)).toEqual(["get_activity"]);
		expect(bench.journal.lastApplied(organizationId).userTags[signers]?.present).toEqual([bob]);
		expect((await run(withBob)).report.inSync).toBe(true);
		expect(made()).toEqual({ activities: 1, submits: 0 });
	});

	it.each([
		["waits", needTwo, "awaiting-approval"],
		["has completed", {}, "completed"],
	] as const)("an activity whose answer was lost, and which %s, is found by its fingerprint", async (_what, rules, outcome) => {
		await bench.emulator.setRules(organizationId, rules);
		bench.emulator.addFault({ ...updates, fault: "drop-after", count: forEver });
		const first = await run(withBob);
		expect(first.report.steps).toMatchObject([{ outcome: "unknown", activityId: null }]);
		bench.emulator.clearFaults();
		bench.emulator.clearRequests();
		bench.nowMs += twoHours;
		const settled = await settleOpenEntries(organizationId, { ...bench.context(), reads: "auto" });
		const activityId = bench.activities()[0]?.id;
		expect(settled.get(String(first.report.steps[0]?.fingerprint))).toMatchObject({ outcome, activityId });
		expect(queriesOf()).toEqual(["list_activities"]);
		const { report } = await run(withBob);
		expect(report.inSync).toBe(outcome === "completed");
		expect(made()).toEqual({ activities: 1, submits: 0 });
	});

	it("a request that never arrived is closed, and an equal one is submitted", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-before", count: forEver });
		const first = await run(withBob);
		expect(first.report.steps).toMatchObject([{ outcome: "unknown" }]);
		bench.emulator.clearFaults();
		bench.nowMs += twoHours;
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "completed", requests: 1 }]);
		expect(report.steps[0]?.fingerprint).not.toBe(first.report.steps[0]?.fingerprint);
		expect(bench.journal.entry(String(first.report.steps[0]?.fingerprint))?.outcome).toBe("not-attempted");
		expect(made().activities).toBe(1);
	});

	it("a request that is older than the list stays open and is not sent again", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-before", count: forEver });
		const first = await run(withBob);
		bench.emulator.clearFaults();
		bench.emulator.clearRequests();
		bench.nowMs += twoHours;
		const client = bench.client();
		const asked: unknown[] = [];
		const reader: ApplyContext["reader"] = {
			query: async (operation, fields) => {
				if (operation.name !== "list_activities") return bench.reader(client).query(operation, fields);
				asked.push(fields.paginationOptions);
				// Every page is full, and of activities that are younger than the bytes.
				const createdAt = { seconds: String(Math.floor(bench.nowMs / 1000)), nanos: "0" };
				const activities = Array.from({ length: 100 }, (_, index) => ({
					id: `${asked.length}-${index}`,
					organizationId,
					status: "ACTIVITY_STATUS_COMPLETED",
					type: submits.update_user_tag.type,
					fingerprint: "sha256:other",
					createdAt,
				}));
				return { value: { activities }, serverTimeMs: undefined };
			},
		};
		await settleOpenEntries(organizationId, { ...bench.context({ reader }), reads: "auto" });
		expect(asked.length).toBe(10);
		expect(asked.slice(0, 2)).toEqual([{ limit: "100" }, { limit: "100", before: "1-99" }]);
		expect(bench.journal.entry(String(first.report.steps[0]?.fingerprint))?.outcome).toBe("unknown");
		const { steps } = (await run(withBob, { reader })).report;
		expect(inWords(steps)).toMatchObject([
			{ outcome: "unknown", requests: 0, message: expect.stringContaining("--abandon") },
		]);
		expect(made()).toEqual({ activities: 0, submits: 0 });
	});
});

describe("an abandoned activity", () => {
	it("is recorded by organization, once, whether or not the journal has an entry of it", async () => {
		const { journal } = bench;
		const other = organizationId.replace(/^0/, "1");
		journal.abandon(organizationId, "somebody's", bench.nowMs);
		journal.abandon(organizationId, "somebody's", bench.nowMs + 1);
		journal.abandon(organizationId, "sha256:1", bench.nowMs);
		journal.abandon(other, "another's", bench.nowMs);
		journal.close();
		bench.journal = await openJournal(bench.journalFile);
		expect([...bench.journal.abandonedNames(organizationId)].sort()).toEqual(["sha256:1", "somebody's"]);
		expect([...bench.journal.abandonedNames(other)]).toEqual(["another's"]);
		expect(bench.journal.openEntries(organizationId)).toEqual([]);
	});

	it.each([
		"id",
		"fingerprint",
	] as const)("is known by its %s in upper and lower case, also if another user submitted it", async (name) => {
		await bench.emulator.setRules(organizationId, needTwo);
		const theirs = await othersSubmit("update_user_tag", addBob);
		const first = await run(withBob);
		expect(first.report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 0 }]);
		bench.journal.abandon(organizationId, String(theirs[name]).toUpperCase(), bench.nowMs);
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		const own = { id: report.steps[0]?.activityId, fingerprint: report.steps[0]?.fingerprint };
		bench.journal.abandon(organizationId, String(own[name]).toUpperCase(), bench.nowMs);
		expect(bench.journal.openEntries(organizationId)).toEqual([]);
	});

	it("of this journal is submitted again with other bytes while it is still pending", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		bench.journal.abandon(organizationId, String(first.report.steps[0]?.activityId), bench.nowMs);
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(report.steps[0]?.activityId).not.toBe(first.report.steps[0]?.activityId);
		expect((await run(withBob)).report.steps).toMatchObject([{ requests: 0, activityId: report.steps[0]?.activityId }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});
