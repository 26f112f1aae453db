/**
 * The ways in which a program can be written. `ORGSYNC_TEST_NODE` names the folder of another Node to run them on.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, tags } from "../world.ts";
import { makePulumiWorld, withImports } from "./world.ts";

const node = process.env.ORGSYNC_TEST_NODE;

const stripped = "name: probe\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n";

const typed = `import * as pulumi from "@pulumi/pulumi";
import { listUserTags, UserTag } from "orgsync/pulumi";
const tag = new UserTag("signers", { name: "signers", members: { atLeast: ["${alice}"] } });
export const tagId: pulumi.Output<string> = tag.tagId;
export const count: Promise<number> = listUserTags().then((all) => all.length);
`;

const programs: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
	[
		"TypeScript as an ES module, run by Node as it is",
		{
			"Pulumi.yaml": stripped,
			"package.json": '{"name":"probe","main":"index.ts","type":"module"}',
			"index.ts": typed,
		},
	],
	[
		"TypeScript compiled to CommonJS by Pulumi",
		{
			"Pulumi.yaml": "name: probe\nruntime: nodejs\n",
			"package.json": '{"name":"probe","main":"index.ts"}',
			"tsconfig.json": JSON.stringify({
				compilerOptions: { strict: true, target: "es2022", module: "nodenext", skipLibCheck: true },
				files: ["index.ts"],
			}),
			"index.ts": typed,
		},
	],
	[
		"an ES module",
		{
			"Pulumi.yaml": stripped,
			"package.json": '{"name":"probe","main":"index.mjs"}',
			"index.mjs": typed.replaceAll(/: pulumi\.Output<string>|: Promise<number>/g, ""),
		},
	],
	[
		"CommonJS",
		{
			"Pulumi.yaml": stripped,
			"package.json": '{"name":"probe","main":"index.js"}',
			"index.js": `const { listUserTags, UserTag } = require("orgsync/pulumi");
exports.tagId = new UserTag("signers", { name: "signers" }).tagId;
exports.count = listUserTags().then((all) => all.length);`,
		},
	],
];

describe("a program that is", () => {
	it.each(programs)("%s", { timeout: 120_000 }, async (_what, files) => {
		const { world, stack } = await makePulumiWorld("", { files, ...(node === undefined ? {} : { node }) });
		const up = await stack.up();
		expectSuccess(up);
		expect(shown(up)).not.toMatch(/warning/i);
		expect(await stack.outputs()).toEqual({ tagId: tags.signers, count: 3 });
		expect(world.submits()).toEqual([]);
	});
});

describe("the document of an Organization in a Node program", { timeout: 240_000 }, () => {
	it("has no outputs, promises or values that JSON cannot write", async () => {
		const { world, stack } = await makePulumiWorld("");
		const use = (document: string) =>
			stack.write({ "index.mjs": withImports(`new orgsync.Organization("object", { document: ${document} });`) });
		use(`{ organizationId: pulumi.output("x"), userTags: [{ name: Promise.resolve("y") }] }`);
		expect(shown(await stack.preview())).toContain("document.organizationId is an output or a promise:");
		use(`{ userTags: [{ name: Promise.resolve("y") }] }`);
		expect(shown(await stack.preview())).toContain("document.userTags[0].name is an output or a promise:");
		use("{ userTags: [1n] }");
		const unwritable = await stack.preview();
		expect(shown(unwritable)).toContain("cannot write the document as JSON: ");
		expect(shown(unwritable)).not.toMatch(/\n\s+at |Warning:/);
		expect(world.requests()).toEqual([]);
	});
});
