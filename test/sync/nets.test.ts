/**
 * The three nets under "never twice", one under the other, as a whole run of apply has them: the journal settled by
 * reading, activities that wait joined or left alone, and the same bytes where the service can be asked nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { refusingGuards } from "../../src/plan/guards.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import { exitCodeOf, type Report } from "../../src/plan/report.ts";
import { digestOf } from "../../src/plan/value.ts";
import { plainStyle, renderPlan } from "../../src/render/text.ts";
import { checkSchema } from "../../src/schema.ts";
import type { ApplyContext } from "../../src/sync/apply.ts";
import { type Comparison, compareLive } from "../../src/sync/compare.ts";
import type { Journal } from "../../src/sync/journal.ts";
import { requestDigestOf } from "../../src/sync/journal.ts";
import { openJournal } from "../../src/sync/journal-file.ts";
import { readPendingActivities } from "../../src/sync/pending-activities.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import { approvals, type SubmitName, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import { createApiKeyStamper, type Stamper } from "../../src/wire/stamp.ts";
import { credentialId, keys, passkeyStamp } from "../emulator/world.ts";
import { desiredOf, id, organizationId, parametersOf, sectionsOf, wantTag } from "../plan/support-organizations.ts";
import {
	acme,
	adminId,
	adminKey,
	alice,
	applyToReport,
	approverStamper,
	Bench,
	bob,
	carol,
	minuteMs,
	oncall,
	policies,
	quarterHourMs,
	signers,
	wantSigners,
} from "./support.ts";

/** Acme, whose administrator has a passkey too. */
function acmeWithPasskey() {
	const seed = acme();
	const authenticators = [{ credentialId, publicKey: keys.passkey.publicKey }];
	return {
		...seed,
		users: (seed.users ?? []).map((user) => (user.userId === adminId ? { ...user, authenticators } : user)),
	};
}

let bench: Bench;
let everything: Bench;
let documented: Bench;
beforeAll(async () => {
	everything = await Bench.start([acmeWithPasskey()]);
	documented = await Bench.start([acme()], "documented");
});
beforeEach(async () => {
	bench = everything;
	await bench.reset(acmeWithPasskey());
	await documented.reset(acme());
});
afterAll(async () => {
	await everything.close();
	await documented.close();
});

const adminStamper = createApiKeyStamper({ privateKey: adminKey });
const withBob = wantSigners(alice, bob);
const addBob = { userTagId: signers, addUserIds: [bob], removeUserIds: [] };
const updates = { operation: "update_user_tag" } as const;
const forEver = 0x7fff;
const twoHours = 120 * minuteMs;
const needTwo = {
	approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2, ACTIVITY_TYPE_DELETE_POLICIES: 2 },
};

/** One run of `orgsync apply`, with every net. */
async function run(
	desired: DesiredOrganization,
	parts: Partial<ApplyContext> = {},
	reads: Reads = "auto",
): Promise<{ readonly comparison: Comparison; readonly report: Report }> {
	const context = { ...bench.context(parts), reads };
	const { journal, reader, now } = context;
	const settled = await settleOpenEntries(organizationId, context);
	const { retryRejected } = parts;
	const options = { reads, now, journal, ...(retryRejected === undefined ? {} : { retryRejected }) };
	const comparison = await compareLive(desired, reader, journal.lastApplied(organizationId), options);
	return { comparison, report: await applyToReport(comparison, { ...context, settled }) };
}

/** The plan alone, as `orgsync plan` makes it: nothing is settled before. */
async function planOf(desired: DesiredOrganization, reads: Reads = "auto") {
	const { reader, journal, now } = bench.context();
	return (await compareLive(desired, reader, journal.lastApplied(organizationId), { reads, now, journal })).plan;
}

/** The same run on another machine: without our journal. */
async function runElsewhere(desired: DesiredOrganization) {
	const journal = await openJournal(":memory:");
	try {
		return await run(desired, { journal });
	} finally {
		journal.close();
	}
}

