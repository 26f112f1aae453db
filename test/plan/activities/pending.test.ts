/** Which requests in doubt can take effect, and which policies of a step wait for a tag. */
import { describe, expect, it } from "vitest";
import { canTakeEffect, type PendingActivity, splitByTags } from "../../../src/plan/activities/pending.ts";
import { commonObjects, objectsOf, sameParameters } from "../../../src/plan/activities/requests.ts";
import type { Step } from "../../../src/plan/step.ts";
import { id } from "../support-organizations.ts";

describe("A request in doubt", () => {
	const live = [
		{ id: id("policy", 1), name: "pay" },
		{ id: id("policy", 2), name: "read" },
	];
	const request = (operation: string, parameters: object, isMissing?: true) =>
		({ operation, parameters, ...(isMissing === undefined ? {} : { isMissing }) }) as unknown as PendingActivity;
	const creating = (...names: readonly string[]) => ({ policies: names.map((policyName) => ({ policyName })) });

	it.each<[string, object, boolean]>([
		["create_policies", creating("new"), true],
		["create_policies", creating("new", "pay"), false],
		["update_policy", { policyId: id("policy", 1), policyName: "pay" }, true],
		["update_policy", { policyId: id("policy", 1), policyName: "read" }, false],
		["update_policy", { policyId: id("policy", 1), policyName: "new" }, true],
		["delete_policies", { policyIds: ["pay"], policyName: "pay" }, true],
		["create_user_tag", { userTagName: "pay", policyName: "pay" }, true],
	])("that has not arrived, %s %j, writes nothing once another policy has its name", (operation, parameters, can) => {
		expect(canTakeEffect(request(operation, parameters, true), live)).toBe(can);
		expect(canTakeEffect(request(operation, parameters), live)).toBe(true);
		expect(canTakeEffect(request(operation, parameters, true), [])).toBe(true);
	});
});

describe("A step that creates policies", () => {
	const policy = (policyName: string, consensus: string, condition = "") => ({ policyName, consensus, condition });
	const step = (policies: readonly object[], parts: object = {}): Step =>
		({
			...{ id: "step-2", operation: "create_policies", parameters: { policies }, dependsOn: ["step-1", "step-9"] },
			covers: policies.map((one) => ({ address: "policy:x", id: (one as { policyName: string }).policyName })),
			...{ reason: { kind: "create", of: "policy", count: policies.length, name: "a" }, earlierActivity: null },
			...parts,
		}) as unknown as Step;
	const tags = new Map([["step-1", "TAG"]]);
	const free = policy("free", "x", "y");
	const namesOf = (steps: readonly Step[]) => steps.map(objectsOf);

	it("is split where some of them name a tag that is pending: the others wait for it no more", () => {
		const whole = step([policy("by-who", "has TAG"), free, policy("by-what", "", "is TAG")]);
		const [first, second, ...more] = splitByTags(whole, tags);
		expect(more).toEqual([]);
		expect(namesOf([first as Step, second as Step])).toEqual([["free"], ["by-what", "by-who"]]);
		expect([first?.dependsOn, second?.dependsOn]).toEqual([["step-9"], ["step-1", "step-9"]]);
		expect(first?.reason).toMatchObject({ count: 1, name: "free" });
	});

	it("is whole where all of them name it, none does, none is pending, or the step is held", () => {
		const named = step([policy("a", "TAG"), policy("b", "TAG")]);
		const [both, none] = [step([policy("a", "TAG"), free]), step([free, policy("b", "")])];
		const held = { ...both, earlierActivity: { relation: "same" } } as never as Step;
		const other = { ...both, operation: "update_policy" } as never as Step;
		for (const one of [named, none, held, other]) expect(splitByTags(one, tags)).toEqual([one]);
		expect(splitByTags(both, new Map())).toEqual([both]);
	});
});

describe("Requests", () => {
	it("change the same objects by ids in any case, each once, and sorted", () => {
		const policies = (...policyIds: readonly string[]) =>
			({ operation: "delete_policies", parameters: { policyIds } }) as const;
		expect(objectsOf(policies("B", "a", "b"))).toEqual(["a", "b"]);
		expect(commonObjects(policies("a", "b"), policies("B", "c"))).toEqual(["b"]);
		const created = { policies: [{ policyName: "b" }, { policyName: "a" }, { policyName: "b" }] };
		expect(objectsOf({ operation: "create_policies", parameters: created })).toEqual(["a", "b"]);
		const providers = (userId: unknown) => ({
			...{ operation: "delete_oauth_providers", parameters: { userId, providerIds: ["p"] } },
		});
		const own = providers("U") as {
			operation: "delete_oauth_providers";
			parameters: { userId: string; providerIds: string[] };
		};
		expect(commonObjects(own, providers("u"))).toEqual(["p"]);
		expect([null, 5, "v"].map((userId) => commonObjects(own, providers(userId)))).toEqual([[], [], []]);
	});

	it.each<[object, object, boolean]>([
		[{ a: ["X", "y"] }, { a: ["y", "x", "x"] }, true],
		[{ userId: "X" }, { userId: "x" }, true],
		[{ name: "X" }, { name: "x" }, false],
		[{ idle: "X" }, { idle: "x" }, false],
		[{ Ids: "X" }, { Ids: "x" }, false],
		[{ a: null, b: "", c: [], d: undefined }, {}, true],
		[{ a: 0 }, {}, false],
		[{ policies: [{ a: "1", notes: "" }] }, { policies: [{ a: "1" }] }, true],
		[{ policies: [{ a: "1" }, { a: "2" }] }, { policies: [{ a: "2" }, { a: "1" }] }, false],
		[{ policies: [{ a: "1" }, "x"] }, { policies: [{ a: "1" }, "x"] }, true],
		[{ policies: [{ a: "1" }, "X"] }, { policies: [{ a: "1" }, "x"] }, false],
	])("ask for the same, %j and %j: %s", (left, right, is) => {
		expect(sameParameters(left as never, right as never)).toBe(is);
		expect(sameParameters(right as never, left as never)).toBe(is);
	});
});
