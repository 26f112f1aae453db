/**
 * Programs with the generated SDKs, one in each language, under the real engine with the language's own host. All say the same:
 * a resource, a component, an existing tag and a function.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { goProgram } from "../engine/go-program.ts";
import { expectSuccess } from "../engine/harness.ts";
import { goRuntime, pythonRuntime, type Runtime, typescriptRuntime } from "../engine/languages.ts";
import { orSkip } from "../engine/needed.ts";
import { shareNodeSdk } from "../engine/node-sdk.ts";
import { sharePythonSdk } from "../engine/python.ts";
import { expectNoSecretIn, makePulumiWorld } from "../pulumi/world.ts";
import { alice, bob, organizationId, tags } from "../world.ts";

interface Program {
	readonly language: string;
	makeRuntime(): Promise<Runtime>;
	/** The file of the project, and where the test has it. */
	readonly file?: readonly [name: string, source: string];
}

const programs: readonly Program[] = [
	{ language: "Python", makeRuntime: pythonRuntime, file: ["__main__.py", "main.py"] },
	{ language: "Go", makeRuntime: () => goRuntime(goProgram) },
	{ language: "TypeScript", makeRuntime: typescriptRuntime, file: ["index.mts", "typescript.mts"] },
];

const document = `organizationId: ${organizationId}
userTags:
  - name: auditors
    members: { exactly: ["${alice}"] }
`;

// Building what a language needs takes minutes on a fresh machine; `npm run engine` has done that before.
describe("a program in", { timeout: 20 * 60_000 }, () => {
	it.for(programs)("$language applies, finds no change after a refresh, and imports", async (program, context) => {
		const { file, makeRuntime } = program;
		const { runtime, ...options } = await orSkip(context, makeRuntime);
		const { world, stack } = await makePulumiWorld("", {
			...options,
			files: {
				"Pulumi.yaml": `name: probe\nruntime: ${runtime}\n`,
				"acme.yaml": document,
				...(file === undefined ? {} : { [file[0]]: readFileSync(`test/sdk/programs/${file[1]}`, "utf8") }),
			},
			env: { ...options.env, ALICE: alice, BOB: bob, ONCALL: tags.oncall },
			orgsync: null,
			plugin: true,
		});
		expectSuccess(await stack.up());
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		expect(await stack.outputs()).toMatchObject({ tagId: tags.signers, oncall: "oncall", tags: 3 });
		expectSuccess(await stack.up(["--refresh", "--expect-no-changes"]));
		const id = `${organizationId}/oncall`;
		const words = ["orgsync:index:UserTag", "imported", id, "--yes", "--skip-preview", "--generate-code=false"];
		expectSuccess(await stack.pulumi(["import", ...words]));
		expect(await stack.resource("imported")).toMatchObject({ id: tags.oncall, inputs: { name: "oncall" } });
		expect(world.submits()).toEqual(["update_user_tag", "update_user_tag"]);
		expectNoSecretIn(stack);
	});
});

describe("the package", { timeout: 20 * 60_000 }, () => {
	it("for Node is compiled to what npm gets, and names the plugin", async () => {
		const folder = await shareNodeSdk(inject("sharedFolder"));
		const { name, pulumi } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		expect({ name, pulumi }).toMatchObject({ name: "@orgsync/pulumi", pulumi: { resource: true, name: "orgsync" } });
		expect(readdirSync(folder)).toEqual(expect.arrayContaining(["index.js", "index.d.ts", "README.md"]));
	});

	it("for Python is a wheel with its types, and names the plugin", async (context) => {
		const folder = await orSkip(context, () => sharePythonSdk(inject("sharedFolder")));
		expect(readdirSync(folder)).toContain("pulumi_orgsync-0.1.0-py3-none-any.whl");
		expect(readdirSync(join(folder, "pulumi_orgsync"))).toEqual(
			expect.arrayContaining(["py.typed", "pulumi-plugin.json", "user_tag.py"]),
		);
	});
});
