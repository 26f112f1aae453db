/** Access with an end, on the emulator with its clock moved: whose time counts, and what an apply does when a window ends. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { StalePlanError } from "../../../src/common/errors.ts";
import { refuseStale } from "../../../src/document/saved/refuse-stale.ts";
import { makeSavedPlan, matchDocuments } from "../../../src/document/saved/saved-plan.ts";
import { type DesiredMembers, type DesiredOrganization, tagsOf } from "../../../src/plan/organization.ts";
import { exitCodeOf } from "../../../src/plan/report.ts";
import { readAccessOnly } from "../../../src/sync/read/read-access.ts";
import type { Reader } from "../../../src/wire/client.ts";
import { saying } from "../../in-words.ts";
import { at, desiredOf, organizationId, wantTag } from "../../plan/support-organizations.ts";
import { acme, alice, applyToReport, auditors, Bench, bob, minuteMs, policies, signers } from "../../sync/support.ts";

let bench: Bench;
beforeAll(async () => {
	bench = await Bench.start([acme()]);
});
beforeEach(() => bench.reset(acme()));
afterAll(() => bench.close());

const hourMs = 60 * minuteMs;

/** Alice always signs, and Bob until then. */
function withBobUntil(untilMs: number): DesiredOrganization {
	const windows = [{ userId: bob, untilMs, at }];
	const members: DesiredMembers = { mode: "exactly", exactly: [alice, bob], windows };
	return desiredOf({ userTags: [wantTag("signers", { members })] });
}

describe("a member with an end", () => {
	it("is added, kept until the moment and removed at it, once", async () => {
		const untilMs = bench.nowMs + hourMs;
		const desired = withBobUntil(untilMs);
		await bench.run(desired);
		expect(bench.tag(signers).userIds).toEqual([alice, bob]);
		bench.nowMs = untilMs - 1000;
		expect((await bench.compare(desired)).plan.changes).toEqual([]);
		bench.nowMs = untilMs;
		const { comparison, report } = await bench.run(desired);
		expect(comparison.plan.expiries).toMatchObject([{ userId: bob, state: "expired" }]);
		expect(report.inSync).toBe(true);
		expect(bench.tag(signers).userIds).toEqual([alice]);
		bench.nowMs += hourMs;
		const { plan } = await bench.compare(desired);
		expect(plan.changes).toEqual([]);
		expect(plan).not.toHaveProperty("expiries");
	});

	it("is removed where members cannot be read, by the journal alone and once", async () => {
		const desired = withBobUntil(bench.nowMs + hourMs);
		await bench.run(desired, {}, "documented");
		bench.nowMs += hourMs;
		const { comparison } = await bench.run(desired, {}, "documented");
		expect(comparison.plan.changes).toMatchObject([{ basis: "last-applied", removeUserIds: [bob] }]);
		expect(bench.tag(signers).userIds).toEqual([alice]);
		expect((await bench.compare(desired, undefined, "documented")).plan.changes).toEqual([]);
	});

	it.each([
		-290, -20, 0, 20, 290,
	])("is judged by the service's Date when our clock is %i seconds off", async (seconds) => {
		const now = () => bench.nowMs + seconds * 1000;
		const untilMs = Math.ceil(bench.nowMs / 1000) * 1000 + hourMs;
		const desired = withBobUntil(untilMs);
		const wantedAt = async (nowMs: number) => {
			bench.nowMs = nowMs;
			const { plan } = await bench.compare(desired, bench.context({ now }));
			return plan.changes.map((change) => change.kind === "userTag" && change.addUserIds);
		};
		expect(await wantedAt(untilMs - 1)).toEqual([[bob]]);
		expect(await wantedAt(untilMs)).toEqual([]);
	});
});

