/**
 * Verification: what an apply reads again after its last step.
 */
import { describe, expect, it } from "vitest";
import { TransportError } from "../../src/common/errors.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import { desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";
import { absent, afterEachSubmit, bench, exactly, outcomes } from "./apply-support.ts";
import { alice, applyToReport, bob, carol, policies, signers, wantSigners } from "./support.ts";

describe("verification", () => {
	it("finds what others changed meanwhile", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({
				organizationId,
				userTags: [{ tagId: signers, tagName: "signers", userIds: [alice, carol] }],
			}),
		);
		const { report } = await bench.run(wantSigners(alice, bob), { submitter });
		expect(outcomes(report.steps)).toEqual(["completed"]);
		expect(report.left).toMatchObject([{ address: "userTag:signers", addUserIds: [bob], removeUserIds: [carol] }]);
		expect(report.inSync).toBe(false);
		expect(exitCodeOf(report)).toBe(1);
	});

	it("finds a policy that exists again", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({ organizationId, policies: [{ policyId: policies[0], policyName: "back" }] }),
		);
		const { report } = await bench.run(absent({ policyIds: [...policies] }), { submitter });
		expect(report.left).toMatchObject([{ address: `policy:${policies[0]}`, before: { name: "back" } }]);
	});

	it("finds that others gave the renamed tag another name", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({ organizationId, userTags: [{ tagId: signers, tagName: "stolen" }] }),
		);
		const desired = desiredOf({ userTags: [wantTag("officers", { previously: ["signers"] })] });
		const { report } = await bench.run(desired, { submitter });
		expect(outcomes(report.steps)).toEqual(["completed"]);
		expect(report.left?.map(({ address }) => address)).toEqual(["userTag:officers"]);
		expect(report.inSync).toBe(false);
		expect(exitCodeOf(report)).toBe(1);
	});

	it("leaves out what this run did not complete", async () => {
		bench.emulator.addFault({ operation: "update_user_tag", fault: "fail" });
		const desired = desiredOf({ userTags: [wantTag("oncall", exactly(bob)), wantTag("signers", exactly(bob))] });
		const { report } = await bench.run(desired, { concurrency: 1 });
		expect(outcomes(report.steps)).toEqual(["failed", "completed"]);
		expect(report.left).toEqual([]);
	});
});

describe("an apply whose verification cannot read", () => {
	it("as much as before says what it cannot read any more, and is no success", async () => {
		const context = bench.context();
		const comparison = await bench.compare(wantSigners(alice, bob), context);
		const submitter = afterEachSubmit(() => bench.emulator.setRules(organizationId, { denyReads: ["list_users"] }));
		const report = await applyToReport(comparison, { ...context, submitter });
		expect(report).toMatchObject({ left: [], inSync: false });
		expect(report.unverified).toBe("userTag:signers: the service denies list_users to this key");
		expect(exitCodeOf(report)).toBe(1);
	});

	it("keeps the report of what was submitted, says why nothing was verified, and is no success", async () => {
		const context = bench.context();
		const comparison = await bench.compare(wantSigners(alice, bob), context);
		const reader = {
			query: () => Promise.reject(new TransportError("no service answers", "no")),
		};
		const report = await applyToReport(comparison, { ...context, reader });
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
		expect(report).toMatchObject({ left: null, unverified: "no service answers", inSync: false });
		expect(exitCodeOf(report)).toBe(1);
	});
});
