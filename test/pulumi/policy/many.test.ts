/** A preview of many tags and policies reads each list once, also where none of them is there yet. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../../engine/answer.ts";
import { adapters } from "../in-process/adapters.ts";
import { outputOf, type Program } from "../program.ts";

const count = 10;

const tagOf = (number: number) =>
	[`tag-${number}`, { type: "UserTag", properties: { name: `team ${number}`, create: true } }] as const;
const policyOf = (number: number) => {
	const references = { team: outputOf(`tag-${number}`, "tagId") };
	const consensus = "approvers.any(user, user.tags.contains('${userTags.team}'))";
	const condition = `wallet.id == '${String(number).padStart(8, "0")}-0000-4000-8000-000000000001'`;
	const properties = { name: `team ${number} signs`, effect: "allow", consensus, condition, references };
	return [`policy-${number}`, { type: "Policy", properties }] as const;
};
const numbers = Array.from({ length: count }, (_, index) => index);
const program: Program = { resources: Object.fromEntries([...numbers.map(tagOf), ...numbers.map(policyOf)]) };

describe.each(adapters)("a preview of many tags and policies of $title", (adapter) => {
	it("reads each list once", async () => {
		const { world, stack } = await adapter.makeWorld(program);
		expectSuccess(await stack.preview());
		const lists = world.requests().filter((name) => name.startsWith("list_") && name !== "list_activities");
		expect(lists.toSorted()).toEqual(["list_policies", "list_user_tags", "list_users"]);
		// Once for the operations of tags, once for those of policies, and once for what others have pending.
		expect(world.requests().filter((name) => name === "list_activities").length).toBeLessThanOrEqual(3);
	});
});
