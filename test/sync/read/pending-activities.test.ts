/**
 * Pending activities: a step joins one that does the same, and waits for one that conflicts.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/common/errors.ts";
import { exitCodeOf } from "../../../src/plan/report.ts";
import { phraseText } from "../../../src/render/print/text.ts";
import { sayPending } from "../../../src/say/activities.ts";
import { hasExpired, type PendingOptions, readPendingActivities } from "../../../src/sync/read/pending-activities.ts";
import { settleEntry } from "../../../src/sync/settle.ts";
import type { Reader } from "../../../src/wire/client.ts";
import type { Stamper } from "../../../src/wire/stamp.ts";
import { passkeyStamp } from "../../emulator/world.ts";
import { inWords } from "../../in-words.ts";
import { desiredOf, organizationId, parametersOf, sectionsOf, wantTag } from "../../plan/support-organizations.ts";
import {
	addBob,
	adminStamper,
	bench,
	made,
	needTwo,
	openEntries,
	othersSubmit,
	planOf,
	queriesOf,
	run,
	runElsewhere,
	vote,
	withBob,
} from "../run-support.ts";
import {
	adminId,
	alice,
	approverId,
	bob,
	carol,
	minuteMs,
	oncall,
	policies,
	quarterHourMs,
	signers,
	wantSigners,
} from "../support.ts";

describe("an activity that needs two approvals", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, needTwo));

	it("is one activity by one submit for three runs, two runners and two quarters of an hour, until it is approved", async () => {
		const first = await run(withBob);
		const [step] = first.report.steps;
		expect(step).toMatchObject({ outcome: "awaiting-approval", requests: 1 });
		expect(first.comparison.plan.waiting).toEqual([]);

		bench.nowMs += minuteMs;
		bench.emulator.clearRequests();
		const second = await run(withBob);
		// One query for what is open, one for pending activities, and the others for who can do what.
		expect(queriesOf()).toEqual([
			"get_activity",
			"get_organization_configs",
			"list_activities",
			"list_policies",
			"list_user_tags",
			"list_users",
			"whoami",
		]);
		bench.nowMs += quarterHourMs;
		const third = await runElsewhere(withBob);
		for (const { comparison, report } of [second, third]) {
			expect(report.steps).toMatchObject([
				{ outcome: "awaiting-approval", activityId: step?.activityId, fingerprint: step?.fingerprint, requests: 0 },
			]);
			expect(report).toMatchObject({ inSync: false, left: null });
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
		expect(fourth.report.inSync).toBe(true);
		expect(exitCodeOf(fourth.report)).toBe(0);
		expect(made()).toEqual({ activities: 1, submits: 0 });
		expect(bench.journal.lastApplied(organizationId).userTags[signers]?.present).toEqual([bob]);
		expect(openEntries()).toEqual([]);
	});

	it("is shown with the approvals that lapsed since, and joined all the same", async () => {
		await run(withBob);
		bench.nowMs += 25 * 60 * minuteMs;
		const { comparison, report } = await run(withBob);
		expect(comparison.plan.waiting).toMatchObject([{ approvedBy: [adminId], lapsed: [adminId] }]);
		const [waiting = expect.unreachable()] = comparison.plan.waiting;
		expect(phraseText(sayPending(waiting, comparison.plan))).toContain(" (lapsed after 24 hours); fingerprint ");
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 0 }]);
	});

	it("is joined if another user submitted it with ids in other letters", async () => {
		const theirs = await othersSubmit("update_user_tag", { ...addBob, addUserIds: [bob.toUpperCase()] });
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", activityId: theirs.id, requests: 0 }]);
		expect(made()).toEqual({ activities: 1, submits: 1 });
		// The service has just said that it waits: there is nothing to abandon.
		expect(inWords(report.steps)[0]?.message).not.toContain("--abandon");
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
		expect((await run(absent(3))).report.inSync).toBe(true);
		expect(first.report.steps[0]?.activityId).toBe(second.report.steps[0]?.activityId);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});

	it("that gives a tag its temporary name does not conflict with its final name", async () => {
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
				Array(left - 1).fill(expect.stringContaining("a step before it did not complete: userTag:")),
			);
			fingerprints.push(report.steps[0]?.fingerprint);
			await vote("approve_activity", fingerprints.at(-1));
			bench.nowMs += minuteMs;
		}
		expect((await run(exchange)).report.inSync).toBe(true);
		expect([bench.tag(signers).tagName, bench.tag(oncall).tagName]).toEqual(["oncall", "signers"]);
		expect(made()).toEqual({ activities: 3, submits: 3 });
	});

	it("is found among more than a hundred that are pending", async () => {
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

describe("an activity that needs an authenticator", () => {
	it("is one activity by one submit, until the passkey is used", async () => {
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
		expect((await run(withBob)).report.inSync).toBe(true);
		expect(made()).toEqual({ activities: 1, submits: 1 });
	});
});

describe("a conflicting activity of another user", () => {
	const desired = desiredOf({
		userTags: sectionsOf(withBob).userTags,
		absent: { policyIds: [policies[0]], oauthProviders: [], tvcAppIds: [] },
	});
	const addCarol = { ...addBob, addUserIds: [carol] };
	beforeEach(() => bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } }));

	it("is shown, nothing is submitted for its tag, and the other steps go on", async () => {
		const theirs = await othersSubmit("update_user_tag", addCarol);
		bench.emulator.clearRequests();
		const { comparison, report } = await run(desired);
		expect(comparison.plan.waiting).toMatchObject([
			{ activityId: theirs.id, relation: "conflicting", covers: [{ address: "userTag:signers", id: signers }] },
		]);
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "completed"]);
		expect(inWords(report.steps)[0]).toMatchObject({
			activityId: theirs.id,
			requests: 0,
			message: `it conflicts with pending activity ${theirs.id}: approve or reject that first, or abandon it with --abandon ${theirs.id}`,
		});
		expect(exitCodeOf(report)).toBe(8);
		expect(bench.requests("submit").map(({ operation }) => operation)).toEqual(["delete_policies"]);
	});

	it("conflicts no longer after it was rejected", async () => {
		const theirs = await othersSubmit("update_user_tag", addCarol);
		await run(withBob);
		await vote("reject_activity", theirs.fingerprint, adminStamper);
		const { report } = await run(withBob);
		expect(report.steps).toMatchObject([{ outcome: "awaiting-approval", requests: 1 }]);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});

describe("an activity that another user rejected", () => {
	it("is reported by the next run and submitted again only on request, as a new activity", async () => {
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
		const covers = ["userTag:signers"];
		expect(retried.report.overrides).toEqual([{ flag: "retry-rejected", steps: 1, covers }]);
		// The plan says that it would retry; the run joins what was retried, and retries nothing.
		const joined = await run(withBob, { retryRejected: true });
		expect(joined.report.overrides).toEqual([]);
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
		expect((await run(desired)).report.inSync).toBe(true);
		expect(made()).toEqual({ activities: 2, submits: 2 });
	});
});

describe("an activity that is pending in the journal and not listed by the service", () => {
	it("has ended and conflicts with no plan", async () => {
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

describe("activities that have ended", () => {
	it("cost no request when pending activities are listed, however many there are", async () => {
		for (let count = 1; count <= 101; count += 1) {
			const parameters = { userTagId: oncall, newUserTagName: `oncall ${count}`, addUserIds: [], removeUserIds: [] };
			await othersSubmit("update_user_tag", parameters);
		}
		bench.emulator.clearRequests();
		expect((await run(withBob)).report.inSync).toBe(true);
		expect(queriesOf().filter((operation) => operation === "list_activities").length).toBe(1);
	});
});

describe("the pending activities of a service that lists none", () => {
	const pendingOf = async (parts: Partial<PendingOptions>, statuses: Readonly<Record<string, number>> = {}) => {
		const reader = bench.reader(bench.client());
		const asked: string[] = [];
		const limited: Reader = {
			query: async (operation, fields) => {
				asked.push(operation.name);
				const status = statuses[operation.name];
				if (status !== undefined) throw new ServiceError("no", status, 5);
				return reader.query(operation, fields);
			},
		};
		const options = { reads: "auto", nowMs: bench.nowMs, ...parts } as const;
		const pending = await readPendingActivities(organizationId, limited, bench.journal, options).catch(String);
		return { pending, asked };
	};

	it("are those of the journal, once it is known that the organization exists", async () => {
		const denied = { list_activities: 403 };
		expect(await pendingOf({ confirms: true }, denied)).toMatchObject({
			pending: {
				activities: [],
				isCutOff: false,
				unlisted: { kind: "activities-denied" },
			},
			asked: ["list_activities", "list_user_tags"],
		});
		expect((await pendingOf({}, denied)).asked).toEqual(["list_activities"]);
		expect((await pendingOf({ confirms: true })).asked).toEqual(["list_activities"]);
		expect((await pendingOf({ confirms: true, reads: "documented" })).asked).toEqual([]);
		const unknown = await pendingOf({ confirms: true }, { list_activities: 404, list_user_tags: 404 });
		expect(unknown.pending).toBe("ServiceError: no");
	});
});

describe("a pending activity of the journal that the service lists no longer", () => {
	it.each([
		["asks how it ended, and reports that it was rejected", "reject_activity", true, 1, 1],
		["asks how it ended, and reports nothing of one that was approved", "approve_activity", true, 1, 0],
		["does not ask, where no one needs to know", "reject_activity", false, 0, 0],
	] as const)("%s", async (_what, operation, asksForEnds, asked, count) => {
		await bench.emulator.setRules(organizationId, needTwo);
		const { report } = await run(withBob);
		await vote(operation, report.steps[0]?.fingerprint);
		bench.emulator.clearRequests();
		const reader = bench.reader(bench.client());
		const options = { reads: "auto", nowMs: bench.nowMs, asksForEnds } as const;
		const { activities, rejected } = await readPendingActivities(organizationId, reader, bench.journal, options);
		expect([activities, rejected.map(({ state }) => state)]).toEqual([[], Array(count).fill("rejected")]);
		expect(queriesOf()).toEqual([...Array(asked).fill("get_activity"), "list_activities"]);
	});
});

describe("a list of pending activities", () => {
	it("is read for those that orgsync submits and that are pending, whatever else is in it", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		const theirs = await othersSubmit("update_user_tag", addBob);
		const reader = bench.reader(bench.client());
		const mixed: Reader = {
			query: async (operation, fields) => {
				const answer = await reader.query(operation, fields);
				const [pending] = answer.value.activities as readonly Readonly<Record<string, unknown>>[];
				const [vote] = pending?.votes as readonly object[];
				const activities = [
					{ ...pending, type: "ACTIVITY_TYPE_CREATE_WALLET" },
					{ ...pending, status: "ACTIVITY_STATUS_COMPLETED" },
					{ ...pending, votes: [vote, { ...vote, user: undefined }] },
				];
				return { ...answer, value: { ...answer.value, activities } };
			},
		};
		const options = { reads: "auto", nowMs: bench.nowMs } as const;
		const { activities } = await readPendingActivities(organizationId, mixed, bench.journal, options);
		expect(activities).toMatchObject([{ activityId: theirs.id, liveNames: { [approverId]: "approver" } }]);
		expect(activities).toHaveLength(1);
	});
});

describe("a pending activity that only the journal knows", () => {
	it("needs approval, as it did when it was read last", async () => {
		await bench.emulator.setRules(organizationId, needTwo);
		await run(withBob, {}, "documented");
		expect((await planOf(withBob, "documented")).waiting).toMatchObject([
			{ state: "pending", status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", saidBy: "journal" },
		]);
	});
});

describe("bytes without an activity", () => {
	it("can arrive until an hour and ten minutes have passed by the service's clock and by ours", async () => {
		bench.emulator.addFault({ operation: "update_user_tag", fault: "drop-before", count: 20 });
		await run(withBob);
		const [entry] = bench.journal.openEntries(organizationId);
		if (entry === undefined) throw new Error("it is in doubt");
		const lastMs = entry.body.timestampMs + 70 * minuteMs;
		const [before, after] = [lastMs, lastMs + 1];
		expect([
			hasExpired(entry, before, after),
			hasExpired(entry, after, before),
			hasExpired(entry, after, after),
		]).toEqual([false, false, true]);
		const settle = (serverTimeMs: number | undefined, nowMs: number) => {
			settleEntry(entry, { missing: true, serverTimeMs }, { journal: bench.journal, now: () => nowMs });
			return bench.journal.entry(entry.body.fingerprint)?.outcome;
		};
		expect(settle(lastMs, lastMs + 1)).toBe("unknown");
		expect(settle(undefined, lastMs)).toBe("unknown");
		expect(settle(lastMs + 1, lastMs)).toBe("unknown");
		expect(settle(lastMs + 1, lastMs + 1)).toBe("not-attempted");
	});
});