/** Somebody else submits this; the new activity's id. */
async function othersSubmit(operation: SubmitName, parameters: Readonly<Record<string, unknown>>, atMs = bench.nowMs) {
	const body = encodeSubmit(submits[operation], organizationId, parameters, atMs);
	const answer = await bench.client({ stamper: approverStamper }).submitter.submit(body);
	if (answer.kind !== "activity") throw new Error("somebody else's submit was not taken");
	return answer.activity;
}

/** A vote of the second user, or of another stamper. */
async function vote(
	how: keyof typeof approvals,
	fingerprint: string | null | undefined,
	stamper: Stamper = approverStamper,
): Promise<void> {
	const body = encodeSubmit(approvals[how] as never, organizationId, { fingerprint }, bench.nowMs);
	const answer = await bench.client({ stamper }).submitter.submit(body);
	expect(answer).toMatchObject({ kind: "activity", activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
}

/** Activities that are no votes, and requests that could have made one. */
function made(): { readonly activities: number; readonly submits: number } {
	const isVote = (text: unknown): boolean => /approve_activity|reject_activity/i.test(String(text));
	return {
		activities: bench.activities().filter(({ type }) => !isVote(type)).length,
		submits: bench.requests("submit").filter(({ operation }) => !isVote(operation)).length,
	};
}

function queriesOf(): readonly (string | null)[] {
	return bench
		.requests("query")
		.map(({ operation }) => operation)
		.sort();
}

function openEntries(journal: Journal = bench.journal) {
	return journal.openEntries(organizationId).map(({ outcome, activityId }) => ({ outcome, activityId }));
}

describe("an activity that needs two", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, needTwo));

	it("is one, by one submit, for three runs, two runners and two quarters of an hour, until it is approved", async () => {
		const first = await run(withBob);
		const [step] = first.report.steps;
		expect(step).toMatchObject({ outcome: "awaiting-approval", requests: 1 });
		expect(first.comparison.plan.waiting).toEqual([]);

		bench.nowMs += minuteMs;
		bench.emulator.clearRequests();
		const second = await run(withBob);
		// What it costs to know: one question for what is open, and one for what waits.
		expect(queriesOf()).toEqual(["get_activity", "list_activities", "list_user_tags", "list_users"]);
		bench.nowMs += quarterHourMs;
		const third = await runElsewhere(withBob);
		for (const { comparison, report } of [second, third]) {
			expect(report.steps).toMatchObject([
				{ outcome: "awaiting-approval", activityId: step?.activityId, fingerprint: step?.fingerprint, requests: 0 },
			]);
			expect(report).toMatchObject({ converged: false, left: null });
			expect(exitCodeOf(report)).toBe(8);
			expect(comparison.plan.waiting).toMatchObject([
				{ activityId: step?.activityId, relation: "same", approvedBy: [adminId], saidBy: "service" },
			]);
		}
		expect(made()).toEqual({ activities: 1, submits: 0 });

		await vote("approve_activity", step?.fingerprint);
		bench.nowMs += minuteMs;
		const fourth = await run(withBob);
		expect(fourth.comparison.plan).toMatchObject({ changes: [], steps: [], waiting: [] });
		expect(fourth.report.converged).toBe(true);
		expect(exitCodeOf(fourth.report)).toBe(0);
		expect(made()).toEqual({ activities: 1, submits: 0 });
		expect(bench.journal.lastApplied(organizationId).userTags[signers]?.present).toEqual([bob]);
		expect(openEntries()).toEqual([]);
	});

	it("is joined when somebody else submitted it, in other words", async () => {
		const theirs = await othersSubmit("update_user_tag", { ...addBob, addUserIds: [bob.toUpperCase()] });
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id, requests: 0 }]);
		expect(made()).toEqual({ activities: 1, submits: 1 });
		// The service has just said that it waits: there is nothing to give up.
		expect(report.steps[0]?.message).not.toContain("--abandon");
		expect(bench.journal.openEntries(organizationId)).toEqual([]);
	});

	it("is joined for the policies that it names, and only the others are submitted", async () => {
		const absent = (count: number) =>
			desiredOf({ absent: { policyIds: policies.slice(0, count), oauthProviders: [], tvcAppIds: [] } });
		const first = await run(absent(2));
		bench.nowMs += minuteMs;
		const second = await run(absent(3));
		expect(
			second.report.steps.map(({ step, outcome, requests }) => [parametersOf(step).policyIds, outcome, requests]),
		).toEqual([
			[[policies[0], policies[1]], "awaiting-approval", 0],
			[[policies[2]], "awaiting-approval", 1],
		]);
		expect((await run(absent(3))).report.steps.map(({ requests }) => requests)).toEqual([0, 0]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
		for (const { fingerprint } of second.report.steps) await vote("approve_activity", fingerprint);
		expect((await run(absent(3))).report.converged).toBe(true);
		expect(first.report.steps[0]?.activityId).toBe(second.report.steps[0]?.activityId);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it("by which a tag only steps aside does not contradict what that tag becomes", async () => {
		const exchange = desiredOf({ userTags: [wantTag("oncall", { id: signers }), wantTag("signers", { id: oncall })] });
		const fingerprints: (string | null | undefined)[] = [];
		// One activity a run, each approved: aside, the other tag, and the one that stepped aside.
		for (const left of [3, 2, 1]) {
			await run(exchange);
			const { comparison, report } = await run(exchange);
			expect(comparison.plan.waiting.map(({ relation, covers }) => [relation, covers.length])).toEqual([["same", 1]]);
			expect(report.steps.map(({ outcome }) => outcome)).toEqual([
				"awaiting-approval",
				...Array(left - 1).fill("not-attempted"),
			]);
			expect(report.steps.slice(1).map(({ message }) => message)).toEqual(
				Array(left - 1).fill(expect.stringContaining("has to complete first")),
			);
			fingerprints.push(report.steps[0]?.fingerprint);
			await vote("approve_activity", fingerprints.at(-1));
			bench.nowMs += minuteMs;
		}
		expect((await run(exchange)).report.converged).toBe(true);
		expect([bench.tag(signers).tagName, bench.tag(oncall).tagName]).toEqual(["oncall", "signers"]);
		expect(made()).toEqual({ activities: 3, submits: 3 });
	});

	it("is found among more than a hundred that wait", async () => {
		const theirs = await othersSubmit("update_user_tag", addBob);
		// Newer ones come first in the list, and a page holds a hundred.
		for (let count = 1; count <= 120; count += 1) {
			const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		}
		bench.emulator.clearRequests();
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id }]);
		expect(queriesOf().filter((operation) => operation === "list_activities").length).toBe(2);
		expect(made()).toEqual({ activities: 121, submits: 0 });
	});
});

