import { beforeEach, describe, expect, it } from "vitest";
import { exitCodeOf } from "../../../src/plan/report.ts";
import { submitOnce } from "../../../src/sync/submit/submit-once.ts";
import { at, desiredOf, id, organizationId, wantTag } from "../../plan/support-organizations.ts";
import { alice, applyToReport, latestOf, policies, quarterHourMs } from "../support.ts";
import {
	activityOf,
	addBob,
	bench,
	hears,
	keyOfAddBob,
	keyOfWithBob,
	refused,
	twoApprovals,
	withBob,
} from "./submit-support.ts";

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

	it("that is unknown is never success for apply, and only the same bytes follow", async () => {
		const stub = hears((body) => activityOf(body, "ACTIVITY_STATUS_SUPERSEDED"));
		const first = await bench.run(withBob, stub, "documented");
		expect(first.report).toMatchObject({ inSync: false, steps: [{ outcome: "unknown" }] });
		expect(exitCodeOf(first.report)).toBe(1);
		bench.nowMs += quarterHourMs;
		await bench.run(withBob, stub, "documented");
		expect(new Set(stub.bodies.map(({ bytes }) => bytes)).size).toBe(1);
		expect(stub.bodies.length).toBe(2);
	});
});

describe("an open request", () => {
	const waiting = hears((body) => activityOf(body, "ACTIVITY_STATUS_CONSENSUS_NEEDED"));
	const submit = (parts: object = {}) =>
		submitOnce(addBob, { ...bench.context({ submitter: waiting.submitter }), serverTimeMs: undefined, ...parts });

	it("that was read a moment ago is not sent again; any other is, with the same bytes", async () => {
		const first = await submit();
		expect(first).toMatchObject({ outcome: "awaiting-approval", isEarlier: false, isRetry: false, requests: 1 });
		const settled = new Map([[first.fingerprint, { ...first, outcome: "rejected", requests: 0 }]]);
		expect(await submit({ settled })).toMatchObject({ outcome: "rejected", isEarlier: true, requests: 0 });
		expect(waiting.bodies).toHaveLength(1);
		expect(await submit({ settled: new Map() })).toMatchObject({ outcome: "awaiting-approval", isEarlier: true });
		expect(new Set(waiting.bodies.map(({ bytes }) => bytes)).size).toBe(1);
		expect(waiting.bodies).toHaveLength(2);
	});

	it("that another process has sent too says nothing of what became of it without an activity", async () => {
		const deny = hears(refused(403, 7));
		const journal = { ...bench.journal, recordOutcome: () => false } as typeof bench.journal;
		const result = await submitOnce(addBob, {
			...bench.context({ submitter: deny.submitter, journal }),
			serverTimeMs: undefined,
		});
		expect(result).toMatchObject({ outcome: "unknown", activityId: null });
		expect(JSON.stringify(result.message)).toContain("another process has sent the same request");
		const doubt = hears({ kind: "unknown", because: "no answer", requests: 1 });
		const open = await submitOnce(addBob, {
			...bench.context({ submitter: doubt.submitter, journal }),
			serverTimeMs: undefined,
		});
		expect(JSON.stringify(open.message)).not.toContain("another process");
	});
});

describe("a saved plan", () => {
	const policy = {
		...{ kind: "policy" as const, name: "policy 0", previously: [], effect: "EFFECT_ALLOW" as const },
		...{ consensus: "true", condition: "true", notes: "new", at },
	};
	it.each([
		undefined,
		`sha256:${"0".repeat(64)}`,
	])("is stale where a policy was changed since: %s", async (planDigest) => {
		const context = bench.context({ ...(planDigest && { planDigest }) });
		const comparison = await bench.compare({ ...desiredOf(), objects: [policy] }, context);
		await bench.emulator.changeState({
			organizationId,
			policies: [{ policyId: policies[0], policyName: "policy 0", consensus: "false" }],
		});
		const { steps } = await applyToReport(comparison, context);
		expect(steps).toMatchObject([{ outcome: "failed" }]);
		expect(steps[0]?.isStale).toBe(planDigest === undefined ? undefined : true);
	});
});

describe("a request that is denied", () => {
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

it("a request for an unknown user fails and says why", async () => {
	const desired = desiredOf({
		userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, id("user", 77)] } })],
	});
	// Where users are read, the plan has a problem in place of the request.
	const { report } = await bench.run(desired, {}, "documented");
	expect(report.steps[0]).toMatchObject({ outcome: "failed", message: expect.stringContaining("no user found") });
});

describe("a request that awaits approval", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, twoApprovals));

	it.each([
		["a key that is not accepted", refused(401, 16)],
		["a code of the service", refused(404, 5)],
		["a policy's denial", refused(403, 7)],
		["a gateway's page", { kind: "unknown", because: "not an answer of this service", requests: 1 }],
		["no connection", { kind: "not-sent", because: "no connection", requests: 1 }],
	] as const)("stays pending if the same bytes are answered with %s", async (_what, answer) => {
		const first = await bench.run(withBob, {}, "documented");
		const { activityId } = first.report.steps[0] ?? {};
		expect(activityId).toMatch(/^[0-9a-f-]{36}$/);
		const { report } = await bench.run(withBob, hears(answer), "documented");
		expect(report.steps).toMatchObject([
			{ outcome: "awaiting-approval", activityId, message: expect.stringContaining("asking again") },
		]);
		expect((await latestOf(bench.journal, keyOfWithBob))?.outcome).toBe("awaiting-approval");
		await bench.run(withBob, {}, "documented");
		expect(bench.activities().length).toBe(1);
	});
});

describe("an activity that the service is processing", () => {
	beforeEach(() => bench.emulator.setRules(organizationId, { pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 5000 } }));

	it("is polled until it has completed", async () => {
		const { report } = await bench.run(withBob, { waitMs: 60_000 });
		expect(report.steps[0]?.outcome).toBe("completed");
		expect(report.steps[0]?.requests).toBeGreaterThan(2);
		expect(report.stats.submits).toBe(report.steps[0]?.requests);
		expect(bench.activities().length).toBe(1);
	});

	it("stays pending if polling it breaks off", async () => {
		const stub = hears((body) => activityOf(body, "ACTIVITY_STATUS_CREATED"), {
			kind: "not-sent",
			because: "no connection",
			requests: 1,
		});
		const { report } = await bench.run(withBob, { ...stub, waitMs: 60_000 });
		expect(report.steps[0]).toMatchObject({ outcome: "awaiting-approval", activityId: "an activity", requests: 2 });
		expect((await latestOf(bench.journal, keyOfAddBob))?.outcome).toBe("awaiting-approval");
	});

	it("is pending after --wait, and the next run finds it", async () => {
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
