/** A creation of policies of which some wait for a tag. */
import { expect, it } from "vitest";
import type { Step } from "../../../src/plan/step.ts";
import { splitCreation } from "../../../src/sync/submit/later-steps.ts";

const common = { dependsOn: [], earlierActivity: null };
const creationOf = (...policies: readonly (readonly [name: string, tag: string])[]): Step => ({
	...{ ...common, id: "step-3", operation: "create_policies", dependsOn: ["step-1", "step-2"] },
	covers: policies.map(([name]) => ({ address: `policy:${name}`, id: name })),
	parameters: {
		policies: policies.map(([policyName, tag]) => ({
			...{ policyName, effect: "EFFECT_ALLOW", consensus: `approvers.any(u, u.tags.contains('${tag}'))` },
			...{ condition: "", notes: "" },
		})),
	},
	reason: { kind: "create", of: "policy", count: policies.length } as unknown as Step["reason"],
});
const tags = ["one", "two"].map(
	(name, at): Step => ({
		...{
			...common,
			id: `step-${at + 1}`,
			operation: "create_user_tag",
			covers: [{ address: `userTag:${name}`, id: `tag ${name}` }],
		},
		...{ parameters: { userTagName: name, userIds: [] }, reason: { kind: "create" } as unknown as Step["reason"] },
	}),
);

function split(creation: Step, ...pending: readonly string[]) {
	const parts = splitCreation(creation, [...tags, creation], (id) => pending.includes(id));
	return parts?.map(({ id, dependsOn, covers }) => [id, covers.map((one) => one.id).join(), dependsOn.join()]);
}

it("is split into what names no pending tag, in a new step, and the rest after it", () => {
	const creation = creationOf(["free", "none"], ["waiting", "tag one"], ["made", "tag two"]);
	expect(split(creation, "step-1")).toEqual([
		["step-4", "free,made", "step-2"],
		["step-3", "waiting", "step-1,step-2,step-4"],
	]);
});

it("is whole where no tag is pending, where all wait, and where none does", () => {
	expect(split(creationOf(["free", "none"], ["waiting", "tag one"]))).toBeUndefined();
	expect(split(creationOf(["waiting", "tag one"]), "step-1")).toBeUndefined();
	expect(split(creationOf(["free", "none"]), "step-1")).toBeUndefined();
	const [one] = tags as unknown as readonly [Step];
	const creation = creationOf(["free", "none"], ["waiting", "tag one"]);
	const joins = { ...one, earlierActivity: { id: "an activity" } } as unknown as Step;
	const others = [joins, { ...one, operation: "update_user_tag" } as unknown as Step];
	for (const other of others) expect(splitCreation(creation, [other, creation], () => true)).toBeUndefined();
});
