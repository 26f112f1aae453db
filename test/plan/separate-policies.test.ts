/** The steps of a plan whose policies are each created by an activity of its own, as a Pulumi program has a resource for each. */
import { describe, expect, it } from "vitest";
import { narrowStep } from "../../src/plan/activities/requests.ts";
import type { Change, PolicyChange } from "../../src/plan/change.ts";
import { fillStandIns, idsOfStandIns, standInFor, standInsIn } from "../../src/plan/stand-in.ts";
import type { Step } from "../../src/plan/step.ts";
import { makeSteps, operationsFor } from "../../src/plan/steps.ts";
import { stepText } from "../../src/say/steps.ts";

const organizationId = "00000000-0000-4000-8000-000000000001";
const tagId = standInFor(organizationId, "userTag", "treasury");

const created = (name: string, consensus = ""): PolicyChange => ({
	...{ address: `policy:${name}`, kind: "policy", action: "create", reason: "not-there", basis: "live", userId: null },
	...{ id: standInFor(organizationId, "policy", name), before: null, writtenBefore: null, takesOver: false },
	after: { name, effect: "EFFECT_DENY", consensus, condition: "", notes: "", time: "" },
	written: { consensus, condition: "" },
});
const tag: Change = {
	...{ address: "userTag:treasury", kind: "userTag", action: "create", reason: "not-there", basis: "live", tagId },
	...{ before: { name: "treasury", members: [] }, after: { name: "treasury", members: [] } },
	...{ addUserIds: [], removeUserIds: [], lastApplied: null },
};
const changes = [tag, created("one"), created("two", `approvers.any(user, user.tags.contains('${tagId}'))`)];
const namesOf = (steps: ReturnType<typeof makeSteps>) =>
	steps.map(({ covers }) => covers.map(({ address }) => address));

describe("the creations of policies", () => {
	it("are one activity, which waits for every tag that one of them names", () => {
		const steps = makeSteps(changes, []);
		expect(namesOf(steps)).toEqual([["userTag:treasury"], ["policy:one", "policy:two"]]);
		expect(steps[1]?.dependsOn).toEqual(["step-1"]);
	});

	it("are one activity each where that is asked for, of which only those wait that name a new tag", () => {
		const steps = makeSteps(changes, [], { separately: true });
		expect(namesOf(steps)).toEqual([["userTag:treasury"], ["policy:one"], ["policy:two"]]);
		expect(steps.map(({ dependsOn }) => dependsOn)).toEqual([[], [], ["step-1"]]);
	});

	it("are said by the names of their own policies, also where only some remain", () => {
		const step = makeSteps(changes, [])[1] as Step;
		expect(stepText(step)).toBe("create 2 policies at once");
		expect(stepText(narrowStep(step, ["two"]))).toBe("create the policy `two`");
	});

	it("are none where nothing is created", () => {
		expect(makeSteps([tag], [], { separately: true })).toHaveLength(1);
	});
});

describe("the change of a policy", () => {
	const livePolicies = [1, 2].map((number) => ({
		id: `00000000-0000-4000-8000-0000000000a${number}`,
		name: `p${number}`,
	}));
	const renamed = (number: number, to: string, condition = ""): PolicyChange => {
		const { id, name } = livePolicies[number - 1] as { id: string; name: string };
		const change = created(to);
		return {
			...change,
			action: "update",
			id,
			before: { ...change.after, name },
			after: { ...change.after, condition },
		};
	};
	const wordsOf = (...changed: readonly PolicyChange[]) => makeSteps(changed, [], {}, livePolicies).map(stepText);

	it("is said as a rename where nothing else changes", () => {
		expect(wordsOf(renamed(1, "p3"))).toEqual(["rename `p1` to `p3`"]);
	});

	it("is said by the live name where more changes", () => {
		expect(wordsOf(renamed(1, "p3", "true"))).toEqual(["change the policy `p1`"]);
	});

	it("says that a policy takes a temporary name where names are exchanged", () => {
		expect(wordsOf(renamed(1, "p2"), renamed(2, "p1"))).toEqual([
			expect.stringMatching(/^`p\d` takes a temporary name, because names are exchanged/),
			expect.stringMatching(/^rename `p\d` to `p\d`$/),
			expect.stringMatching(/^rename `p\d` to `p\d`$/),
		]);
	});
});

