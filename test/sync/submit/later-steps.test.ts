/** A creation of policies of which some wait for a tag. */
import { expect, it } from "vitest";
import { LiveProblemError } from "../../../src/common/errors.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import type { Step } from "../../../src/plan/step.ts";
import type { Comparison } from "../../../src/sync/converge.ts";
import { planLater, splitCreation } from "../../../src/sync/submit/later-steps.ts";

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

const removals = (found: number, refuses = true, kind = "removals") =>
	({ kind, found, refuses, finding: { what: "updates" } }) as unknown as Plan["guards"][number];

it.each<
	[what: string, first: readonly Plan["guards"][number][], later: readonly Plan["guards"][number][], goesOn: boolean]
>([
	["no guard", [], [], true],
	["a guard that refuses nothing", [], [removals(3, false)], true],
	["a guard since", [], [removals(3)], false],
	["as much as the operator allowed", [removals(3)], [removals(3)], true],
	["more than the operator allowed", [removals(2)], [removals(3)], false],
	["what a guard did not refuse then", [removals(3, false)], [removals(3)], false],
	["another guard than the operator allowed", [removals(3, true, "memberRemovals")], [removals(3)], false],
])("a plan that is made again goes on unless a guard blocks more: %s", async (_what, first, later, goesOn) => {
	const live = { userTags: { known: false } };
	const comparison = { plan: { guards: later }, live } as unknown as Comparison;
	const made = await planLater({ guards: first } as unknown as Plan, async () => comparison);
	if (goesOn) expect(made.plan).toBe(comparison.plan);
	else expect(made).toMatchObject({ plan: null, because: "blocked by a guard since: 3 policies would be changed" });
});

it("is no plan where the organization cannot be read again; any other error is thrown", async () => {
	const again = (error: Error) => planLater({} as Plan, () => Promise.reject(error));
	const because = "the organization could not be read again: gone";
	expect(await again(new LiveProblemError("gone", { hint: "" }))).toEqual({ plan: null, because });
	await expect(again(new TypeError("a defect"))).rejects.toThrow(TypeError);
});
