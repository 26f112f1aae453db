/** Access with an end, on the emulator with its clock moved: whose time counts, and what an apply does when a window ends. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeSavedPlan, matchDocuments } from "../../src/document/saved-plan.ts";
import { StalePlanError } from "../../src/errors.ts";
import { type DesiredMembers, type DesiredOrganization, tagsOf } from "../../src/plan/organization.ts";
import { exitCodeOf } from "../../src/plan/report.ts";
import { refuseStale } from "../../src/plan/stale.ts";
import { at, desiredOf, wantTag } from "../plan/support-organizations.ts";
import { acme, alice, applyToReport, auditors, Bench, bob, minuteMs, signers } from "./support.ts";

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
		-18_000, -20, 0, 20, 18_000,
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
		-2, 2,
	])("does not begin when the service's clock says that it is over: ours is %i hours off", async (hours) => {
		const untilMs = Math.ceil(bench.nowMs / 1000) * 1000 + hourMs;
		const now = () => bench.nowMs + hours * hourMs;
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
			const late = bench.context({ now: () => bench.nowMs - 5 * hourMs });
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
