/** `pulumi import`, the option `import` and `get` of the plugin's resources, under the real engine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../engine/answer.ts";
import { alice, bob, carol, organizationId, tags } from "../world.ts";
import { expectNoSecretIn } from "./checks.ts";
import { makeYamlWorld } from "./world.ts";

const oddNames = ["team/ops", '${x} "q" \\ # \'', "ünïcødé ✓", "b1000000-0000-4000-8000-000000000001"];

describe("pulumi import", { timeout: 240_000 }, () => {
	it("writes code that changes nothing, beside tags imported by an option and tags that are only read", async () => {
		const { world, stack } = await makeYamlWorld("");
		const made = oddNames.map((tagName, index) => ({ tagId: `b0000000-0000-4000-8000-00000000000${index}`, tagName }));
		await world.change({ userTags: made });
		const ids = ["signers", ...oddNames.map((name) => `${organizationId}/${name}`)];
		const resources = ids.map((id, index) => ({ type: "orgsync:index:UserTag", name: `tag-${index}`, id }));
		stack.write({ "import.json": JSON.stringify({ resources }) });
		expectSuccess(await stack.pulumi(["import", "--file", "import.json", "--yes", "--out", "generated.yaml"]));
		const code = readFileSync(join(stack.folder, "generated.yaml"), "utf8");
		expect(code).toContain(`resources:
  tag-0:
    type: orgsync:UserTag
    properties:
      members:
        exactly:
          - ${alice}
          - ${carol}
      name: signers
      organizationId: ${organizationId}
    options:
      protect: true
`);
		expect((await stack.resource("tag-0")).id).toBe(tags.signers);

		world.clearRequests();
		stack.write({
			"Pulumi.yaml": `name: probe
runtime: yaml
${code.trimEnd()}
  oncall:
    type: orgsync:index:UserTag
    properties: { name: oncall, members: { exactly: ["${bob}"] } }
    options: { import: "${organizationId}/oncall" }
  by-id:
    type: orgsync:index:UserTag
    get: { id: "${tags.signers.toUpperCase()}" }
  by-name:
    type: orgsync:index:UserTag
    get: { id: "${organizationId}/auditors" }
outputs:
  members: \${by-id.members.exactly}
  tagId: \${by-name.tagId}
`,
		});
		const answer = expectSuccess(await stack.up());
		expect(answer).toContain("= 1 imported");
		expect(answer).toContain("6 unchanged");
		expect(await stack.outputs()).toEqual({ members: [alice, carol], tagId: tags.auditors });
		expect(world.submits()).toEqual([]);
		expectNoSecretIn(stack);
	});
});
