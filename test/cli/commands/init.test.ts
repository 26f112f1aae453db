/** The document that `init` writes: nothing is managed yet, and each line that begins with # can be used. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocuments } from "../../../src/document/read/parse.ts";
import { makeWorld, organizationId } from "../../world.ts";

test("init writes a valid document, whose proposals are valid together", async () => {
	const world = await makeWorld();
	expect((await world.run(["init", "--organization", organizationId, "-f", "new.yaml"])).code).toBe(0);
	const content = readFileSync(join(world.folder, "new.yaml"), "utf8");
	const problemsOf = (text: string) => parseDocuments([{ file: "new.yaml", content: text }], {}).problems;
	expect(problemsOf(content)).toEqual([]);
	// A comment has a space behind its #; a proposal has none, or two of its own.
	const proposals = content.replaceAll(/^(users|userTags): (?:\{\}|\[\])$/gm, "$1:").replaceAll(/^#(?=\w| {2})/gm, "");
	expect(proposals).toContain("\n  - name: the pipeline submits and an admin approves\n");
	expect(problemsOf(proposals)).toEqual([]);
});
