/**
 * A program that Pulumi compiles. The other ways to write one are run by docs-node.test.ts (TypeScript as it is, CommonJS) and
 * in-process/fidelity.test.ts (an ES module). `ORGSYNC_TEST_NODE` names the folder of another Node to run it on.
 */
import { expect, it } from "vitest";
import { expectSuccess, shown } from "../engine/answer.ts";
import { alice, tags } from "../world.ts";
import { makePulumiWorld } from "./world.ts";

const node = process.env.ORGSYNC_TEST_NODE;

const files = {
	"Pulumi.yaml": "name: probe\nruntime: nodejs\n",
	"package.json": '{"name":"probe","main":"index.ts"}',
	"tsconfig.json": JSON.stringify({
		compilerOptions: { strict: true, target: "es2022", module: "nodenext", skipLibCheck: true },
		files: ["index.ts"],
	}),
	"index.ts": `import * as pulumi from "@pulumi/pulumi";
import { listUserTags, UserTag } from "orgsync/pulumi";
const tag = new UserTag("signers", { name: "signers", members: { atLeast: ["${alice}"] } });
export const tagId: pulumi.Output<string> = tag.tagId;
export const count: Promise<number> = listUserTags().then((all) => all.length);
`,
};

it("a program in TypeScript that Pulumi compiles to CommonJS runs without a warning", {
	timeout: 120_000,
}, async () => {
	const { world, stack } = await makePulumiWorld("", { files, ...(node === undefined ? {} : { node }) });
	const up = await stack.up();
	expectSuccess(up);
	expect(shown(up)).not.toMatch(/warning/i);
	expect(await stack.outputs()).toEqual({ tagId: tags.signers, count: 3 });
	expect(world.submits()).toEqual([]);
});
