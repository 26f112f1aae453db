/** Policies that name tags which the same plan creates: the service makes the ids of the tags meanwhile. */
import { describe, expect, it } from "vitest";
import { say } from "../../src/common/said.ts";
import type { DesiredOrganization, DesiredPolicy } from "../../src/plan/organization.ts";
import { compareLive } from "../../src/sync/converge.ts";
import type { Submitter } from "../../src/wire/client.ts";
import { at, desiredOf, organizationId, wantTag } from "../plan/support-organizations.ts";
import { approve, bench } from "./apply-support.ts";
import { alice, applyToReport } from "./support.ts";

const policyOf = (name: string, consensus: string): DesiredPolicy => ({
	...{ kind: "policy", name, previously: [], effect: "EFFECT_ALLOW", consensus, condition: "true", at },
});
const payers = wantTag("payers", { create: true, members: { mode: "exactly", exactly: [alice] } });
const desired: DesiredOrganization = {
	...desiredOf(),
	objects: [
		payers,
		policyOf("free", "true"),
		policyOf("pay", "approvers.any(user, user.tags.contains('${userTags.payers}'))"),
	],
};

const livePolicies = () =>
	Object.fromEntries(
		(bench.emulator.state(organizationId).organization.policies ?? []).map(({ policyName, consensus }) => [
			policyName,
			consensus,
		]),
	);
const idOfPayers = () =>
	bench.emulator.state(organizationId).organization.userTags?.find(({ tagName }) => tagName === "payers")?.tagId;

/** A submitter whose activities of tags have this result. */
function answering(result: object): Submitter {
	const { submitter } = bench.client();
	return {
		async submit(body) {
			const answer = await submitter.submit(body);
			if (answer.kind !== "activity" || body.operation.name !== "create_user_tag") return answer;
			return { ...answer, activity: { ...answer.activity, result: { ...result } } };
		},
	};
}

describe("a policy that names a tag of the same plan", () => {
	it("has the id that the service made", async () => {
		const { report } = await bench.run(desired);
		expect(report.steps.map(({ step, outcome }) => [step.operation, outcome])).toEqual([
			["create_user_tag", "completed"],
			["create_policies", "completed"],
		]);
		expect(report).toMatchObject({ inSync: true, left: [] });
		expect(livePolicies()).toMatchObject({ free: "true", pay: expect.stringContaining(`'${idOfPayers()}'`) });
	});

	it.each([{}, { userTagId: "no id" }])("is not submitted where the answer has no id: %j", async (result) => {
		const { report } = await bench.run(desired, { submitter: answering(result) });
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["failed", "not-attempted"]);
		expect(report.steps[1]?.message).toEqual(
			say`the service did not say which id ${"userTag:payers"} has: run apply again`,
		);
		expect(report.inSync).toBe(false);
	});
});

describe("a creation of policies while a tag of it waits for approval", () => {
	const two = { approvals: { ACTIVITY_TYPE_CREATE_USER_TAG: 2 } };
	async function apply(parts: object = {}, isApproved = false, changes: () => unknown = () => undefined) {
		await bench.emulator.setRules(organizationId, two);
		const context = bench.context(parts);
		let readings = 0;
		const compareAgain = () => {
			readings += 1;
			const { reader, journal, now } = context;
			return compareLive(desired, reader, journal.lastApplied(organizationId), { reads: "auto", now, journal });
		};
		const pause = async (ms: number) => {
			bench.nowMs += ms;
			const waiting = bench.activities().find(({ status }) => status === "ACTIVITY_STATUS_CONSENSUS_NEEDED");
			if (isApproved) await approve(String(waiting?.fingerprint));
		};
		const comparison = await bench.compare(desired, context);
		await changes();
		const wait = { untilMs: bench.nowMs + 5000, pause };
		const report = await applyToReport(comparison, { ...context, compareAgain, ...(isApproved && { wait }) });
		const steps = report.steps.map(({ step, outcome }) => [
			...[step.operation, step.covers.map(({ address }) => address).join(), outcome],
		]);
		return { steps, readings, report };
	}

	it("is in two parts: what names no such tag is submitted", async () => {
		const { steps, readings } = await apply();
		expect(steps).toEqual([
			["create_user_tag", "userTag:payers", "awaiting-approval"],
			["create_policies", "policy:free", "completed"],
			["create_policies", "policy:pay", "not-attempted"],
		]);
		expect(readings).toBe(1);
		expect(livePolicies()).toMatchObject({ free: "true" });
		expect(livePolicies()).not.toHaveProperty("pay");
	});

	it("is whole in a saved plan", async () => {
		const { steps, readings } = await apply({ planDigest: `sha256:${"0".repeat(64)}` });
		expect(steps.map(([, , outcome]) => outcome)).toEqual(["awaiting-approval", "not-attempted"]);
		expect(readings).toBe(0);
	});

	it("is whole where the new plan does not have its first part", async () => {
		const free = { policyId: "30000000-7a3f-4c9e-9d40-000000000099", policyName: "free", consensus: "true" };
		const { steps, readings } = await apply({}, false, () =>
			bench.emulator.changeState({
				organizationId,
				policies: [{ ...free, effect: "EFFECT_ALLOW", condition: "true" }],
			}),
		);
		expect(steps.map(([, , outcome]) => outcome)).toEqual(["awaiting-approval", "not-attempted"]);
		expect(readings).toBe(1);
	});

	it("goes on with the second part once the tag is approved", async () => {
		const { steps, report } = await apply({}, true);
		expect(steps.map(([, , outcome]) => outcome)).toEqual(["completed", "completed", "completed"]);
		expect(livePolicies()).toMatchObject({ pay: expect.stringContaining(`'${idOfPayers()}'`) });
		expect(report.inSync).toBe(true);
	});
});
