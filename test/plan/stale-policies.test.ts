/** What is outdated in a saved plan that writes policies, and what makes a plan stale although no object changed. */
import { describe, expect, it } from "vitest";
import type { PendingActivity } from "../../src/plan/activities/pending.ts";
import type { DesiredPolicy, LiveOrganization, LivePolicy } from "../../src/plan/organization.ts";
import { makePlan, type Plan } from "../../src/plan/plan.ts";
import { findOutdated } from "../../src/plan/stale.ts";
import type { Step } from "../../src/plan/step.ts";
import { context, desiredOf, id, known, liveOf, liveTag, unknown, wantTag } from "./support-organizations.ts";

const alice = id("user", 1);
const clauses = { effect: "EFFECT_ALLOW", consensus: "true", condition: "" } as const;
const want = (name: string, parts: Partial<DesiredPolicy> = {}): DesiredPolicy => ({
	...{ kind: "policy", name, previously: [], ...clauses, at: { file: "a.yaml", line: 1, column: 1 } },
	...parts,
});
const livePolicy = (number: number, name: string, parts: Partial<LivePolicy> = {}): LivePolicy => ({
	...{ id: id("policy", number), name, ...clauses, time: "", notes: "" },
	...parts,
});
const liveWith = (...policies: readonly LivePolicy[]): LiveOrganization => ({
	...liveOf({ policies: known(policies), userTags: known([liveTag(1, "signers")]) }),
	policies: known(policies),
});

const base = desiredOf({ userTags: [wantTag("signers", { members: { mode: "exactly", exactly: [alice] } })] });
const wanted = { ...base, objects: [...base.objects, want("new"), want("pay", { consensus: "false" })] };
const was = liveWith(livePolicy(1, "pay"));

const planOf = (live: LiveOrganization, parts: object = {}): Plan => makePlan(wanted, live, { ...context, ...parts });

function outdated(now: LiveOrganization, saved: Plan = planOf(was), fresh: Plan = planOf(now)) {
	return findOutdated({ saved, fresh, live: now });
}

describe("a policy of a saved plan", () => {
	const pay = { id: id("policy", 1), name: "pay" };
	const address = "policy:pay";

	it("is as it was where nothing changed", () => {
		expect(outdated(was)).toEqual([]);
	});

	it.each<[string, LiveOrganization, object]>([
		[
			"has other text",
			liveWith(livePolicy(1, "pay", { condition: "x" })),
			{ reason: "changed", after: { name: "pay" } },
		],
		[
			"has the text of the plan",
			liveWith(livePolicy(1, "pay", { consensus: "false" })),
			{ reason: "already-applied", after: { name: "pay" } },
		],
		[
			"is another one of that name",
			liveWith(livePolicy(2, "pay")),
			{ reason: "changed", after: null, because: { what: "policy", before: pay, now: null } },
		],
		["cannot be read", { ...was, policies: unknown }, { reason: "changed", after: null, because: { what: "unread" } }],
	])("%s", (_what, now, expected) => {
		const [first, ...others] = outdated(now).filter((one) => one.address === address);
		expect(others).toEqual([]);
		expect(first).toMatchObject({ address, before: { name: "pay" }, ...expected });
	});

	it("has both of its states in what is said of it", () => {
		const now = liveWith(livePolicy(1, "pay", { condition: "x" }), livePolicy(3, "other"));
		expect(outdated(now)).toMatchObject([{ address, because: { what: "policy", before: pay, now: pay } }]);
	});

	it("that the plan creates has appeared, by its name", () => {
		const now = liveWith(livePolicy(1, "pay"), livePolicy(2, "new", { condition: "x" }));
		const appeared = { id: id("policy", 2), name: "new" };
		expect(outdated(now)).toMatchObject([
			{
				...{ address: "policy:new", reason: "changed", before: null, after: { name: "new" } },
				because: { what: "policy", before: null, now: appeared },
			},
		]);
		const done = liveWith(livePolicy(1, "pay"), livePolicy(2, "new"));
		expect(outdated(done)).toMatchObject([{ address: "policy:new", reason: "already-applied" }]);
	});

	it("that cannot be reached any more is not possible", () => {
		const two = liveWith(livePolicy(1, "pay"), livePolicy(2, "pay"));
		expect(outdated(two)).toMatchObject([{ address, reason: "not-possible" }]);
	});
});

describe("a plan that is no longer valid", () => {
	const saved: Plan = { ...planOf(was), validUntil: "2026-01-01T00:00:00.000Z" };

	it("names one object for all of them, whatever else changed", () => {
		const [first, ...others] = findOutdated({ saved, fresh: planOf(was), live: was });
		expect(others).toEqual([]);
		expect(first).toMatchObject({
			...{ address: saved.touched[0]?.address, reason: "time-passed" },
			because: { what: "window", validUntil: "2026-01-01T00:00:00.000Z" },
		});
	});

	it("goes by the service's time where that is known", () => {
		const early = { serviceTimeMs: context.readAtMs - 1 };
		expect(findOutdated({ saved, fresh: planOf(was), live: was, ...early })).toEqual([]);
		expect(
			findOutdated({
				saved: { ...saved, changes: [], touched: [], steps: [] },
				fresh: { ...saved, steps: [] },
				live: was,
			}),
		).toEqual([]);
	});
});