describe("the order of policies", () => {
	const live = [1, 2, 3].map((number) => ({ id: `00000000-0000-4000-8000-0000000000b${number}`, name: `p${number}` }));
	const [one, two] = live as [{ id: string; name: string }, { id: string; name: string }];
	const changed = ({ id, name }: typeof one, to: string, time = "", before = time): PolicyChange => {
		const change = created(to);
		const was = { ...change.after, name, time: before };
		return { ...change, action: "update", id, before: was, after: { ...change.after, time } };
	};
	const removal = ({ id, name }: typeof one): Change => {
		const change = { kind: "policy", action: "remove", address: `policy:${name}`, id, userId: null, before: { name } };
		return { ...change, after: null, reason: "is-there", basis: "live" } as Change;
	};
	const told = (...all: readonly Change[]) =>
		makeSteps(all, [], {}, live).map(({ id, operation, covers, dependsOn }) =>
			[id, operation, covers.map((covered) => covered.address).join("+"), ...dependsOn].join(" "),
		);

	it("lets what frees a name come first: the removal of its holder, or the rename of it", () => {
		expect(told(created("p1"), removal(one))).toEqual([
			"step-1 create_policies policy:p1 step-2",
			"step-2 delete_policies policy:p1",
		]);
		expect(told(created("p1"), changed(one, "other"))).toEqual([
			"step-1 create_policies policy:p1 step-2",
			"step-2 update_policy policy:other",
		]);
		expect(told(changed(two, "p1"), removal(one))).toEqual([
			"step-1 update_policy policy:p1 step-2",
			"step-2 delete_policies policy:p1",
		]);
		expect(told(changed(two, "p1"), changed(one, "other"))).toEqual([
			"step-1 update_policy policy:other",
			"step-2 update_policy policy:p1 step-1",
		]);
		expect(told(created("new"), removal(one), changed(two, "p2", "t"))).toEqual([
			...["step-1 create_policies policy:new", "step-2 update_policy policy:p2", "step-3 delete_policies policy:p1"],
		]);
	});

	it("lets the creation of a tag come first that a changed policy names", () => {
		const change = changed(two, "p2");
		const naming = { ...change, after: { ...change.after, condition: `'${tagId}'` } };
		expect(told(tag, naming)).toEqual([
			"step-1 create_user_tag userTag:treasury",
			"step-2 update_policy policy:p2 step-1",
		]);
		const removedTag = { ...tag, action: "remove" } as Change;
		expect(told(removedTag, naming)[0]).toBe("step-1 update_policy policy:p2");
	});

	it("has the time of a policy in its update where it has a window, before or after", () => {
		const timeIn = (time: string, before: string): unknown => {
			const [step] = makeSteps([changed(one, "p1", time, before)], [], {}, live);
			return step?.operation === "update_policy" ? step.parameters.time : null;
		};
		expect([timeIn("", ""), timeIn("t", ""), timeIn("", "t"), timeIn("t", "u")]).toEqual([undefined, "t", "", "t"]);
	});
});

describe("the operations of changes", () => {
	const removed = { ...created("one"), action: "remove" } as never as Change;
	const updated = { ...created("one"), action: "update" } as Change;
	const report = { ...created("one"), kind: "mfaPolicy", action: "report" } as never as Change;
	const provider = { ...removed, kind: "oauthProvider" } as never as Change;
	const app = { ...removed, kind: "tvcApp" } as never as Change;

	it("are those of their steps, each once and in their order", () => {
		const tags = (action: string) => ({ ...tag, action }) as Change;
		expect(operationsFor([])).toEqual([]);
		expect(operationsFor([report])).toEqual([]);
		expect(operationsFor([app, removed, provider])).toEqual([
			...["delete_oauth_providers", "delete_policies", "delete_tvc_app_and_deployments"],
		]);
		expect(operationsFor([created("one"), created("two")])).toEqual(["create_policies"]);
		expect(operationsFor([updated])).toEqual(["update_policy"]);
		expect(operationsFor([tags("remove"), tags("update"), tags("create"), updated, created("two")])).toEqual([
			...["create_user_tag", "update_user_tag", "create_policies", "update_policy", "delete_user_tags"],
		]);
	});
});

describe("an id that stands in for one", () => {
	it("is a UUID of version 8, the same for the same object alone", () => {
		expect(tagId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
		const ids = [tagId, standInFor(organizationId, "policy", "treasury"), standInFor("o", "userTag", "treasury")];
		expect(new Set([...ids, standInFor(organizationId, "userTag", "other")]).size).toBe(4);
		expect(standInFor(organizationId, "userTag", "treasury")).toBe(tagId);
	});

	it("is that of the id in its place in the same parameters, of stand-ins alone", () => {
		const [policy, made] = [standInFor(organizationId, "policy", "one"), "00000000-0000-4000-8000-0000000000c1"];
		const request = (first: string, second: string) => ({ consensus: `'${first}' '${organizationId}'`, ids: [second] });
		expect([...idsOfStandIns(request(tagId, policy), request(made, organizationId))]).toEqual([
			[tagId, made],
			[policy, organizationId],
		]);
		expect([...idsOfStandIns(request(tagId, policy), { consensus: `'${made}'` })]).toEqual([[tagId, made]]);
		expect([...idsOfStandIns({ ids: [organizationId] }, { ids: [made] })]).toEqual([]);
	});

	it("is filled wherever it is, and nothing else is", () => {
		const parameters = { ids: [tagId, tagId], text: `x${tagId}` };
		const ids = new Map([[tagId, organizationId]]);
		expect(fillStandIns(parameters, ids)).toEqual({
			ids: [organizationId, organizationId],
			text: `x${organizationId}`,
		});
		const other = { ids: ["y"] };
		expect(fillStandIns(other, ids)).toBe(other);
	});

	it("is found in a text and in parameters, and nowhere else", () => {
		expect(standInsIn(tagId)).toEqual([tagId]);
		expect(standInsIn({ userTagId: tagId })).toEqual([tagId]);
		expect([...standInsIn(organizationId), ...standInsIn(undefined)]).toEqual([]);
	});
});