describe("a time that is not certain", () => {
	const day = 24 * hourMs;

	/** Compares, with the time of the given answer changed, counted from 0, or of all. */
	const compareWithDate = (desired: DesiredOrganization, changedMs: number, which?: number, offMs = 0) => {
		const context = bench.context({ now: () => bench.nowMs + offMs });
		let count = 0;
		const query: Reader["query"] = async (...question) => {
			const answer = await context.reader.query(...question);
			const isChanged = which === undefined || which === count++;
			return isChanged ? { ...answer, serverTimeMs: (answer.serverTimeMs ?? 0) + changedMs } : answer;
		};
		return bench.compare(desired, { ...context, reader: { query } });
	};
	const both =
		/an answer of the service says 20.* UTC, and the clock of this machine says 20.* UTC, which is more than 5 minutes apart$/;

	it.each([
		["one stray Date among several", 10 * day, 0, 0],
		["one stray Date among several, the second", -10 * day, 1, 0],
		["every Date", 10 * day, undefined, 0],
		["our own clock, ahead", 0, undefined, 6 * minuteMs],
		["our own clock, behind", 0, undefined, -6 * minuteMs],
	])("adds and removes no member with a window, and says both times: %s", async (_, changedMs, which, offMs) => {
		const desired = withBobUntil(bench.nowMs + hourMs);
		const { plan } = await compareWithDate(desired, changedMs, which, offMs);
		expect(plan).toMatchObject({ changes: [], steps: [] });
		expect(plan).not.toHaveProperty("serviceTime");
		const [problem] = plan.problems;
		expect(problem).toMatchObject({ path: "userTag:signers", code: "time-not-certain", ...at });
		expect(problem?.message).toMatch(both);
	});

	it("changes nothing of a document without windows", async () => {
		const desired = desiredOf({
			userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
		});
		const { plan } = await compareWithDate(desired, 10 * day);
		expect(plan).toMatchObject({ problems: [], steps: [{ operation: "update_user_tag" }] });
	});

	it("is the clock's own business where an emulator's was set", async () => {
		const desired = withBobUntil(bench.nowMs + hourMs);
		bench.emulator.setClock({ advanceMs: day });
		const reader = bench.client().reader;
		const { plan } = await bench.compare(desired, { ...bench.context(), reader });
		bench.emulator.setClock({ reset: true });
		expect(plan).toMatchObject({ changes: [], problems: [] });
		expect(Date.parse(plan.serviceTime ?? "") - bench.nowMs).toBeGreaterThan(day - 2000);
	});

	it("leaves open whether policies with a time are in force", async () => {
		const policy = {
			policyId: policies[0],
			policyName: "by day",
			time: "time.now < Timestamp('2030-01-01T00:00:00Z')",
		};
		await bench.reset(
			acme({ policies: [{ ...policy, effect: "EFFECT_ALLOW", consensus: "true", condition: "true" }] }),
		);
		const desired = desiredOf({
			userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice, bob] } })],
		});
		const policiesIn = async (strayMs: number) => (await compareWithDate(desired, strayMs, 0)).context.access?.policies;
		expect(await policiesIn(0)).toMatchObject({ known: true });
		expect(await policiesIn(10 * day)).toMatchObject({ known: false, because: saying(both) });
		const { reader } = bench.context();
		const query: Reader["query"] = async (...question) => ({ ...(await reader.query(...question)), serverTimeMs: 0 });
		const read = (isGiven: boolean) => readAccessOnly(organizationId, { query }, () => bench.nowMs, isGiven);
		expect((await read(false)).access.policies).toMatchObject({ known: false });
		expect((await read(true)).access.policies).toMatchObject({ known: true });
	});
});

describe("a plan that an end of access overtakes", () => {
	/** Carol loses one tag and Bob gets another, until then. */
	const twoSteps = (untilMs: number) => {
		const members = { mode: "exactly", exactly: [] } as const;
		return desiredOf({ userTags: [wantTag("auditors", { members }), ...tagsOf(withBobUntil(untilMs))] });
	};

	it("stops before the next step, which is not submitted", async () => {
		const untilMs = bench.nowMs + hourMs;
		const context = bench.context({ concurrency: 1 });
		const comparison = await bench.compare(twoSteps(untilMs), context);
		expect(comparison.plan.steps.length).toBe(2);
		const report = await applyToReport(comparison, {
			...context,
			onStep: () => {
				bench.nowMs = untilMs;
			},
		});
		expect(report.steps).toMatchObject([
			{ outcome: "completed" },
			{ outcome: "not-attempted", message: expect.stringMatching(/^the plan was valid until 20.* UTC, when a window/) },
		]);
		expect(exitCodeOf(report)).toBe(7);
		expect([bench.tag(auditors).userIds, bench.tag(signers).userIds]).toEqual([[], [alice]]);
	});

	it.each([
		-4, 4,
	])("does not begin when the service's clock says that it is over: ours is %i minutes off", async (minutes) => {
		const untilMs = Math.ceil(bench.nowMs / 1000) * 1000 + hourMs;
		const now = () => bench.nowMs + minutes * minuteMs;
		const context = bench.context({ now });
		const comparison = await bench.compare(twoSteps(untilMs), context);
		bench.nowMs = untilMs + 1000;
		const { steps } = await applyToReport(comparison, context);
		expect(steps.map(({ outcome }) => outcome)).toEqual(["not-attempted", "not-attempted"]);
		bench.nowMs = untilMs - minuteMs;
		expect((await applyToReport(comparison, context)).steps.map(({ outcome }) => outcome)).toEqual([
			...["completed", "completed"],
		]);
	});

	it("submits nothing if it was saved before, whatever it touches and whatever our clock shows", async () => {
		const untilMs = bench.nowMs + hourMs;
		const desired = twoSteps(untilMs);
		const { plan: saved } = await bench.compare(desired);
		const revisit = async () => {
			const [planned] = matchDocuments(makeSavedPlan({ plans: [saved] }, "orgsync"), [desired]);
			const late = bench.context({ now: () => bench.nowMs - 4 * minuteMs });
			const { plan: fresh, live, context } = await bench.compare(planned?.desired ?? desired, late);
			return { saved, fresh, live, ...context };
		};
		bench.nowMs = untilMs - 1000;
		refuseStale([await revisit()]);
		bench.nowMs = untilMs;
		const past = await revisit();
		expect(() => refuseStale([past])).toThrow(StalePlanError);
		expect(() => refuseStale([past])).toThrow("  userTag:auditors: the plan was valid until ");
	});
});
