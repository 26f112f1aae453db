/**
 * Applying a plan: its requests, the order of its steps, and what stops it.
 */
import { describe, expect, it } from "vitest";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import type { Step } from "../../src/plan/step.ts";
import type { Submitter } from "../../src/wire/client.ts";
import { desiredOf, organizationId, sectionsOf, wantTag, withSections } from "../plan/support-organizations.ts";
import { absent, afterEachSubmit, bench, exactly, exchange, operations, outcomes, removeAll } from "./apply-support.ts";
import {
	acme,
	alice,
	applyToReport,
	apps,
	auditors,
	bob,
	carol,
	oncall,
	policies,
	signers,
	strangerStamper,
	wantSigners,
} from "./support.ts";

describe("the requests of an apply", () => {
	const unchanged = desiredOf({
		userTags: [wantTag("signers", exactly(alice)), wantTag("oncall"), wantTag("auditors")],
	});
	const manyTags = desiredOf({
		userTags: [
			wantTag("auditors", exactly(alice, bob)),
			wantTag("oncall", exactly(carol)),
			wantTag("officers", { previously: ["signers"] }),
		],
	});
	it.each<[string, DesiredOrganization, Reads, number, readonly string[]]>([
		[
			"one query when nothing differs and only names are managed",
			desiredOf({ userTags: [wantTag("oncall")] }),
			"auto",
			1,
			[],
		],
		["two queries when nothing differs and members are managed", unchanged, "auto", 2, []],
		[
			"three tags, one of which loses a member: three submits, two queries before and after, and who can do what",
			manyTags,
			"auto",
			7,
			Array(3).fill("update_user_tag"),
		],
		[
			"three policies: one submit, and who can do what",
			absent({ policyIds: [...policies] }),
			"auto",
			5,
			["delete_policies"],
		],
		[
			"three OAuth providers of two users: two submits, and who can do what",
			absent({ oauthProviders: sectionsOf(removeAll).absent.oauthProviders }),
			"auto",
			5,
			["delete_oauth_providers", "delete_oauth_providers"],
		],
		[
			"two apps: two submits, and who can do what",
			absent({ tvcAppIds: [...apps] }),
			"auto",
			6,
			Array(2).fill("delete_tvc_app_and_deployments"),
		],
		[
			"everything to remove: five submits, policies last because they allow the others, and who can do what",
			removeAll,
			"auto",
			8,
			[
				...Array(2).fill("delete_oauth_providers"),
				...Array(2).fill("delete_tvc_app_and_deployments"),
				"delete_policies",
			],
		],
		[
			"everything to remove with documented reads: one query, for the service's clock",
			removeAll,
			"documented",
			1,
			Array(5).fill(""),
		],
		["an exchange of names: one submit more than there are tags", exchange, "auto", 8, Array(5).fill("")],
	])("are, for %s", async (_what, desired, reads, queries, submits) => {
		const { report } = await bench.run(desired, { concurrency: 1 }, reads);
		expect(report.inSync).toBe(true);
		expect(exitCodeOf(report)).toBe(0);
		expect(bench.requests("query").length).toBe(queries);
		expect(operations().length).toBe(submits.length);
		if (!submits.includes("")) expect(operations()).toEqual(submits);
		expect(report.stats).toEqual({ queries, submits: submits.length, retries: 0, throttledMs: 0 });
	});

	it("are one query if nothing differs and the service shows only names", async () => {
		await bench.run(unchanged, {}, "documented");
		bench.emulator.clearRequests();
		const { report } = await bench.run(unchanged, {}, "documented");
		expect(report.inSync).toBe(true);
		expect(bench.emulator.requests().map(({ operation }) => operation)).toEqual(["list_user_tags"]);
	});

	it("after the last step are only about the kinds that it changed", async () => {
		const context = bench.context();
		const desired = withSections(removeAll, { userTags: sectionsOf(unchanged).userTags });
		const comparison = await bench.compare(desired, context);
		const onlyPolicies = comparison.plan.steps
			.filter(({ operation }) => operation === "delete_policies")
			.map((step) => ({ ...step, dependsOn: [] }));
		bench.emulator.clearRequests();
		const report = await applyToReport({ ...comparison, plan: { ...comparison.plan, steps: onlyPolicies } }, context);
		expect(report.left).toEqual([]);
		expect(bench.requests("query").map(({ operation }) => operation)).toEqual(["list_policies"]);
	});

	it("are none after the last step without verification", async () => {
		const { report } = await bench.run(wantSigners(alice, bob), { verify: false });
		expect(report).toMatchObject({ left: null, inSync: true });
		expect(bench.requests("query").length).toBe(5);
	});
});

