/** The steps of a plan whose policies are each created by an activity of its own, as a Pulumi program has a resource for each. */
import { describe, expect, it } from "vitest";
import type { Change, PolicyChange } from "../../src/plan/change.ts";
import { standInFor, standInsIn } from "../../src/plan/stand-in.ts";
import { makeSteps } from "../../src/plan/steps.ts";

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

	it("are none where nothing is created", () => {
		expect(makeSteps([tag], [], { separately: true })).toHaveLength(1);
	});
});

describe("an id that stands in for one", () => {
	it("is found in a text and in parameters, and nowhere else", () => {
		expect(standInsIn(tagId)).toEqual([tagId]);
		expect(standInsIn({ userTagId: tagId })).toEqual([tagId]);
		expect([...standInsIn(organizationId), ...standInsIn(undefined)]).toEqual([]);
	});
});
