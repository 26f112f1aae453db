/** The programs that `orgsync export` writes, run by the real engine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { alice, bob, carol, document, tags } from "../world.ts";
import { makeYamlWorld } from "./world.ts";

describe("the YAML program of orgsync export", { timeout: 240_000 }, () => {
	it("submits nothing in its first up, and changes nothing in its second", async () => {
		const { world, stack } = await makeYamlWorld("");
		const names = ["team/ops", "team ops", '${x} $$ "q" \\ # \'', "ünï ✓", "on", "pulumi", "__proto__", "fn::secret"];
		const made = names.map((tagName, index) => ({
			tagId: `b0000000-0000-4000-8000-00000000000${index}`,
			tagName,
			userIds: index === 0 ? [alice, bob] : [],
		}));
		await world.change({ userTags: made, users: [{ userId: bob, userName: "bob\n- # */ ${alice}" }] });
		const file = join(stack.folder, "Pulumi.yaml");
		const window = '{ user: alice, until: 2090-01-01 Europe/Berlin, reason: "$${x} \\"y\\" # z" }';
		world.write("orgsync.yaml", document(`userTags: [{ name: signers, members: { atLeast: [${window}] } }]`));
		const words = ["export", "-f", "orgsync.yaml", "--format", "pulumi-yaml", "--output", file];
		expect((await world.run(words)).code).toBe(0);
		// The stack of the tests belongs to a project of this name.
		stack.write({ "Pulumi.yaml": readFileSync(file, "utf8").replace(/^name: .*/m, "name: probe") });
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual([]);
		const kept = { user: alice, until: "2090-01-01 Europe/Berlin", reason: '${x} "y" # z' };
		expect((await stack.resource("signers")).inputs?.members).toEqual({ exactly: [kept, carol] });
		expect(expectSuccess(await stack.preview(["--expect-no-changes"]))).toContain(`${names.length + 3 + 1} unchanged`);
		const { resources = [] } = (await stack.state()).deployment;
		const found = resources.filter(({ type }) => type === "orgsync:index:UserTag").map(({ id }) => id);
		expect(found.sort()).toEqual([...Object.values(tags), ...made.map(({ tagId }) => tagId)].sort());
	});
});
