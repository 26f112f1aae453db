/** Which overrides are recorded, and which guards they let pass. */
import { describe, expect, it } from "vitest";
import type { PendingActivity } from "../../../src/plan/activities/pending.ts";
import type { Guard, GuardKind } from "../../../src/plan/guards/guards.ts";
import {
	abandonOf,
	allowsOf,
	blockingGuards,
	isFor,
	type Override,
	overridesInPlan,
	retriedIn,
	retriesOf,
	warningGuards,
	withOverrides,
	withoutAllowed,
} from "../../../src/plan/guards/overrides.ts";
import type { Step } from "../../../src/plan/step.ts";
import { id } from "../support-organizations.ts";

const guard = (kind: GuardKind, found: number, refuses = true): Guard => {
	return { kind, found, refuses, where: [], finding: { what: "stated", limit: "at most 1", message: "" } };
};
const allow = (kind: GuardKind, number: number): Override => ({ flag: "allow", kind, number });
const [first, second] = [id("policy", 1), id("policy", 2)];
const stepOf = (name: string, policyId: string): Step => ({
	...{ id: name, operation: "delete_policies", parameters: { policyIds: [policyId] } },
	...{
		covers: [{ address: `policy:${policyId}`, id: policyId }],
		dependsOn: [],
		reason: { kind: "remove", of: "policy", count: 1 },
		earlierActivity: null,
	},
});
const activityOf = (activityId: string | null, policyId: string): PendingActivity => ({
	...{ activityId, fingerprint: "sha256:f", state: "pending", status: "" },
	...{
		operation: "delete_policies",
		parameters: { policyIds: [policyId] },
		createdAt: null,
		approvedBy: null,
		saidBy: "service",
	},
});

describe("The overrides of a plan", () => {
	it("are the abandoned activities that it touches, by id or fingerprint, and no others", () => {
		const abandoned = [activityOf("one", first), activityOf(null, first), activityOf("other", second)];
		expect(overridesInPlan([stepOf("step-1", first)], abandoned, [])).toEqual([
			abandonOf("one"),
			abandonOf("sha256:f"),
		]);
		expect(abandonOf("one")).toEqual({ flag: "abandon", activity: "one" });
	});

	it("are its rejected steps together, with what they change", () => {
		const steps = [stepOf("step-1", first), stepOf("step-2", second)];
		const retries = [{ flag: "retry-rejected", steps: 2, covers: [`policy:${first}`, `policy:${second}`] }];
		expect(overridesInPlan([], [], steps)).toEqual(retries);
		expect(overridesInPlan([], [], [])).toEqual([]);
		expect(retriesOf(steps)).toEqual(retries);
	});

	it("say which addresses are retried", () => {
		const overrides = [...retriesOf([stepOf("step-1", first)]), abandonOf("one"), allow("policies", 1)];
		expect([...retriedIn({ overrides })]).toEqual([`policy:${first}`]);
		expect(retriedIn({}).size).toBe(0);
	});

	it("are kept beside new ones, none twice", () => {
		const plan = { name: "plan", overrides: [allow("policies", 1)] };
		const more = [allow("policies", 2), allow("policies", 1), abandonOf("one"), abandonOf("one")];
		expect(withOverrides(plan, more)).toEqual({
			name: "plan",
			overrides: [allow("policies", 1), allow("policies", 2), abandonOf("one")],
		});
		expect(withOverrides(plan, [])).toBe(plan);
		expect(withOverrides({}, [abandonOf("one")])).toEqual({ overrides: [abandonOf("one")] });
	});

	it("are left out where they are of guards", () => {
		const overrides = [allow("policies", 1), abandonOf("one"), { flag: "insecure" } as const];
		expect(withoutAllowed({ name: "plan", overrides })).toEqual({
			name: "plan",
			overrides: [abandonOf("one"), { flag: "insecure" }],
		});
		expect(withoutAllowed({ overrides: [allow("policies", 1)] })).toEqual({});
		expect(withoutAllowed({})).toEqual({});
	});
});

describe("An override of a guard", () => {
	const allowed = new Map<GuardKind, ReadonlySet<number>>([["policies", new Set([3])]]);

	it("is recorded where it names what a refusing guard found", () => {
		expect(allowsOf([guard("policies", 3)], allowed)).toEqual([allow("policies", 3)]);
		expect(allowsOf([guard("policies", 3, false)], allowed)).toEqual([]);
		expect(allowsOf([guard("policies", 2)], allowed)).toEqual([]);
		expect(allowsOf([guard("protected", 3)], allowed)).toEqual([]);
	});

	it("lets pass the guard of its kind with its number, and no other", () => {
		const guards = [guard("policies", 3), guard("policies", 4), guard("protected", 3), guard("rules", 1, false)];
		expect(blockingGuards({ guards, overrides: [allow("policies", 3)] })).toEqual([guards[1], guards[2]]);
		expect(blockingGuards({ guards, overrides: [abandonOf("3")] })).toEqual(guards.slice(0, 3));
		expect(blockingGuards({ guards })).toEqual(guards.slice(0, 3));
		expect([
			isFor(allow("policies", 3), guard("policies", 3)),
			isFor({ flag: "insecure" }, guard("policies", 3)),
		]).toEqual([true, false]);
	});
});

it("A guard warns where it is of powers and refuses nothing", () => {
	const guards = [guard("lockout", 1, false), guard("lockout", 2), guard("policies", 1, false)];
	expect(warningGuards({ guards })).toEqual([guards[0]]);
});
