/**
 * A removal that the service refuses as a whole is submitted again object by object.
 */
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../src/common/errors.ts";
import type { ApplyContext } from "../../../src/sync/apply.ts";
import type { ActivityRequest } from "../../../src/sync/submit/activity-request.ts";
import { outcomeOfAnswer, type SubmitResult } from "../../../src/sync/submit/outcomes.ts";
import { combineParts, type SubmittedPart, submitIndividually } from "../../../src/sync/submit/submit-individually.ts";
import type { SubmitAnswer, Submitter } from "../../../src/wire/client.ts";
import { approvals } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { id, organizationId } from "../../plan/support-organizations.ts";
import { absent, bench } from "../apply-support.ts";
import { applyToReport, approverStamper, policies } from "../support.ts";
import { activityOf, bodyOfAddBob, hears, refused } from "./submit-support.ts";

describe("a removal of objects that live state does not show", () => {
	const stray = id("policy", 99);
	const desired = absent({ policyIds: [policies[0], policies[1], stray].sort() });

	it("is submitted object by object if one of them does not exist", async () => {
		const { report } = await bench.run(desired, {}, "documented");
		const { organization } = bench.emulator.state(organizationId);
		expect(organization.policies?.map(({ policyId }) => policyId)).toEqual([policies[2]]);
		expect(report.steps.map(({ outcome, requests }) => ({ outcome, requests }))).toEqual([
			{ outcome: "failed", requests: 4 },
		]);
		expect(report.steps[0]?.message).toContain(`2 of 3 were removed, not ${stray}`);
		expect(report.inSync).toBe(false);
	});

	it("is reported object by object, each with its own activity", async () => {
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const { report } = await bench.run(desired, {}, "documented");
		expect(report.steps[0]?.parts.map(({ address, outcome }) => [address, outcome])).toEqual([
			[`policy:${policies[0]}`, "awaiting-approval"],
			[`policy:${policies[1]}`, "awaiting-approval"],
			[`policy:${stray}`, "failed"],
		]);
		const made = bench.activities().map(({ id: activityId, fingerprint }) => ({ activityId, fingerprint }));
		expect(report.steps[0]?.parts.slice(0, 2)).toMatchObject(made);
		expect(bench.journal.openEntries(organizationId).map(({ activityId }) => activityId)).toEqual(
			made.map(({ activityId }) => activityId),
		);
	});

	it.each([
		[400, 3],
		[409, 6],
		[429, 8],
	])("stays one request if the service refuses it with %i: only a 404 may be about one object", async (httpStatus, grpcCode) => {
		const bodies: unknown[] = [];
		const submitter: Submitter = {
			async submit({ bytes }) {
				bodies.push(bytes);
				const refused = {
					httpStatus,
					grpcCode,
					message: "no",
					policyEvaluations: [],
					keyNotAccepted: false,
					requests: 1,
				};
				return { kind: "refused", ...refused };
			},
		};
		const { report } = await bench.run(desired, { submitter }, "documented");
		expect(report.steps).toMatchObject([{ outcome: "failed", parts: [] }]);
		expect(bodies.length).toBe(1);
	});

	it("is recorded object by object, so that only the refused one is tried again", async () => {
		await bench.run(desired, {}, "documented");
		const { plan } = await bench.compare(desired, bench.context(), "documented");
		expect(plan.steps.map(({ parameters }) => parameters)).toEqual([{ policyIds: [stray] }]);
	});
});

/** The second user approves. */
async function approve(fingerprint: string): Promise<void> {
	const body = encodeSubmit(approvals.approve_activity, organizationId, { fingerprint }, bench.nowMs);
	await bench.client({ stamper: approverStamper }).voter.vote(body);
}

const removal: ActivityRequest = {
	...{ organizationId, operation: "delete_policies", parameters: { policyIds: [...policies] } },
	covers: policies.map((policyId) => ({ address: `policy:${policyId}`, id: policyId })),
};