describe("activities that have ended", () => {
	it("cost no request when it is asked what waits, however many there are", async () => {
		for (let count = 1; count <= 101; count += 1) {
			const parameters = { userTagId: oncall, newUserTagName: `oncall ${count}`, addUserIds: [], removeUserIds: [] };
			await othersSubmit("update_user_tag", parameters);
		}
		bench.emulator.clearRequests();
		expect((await run(withBob)).report.converged).toBe(true);
		expect(queriesOf().filter((operation) => operation === "list_activities").length).toBe(1);
	});
});

describe("an activity that the journal knows to wait and the service lists no more", () => {
	it("has ended, and stands in the way of no plan", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const { report } = await run(withBob);
		expect(await planOf(wantSigners(alice, bob, carol))).toMatchObject({ waiting: [{ relation: "conflicting" }] });
		await vote("approve_activity", report.steps[0]?.fingerprint);
		expect(openEntries()).toMatchObject([{ outcome: "awaiting-approval" }]);
		expect(await planOf(wantSigners(alice, bob, carol))).toMatchObject({
			waiting: [],
			steps: [{ earlierActivity: null }],
		});
	});
});

describe("an activity that somebody rejected", () => {
	it("is told by the next run and not sent again, until that is asked for: then there is a new one", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		await vote("reject_activity", first.report.steps[0]?.fingerprint);
		bench.nowMs += minuteMs;
		for (let count = 0; count < 2; count += 1) {
			const { report } = await run(withBob);
			expect(report.steps).toMatchObject([
				{ outcome: "rejected", activityId: first.report.steps[0]?.activityId, requests: 0 },
			]);
			expect(exitCodeOf(report)).toBe(9);
		}
		expect(made()).toEqual({ activities: 1, submits: 1 });
		const retried = await run(withBob, { retryRejected: true });
		expect(retried.report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(retried.report.steps[0]?.activityId).not.toBe(first.report.steps[0]?.activityId);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});

describe("an activity that failed when it was approved", () => {
	it("has new bytes in the next run", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const desired = desiredOf({ userTags: [wantTag("officers", { id: signers })] });
		const first = await run(desired);
		const named = (tagName: string) => ({ organizationId, userTags: [{ tagId: oncall, tagName }] });
		await bench.emulator.changeState(named("officers"));
		await vote("approve_activity", first.report.steps[0]?.fingerprint);
		await bench.emulator.changeState(named("oncall"));
		bench.nowMs += minuteMs;
		const second = await run(desired);
		expect(second.report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(second.report.steps[0]?.fingerprint).not.toBe(first.report.steps[0]?.fingerprint);
		expect(bench.journal.entry(String(first.report.steps[0]?.fingerprint))?.outcome).toBe("failed");
		expect(made()).toEqual({ activities: 2, submits: 2 });
		await vote("approve_activity", second.report.steps[0]?.fingerprint);
		expect((await run(desired)).report.converged).toBe(true);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});

describe("an activity that needs an authenticator", () => {
	it("is one, by one submit, until the passkey is used", async () => {
		await bench.emulator.setRules(organizationId, { authenticators: ["ACTIVITY_TYPE_UPDATE_USER_TAG"] });
		const runs = [await run(withBob), await run(withBob)];
		bench.nowMs += quarterHourMs;
		runs.push(await runElsewhere(withBob));
		const [first] = runs;
		for (const { report } of runs) {
			const { activityId } = first?.report.steps[0] ?? {};
			expect(report.steps).toMatchObject([{ outcome: "awaiting-authenticator", activityId }]);
			expect(exitCodeOf(report)).toBe(8);
		}
		expect(made()).toEqual({ activities: 1, submits: 1 });
		const passkey: Stamper = {
			stamp: async (body) => ({
				stampHeaderName: "X-Stamp-WebAuthn",
				stampHeaderValue: passkeyStamp(body)["x-stamp-webauthn"] ?? "",
			}),
		};
		await vote("approve_activity", first?.report.steps[0]?.fingerprint, passkey);
		expect((await run(withBob)).report.converged).toBe(true);
		expect(made()).toEqual({ activities: 1, submits: 1 });
	});
});

describe("beyond the hour in which the same bytes are taken", () => {
	it("an activity that was approved meanwhile is noted by get_activity, without a submit", async () => {
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
		expect((await run(withBob)).report.converged).toBe(true);
		expect(made()).toEqual({ activities: 1, submits: 0 });
	});

	it("an activity that still waits is joined, and nothing is sent", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		bench.nowMs += twoHours;
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([
			{ outcome: "awaiting-approval", activityId: first.report.steps[0]?.activityId, requests: 0 },
		]);
		expect(made()).toEqual({ activities: 1, submits: 1 });
	});

	it.each([
		["waits", needTwo, "awaiting-approval"],
		["has completed", {}, "completed"],
	] as const)("one whose answer was lost, and which %s, is found by its fingerprint", async (_what, rules, outcome) => {
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
		expect(report.converged).toBe(outcome === "completed");
		expect(made()).toEqual({ activities: 1, submits: 0 });
	});

	it("one that never arrived is closed, and its wish is sent anew", async () => {
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

	it("one that is not in a list which does not reach back that far stays open, and is not sent again", async () => {
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
		expect(steps).toMatchObject([{ outcome: "unknown", requests: 0, message: expect.stringContaining("--abandon") }]);
		expect(made()).toEqual({ activities: 0, submits: 0 });
	});
});

describe("within the hour", () => {
	it("one that never arrived is sent by the same bytes, which then do it", async () => {
		bench.emulator.addFault({ ...updates, fault: "drop-before", count: forEver });
		const first = await run(withBob);
		bench.emulator.clearFaults();
		bench.nowMs += 2 * quarterHourMs;
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "completed", fingerprint: first.report.steps[0]?.fingerprint }]);
		expect(made().activities).toBe(1);
	});
});

describe("an activity of somebody else that would change the same tag otherwise", () => {
	const desired = desiredOf({
		userTags: sectionsOf(withBob).userTags,
		absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
	});
	const addCarol = { ...addBob, addUserIds: [carol] };
	beforeEach(() => bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } }));

	it("is shown, nothing is sent for that tag, and the others go on", async () => {
		const theirs = await othersSubmit("update_user_tag", addCarol);
		bench.emulator.clearRequests();
		const { comparison, report } = await run(desired);
		expect(comparison.plan.waiting).toMatchObject([
			{ activityId: theirs.id, relation: "conflicting", covers: [{ address: "userTag:signers", id: signers }] },
		]);
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "completed"]);
		expect(report.steps[0]).toMatchObject({
			activityId: theirs.id,
			requests: 0,
			message: expect.stringContaining(`--abandon ${theirs.id}`),
		});
		expect(exitCodeOf(report)).toBe(8);
		expect(bench.requests("submit").map(({ operation }) => operation)).toEqual(["delete_policies"]);
	});

	it("stands in the way no more when it was rejected", async () => {
		const theirs = await othersSubmit("update_user_tag", addCarol);
		await run(withBob);
		await vote("reject_activity", theirs.fingerprint, adminStamper);
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it.each([
		"id",
		"fingerprint",
	] as const)("stands in the way no more when it was given up by its %s, also after a restart", async (by) => {
		const theirs = await othersSubmit("update_user_tag", addCarol);
		await run(withBob);
		expect(made()).toEqual({ activities: 1, submits: 1 });
		bench.journal.abandon(organizationId, theirs[by], bench.nowMs);
		bench.journal.close();
		bench.journal = await openJournal(bench.journalFile);
		const { comparison, report } = await run(withBob);
		expect(comparison.plan.waiting).toEqual([]);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
		// Ours is joined from now on, and theirs stays given up.
		expect((await run(withBob)).report.steps).toMatchObject([{ requests: 0, activityId: report.steps[0]?.activityId }]);
	});
});