describe("an apply", () => {
	it("brings the organization in sync with the document", async () => {
		await bench.run(withSections(removeAll, { userTags: sectionsOf(exchange).userTags }));
		const { organization } = bench.emulator.state(organizationId);
		expect(bench.tag(signers)).toEqual({ tagName: "oncall", userIds: [alice] });
		expect(bench.tag(oncall)).toEqual({ tagName: "signers", userIds: [carol] });
		expect(bench.tag(auditors)).toEqual({ tagName: "auditors", userIds: [bob] });
		expect(organization.policies).toEqual([]);
		expect(organization.tvcApps).toEqual([]);
		expect(organization.users?.flatMap(({ oauthProviders }) => oauthProviders ?? [])).toEqual([]);
	});

	it.each([1, 2, 8])("runs at most %i steps at once", async (concurrency) => {
		const { submitter } = bench.client();
		let running = 0;
		let most = 0;
		const counting: Submitter = {
			async submit(body) {
				running += 1;
				most = Math.max(most, running);
				const answer = await submitter.submit(body);
				running -= 1;
				return answer;
			},
		};
		const { report } = await bench.run(removeAll, { submitter: counting, concurrency });
		expect(report.inSync).toBe(true);
		// The policies that allow the other steps are removed after them.
		expect(most).toBe(Math.min(concurrency, 4));
	});

	it("reports progress once for every step, as it ends", async () => {
		const told: (readonly [string, number, number])[] = [];
		const { report } = await bench.run(exchange, {
			onStep: ({ step }, done, total) => told.push([step.id, done, total]),
		});
		expect(told.map(([, done, total]) => [done, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
		expect(told.map(([step]) => step).sort()).toEqual(report.steps.map(({ step }) => step.id).sort());
		// The report keeps the order of the plan.
		expect(report.steps.map(({ step }) => step.id)).toEqual(["step-1", "step-2", "step-3", "step-4", "step-5"]);
	});

	it("without steps is in sync and submits nothing", async () => {
		const { report } = await bench.run(desiredOf());
		expect(report).toMatchObject({ steps: [], left: null, inSync: true, interrupted: false });
		expect(bench.emulator.requests()).toEqual([]);
	});
});

describe("a step that does not complete", () => {
	it("because it is pending holds back those that depend on it, and the others go on", async () => {
		await bench.emulator.setRules(organizationId, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } });
		const { report } = await bench.run(exchange);
		const byReason = report.steps.map(({ step, outcome }) => [step.operation, step.dependsOn.length, outcome]);
		expect(byReason).toEqual([
			["update_user_tag", 0, "awaiting-approval"],
			["update_user_tag", 1, "not-attempted"],
			["update_user_tag", 2, "not-attempted"],
			["update_user_tag", 0, "awaiting-approval"],
			["delete_policies", 0, "completed"],
		]);
		expect(report.steps[1]?.message).toMatch(/^a step before it did not complete: userTag:\w+$/);
		expect(report.steps[2]?.message).toBe(report.steps[1]?.message);
		expect(report).toMatchObject({ left: [], inSync: false, interrupted: false });
		expect(exitCodeOf(report)).toBe(8);
	});

	it("because it is denied lets the others go on, and the run is partly applied", async () => {
		await bench.emulator.setRules(organizationId, { deny: [{ type: "ACTIVITY_TYPE_DELETE_POLICIES" }] });
		const { report } = await bench.run(removeAll);
		expect(outcomes(report.steps)).toEqual([...Array(4).fill("completed"), "denied"]);
		expect(report).toMatchObject({ left: [], inSync: false });
		expect(exitCodeOf(report)).toBe(7);
	});

	it("because the key is not accepted ends the run before any other is submitted", async () => {
		const context = bench.context({ concurrency: 1 });
		const comparison = await bench.compare(removeAll, context);
		const { submitter } = bench.client({ stamper: strangerStamper });
		const report = await applyToReport(comparison, { ...context, submitter });
		expect(outcomes(report.steps)).toEqual(["denied", ...Array(4).fill("not-attempted")]);
		expect(report.steps[4]?.message).toContain("does not accept this key");
		expect(bench.requests("submit").length).toBe(1);
		expect(exitCodeOf(report)).toBe(4);
	});

	it("of a tag with a temporary name is continued by the next run", async () => {
		const first = await bench.run(exchange, {
			concurrency: 1,
			onStep: () => bench.emulator.addFault({ operation: "*", fault: "fail", count: 4 }),
		});
		bench.emulator.clearFaults();
		expect(first.report.steps[0]?.outcome).toBe("completed");
		expect(first.report.steps.length).toBe(5);
		expect(bench.tag(signers).tagName).toMatch(/^orgsync-temporary-/);
		// Half a rename is no change by others.
		expect(first.report.left).toEqual([]);
		const second = await bench.run(exchange);
		expect(second.report.steps.length).toBe(4);
		expect(second.report.inSync).toBe(true);
	});

	it("because the submitter throws ends the run only after the others have ended", async () => {
		const { submitter } = bench.client();
		let ended = 0;
		const breaking: Submitter = {
			async submit(body) {
				if (body.operation.name === "delete_policies") throw new Error("broken");
				await new Promise((resolve) => setTimeout(resolve, 20));
				const answer = await submitter.submit(body);
				ended += 1;
				return answer;
			},
		};
		await expect(bench.run(removeAll, { submitter: breaking, concurrency: 8 })).rejects.toThrow("broken");
		expect(ended).toBe(4);
		expect(bench.journal.openEntries(organizationId).map((entry) => entry.body.operation.name)).toEqual([
			"delete_policies",
		]);
	});
});

describe("a signal", () => {
	it("lets the step in flight end and starts no other", async () => {
		const stop = new AbortController();
		const { report } = await bench.run(removeAll, {
			concurrency: 1,
			signal: stop.signal,
			submitter: afterEachSubmit(() => stop.abort()),
		});
		expect(outcomes(report.steps)).toEqual(["completed", ...Array(4).fill("not-attempted")]);
		expect(report.steps[1]?.message).toBe("orgsync was interrupted before it");
		expect(report).toMatchObject({ interrupted: true, inSync: false });
		expect(exitCodeOf(report)).toBe(130);
		expect(bench.requests("submit").length).toBe(1);
	});

	it("before the first step lets none be submitted", async () => {
		const { report } = await bench.run(removeAll, { signal: AbortSignal.abort() });
		expect(new Set(outcomes(report.steps))).toEqual(new Set(["not-attempted"]));
		expect(bench.requests("submit")).toEqual([]);
	});

	it("during the last step interrupts nothing, whatever the outcome of that step", async () => {
		bench.emulator.addFault({ operation: "update_user_tag", fault: "fail" });
		const stop = new AbortController();
		const { report } = await bench.run(wantSigners(alice, bob), {
			signal: stop.signal,
			submitter: afterEachSubmit(() => stop.abort()),
		});
		expect(outcomes(report.steps)).toEqual(["failed"]);
		expect(report.interrupted).toBe(false);
		expect(exitCodeOf(report)).toBe(1);
	});
});

describe("a plan that was edited so that it cannot run", () => {
	const edits: readonly (readonly [string, (step: Step, index: number) => Step])[] = [
		["waits for a step that it does not hold", (step) => ({ ...step, dependsOn: ["step-9"] })],
		["waits for itself", (step, index) => ({ ...step, dependsOn: [`step-${2 - index}`] })],
	];
	it.each(edits)("because a step %s ends and says so", async (_what, edit) => {
		const context = bench.context();
		const comparison = await bench.compare(absent({ tvcAppIds: [...apps] }), context);
		const steps = comparison.plan.steps.map(edit);
		const report = await applyToReport({ ...comparison, plan: { ...comparison.plan, steps } }, context);
		expect(outcomes(report.steps)).toEqual(["not-attempted", "not-attempted"]);
		expect(report.steps[0]?.message).toContain("never run");
		expect(bench.requests("submit")).toEqual([]);
	});
});

describe("a step whose turn comes long after the organization was read", () => {
	const minuteMs = 60_000;
	const desired = desiredOf({
		userTags: [
			wantTag("auditors", exactly()),
			wantTag("oncall", exactly(carol)),
			wantTag("signers", exactly(alice, bob)),
		],
	});

	/** Applies one step after the other. After the first, minutes pass, and something happens. */
	async function applySlowly(minutes: number, change: () => unknown = () => undefined, wanted = desired) {
		let readings = 0;
		const context = bench.context({ concurrency: 1 });
		const comparison = await bench.compare(wanted, context);
		const report = await applyToReport(comparison, {
			...context,
			compareAgain: () => {
				readings += 1;
				return bench.compare(wanted, context);
			},
			onStep: async (_, done) => {
				if (done > 1) return;
				bench.nowMs += minutes * minuteMs;
				change();
			},
		});
		return {
			outcomes: report.steps.map(({ outcome }) => outcome),
			messages: report.steps.map(({ message }) => message),
			readings,
		};
	}

	it("is submitted as planned within five minutes, and after another reading that has the same step", async () => {
		const all = ["completed", "completed", "completed"];
		expect(await applySlowly(4)).toMatchObject({ outcomes: all, readings: 0 });
		await bench.reset(acme());
		expect(await applySlowly(6)).toMatchObject({ outcomes: all, readings: 1 });
	});

	it("is not submitted if it is planned differently by then", async () => {
		const users = { tagId: signers, tagName: "signers", userIds: [alice, carol] };
		const { outcomes: found, messages } = await applySlowly(6, () =>
			bench.emulator.changeState({ organizationId, userTags: [users] }),
		);
		expect(found).toEqual(["completed", "completed", "not-attempted"]);
		expect(messages[2]).toContain("this step is planned differently now: run apply again");
	});

	it("has other dependencies by then, and is read for again", async () => {
		const swapped = desiredOf({
			userTags: [wantTag("oncall", { id: signers }), wantTag("signers", { id: oncall })],
		});
		const { outcomes: found } = await applySlowly(6, undefined, swapped);
		expect(found).toEqual(found.map(() => "completed"));
		expect(found.length).toBeGreaterThan(2);
		expect(bench.tag(signers).tagName).toBe("oncall");
	});
});
