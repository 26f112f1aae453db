/**
 * Applying: how many requests a plan costs, what goes on when a step does not complete, and what is looked at afterwards.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TransportError } from "../../src/errors.ts";
import type { DesiredOrganization } from "../../src/plan/organization.ts";
import type { Reads } from "../../src/plan/plan.ts";
import { exitCodeOf, type StepResult } from "../../src/plan/report.ts";
import type { Step } from "../../src/plan/step.ts";
import { openJournal } from "../../src/sync/journal-file.ts";
import { settleOpenEntries } from "../../src/sync/settle.ts";
import type { Submitter } from "../../src/wire/client.ts";
import { approvals, submits } from "../../src/wire/operations.ts";
import { encodeSubmit } from "../../src/wire/request-body.ts";
import {
	desiredOf,
	id,
	organizationId,
	type Sections,
	sectionsOf,
	wantTag,
	withSections,
} from "../plan/support-organizations.ts";
import {
	acme,
	alice,
	applyToReport,
	approverStamper,
	apps,
	auditors,
	Bench,
	bob,
	carol,
	minuteMs,
	oncall,
	policies,
	providers,
	signers,
	strangerStamper,
	wantSigners,
} from "./support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

const exactly = (...users: readonly string[]) => ({ members: { mode: "exactly", exactly: users } }) as const;

function absent(parts: Partial<Sections["absent"]>): DesiredOrganization {
	return desiredOf({ absent: { policyIds: [], oauthProviders: [], tvcAppIds: [], ...parts } });
}

const removeAll = absent({
	policyIds: [...policies],
	oauthProviders: [
		{ userId: alice, providerIds: [providers[0], providers[1]] },
		{ userId: bob, providerIds: [providers[2]] },
	],
	tvcAppIds: [...apps],
});

/** Signers and oncall exchange their names; Bob and Carol become members beside it, and a policy goes. */
const exchange: DesiredOrganization = withSections(absent({ policyIds: [policies[0]] }), {
	userTags: [
		wantTag("auditors", exactly(bob)),
		wantTag("oncall", { id: signers }),
		wantTag("signers", { id: oncall, ...exactly(carol) }),
	],
});

function operations(): readonly (string | null)[] {
	return bench.requests("submit").map(({ operation }) => operation);
}

function outcomes(steps: readonly StepResult[]): readonly string[] {
	return steps.map(({ outcome }) => outcome);
}

/** The approval of another user. */
async function approve(fingerprint: string | null | undefined): Promise<void> {
	const body = encodeSubmit(approvals.approve_activity as never, organizationId, { fingerprint }, bench.nowMs);
	await bench.client({ stamper: approverStamper }).submitter.submit(body);
}