function answered(answer: SubmitAnswer, parts: Partial<SubmitResult> = {}): SubmitResult {
	return { ...outcomeOfAnswer(answer), fingerprint: null, requests: 1, ...parts };
}

describe("a refused removal", () => {
	it.each<[string, Partial<ActivityRequest>, number]>([
		["of objects that live state shows", {}, 404],
		["that is not about a missing object", { isUnobservable: true }, 400],
		["of one object", { isUnobservable: true, parameters: { policyIds: [policies[0]] } }, 404],
	])("%s is not submitted object by object", async (_what, parts, httpStatus) => {
		const context = { ...bench.context(hears()), serverTimeMs: undefined };
		expect(await submitIndividually({ ...removal, ...parts }, answered(refused(httpStatus)), context)).toEqual([]);
	});
});

describe("the result of a removal object by object", () => {
	const whole = answered(refused(404, 5));
	const completed = answered(activityOf(bodyOfAddBob(1), "ACTIVITY_STATUS_COMPLETED"));
	const partsOf = (...results: readonly SubmitResult[]): readonly SubmittedPart[] =>
		results.map((result, index) => ({ id: `p${index}`, address: `policy:p${index}`, request: removal, result }));

	it("is that of its parts, where all completed, and counts every request", () => {
		expect(combineParts(whole, partsOf(completed, completed))).toMatchObject({
			...{ outcome: "completed", activityId: "an activity", requests: 3, message: null },
			...{ isFatal: false, isRetry: false, journalError: null },
		});
	});

	it("is that of the first part that did not complete", () => {
		const denied = answered(refused(403, 7));
		expect(combineParts(whole, partsOf(completed, denied, whole))).toMatchObject({
			...{ outcome: "denied", refusedStatus: 403, requests: 4 },
			message: expect.stringContaining("1 of 3 were removed, not p1, p2."),
		});
	});

	it("ends the run if one part does, is a retry if one is, and has the first error of the journal", () => {
		const journalError = new StorageError("full");
		const combined = combineParts(
			whole,
			partsOf(answered(refused(401, 16)), { ...completed, isRetry: true }, { ...completed, journalError }),
		);
		expect(combined).toMatchObject({ isFatal: true, isRetry: true, journalError });
		expect(combineParts({ ...whole, isRetry: true }, partsOf(completed))).toMatchObject({ isRetry: true });
	});
});

describe("a removal object by object that waits for approval", () => {
	it("asks about each part with its own bytes, and is reported as each of them ended", async () => {
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_DELETE_POLICIES: 2 } });
		const stray = id("policy", 99);
		const desired = absent({ policyIds: [policies[0], policies[1], stray].sort() });
		let pauses = 0;
		const context: ApplyContext = {
			...bench.context(),
			compareAgain: () => bench.compare(desired, bench.context(), "documented"),
			wait: {
				untilMs: bench.nowMs + 60_000,
				pause: async (ms) => {
					bench.nowMs += ms;
					pauses += 1;
					if (pauses === 1) await approve(String(bench.activities()[0]?.fingerprint));
					if (pauses === 2) await approve(String(bench.activities()[1]?.fingerprint));
				},
			},
		};
		const { steps } = await applyToReport(await bench.compare(desired, context, "documented"), context);
		const [step] = steps;
		expect(step?.parts.map(({ outcome }) => outcome)).toEqual(["completed", "completed", "failed"]);
		// The whole, three parts, both again after the first approval, and one after the second.
		expect([pauses, step?.requests, bench.requests("submit").length]).toEqual([2, 7, 9]);
		expect(bench.emulator.state(organizationId).organization.policies?.map(({ policyId }) => policyId)).toEqual([
			policies[2],
		]);
		expect(Object.keys(bench.journal.lastApplied(organizationId).removed.policy ?? {}).sort()).toEqual(
			[policies[0], policies[1]].sort(),
		);
	});
});
