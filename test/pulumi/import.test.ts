/** `pulumi import`, the option `import` and `get` of the plugin's resources, under the real engine. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageSchemaText } from "../../scripts/package-schema.ts";
import { expectSuccess } from "../engine/answer.ts";
import { ensureGenerators, generateProgram } from "../engine/generators.ts";
import type { Call } from "../engine/stack-files.ts";
import { orSkip } from "../left-out.ts";
import { alice, bob, carol, organizationId, tags } from "../world.ts";
import { expectNoSecretIn } from "./checks.ts";
import { makeYamlWorld } from "./world.ts";

const oddNames = ["team/ops", '${x} "q" \\ # \'', "ünïcødé ✓", "b1000000-0000-4000-8000-000000000001"];

/** In PCL, Pulumi's own language, the engine describes to the host of a language what it has imported. */
function describedIn(calls: readonly Call[]): string {
	const asked = calls.find(({ method }) => method.endsWith("/GenerateProgram"));
	return Object.values(asked?.request.source as Readonly<Record<string, string>>).join("\n");
}

/**
 * The code of the first tag in other languages. It is of the generators that their hosts have in this version of Pulumi: the hosts that
 * the tests build are older and have none.
 */
const codes = [
	[
		"nodejs",
		`const tag_0 = new orgsync.UserTag("tag-0", {
    members: {
        exactly: [
            "${alice}",
            "${carol}",
        ],
    },
    name: "signers",
    organizationId: "${organizationId}",
}, {
    protect: true,
});`,
		(name: string) => `name: ${name},`,
	],
	[
		"python",
		`tag_0 = orgsync.UserTag("tag-0",
    members={
        "exactly": [
            "${alice}",
            "${carol}",
        ],
    },
    name="signers",
    organization_id="${organizationId}",
    opts = pulumi.ResourceOptions(protect=True))`,
		(name: string) => `name=${name},`,
	],
	[
		"go",
		`		_, err := orgsync.NewUserTag(ctx, "tag-0", &orgsync.UserTagArgs{
			Members: &orgsync.MembersArgs{
				Exactly: pulumi.Array{
					pulumi.Any("${alice}"),
					pulumi.Any("${carol}"),
				},
			},
			Name:           pulumi.String("signers"),
			OrganizationId: pulumi.String("${organizationId}"),
		}, pulumi.Protect(true))`,
		(name: string) => `pulumi.String(${name}),`,
	],
] as const;

describe("pulumi import", { timeout: 240_000 }, () => {
	it("writes code that changes nothing, beside tags imported by an option and tags that are only read", async (context) => {
		const { world, stack } = await makeYamlWorld("", { recordCalls: true });
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
		const described = describedIn(stack.calls());

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

		const generators = await orSkip(context, ensureGenerators);
		const file = join(stack.folder, "imported.pp");
		writeFileSync(file, described);
		for (const [language, code, nameIs] of codes) {
			const generated = generateProgram(generators, language, packageSchemaText(), file);
			expect(generated).toContain(code);
			for (const name of oddNames) expect(generated).toContain(nameIs(JSON.stringify(name)));
		}
	});
});