describe("what was sent and never answered", () => {
	const withCarolToo = wantSigners(alice, bob, carol);

	/** Nobody ever answers: the bytes are lost before the service takes them, or after. */
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
	])("keeps its tag from another wish until it is given up: %s reads of a service with %s", async (reads, service) => {
		bench = service === "all" ? everything : documented;
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
		const [step] = report.steps;
		expect(step).toMatchObject({ outcome: "not-attempted", activityId: null, fingerprint, requests: 0 });
		for (const text of [step?.message, renderPlan(plan, plainStyle)]) {
			expect(text).toContain(`update_user_tag`);
			expect(text).toContain(sentAt);
			expect(text).toContain("no answer came");
			expect(text).toContain(`\`orgsync apply --abandon ${fingerprint}\``);
			expect(text).toContain("the document as it was then");
		}
		expect(exitCodeOf(report)).toBe(1);
		expect(bench.requests("submit")).toEqual([]);
		expect(checkSchema("plan.json", { ...plan, documentDigest: digestOf("the document") })).toEqual([]);
		expect(checkSchema("report.json", report)).toEqual([]);

		bench.journal.abandon(organizationId, fingerprint, bench.nowMs);
		const after = await run(withCarolToo, {}, reads);
		expect(after.comparison.plan.waiting).toEqual([]);
		expect(after.report.steps).toMatchObject([{ outcome: "completed" }]);
		expect(bench.tag(signers).userIds).toEqual([alice, bob, carol].sort());
	});

	it("goes by the same bytes when the document wants it again, and then the other wish goes too", async () => {
		const fingerprint = await lose("drop-before");
		await run(withCarolToo);
		const again = await run(withBob);
		expect(again.report.steps).toMatchObject([{ outcome: "completed", fingerprint }]);
		bench.nowMs += minuteMs;
		expect((await run(withCarolToo)).report).toMatchObject({ converged: true, steps: [{ outcome: "completed" }] });
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it("keeps nothing back where it is found to have completed, also from a plan that settles nothing", async () => {
		await lose("drop-after");
		expect(await planOf(withCarolToo)).toMatchObject({ waiting: [], steps: [{ earlierActivity: null }] });
		expect((await run(withCarolToo)).report.converged).toBe(true);
		expect(made()).toEqual({ activities: 2, submits: 1 });
	});

	it("keeps nothing back once it has not arrived and never can", async () => {
		await lose("drop-before");
		bench.nowMs += twoHours;
		expect((await planOf(withCarolToo)).waiting).toEqual([]);
		expect((await planOf(withCarolToo, "documented")).waiting).toMatchObject([{ activityId: null }]);
		expect((await run(withCarolToo)).report.converged).toBe(true);
	});

	it("is shown once, as the activity it became, where the service lists that", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const fingerprint = await lose("drop-after");
		const { waiting } = await planOf(withCarolToo);
		expect(waiting).toMatchObject([
			{ activityId: bench.activities()[0]?.id, fingerprint, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
		]);
		expect(waiting.length).toBe(1);
	});

	it("holds like that what was answered with a status that nobody knows, by the id of its activity", async () => {
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
		expect(report.steps).toMatchObject([
			{ outcome: "not-attempted", message: expect.stringContaining(`--abandon ${strangeId}`) },
		]);
		expect(renderPlan(comparison.plan, plainStyle)).toContain(`activity ${strangeId} has a status that nobody knows`);
	});

	it("lets the other steps go on, and what was left out makes the run only partly applied", async () => {
		await lose("drop-before");
		const absent = { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] };
		const { report } = await run(desiredOf({ userTags: sectionsOf(withCarolToo).userTags, absent }));
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "completed"]);
		expect(exitCodeOf(report)).toBe(7);
	});
});

