/** Which tag a resource means: by name, by id, by an earlier name; one tag, one resource; and none where there is none. */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../../engine/answer.ts";
import { alice, bob, carol, keys, policies, tags, type World } from "../../world.ts";
import { adapters } from "../in-process/adapters.ts";
import { type Program, type ProgramResource, secret } from "../program.ts";

function names(world: World): object {
	const all = world.organization().userTags as { tagId: string; tagName: string }[];
	return Object.fromEntries(all.map(({ tagId, tagName }) => [tagId, tagName]));
}

const tag = (
	properties: NonNullable<ProgramResource["properties"]>,
	more: Partial<ProgramResource> = {},
): ProgramResource => ({ type: "UserTag", properties, ...more });

const found: Program = {
	resources: {
		"by-name": tag({ name: "signers", members: { exactly: [alice, carol] } }),
		"by-id": tag({
			name: "duty",
			tagId: tags.oncall.toUpperCase(),
			members: { atLeast: [bob] },
			onDestroy: "removeMembers",
		}),
		"by-earlier-name": tag({ name: "reviewers", previously: ["watchers", "auditors"], members: { atLeast: [] } }),
	},
};

/** No line of a stack trace, as Node or Pulumi would print it. */
const stackTrace = /^\s+at .+[:(]\d+/m;

describe.each(adapters)("the tag of a UserTag of $title", { timeout: 240_000 }, (adapter) => {
	it("is found by name, by id and by an earlier name, and is an error if it is gone", async () => {
		const { world, stack } = await adapter.makeWorld(found);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		// Before activities are listed, and after, for both tags.
		expect(world.requests().filter((operation) => operation === "list_user_tags")).toHaveLength(2);
		expect(names(world)).toEqual({ [tags.signers]: "signers", [tags.oncall]: "duty", [tags.auditors]: "reviewers" });

		world.clearRequests();
		expectSuccess(await stack.preview(["--expect-no-changes"]));
		expect(world.requests()).toEqual([]);

		await world.change({ remove: { userTags: [tags.auditors] } });
		expect(shown(await stack.refresh())).toMatch(/UserTag by-earlier-name deleted/);
		await expect(stack.resource("by-earlier-name")).rejects.toThrow("0 resources");
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);

		world.clearRequests();
		const missed = await stack.preview();
		expect(missed.exitCode).toBe(1);
		expect(shown(missed)).toContain("no user tag is called `reviewers`; the nearest: `signers`, `duty`");
		expect(shown(missed)).not.toMatch(stackTrace);
		expect([...world.requests()].sort()).toEqual(["list_user_tags", "list_users"]);

		// A tag that does not exist has no members to remove.
		await world.change({ remove: { userTags: [tags.oncall] } });
		expectSuccess(await stack.destroy());
		expect(world.submits()).toEqual([]);
	});

	it("has one resource, with any Provider and parent: the preview names both, by URN if the names are equal", async () => {
		const provider: ProgramResource = {
			type: "Provider",
			properties: { apiPrivateKey: secret(keys.alice.privateKey) },
		};
		const signers = tag({ name: "signers" });
		const { world, stack } = await adapter.makeWorld({
			resources: {
				provider,
				first: signers,
				second: tag({ name: "approvers", tagId: tags.signers }, { options: { provider: "provider" } }),
			},
		});
		const refused = async (pattern: RegExp): Promise<readonly string[]> => {
			const answer = await stack.preview();
			expect(answer.exitCode).toBe(1);
			expect(shown(answer)).not.toMatch(stackTrace);
			const [line, ...names] = pattern.exec(shown(answer)) ?? [];
			expect(line, shown(answer)).toBeDefined();
			return [...names].sort();
		};
		const both = /the user tag 7\S+ is managed by two resources, `(\S+)` and `(\S+)`/;
		expect(await refused(both)).toEqual(["first", "second"]);

		const parent = tag({ name: "auditors" });
		const child = { ...signers, name: "same", options: { parent: "parent" } };
		adapter.write(stack, { resources: { parent, same: signers, child } });
		const type = adapter.typeOf("UserTag");
		const urns = [`urn:pulumi:test::probe::${type}$${type}::same`, adapter.urnOf("UserTag", "same")];
		expect(await refused(both)).toEqual(urns.sort());

		const removal: ProgramResource = { type: "PolicyRemoval", properties: { policyIds: [policies[0]] } };
		const more = { ...removal, properties: { policyIds: policies.slice(0, 2) }, options: { provider: "provider" } };
		adapter.write(stack, { resources: { provider, one: removal, two: more } });
		const removed = /9\S+1 is removed by two resources, `(\w+)` and `(\w+)`; list them in one resource/;
		expect(await refused(removed)).toEqual(["one", "two"]);

		adapter.write(stack, { resources: { signers: tag({ name: "signers", members: { exactly: ["nobody"] } }) } });
		await refused(
			/UserTag resource 'signers': property members value \{.+\} has a problem: members\.exactly\[0\] must be a UUID/,
		);
		expect(world.submits()).toEqual([]);
	});
});
