/** A UserTag with `onDestroy: "removeMembers"` that the real engine replaces: the tag keeps its members, and the output says so. */
import { describe, expect, it } from "vitest";
import { type Answer, expectSuccess, shown } from "../engine/answer.ts";
import { alice, bob, tags, type World } from "../world.ts";
import { plugin } from "./adapters.ts";
import type { Program, ProgramResource } from "./program.ts";
import type { PulumiWorld } from "./world.ts";

/** A program whose one resource gives the tag to alice and bob. */
const program = (resource: string, options: ProgramResource["options"] = {}): Program => ({
	resources: {
		[resource]: {
			type: "UserTag",
			properties: { name: "signers", members: { exactly: [alice, bob] }, onDestroy: "removeMembers" },
			options,
		},
	},
});

const members = (world: World): readonly string[] =>
	[...world.organization().userTags.find(({ tagId }: { tagId: string }) => tagId === tags.signers).userIds].sort();

/** A stack whose resource `signers` has given the tag to alice and bob. */
async function makeSigners(): Promise<PulumiWorld> {
	const made = await plugin.makeWorld(program("signers"));
	// The one who applies keeps a tag, so that no guard minds.
	await made.world.change({ userTags: [{ tagId: tags.auditors, userIds: [alice] }] });
	expectSuccess(await made.stack.up());
	made.world.clearRequests();
	return made;
}

/** Expects that the command succeeded, removed no members, and printed why. */
function expectLeft(world: World, answer: Answer, resource: string, because: string): void {
	expectSuccess(answer);
	expect(shown(answer)).toContain(
		`${resource}: its 2 members keep the user tag: ${because}; to remove members, list them under \`never\``,
	);
	expect(members(world)).toEqual([alice, bob]);
	expect(world.submits()).toEqual([]);
}

const managedBy = (resource: string) => `the program manages it with the resource \`${resource}\``;

describe("deleting a UserTag of the plugin with removeMembers under the engine", { timeout: 240_000 }, () => {
	const urn = plugin.urnOf("UserTag", "signers");

	it("keeps the members for a replacement, also of a tainted resource and with deleteBeforeReplace", async () => {
		const { world, stack } = await makeSigners();
		expectSuccess(await stack.pulumi(["state", "taint", urn, "--yes"]));
		expectLeft(world, await stack.up(), "signers", managedBy("signers"));
		plugin.write(stack, program("signers", { deleteBeforeReplace: true }));
		expectLeft(world, await stack.up(["--replace", urn, "--parallel", "1"]), "signers", managedBy("signers"));
	});
});