describe("a list of pending activities that is longer than a page", () => {
	/** Activities for another tag, so that one of ours, the oldest, is not on the first page. */
	async function fillFirstPage(): Promise<void> {
		const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
		for (let count = 1; count <= 100; count += 1)
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
	}

	/** The service with another meaning of the page cursor. */
	function withCursor(change: (options: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) {
		const reader = bench.reader(bench.client());
		return {
			query: (operation, fields) => {
				const { paginationOptions } = fields as { paginationOptions?: Readonly<Record<string, string>> };
				const options = paginationOptions === undefined ? {} : { paginationOptions: change(paginationOptions) };
				return reader.query(operation, { ...fields, ...options });
			},
		} satisfies ApplyContext["reader"];
	}

	const swapped = ({ before, after, ...rest }: Readonly<Record<string, string>>) => ({
		...rest,
		...(before === undefined ? {} : { after: before }),
		...(after === undefined ? {} : { before: after }),
	});

	beforeEach(() => bench.emulator.setRules(organizationId, needTwo));

	it("is read to its end also where the page cursor means the other direction", async () => {
		const theirs = await othersSubmit("update_user_tag", addBob);
		await fillFirstPage();
		const { comparison, report } = await run(withBob, { reader: withCursor(swapped) });
		expect(comparison.plan.unread).toEqual([]);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id, requests: 0 }]);
		expect(made().submits).toBe(101);
	});

	it.each([50, 20, 5])("is read to its end also where the service cuts pages at %i", async (most) => {
		const theirs = await othersSubmit("update_user_tag", addBob);
		const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
		for (let count = 1; count <= 7; count += 1) await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		for (let count = 8; count < most + 8; count += 1) {
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		}
		const reader = withCursor((options) => ({ ...options, limit: String(most) }));
		const { report } = await run(withBob, { reader });
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id, requests: 0 }]);
	});

	it("costs a second request only where a page could have been cut", async () => {
		const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
		const counts: number[] = [];
		for (let pending = 1; pending <= 6; pending += 1) {
			await othersSubmit("update_user_tag", parameters, bench.nowMs + pending);
			bench.emulator.clearRequests();
			await readPendingActivities(organizationId, bench.reader(bench.client()), bench.journal, {
				reads: "auto",
				nowMs: bench.nowMs,
			});
			counts.push(bench.requests("query").length);
		}
		expect(counts).toEqual([1, 1, 1, 1, 2, 1]);
	});

	it("that repeats, and is shorter than a page, is complete: no cursor divides it", async () => {
		const theirs = await othersSubmit("update_user_tag", addBob);
		const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
		for (let count = 1; count < 5; count += 1) await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		const { comparison, report } = await run(withBob, { reader: withCursor(({ limit = "100" }) => ({ limit })) });
		expect(comparison.plan.guards).toEqual([]);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id, requests: 0 }]);
	});

	it("with an activity that shows no intent is not complete: it could be the same", async () => {
		await othersSubmit("update_user_tag", addBob);
		const inner = bench.reader(bench.client());
		const reader: ApplyContext["reader"] = {
			async query(operation, fields) {
				const answer = await inner.query(operation, fields);
				if (operation.name !== "list_activities") return answer;
				const activities = (answer.value.activities as { intent?: unknown }[]).map(({ intent: _, ...rest }) => rest);
				return { ...answer, value: { activities } };
			},
		};
		const { plan } = await compareLive(withBob, reader, bench.journal.lastApplied(organizationId), {
			reads: "auto",
			now: () => bench.nowMs,
			journal: bench.journal,
		});
		expect(plan.guards).toMatchObject([{ kind: "unlisted", refuses: true }]);
	});

	it("whose pages repeat is said to be cut off, and nothing is sent that could be a duplicate, unless that is allowed", async () => {
		await othersSubmit("update_user_tag", addBob);
		await fillFirstPage();
		const reader = withCursor(({ limit = "100" }) => ({ limit }));
		const { plan } = await compareLive(withBob, reader, bench.journal.lastApplied(organizationId), {
			reads: "auto",
			now: () => bench.nowMs,
			journal: bench.journal,
		});
		expect(plan.unread).toMatchObject([
			{ scope: "activities", because: expect.stringContaining("more pending activities than the 100") },
		]);
		expect(plan.guards).toMatchObject([{ kind: "unlisted", found: 1, refuses: true, where: ["userTag:signers"] }]);
		expect(refusingGuards(plan.guards, new Map([["unlisted", new Set([1])]]))).toEqual([]);
		expect(refusingGuards(plan.guards, new Map([["unlisted", new Set([2])]])).length).toBe(1);
	});

	it("does not keep back what the journal knows to be pending: it is joined", async () => {
		const first = await run(withBob);
		await fillFirstPage();
		const { comparison, report } = await run(withBob, { reader: withCursor(({ limit = "100" }) => ({ limit })) });
		const { activityId } = first.report.steps[0] ?? {};
		expect(comparison.plan.waiting).toMatchObject([{ activityId, relation: "same", saidBy: "journal" }]);
		expect(comparison.plan.guards).toEqual([]);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId, requests: 0 }]);
	});

	it("holds only the types that the plan could submit", async () => {
		const asked: unknown[] = [];
		const inner = bench.reader(bench.client());
		const reader: ApplyContext["reader"] = {
			query: (operation, fields) => {
				if (operation.name === "list_activities") asked.push(fields.filterByType);
				return inner.query(operation, fields);
			},
		};
		await run(withBob, { reader });
		await readPendingActivities(organizationId, reader, bench.journal, { reads: "auto", nowMs: bench.nowMs });
		expect(asked).toEqual([[submits.update_user_tag.type], Object.values(submits).map(({ type }) => type)]);
	});

	it("is not complete either when a later page is not to be had", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		for (let count = 1; count <= 100; count += 1) {
			const parameters = { userTagId: oncall, addUserIds: [carol], removeUserIds: [] };
			await othersSubmit("update_user_tag", parameters, bench.nowMs + count);
		}
		const { reader, journal } = bench.context();
		const broken: ApplyContext["reader"] = {
			query: (operation, fields) => {
				const { before } = (fields.paginationOptions ?? {}) as { before?: string };
				if (before !== undefined) bench.emulator.addFault({ operation: "list_activities", fault: "5xx", status: 403 });
				return reader.query(operation, fields);
			},
		};
		const read = await readPendingActivities(organizationId, broken, journal, { reads: "auto", nowMs: bench.nowMs });
		expect(read).toMatchObject({ unlisted: expect.stringContaining("than the 100 that were read") });
		expect(
			(await readPendingActivities(organizationId, reader, journal, { reads: "auto", nowMs: bench.nowMs })).unlisted,
		).toBeNull();
	});
});

