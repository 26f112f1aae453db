/**
 * The life of a user tag under `pulumi`: made so, left alone, drifted, repaired, changed, destroyed; where the service
 * shows its members, and where it shows only their tag.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, carol, tags, type World } from "../../world.ts";
import { expectNoSecretIn } from "../checks.ts";
import { adapters } from "../in-process/adapters.ts";
import type { InProcessStack } from "../in-process/stack.ts";
import { outputOf, type Program } from "../program.ts";

/** Name and members of a tag as they are in the organization. */
function live(world: World, tagId: string): object {
	const all = world.organization().userTags as { tagId: string; tagName: string; userIds: string[] }[];
	const { tagName, userIds } = all.find((tag) => tag.tagId === tagId) ?? { tagName: "", userIds: [] };
	return { name: tagName, members: [...userIds].sort() };
}

/** Name and members of the tag as the state of its resource has them. */
async function kept(stack: InProcessStack): Promise<object> {
	const { outputs = {}, inputs = {} } = await stack.resource("signers");
	expect(inputs.members).toEqual(outputs.members);
	return { name: outputs.name, members: outputs.members };
}

const program = (name: string, exactly: readonly string[], more = {}): Program => ({
	resources: { signers: { type: "UserTag", properties: { name, members: { exactly }, ...more } } },
	outputs: { tagId: outputOf("signers", "tagId") },
});
const signers = program("signers", [bob, alice]);
const lastIntent = (world: World) => world.activities().at(-1).intent.updateUserTagIntent;

describe.each(adapters)("a UserTag of $title", (adapter) => {
	it("is brought in sync, repaired, changed and destroyed with one activity each, and costs no other request", async () => {
		const { world, stack } = await adapter.makeWorld(signers);
		// The caller keeps a tag, so no guard blocks what follows.
		await world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });

		expect(shown(await stack.preview())).toContain(
			`signers: adopts the user tag signers, adds the member ${bob}, removes the member ${carol}`,
		);
		expect([...world.requests()].sort()).toEqual([
			"get_organization_configs",
			// The preview says which changes a pending activity makes.
			"list_activities",
			"list_policies",
			"list_user_tags",
			"list_users",
			"whoami",
		]);
		expect(live(world, tags.signers)).toEqual({ name: "signers", members: [alice, carol] });

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(live(world, tags.signers)).toEqual({ name: "signers", members: [alice, bob] });

		world.clearRequests();
		expect(expectSuccess(await stack.up())).toContain("2 unchanged");
		expect(world.requests()).toEqual([]);

		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [alice, carol] }] });
		expect((await stack.preview(["--refresh", "--expect-no-changes"])).exitCode).toBe(7);
		world.clearRequests();
		expectSuccess(await stack.refresh());
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);
		expect(await kept(stack)).toEqual({ name: "signatories", members: { exactly: [alice, carol] } });

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(live(world, tags.signers)).toEqual({ name: "signers", members: [alice, bob] });

		adapter.write(stack, program("approvers", [carol, alice], { onDestroy: "removeMembers" }));
		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag"]);
		const edit = { userTagId: tags.signers, newUserTagName: "approvers", addUserIds: [carol], removeUserIds: [bob] };
		expect(lastIntent(world)).toEqual(edit);

		// Changes that another client made in the meantime stay.
		await world.change({ userTags: [{ tagId: tags.signers, tagName: "voters", userIds: [alice, bob, carol] }] });
		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual(["update_user_tag"]);
		expect(lastIntent(world)).toEqual({ userTagId: tags.signers, addUserIds: [], removeUserIds: [alice, carol] });
		expect(live(world, tags.signers)).toEqual({ name: "voters", members: [bob] });
		expectNoSecretIn(stack);
	});
});
