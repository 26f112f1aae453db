/**
 * How the Organization component reads its document: by the rules of the command line, because a pull request can write it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { document, keys } from "../world.ts";
import { expectNoSecretIn, makePulumiWorld, shown } from "./world.ts";

const reference = (name: string) => `\${${name}}`;
const program = (more = "") => `new orgsync.Organization("acme", { document: "orgsync.yaml"${more} });`;

test("a document is a regular file of at most 8 MiB, and no text of another file is shown", async () => {
	const { stack } = await makePulumiWorld(program());
	const secret = "c0ffee11d00dfeed".repeat(4);
	const path = join(stack.folder, "orgsync.yaml");
	const preview = async (): Promise<string> => {
		const answer = await stack.preview();
		rmSync(path);
		expect(answer.exitCode).toBe(1);
		return shown(answer);
	};
	execFileSync("mkfifo", [path]);
	expect(await preview()).toContain("cannot read the document orgsync.yaml: it is not a regular file");
	symlinkSync("/dev/zero", path);
	expect(await preview()).toContain("cannot read the document orgsync.yaml: it is not a regular file");
	writeFileSync(path, Buffer.alloc(8 * 1024 * 1024 + 1, "# nothing but comment\n"));
	expect(await preview()).toContain("orgsync.yaml:1:1: the file is larger than 8 MiB");
	const elsewhere = mkdtempSync(join(stack.folder, "..", "elsewhere-"));
	writeFileSync(join(elsewhere, "passwords.yaml"), `users: { alice: ${secret} }\n`);
	symlinkSync(join(elsewhere, "passwords.yaml"), path);
	const wordless = await preview();
	expect(wordless).toContain("orgsync.yaml:1:17: not-an-id: details are hidden");
	expect(wordless).not.toContain(secret.slice(0, 8));
	writeFileSync(join(stack.folder, "key"), `${secret}\n`);
	symlinkSync("key", path);
	const output = await preview();
	expect(output).toContain("orgsync.yaml:1:1: the document must be a map");
	for (let at = 0; at < secret.length - 8; at += 1) expect(output).not.toContain(secret.slice(at, at + 8));
});

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
	expect(shown(credential)).toContain("env: documents cannot use the credential ORGSYNC_API_PRIVATE_KEY");

	stack.write({
		"index.mjs": `import * as orgsync from "orgsync/pulumi";\n${program(', env: ["STAGE"]')}\n`,
		"orgsync.yaml": document(`protect: { userTags: ["${reference("STAGE")}"] }`),
	});
	expect((await stack.preview([], { env })).exitCode).toBe(0);
	for (const answer of [refused, credential]) expect(shown(answer)).not.toContain(env.STAGE);
	expectNoSecretIn(stack);
});

test("a key file that others can read causes a warning, one that others can write is refused, and a key in its place is not shown", async () => {
	const { stack } = await makePulumiWorld("export const tags = orgsync.listUserTagsOutput();", {
		env: { ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_KEY_FILE: "key.private" },
	});
	const file = join(stack.folder, "key.private");
	writeFileSync(file, keys.alice.privateKey);
	chmodSync(file, 0o644);
	const warned = await stack.preview();
	expect(warned.exitCode, shown(warned)).toBe(0);
	expect(shown(warned)).toContain("key.private can be read by others (mode 0644)");
	chmodSync(file, 0o620);
	const refused = await stack.preview();
	expect(refused.exitCode).toBe(1);
	expect(shown(refused)).toContain("key.private can be written by others (mode 0620)");
	const given = await stack.preview([], { env: { ORGSYNC_KEY_FILE: keys.alice.privateKey } });
	expect(given.exitCode).toBe(1);
	expect(shown(given)).toContain("the key file that ORGSYNC_KEY_FILE names cannot be read");
	expect(shown(given)).not.toContain(keys.alice.privateKey.slice(0, 12));
});