describe("what was given up", () => {
	it("is kept by organization, whether or not the journal knows of it, and each once", async () => {
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
	] as const)("is known by its %s in capitals too, of our own and of others", async (name) => {
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

	it("of our own is sent anew, by other bytes, while the old one still waits", async () => {
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

describe("a service that lists no activities", () => {
	it.each([
		["awaiting-approval", needTwo],
		["awaiting-authenticator", { authenticators: [submits.update_user_tag.type] }],
	] as const)("but shows one is asked for each that is open, and the journal says what is %s", async (outcome, rules) => {
		await bench.emulator.setRules(organizationId, { ...rules, denyReads: ["list_activities"] });
		const first = await run(withBob);
		bench.nowMs += twoHours;
		const { comparison, report } = await run(withBob);
		expect(comparison.plan.waiting).toMatchObject([{ saidBy: "journal", relation: "same", approvedBy: null }]);
		expect(report.steps).toMatchObject([{ outcome, activityId: first.report.steps[0]?.activityId, requests: 0 }]);
		expect(made()).toEqual({ activities: 1, submits: 1 });
	});

	it.each(["auto", "documented"] as const)("and shows none is asked by the same bytes: %s reads", async (reads) => {
		bench = documented;
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob, {}, reads);
		const [step] = first.report.steps;
		bench.nowMs += quarterHourMs;
		const second = await run(withBob, {}, reads);
		expect(second.comparison.plan.waiting).toMatchObject([{ activityId: step?.activityId, saidBy: "journal" }]);
		expect(second.report.steps).toMatchObject([
			{ outcome: "awaiting-approval", activityId: step?.activityId, requests: 1, message: null },
		]);
		expect(bench.requests("submit").map(({ fingerprint, replayed }) => [fingerprint, replayed])).toEqual([
			[step?.fingerprint, false],
			[step?.fingerprint, true],
		]);
		await vote("approve_activity", step?.fingerprint);
		const third = await run(withBob, {}, reads);
		expect(third.report).toMatchObject({ converged: true, steps: [{ outcome: "completed", requests: 1 }] });
		expect((await run(withBob, {}, reads)).comparison.plan.steps).toEqual([]);
		expect(made()).toEqual({ activities: 1, submits: 3 });
	});

	it("is asked nothing beyond the hour: the activity counts as waiting until it is given up", async () => {
		bench = documented;
		await bench.emulator.setRules(organizationId, needTwo);
		const first = await run(withBob);
		bench.nowMs += twoHours;
		for (let count = 0; count < 2; count += 1) {
			const { report } = await run(withBob);
			expect(report.steps).toMatchObject([
				{
					outcome: "awaiting-approval",
					activityId: first.report.steps[0]?.activityId,
					requests: 0,
					message: expect.stringContaining(`--abandon ${first.report.steps[0]?.activityId}`),
				},
			]);
		}
		expect(made()).toEqual({ activities: 1, submits: 1 });
		bench.journal.abandon(organizationId, String(first.report.steps[0]?.fingerprint), bench.nowMs);
		expect((await run(withBob)).report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it("is not asked for what it could show when only documented reads are wanted", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		await run(withBob, {}, "documented");
		await run(withBob, {}, "documented");
		expect(new Set(queriesOf())).toEqual(new Set(["list_user_tags"]));
		expect(made()).toEqual({ activities: 1, submits: 2 });
	});
});
