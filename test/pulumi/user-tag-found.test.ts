/** Which tag a resource means: by name, by id, by an earlier name; one tag, one resource; and none where there is none. */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/harness.ts";
import { alice, bob, carol, policies, tags, type World } from "../world.ts";
import { makePulumiWorld, shown, withImports } from "./world.ts";

function names(world: World): object {
	const all = world.organization().userTags as { tagId: string; tagName: string }[];
	return Object.fromEntries(all.map(({ tagId, tagName }) => [tagId, tagName]));
}

const found = `
const members = { atLeast: ["${bob}"] };
new orgsync.UserTag("by-name", { name: "signers", members: { exactly: ["${alice}", "${carol}"] } });
new orgsync.UserTag("by-id", { name: "duty", tagId: "${tags.oncall.toUpperCase()}", members, onDestroy: "removeMembers" });
new orgsync.UserTag("by-earlier-name", { name: "reviewers", previously: ["watchers", "auditors"], members: { atLeast: [] } });`;

/** No line of a stack trace, as Node or Pulumi would print it. */
const stackTrace = /^\s+at .+[:(]\d+/m;

describe("the tag of a UserTag", { timeout: 240_000 }, () => {
	it("is found by name, by id and by an earlier name, and is an error if it is gone", async () => {
		const { world, stack } = await makePulumiWorld(found);
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		expect(world.requests().filter((operation) => operation === "list_user_tags")).toHaveLength(1);
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

	it("has one resource: a second resource is an error of the preview that names both", async () => {
		const { world, stack } = await makePulumiWorld(`
new orgsync.UserTag("first", { name: "signers" });
new orgsync.UserTag("second", { name: "approvers", tagId: "${tags.signers}" });`);
		const twice = await stack.preview();
		expect(twice.exitCode).toBe(1);
		expect(shown(twice)).toMatch(
			/the user tag 7\S+ is managed by two resources, `(first|second)` and `(first|second)`/,
		);
		expect(shown(twice)).toContain("`first`");
		expect(shown(twice)).toContain("`second`");
		expect(shown(twice)).not.toMatch(stackTrace);
		expect(world.submits()).toEqual([]);

		stack.write({ "index.mjs": withImports(`new orgsync.UserTag("signers", { name: "signers", members: null });`) });
		const wrong = await stack.preview();
		expect(wrong.exitCode).toBe(1);
		expect(shown(wrong)).toMatch(/UserTag resource 'signers': property members value \{\S+\} has a problem: is null/);
		expect(shown(wrong)).not.toMatch(stackTrace);
	});

	it("has one resource with any Provider and parent: the error names both, by URN if the names are equal", async () => {
		const provider = `const apiPrivateKey = pulumi.secret(process.env.ORGSYNC_API_PRIVATE_KEY);
const provider = new orgsync.Provider("other", { apiPrivateKey });
const parent = new pulumi.ComponentResource("probe:index:Parent", "parent");\n`;
		const { world, stack } = await makePulumiWorld(`${provider}
new orgsync.UserTag("first", { name: "signers" });
new orgsync.UserTag("second", { name: "approvers", tagId: "${tags.signers}" }, { provider });`);
		const both = /the user tag 7\S+ is managed by two resources, `(\S+)` and `(\S+)`/;
		const refuse = async (...names: readonly string[]) => {
			const answer = await stack.preview();
			expect(answer.exitCode).toBe(1);
			const [, ...found] = both.exec(shown(answer)) ?? [];
			expect([...found].sort()).toEqual(names);
		};
		await refuse("first", "second");

		stack.write({
			"index.mjs": withImports(`${provider}
new orgsync.UserTag("same", { name: "signers" });
new orgsync.UserTag("same", { name: "signers" }, { parent });`),
		});
		const type = "pulumi-nodejs:dynamic/orgsync:UserTag";
		const urns = [`urn:pulumi:test::probe::probe:index:Parent$${type}::same`, `urn:pulumi:test::probe::${type}::same`];
		await refuse(...urns);

		stack.write({
			"index.mjs": withImports(`${provider}
new orgsync.PolicyRemoval("one", { policyIds: ["${policies[0]}"] });
new orgsync.PolicyRemoval("two", { policyIds: ["${policies[0]}"] }, { provider });`),
		});
		const removed = await stack.preview();
		expect(shown(removed)).toMatch(
			/9\S+1 is removed by two resources, `(one|two)` and `(one|two)`; list them in one resource/,
		);
		expect(world.submits()).toEqual([]);
	});
});