describe("users in a saved plan", () => {
	const named = (name: string): LiveOrganization => ({ ...was, users: known({ [alice]: name }) });
	const because = { what: "label", userId: alice };

	it("are others to a reader where the service calls them otherwise", () => {
		const saved = planOf(named("alice"));
		expect(outdated(named("alice"), saved)).toEqual([]);
		expect(outdated(named("mallory"), saved)).toMatchObject([
			{ address: "userTag:signers", reason: "changed", because },
		]);
	});

	it("are not looked at in a difference that can only be reported", () => {
		const saved = planOf(named("alice"));
		const changes = saved.changes.map((one) => ({ ...one, action: "report" }) as never);
		expect(outdated(named("mallory"), { ...saved, changes })).toEqual([]);
	});
});

describe("steps of a saved plan", () => {
	const activityFor = (step: Step): PendingActivity =>
		({
			...{ activityId: "activity-1", fingerprint: "f", state: "rejected", status: "ACTIVITY_STATUS_REJECTED" },
			...{ operation: step.operation, parameters: step.parameters, createdAt: null, approvedBy: null },
			saidBy: "service",
		}) as PendingActivity;
	const [first, ...rest] = planOf(was).steps as [Step, ...Step[]];
	const held = (step: Step): Step => ({
		...step,
		earlierActivity: { activityId: "a", fingerprint: "f", state: "rejected", status: "", relation: "rejected" },
	});

	it("that were rejected are submitted again only where that was reviewed", () => {
		const retried = { flag: "retry-rejected", steps: 1, covers: ["userTag:signers"] } as const;
		const [saved, fresh] = [planOf(was), { ...planOf(was), overrides: [retried] }];
		expect(outdated(was, saved, fresh)).toMatchObject([
			{ address: "userTag:signers", reason: "step-differs", because: { what: "rejected" } },
		]);
		expect(outdated(was, { ...saved, overrides: [retried] }, fresh)).toEqual([]);
	});

	it("that were held by a rejection are released as that, once", () => {
		const saved: Plan = { ...planOf(was), steps: [held(first), ...rest] };
		const retried = { flag: "retry-rejected", steps: 1, covers: ["userTag:signers"] } as const;
		const released = [{ address: "userTag:signers", because: { what: "released", activity: "rejected" } }];
		expect(outdated(was, saved)).toMatchObject(released);
		expect(outdated(was, saved, { ...planOf(was), overrides: [retried] })).toMatchObject(released);
		expect(outdated(was, saved, { ...planOf(was), steps: [held(first), ...rest] })).toEqual([]);
		expect(planOf(was, { rejected: [activityFor(first)] }).steps[0]?.earlierActivity?.relation).toBe("rejected");
	});

	it("that create policies are compared joined, whatever order their parts have", () => {
		const two = { ...wanted, objects: [want("a"), want("b"), want("c")] };
		const plan = makePlan(two, liveWith(), context);
		const [step] = plan.steps as [Step];
		const part = (...names: readonly string[]): Step => {
			const policies = "policies" in step.parameters ? step.parameters.policies : [];
			return {
				...step,
				covers: step.covers.filter(({ id: name }) => names.includes(name)),
				parameters: { policies: policies.filter(({ policyName }) => names.includes(policyName)) },
			} as Step;
		};
		const inParts = (...steps: readonly Step[]): Plan => ({ ...plan, steps });
		const now = liveWith();
		expect(outdated(now, inParts(part("c", "a"), part("b")), plan)).toEqual([]);
		expect(outdated(now, inParts(part("b"), part("a"), part("c")), plan)).toEqual([]);
		expect(outdated(now, inParts(part("b"), part("a")), plan).map((one) => one.address)).toEqual([
			"policy:b",
			"policy:a",
		]);
	});

	it("are in another order for another submitter where it is known who can do what", () => {
		const unordered = (plan: Plan): Plan => ({
			...plan,
			steps: plan.steps.map((step) => ({ ...step, dependsOn: [] })),
		});
		const ordered = (plan: Plan): Plan => ({
			...plan,
			steps: plan.steps.map((one) => ({ ...one, dependsOn: ["step-9"] })),
		});
		const plan = planOf(was);
		expect(outdated(was, unordered(plan), ordered(plan)).length).toBeGreaterThan(0);
		const known = { impact: [], impactVerdict: "none" } as never as Partial<Plan>;
		expect(outdated(was, { ...unordered(plan), ...known }, { ...ordered(plan), ...known })).toEqual([]);
	});
});
