/**
 * A removal that the service refuses as a whole is submitted again object by object.
 */
import { describe, expect, it } from "vitest";
import type { Submitter } from "../../src/wire/client.ts";
import { id, organizationId } from "../plan/support-organizations.ts";
import { absent, bench } from "./apply-support.ts";
import { policies } from "./support.ts";

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

	it("is one activity if all of the objects exist", async () => {
		const { report } = await bench.run(absent({ policyIds: [...policies] }), {}, "documented");
		expect(report.steps.map(({ outcome, requests }) => ({ outcome, requests }))).toEqual([
			{ outcome: "completed", requests: 1 },
		]);
	});
});
