/**
 * How the Organization component reads its document: by the rules of the command line, because a pull request can write it.
 */
import { expect, test } from "vitest";
import { document } from "../cli/world.ts";
import { expectNoSecretIn, makePulumiWorld, shown } from "./world.ts";

const reference = (name: string) => `\${${name}}`;
const program = (more = "") => `new orgsync.Organization("acme", { document: "orgsync.yaml"${more} });`;

test("a document uses the variables that the Organization's env names, and no others", async () => {
	const { world, stack } = await makePulumiWorld(program());
	stack.write({
		"orgsync.yaml": document(
			`protect: { userTags: ["${reference("STAGE")}", "${reference("ORGSYNC_API_PRIVATE_KEY")}"] }`,
		),
	});
	const env = { STAGE: "stage-of-the-environment" };
	const refused = await stack.preview([], { env });
	expect(refused.exitCode).toBe(1);
	expect(shown(refused)).toContain("documents cannot use the environment variable `STAGE`");
	expect(shown(refused)).toContain('the Organization\'s `env: ["STAGE"]`');
	expect(shown(refused)).toContain("`ORGSYNC_API_PRIVATE_KEY` is a credential");
	expect(world.requests()).toEqual([]);

	stack.write({
		"index.mjs": `import * as orgsync from "orgsync/pulumi";\n${program(', env: ["ORGSYNC_API_PRIVATE_KEY"]')}\n`,
	});
	const credential = await stack.preview([], { env });
	expect(shown(credential)).toContain("env: ORGSYNC_API_PRIVATE_KEY is a credential, which documents cannot use");

	stack.write({
		"index.mjs": `import * as orgsync from "orgsync/pulumi";\n${program(', env: ["STAGE"]')}\n`,
		"orgsync.yaml": document(`protect: { userTags: ["${reference("STAGE")}"] }`),
	});
	expect((await stack.preview([], { env })).exitCode).toBe(0);
	for (const answer of [refused, credential]) expect(shown(answer)).not.toContain(env.STAGE);
	expectNoSecretIn(stack);
});
