/** Many tags and policies: a preview reads each list once, and what an `up` reads does not grow with the square. */
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

/** How often each operation was asked for. */
const countByName = (names: readonly string[]): Readonly<Record<string, number>> =>
	Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

describe.each(adapters)("many tags and policies of $title", (adapter) => {
	it("are read once in a preview, each list of them", async () => {
		const { world, stack } = await adapter.makeWorld(program);
		expectSuccess(await stack.preview());
		const { list_activities, ...others } = countByName(world.requests());
		const once = { list_policies: 1, list_user_tags: 1, list_users: 1, get_organization_configs: 1, whoami: 1 };
		expect(others).toEqual(once);
		// Once for the operations of tags, once for those of policies, and once for what others have pending.
		expect(list_activities).toBeLessThanOrEqual(3);
	});

	it("are each created by one activity, and read by at most one list after it", async () => {
		const { world, stack } = await adapter.makeWorld(program);
		expectSuccess(await stack.up());
		const { create_user_tag, create_policies, ...reads } = countByName(world.requests());
		expect({ create_user_tag, create_policies }).toEqual({ create_user_tag: count, create_policies: count });
		const { list_policies = 0, list_user_tags = 0, list_users = 0, ...others } = reads;
		// One before the first submit; those that submit at once share one after it. On a slow machine, an answer gets too old.
		for (const lists of [list_policies, list_user_tags]) expect(lists).toBeLessThanOrEqual(count + 3);
		// A tag without members changes no user.
		expect(list_users).toBeLessThanOrEqual(5);
		expect(Object.keys(others).sort()).toEqual(["get_organization_configs", "list_activities", "whoami"]);
		for (const asked of Object.values(others)) expect(asked).toBeLessThanOrEqual(6);

		world.clearRequests();
		expectSuccess(await stack.up(["--expect-no-changes"]));
		expect(world.requests()).toEqual([]);
	});
});