/** A submitter that does something after each answer of the service. */
function afterEachSubmit(act: (operation: string) => Promise<void> | void): Submitter {
	const { submitter } = bench.client();
	return {
		async submit(body) {
			const answer = await submitter.submit(body);
			await act(body.operation.name);
			return answer;
		},
	};
}

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
			"three tags, one of which loses a member: three submits, two queries before and after, and who asks",
			manyTags,
			"auto",
			5,
			Array(3).fill("update_user_tag"),
		],
		["three policies: one submit", absent({ policyIds: [...policies] }), "auto", 2, ["delete_policies"]],
		[
			"three OAuth providers of two users: two submits, and who asks",
			absent({ oauthProviders: sectionsOf(removeAll).absent.oauthProviders }),
			"auto",
			3,
			["delete_oauth_providers", "delete_oauth_providers"],
		],
		[
			"two apps: two submits",
			absent({ tvcAppIds: [...apps] }),
			"auto",
			2,
			Array(2).fill("delete_tvc_app_and_deployments"),
		],
		[
			"everything to remove: five submits in the order of the kinds, and who asks",
			removeAll,
			"auto",
			7,
			[
				...Array(2).fill("delete_oauth_providers"),
				"delete_policies",
				...Array(2).fill("delete_tvc_app_and_deployments"),
			],
		],
		[
			"everything to remove with documented reads: one query, for the service's clock",
			removeAll,
			"documented",
			1,
			Array(5).fill(""),
		],
		["an exchange of names: one submit more than there are tags", exchange, "auto", 7, Array(5).fill("")],
	])("are, for %s", async (_what, desired, reads, queries, submits) => {
		const { report } = await bench.run(desired, { concurrency: 1 }, reads);
		expect(report.converged).toBe(true);
		expect(exitCodeOf(report)).toBe(0);
		expect(bench.requests("query").length).toBe(queries);
		expect(operations().length).toBe(submits.length);
		if (!submits.includes("")) expect(operations()).toEqual(submits);
		expect(report.stats).toEqual({ queries, submits: submits.length, retries: 0, throttledMs: 0 });
	});

	it("are one query when nothing differs and the service shows only names", async () => {
		await bench.run(unchanged, {}, "documented");
		bench.emulator.clearRequests();
		const { report } = await bench.run(unchanged, {}, "documented");
		expect(report.converged).toBe(true);
		expect(bench.emulator.requests().map(({ operation }) => operation)).toEqual(["list_user_tags"]);
	});

	it("after the last step ask only about the kinds that were touched", async () => {
		const context = bench.context();
		const desired = withSections(removeAll, { userTags: sectionsOf(unchanged).userTags });
		const comparison = await bench.compare(desired, context);
		const onlyPolicies = comparison.plan.steps.filter(({ operation }) => operation === "delete_policies");
		bench.emulator.clearRequests();
		const report = await applyToReport({ ...comparison, plan: { ...comparison.plan, steps: onlyPolicies } }, context);
		expect(report.left).toEqual([]);
		expect(bench.requests("query").map(({ operation }) => operation)).toEqual(["list_policies"]);
	});

	it("are none after the last step when nobody wants to look", async () => {
		const { report } = await bench.run(wantSigners(alice, bob), { verify: false });
		expect(report).toMatchObject({ left: null, converged: true });
		expect(bench.requests("query").length).toBe(2);
	});
});

describe("removals that could not be seen", () => {
	const stray = id("policy", 99);
	const desired = absent({ policyIds: [policies[0], policies[1], stray].sort() });

	it("go one by one when one of them is not there, so that it does not keep the others", async () => {
		const { report } = await bench.run(desired, {}, "documented");
		const { organization } = bench.emulator.state(organizationId);
		expect(organization.policies?.map(({ policyId }) => policyId)).toEqual([policies[2]]);
		expect(report.steps.map(({ outcome, requests }) => ({ outcome, requests }))).toEqual([
			{ outcome: "failed", requests: 4 },
		]);
		expect(report.steps[0]?.message).toContain(`2 of 3 were removed, not ${stray}`);
		expect(report.converged).toBe(false);
	});

	it("are reported one by one, each with its own activity", async () => {
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
	])("stay together when the service refuses them with %i: only a 404 may be about one of them", async (httpStatus, grpcCode) => {
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

	it("are remembered one by one, so that only the one that was refused is tried again", async () => {
		await bench.run(desired, {}, "documented");
		const { plan } = await bench.compare(desired, bench.context(), "documented");
		expect(plan.steps.map(({ parameters }) => parameters)).toEqual([{ policyIds: [stray] }]);
	});

	it("stay one activity when all of them are there", async () => {
		const { report } = await bench.run(absent({ policyIds: [...policies] }), {}, "documented");
		expect(report.steps.map(({ outcome, requests }) => ({ outcome, requests }))).toEqual([
			{ outcome: "completed", requests: 1 },
		]);
	});
});

describe("a rename whose members cannot be seen", () => {
	it("is submitted again when it was undone: the name is always live", async () => {
		const rename = (name: string, ...previously: readonly string[]) =>
			desiredOf({ userTags: [wantTag(name, { previously, members: { mode: "exactly", exactly: [alice] } })] });
		await bench.run(rename("officers", "signers"), {}, "documented");
		bench.nowMs += 2 * minuteMs;
		await bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [alice] }],
		});
		bench.nowMs += 2 * minuteMs;
		const journal = await openJournal(":memory:");
		const { report } = await bench.run(rename("officers", "signers"), { journal }, "documented");
		journal.close();
		expect(report.steps).toMatchObject([{ outcome: "completed", requests: 2 }]);
		expect(bench.tag(signers).tagName).toBe("officers");
	});
});

