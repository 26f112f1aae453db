/** The steps of a plan whose policies are each created by an activity of its own, as a Pulumi program has a resource for each. */
import { describe, expect, it } from "vitest";
import { narrowStep } from "../../src/plan/activities/requests.ts";
import type { Change, PolicyChange } from "../../src/plan/change.ts";
import { standInFor, standInsIn } from "../../src/plan/stand-in.ts";
import type { Step } from "../../src/plan/step.ts";
import { makeSteps } from "../../src/plan/steps.ts";
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

describe("an id that stands in for one", () => {
	it("is found in a text and in parameters, and nowhere else", () => {
		expect(standInsIn(tagId)).toEqual([tagId]);
		expect(standInsIn({ userTagId: tagId })).toEqual([tagId]);
		expect([...standInsIn(organizationId), ...standInsIn(undefined)]).toEqual([]);
	});
});
