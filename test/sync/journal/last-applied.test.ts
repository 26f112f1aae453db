/**
 * The last-applied state: what is recorded of completed activities, and when it replaces live state.
 */
import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/sync/journal/file.ts";
import { settleOpenEntries } from "../../../src/sync/settle.ts";
import { submits } from "../../../src/wire/operations.ts";
import { encodeSubmit } from "../../../src/wire/request-body.ts";
import { desiredOf, organizationId, sectionsOf, wantTag, withSections } from "../../plan/support-organizations.ts";
import { approve, bench, exchange, outcomes, removeAll } from "../apply-support.ts";
import {
	alice,
	approverStamper,
	apps,
	bob,
	carol,
	minuteMs,
	policies,
	providers,
	signers,
	wantSigners,
} from "../support.ts";

describe("the last-applied state", () => {
	const memory = () => bench.journal.lastApplied(organizationId);

	it("is what the service said was completed, with the time and the known members", async () => {
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
	] as const)("of a change that was %s does not hide what others changed after it", async (_how, verify, rules) => {
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

	it("replaces members that cannot be read, and is shown as that", async () => {
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
		expect(report.inSync).toBe(true);
		expect(bench.tag(signers).userIds).toEqual([alice, carol]);
	});

	it("does not count if others changed the tag since", async () => {
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

	it("that did not count is not kept beside what is applied after it", async () => {
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

	it("of a tag with a temporary name is empty", async () => {
		const stop = new AbortController();
		await bench.run(exchange, { concurrency: 1, signal: stop.signal, onStep: () => stop.abort() });
		expect(bench.tag(signers).tagName).toMatch(/^orgsync-temporary-/);
		expect(memory().userTags).toEqual({});
	});

	it("of a tag that got its temporary name after its run stays as it was", async () => {
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

	it("keeps the known members if only the name is changed", async () => {
		await bench.run(wantSigners(bob), {}, "documented");
		const before = memory().userTags[signers];
		expect(before).toMatchObject({ present: [bob], gone: [] });
		await bench.run(desiredOf({ userTags: [wantTag("officers", { id: signers })] }), {}, "documented");
		expect(memory().userTags[signers]).toEqual({ ...before, name: "officers" });
	});

	it("of an activity that completed after its run is what its body requested", async () => {
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
});

describe("a rename of a tag whose members are unknown", () => {
	it("is submitted again after it was reverted: the name is always live", async () => {
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