describe("an apply whose verification cannot read", () => {
	it("as much as was read before says what it lost sight of, and is no success", async () => {
		const context = bench.context();
		const comparison = await bench.compare(wantSigners(alice, bob), context);
		const submitter = afterEachSubmit(() => bench.emulator.setRules(organizationId, { denyReads: ["list_users"] }));
		const report = await applyToReport(comparison, { ...context, submitter });
		expect(report).toMatchObject({ left: [], converged: false });
		expect(report.unverified).toBe("userTag:signers: the service denies list_users to this key");
		expect(exitCodeOf(report)).toBe(1);
	});

	it("keeps the report of what was sent, says why nobody looked, and is no success", async () => {
		const context = bench.context();
		const comparison = await bench.compare(wantSigners(alice, bob), context);
		const reader = {
			query: () => Promise.reject(new TransportError("no service answers", "no")),
		};
		const report = await applyToReport(comparison, { ...context, reader });
		expect(report.steps.map(({ outcome }) => outcome)).toEqual(["completed"]);
		expect(report).toMatchObject({ left: null, unverified: "no service answers", converged: false });
		expect(exitCodeOf(report)).toBe(1);
	});
});

describe("an apply", () => {
	it("makes the organization what the document says", async () => {
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
		expect(report.converged).toBe(true);
		expect(most).toBe(Math.min(concurrency, 5));
	});

	it("tells of every step once, as it ends", async () => {
		const told: (readonly [string, number, number])[] = [];
		const { report } = await bench.run(exchange, {
			onStep: ({ step }, done, total) => told.push([step.id, done, total]),
		});
		expect(told.map(([, done, total]) => [done, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]));
		expect(told.map(([step]) => step).sort()).toEqual(report.steps.map(({ step }) => step.id).sort());
		// The report keeps the order of the plan.
		expect(report.steps.map(({ step }) => step.id)).toEqual(["step-1", "step-2", "step-3", "step-4", "step-5"]);
	});

	it("of nothing converges and submits nothing", async () => {
		const { report } = await bench.run(desiredOf());
		expect(report).toMatchObject({ steps: [], left: null, converged: true, interrupted: false });
		expect(bench.emulator.requests()).toEqual([]);
	});
});

