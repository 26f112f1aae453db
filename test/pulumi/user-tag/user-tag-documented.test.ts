/** A user tag where the service shows only the tag: what the state of its resource says of members that no one can see. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, carol, tags, type World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import type { InProcessStack } from "../in-process/stack.ts";
import type { Program } from "../program.ts";

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

const signers: Program = {
	resources: { signers: { type: "UserTag", properties: { name: "signers", members: { exactly: [bob, alice] } } } },
};
const lastIntent = (world: World) => world.activities().at(-1).intent.updateUserTagIntent;

describe.each(adapters)("a UserTag of $title with documented reads", (adapter) => {
	it("does not show members as known if the service has only the documented queries", async () => {
		const { world, stack } = await adapter.makeWorld(signers, {
			serves: "documented",
			env: { ORGSYNC_READS: "documented" },
		});
		expectSuccess(await stack.up());
		// The second read gets the time of our own change, which distinguishes it from another client's.
		expect(world.requests()).toEqual(["list_user_tags", "update_user_tag", "list_user_tags"]);
		expect(lastIntent(world)).toMatchObject({ addUserIds: [alice, bob], removeUserIds: [] });

		world.clearRequests();
		expect(expectSuccess(await stack.refresh())).toContain("2 unchanged");
		expect(await kept(stack)).toEqual({ name: "signers", members: { exactly: [alice, bob] } });

		await world.change({ userTags: [{ tagId: tags.signers, tagName: "signatories", userIds: [carol] }] });
		expect(shown(await stack.refresh(["--diff"]))).toMatch(/- members *: \{/);
		expect(await kept(stack)).toEqual({ name: "signatories", members: undefined });
		expect(world.requests()).toEqual(["list_user_tags", "list_user_tags"]);

		world.clearRequests();
		expectSuccess(await stack.up());
		expect(world.requests()).toEqual(["list_user_tags", "update_user_tag", "list_user_tags"]);
		const edit = { newUserTagName: "signers", addUserIds: [alice, bob], removeUserIds: [] };
		expect(lastIntent(world)).toEqual({ userTagId: tags.signers, ...edit });

		world.clearRequests();
		expectSuccess(await stack.destroy());
		expect(world.requests()).toEqual([]);
		expect(live(world, tags.signers)).toEqual({ name: "signers", members: [alice, bob, carol] });
	});
});