describe("a step that does not complete", () => {
	it("while it waits keeps back those that need it, and the others go on", async () => {
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
		expect(report.steps[1]?.message).toBe("step-1 has to complete first, and it is awaiting-approval");
		expect(report.steps[2]?.message).toContain("has to complete first");
		expect(report).toMatchObject({ left: [], converged: false, interrupted: false });
		expect(exitCodeOf(report)).toBe(8);
	});

	it("because it is denied leaves the others to go on, and the exit says partly", async () => {
		await bench.emulator.setRules(organizationId, { deny: [{ type: "ACTIVITY_TYPE_DELETE_POLICIES" }] });
		const { report } = await bench.run(removeAll);
		expect(outcomes(report.steps)).toEqual(["completed", "completed", "denied", "completed", "completed"]);
		expect(report).toMatchObject({ left: [], converged: false });
		expect(exitCodeOf(report)).toBe(7);
	});

	it("because the key is not accepted ends the run before any other is sent", async () => {
		const context = bench.context({ concurrency: 1 });
		const comparison = await bench.compare(removeAll, context);
		const { submitter } = bench.client({ stamper: strangerStamper });
		const report = await applyToReport(comparison, { ...context, submitter });
		expect(outcomes(report.steps)).toEqual(["denied", ...Array(4).fill("not-attempted")]);
		expect(report.steps[4]?.message).toContain("does not accept this key");
		expect(bench.requests("submit").length).toBe(1);
		expect(exitCodeOf(report)).toBe(4);
	});

	it.each([
		401, 403,
	])("because the key is not accepted is exit 4, whether the service says so with %i or not", async (httpStatus) => {
		const context = bench.context({ concurrency: 1 });
		const comparison = await bench.compare(removeAll, context);
		let submits = 0;
		const submitter: Submitter = {
			async submit() {
				submits += 1;
				const refusal = { httpStatus, grpcCode: 16, message: "expired key", keyNotAccepted: true };
				return { kind: "refused", ...refusal, policyEvaluations: [], requests: 1 };
			},
		};
		const report = await applyToReport(comparison, { ...context, submitter });
		expect({ submits, exitCode: exitCodeOf(report) }).toEqual({ submits: 1, exitCode: 4 });
	});

	it("of a tag that stepped aside is taken up by the next run from where it is", async () => {
		const stop = new AbortController();
		const first = await bench.run(exchange, {
			concurrency: 1,
			signal: stop.signal,
			onStep: () => stop.abort(),
		});
		expect(outcomes(first.report.steps)).toEqual(["completed", ...Array(4).fill("not-attempted")]);
		expect(bench.tag(signers).tagName).toMatch(/^orgsync-temporary-/);
		// Half a rename is nothing that somebody else did.
		expect(first.report.left).toEqual([]);
		const second = await bench.run(exchange);
		expect(second.report.steps.length).toBe(4);
		expect(second.report.converged).toBe(true);
	});

	it("because the submitter breaks ends the run only when the others have ended", async () => {
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
	it("lets the step in flight end and begins no other", async () => {
		const stop = new AbortController();
		const { report } = await bench.run(removeAll, {
			concurrency: 1,
			signal: stop.signal,
			submitter: afterEachSubmit(() => stop.abort()),
		});
		expect(outcomes(report.steps)).toEqual(["completed", ...Array(4).fill("not-attempted")]);
		expect(report.steps[1]?.message).toBe("orgsync was interrupted before it");
		expect(report).toMatchObject({ interrupted: true, converged: false });
		expect(exitCodeOf(report)).toBe(130);
		expect(bench.requests("submit").length).toBe(1);
	});

	it("before the first step lets none be sent", async () => {
		const { report } = await bench.run(removeAll, { signal: AbortSignal.abort() });
		expect(new Set(outcomes(report.steps))).toEqual(new Set(["not-attempted"]));
		expect(bench.requests("submit")).toEqual([]);
	});

	it("during the last step interrupts nothing, whatever becomes of that step", async () => {
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

describe("a plan that was edited so that it cannot be taken", () => {
	const edits: readonly (readonly [string, (step: Step, index: number) => Step])[] = [
		["waits for a step that it does not hold", (step) => ({ ...step, dependsOn: ["step-9"] })],
		["waits for itself", (step, index) => ({ ...step, dependsOn: [`step-${2 - index}`] })],
	];
	it.each(edits)("because it %s ends, and says so", async (_what, edit) => {
		const context = bench.context();
		const comparison = await bench.compare(absent({ tvcAppIds: [...apps] }), context);
		const steps = comparison.plan.steps.map(edit);
		const report = await applyToReport({ ...comparison, plan: { ...comparison.plan, steps } }, context);
		expect(outcomes(report.steps)).toEqual(["not-attempted", "not-attempted"]);
		expect(report.steps[0]?.message).toContain("never run");
		expect(bench.requests("submit")).toEqual([]);
	});
});

describe("looking again after the last step", () => {
	it("finds what somebody else changed meanwhile", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({
				organizationId,
				userTags: [{ tagId: signers, tagName: "signers", userIds: [alice, carol] }],
			}),
		);
		const { report } = await bench.run(wantSigners(alice, bob), { submitter });
		expect(outcomes(report.steps)).toEqual(["completed"]);
		expect(report.left).toMatchObject([{ address: "userTag:signers", addUserIds: [bob], removeUserIds: [carol] }]);
		expect(report.converged).toBe(false);
		expect(exitCodeOf(report)).toBe(1);
	});

	it("finds a policy that is back", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({ organizationId, policies: [{ policyId: policies[0], policyName: "back" }] }),
		);
		const { report } = await bench.run(absent({ policyIds: [...policies] }), { submitter });
		expect(report.left).toMatchObject([{ address: `policy:${policies[0]}`, before: { name: "back" } }]);
	});

	it("finds that somebody else gave the renamed tag another name", async () => {
		const submitter = afterEachSubmit(() =>
			bench.emulator.changeState({ organizationId, userTags: [{ tagId: signers, tagName: "stolen" }] }),
		);
		const desired = desiredOf({ userTags: [wantTag("officers", { previously: ["signers"] })] });
		const { report } = await bench.run(desired, { submitter });
		expect(outcomes(report.steps)).toEqual(["completed"]);
		expect(report.left?.map(({ address }) => address)).toEqual(["userTag:officers"]);
		expect(report.converged).toBe(false);
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

describe("what is remembered", () => {
	const memory = () => bench.journal.lastApplied(organizationId);

	it("is what the service said was completed, with the time and who is known", async () => {
		bench.emulator.addFault({ operation: "delete_policies", fault: "fail" });
		await bench.run(withSections(removeAll, { userTags: sectionsOf(wantSigners(bob)).userTags }));
		const appliedAt = new Date(bench.nowMs).toISOString();
		expect(memory()).toEqual({
			userTags: {
				[signers]: {
					appliedAt,
					name: "signers",
					present: [bob],
					gone: [alice],
					updatedAt: expect.stringMatching(/^\d+\.\d+$/),
					completedAtMs: bench.nowMs,
				},
			},
			removed: {
				oauthProvider: {
					[`${alice}/${providers[0]}`]: { appliedAt },
					[`${alice}/${providers[1]}`]: { appliedAt },
					[`${bob}/${providers[2]}`]: { appliedAt },
				},
				tvcApp: { [apps[0]]: { appliedAt }, [apps[1]]: { appliedAt } },
			},
		});
	});

	it.each([
		["approved later", true, { approvals: { ACTIVITY_TYPE_UPDATE_USER_TAG: 2 } }],
		["not verified", false, {}],
	] as const)("of a change that was %s does not hide what somebody else changed after it", async (_how, verify, rules) => {
		const run = () => bench.run(wantSigners(alice, bob), { verify }, "documented");
		await bench.emulator.setRules(organizationId, rules);
		const first = await run();
		if (verify) {
			await approve(first.report.steps[0]?.fingerprint);
			bench.nowMs += minuteMs;
			await run();
		}
		bench.nowMs += minuteMs;
		expect((await bench.compare(wantSigners(alice, bob), bench.context(), "documented")).plan.changes).toEqual([]);
		const parameters = { userTagId: signers, addUserIds: [carol], removeUserIds: [bob] };
		await bench.emulator.setRules(organizationId, {});
		const body = encodeSubmit(submits.update_user_tag, organizationId, parameters, bench.nowMs);
		await bench.client({ stamper: approverStamper }).submitter.submit(body);
		expect((await bench.compare(wantSigners(alice, bob), bench.context(), "documented")).plan.changes).toMatchObject([
			{ basis: "unknown", lastApplied: { changedSince: true } },
		]);
	});

	it("stands in for members that cannot be read, and is shown as that", async () => {
		await bench.run(wantSigners(alice, bob));
		const appliedAt = new Date(bench.nowMs).toISOString();
		bench.nowMs += minuteMs;
		const { comparison, report } = await bench.run(wantSigners(alice, carol), {}, "documented");
		expect(comparison.plan.changes).toMatchObject([
			{
				basis: "last-applied",
				addUserIds: [carol],
				removeUserIds: [bob],
				before: { members: [alice, bob] },
				lastApplied: { at: appliedAt, changedSince: false },
			},
		]);
		expect(report.converged).toBe(true);
		expect(bench.tag(signers).userIds).toEqual([alice, carol]);
	});

	it("is doubted when the tag was changed by somebody else since", async () => {
		await bench.run(wantSigners(alice, bob));
		bench.nowMs += minuteMs;
		await bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [carol], updatedAt: { seconds: "7", nanos: "7" } }],
		});
		const { comparison } = await bench.run(wantSigners(alice), {}, "documented");
		expect(comparison.plan.changes).toMatchObject([
			{ basis: "unknown", addUserIds: [alice], removeUserIds: [bob], lastApplied: { changedSince: true } },
		]);
		expect((await bench.run(wantSigners(alice), {}, "documented")).comparison.plan.changes).toEqual([]);
	});

	it("that was doubted is not kept beside what is applied after it", async () => {
		await bench.run(wantSigners(bob));
		expect(memory().userTags[signers]).toMatchObject({ present: [bob], gone: [alice] });
		bench.nowMs += minuteMs;
		await bench.emulator.changeState({
			organizationId,
			userTags: [{ tagId: signers, tagName: "signers", userIds: [alice], updatedAt: { seconds: "7", nanos: "7" } }],
		});
		const atLeast = { mode: "atLeast", atLeast: [carol], never: [] } as const;
		await bench.run(desiredOf({ userTags: [wantTag("signers", { members: atLeast })] }), {}, "documented");
		expect(memory().userTags[signers]).toMatchObject({ present: [carol], gone: [] });
		// Alice has the tag again, and nothing remembered says otherwise.
		const never = { mode: "atLeast", atLeast: [carol], never: [alice] } as const;
		await bench.run(desiredOf({ userTags: [wantTag("signers", { members: never })] }), {}, "documented");
		expect(bench.tag(signers).userIds).toEqual([carol]);
	});

	it("of a tag that stepped aside is nothing", async () => {
		const stop = new AbortController();
		await bench.run(exchange, { concurrency: 1, signal: stop.signal, onStep: () => stop.abort() });
		expect(bench.tag(signers).tagName).toMatch(/^orgsync-temporary-/);
		expect(memory().userTags).toEqual({});
	});

	it("of a tag that stepped aside after its run stays as it was", async () => {
		await bench.run(wantSigners(bob));
		const before = memory();
		await bench.emulator.setRules(organizationId, { pendingMs: { ACTIVITY_TYPE_UPDATE_USER_TAG: 1000 } });
		const { report } = await bench.run(exchange);
		bench.nowMs += minuteMs;
		const settled = await settleOpenEntries(organizationId, { ...bench.context(), reads: "auto" });
		expect(settled.get(String(report.steps[0]?.fingerprint))?.outcome).toBe("completed");
		expect(bench.tag(signers).tagName).toMatch(/^orgsync-temporary-/);
		expect(memory().userTags[signers]).toEqual(before.userTags[signers]);
	});

	it("keeps who is known when only the name is changed", async () => {
		await bench.run(wantSigners(bob), {}, "documented");
		const before = memory().userTags[signers];
		expect(before).toMatchObject({ present: [bob], gone: [] });
		await bench.run(desiredOf({ userTags: [wantTag("officers", { id: signers })] }), {}, "documented");
		expect(memory().userTags[signers]).toEqual({ ...before, name: "officers" });
	});

	it("of an activity that completed after its run is what its body asked for", async () => {
		await bench.emulator.setRules(organizationId, {
			pendingMs: {
				ACTIVITY_TYPE_UPDATE_USER_TAG: 1000,
				ACTIVITY_TYPE_DELETE_POLICIES: 1000,
				ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: 1000,
				ACTIVITY_TYPE_DELETE_TVC_APP_AND_DEPLOYMENTS: 1000,
			},
		});
		const desired = withSections(removeAll, { userTags: sectionsOf(wantSigners(bob)).userTags });
		const first = await bench.run(desired, {}, "documented");
		expect(new Set(outcomes(first.report.steps))).toEqual(new Set(["awaiting-approval"]));
		expect(memory().userTags).toEqual({});
		bench.nowMs += minuteMs;
		await settleOpenEntries(organizationId, { ...bench.context(), reads: "auto" });
		expect((await bench.compare(desired, bench.context(), "documented")).plan.changes).toEqual([]);
		expect(memory().userTags[signers]).toMatchObject({ name: "signers", present: [bob], gone: [] });
		expect(Object.keys(memory().removed.policy ?? {})).toEqual([...policies]);
		expect(Object.keys(memory().removed.tvcApp ?? {})).toEqual([...apps]);
		expect(Object.keys(memory().removed.oauthProvider ?? {}).length).toBe(3);
		expect(bench.activities().length).toBe(6);
	});

	it("of an organization is nobody else's", async () => {
		await bench.run(wantSigners(bob));
		expect(bench.journal.lastApplied(id("org", 2)).userTags).toEqual({});
	});
});
