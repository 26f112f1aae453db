/**
 * How the Organization component reads its document: by the rules of the command line, because a pull request can write it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { readOrganization } from "../../src/pulumi/organization/component.ts";
import { shown } from "../engine/answer.ts";
import { makeFolder } from "../run.ts";
import { document, keys, policies } from "../world.ts";
import { expectNoSecretIn } from "./checks.ts";
import { adapters } from "./in-process/adapters.ts";
import { call, type Program } from "./program.ts";

const reference = (name: string) => `\${${name}}`;
const program = (env: readonly string[] = []): Program => ({
	resources: { acme: { type: "Organization", properties: { document: "orgsync.yaml", env } } },
});
const secret = "c0ffee11d00dfeed".repeat(4);

/** Puts a link to a file elsewhere, with a secret, in the place of the document. */
function linkElsewhere(folder: string): void {
	const elsewhere = mkdtempSync(join(folder, "..", "elsewhere-"));
	writeFileSync(join(elsewhere, "passwords.yaml"), `users: { alice: ${secret} }\n`);
	symlinkSync(join(elsewhere, "passwords.yaml"), join(folder, "orgsync.yaml"));
}

test("a document is a regular file of at most 8 MiB, and no text of another file is shown", () => {
	const folder = join(makeFolder(), "project");
	mkdirSync(folder);
	writeFileSync(join(folder, "Pulumi.yaml"), "name: probe\n");
	const before = process.cwd();
	process.chdir(folder);
	onTestFinished(() => process.chdir(before));
	const path = join(folder, "orgsync.yaml");
	const messageOf = (): string => {
		try {
			readOrganization({ document: "orgsync.yaml" });
		} catch (error) {
			return (error as Error).message;
		} finally {
			rmSync(path);
		}
		throw new Error("the document was read");
	};
	execFileSync("mkfifo", [path]);
	expect(messageOf()).toContain("cannot read the document orgsync.yaml: it is not a regular file");
	symlinkSync("/dev/zero", path);
	expect(messageOf()).toContain("cannot read the document orgsync.yaml: it is not a regular file");
	writeFileSync(path, Buffer.alloc(8 * 1024 * 1024 + 1, "# nothing but comment\n"));
	expect(messageOf()).toContain("orgsync.yaml:1:1: the file is larger than 8 MiB");
	linkElsewhere(folder);
	expect(messageOf()).toContain("orgsync.yaml:1:17: not-an-id: details are hidden");
	writeFileSync(join(folder, "key"), `${secret}\n`);
	symlinkSync("key", path);
	const message = messageOf();
	expect(message).toContain("orgsync.yaml:1:1: the document must be a map");
	for (let at = 0; at < secret.length - 8; at += 1) expect(message).not.toContain(secret.slice(at, at + 8));
});

describe.each(adapters)("a program with $title", { timeout: 120_000 }, (adapter) => {
	it("shows no text of another file as a document, and uses the variables that the Organization's env names", async () => {
		const { world, stack } = await adapter.makeWorld(program());
		linkElsewhere(stack.folder);
		const wordless = await stack.preview();
		expect(wordless.exitCode).toBe(1);
		expect(shown(wordless)).toContain("orgsync.yaml:1:17: not-an-id: details are hidden");
		expect(shown(wordless)).not.toContain(secret.slice(0, 8));

		rmSync(join(stack.folder, "orgsync.yaml"));
		const used = (...names: readonly string[]) =>
			document(`protect: { userTags: [${names.map((name) => `"${reference(name)}"`).join(", ")}] }`);
		stack.write({ "orgsync.yaml": used("STAGE", "ORGSYNC_API_PRIVATE_KEY") });
		const env = { STAGE: "stage-of-the-environment" };
		const refused = await stack.preview([], { env });
		expect(refused.exitCode).toBe(1);
		expect(shown(refused)).toContain("documents cannot use the environment variable `STAGE`");
		expect(shown(refused)).toContain('the Organization\'s `env: ["STAGE"]`');
		expect(shown(refused)).toContain("`ORGSYNC_API_PRIVATE_KEY` is a credential");
		expect(world.requests()).toEqual([]);

		adapter.write(stack, program(["ORGSYNC_API_PRIVATE_KEY"]));
		const credential = await stack.preview([], { env });
		expect(shown(credential)).toContain("env: documents cannot use the credential ORGSYNC_API_PRIVATE_KEY");

		adapter.write(stack, program(["STAGE"]));
		stack.write({ "orgsync.yaml": used("STAGE") });
		expect((await stack.preview([], { env })).exitCode).toBe(0);
		for (const answer of [refused, credential]) expect(shown(answer)).not.toContain(env.STAGE);
		expectNoSecretIn(stack);
	});

	it("warns of a key file that others can read, refuses one that others can write, and shows no key in its place", async () => {
		const { stack } = await adapter.makeWorld(
			{ outputs: { tags: call("listUserTags", {}, "userTags") } },
			{ env: { ORGSYNC_API_PRIVATE_KEY: "", ORGSYNC_KEY_FILE: "key.private" } },
		);
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
});

test("an Organization is one of a list that its document names, in the folder of the document", () => {
	const folder = makeFolder();
	writeFileSync(join(folder, "Pulumi.yaml"), "name: probe\n");
	const before = process.cwd();
	process.chdir(folder);
	onTestFinished(() => process.chdir(before));
	mkdirSync(join(folder, "fleet"));
	const idOf = (index: number): string => `f0000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
	const rows = Array.from({ length: 30 }, (_, index) => `${idOf(index)},name ${index}`);
	writeFileSync(join(folder, "fleet/list.csv"), ["organizationId,name", ...rows].join("\n"));
	const template = `organizations: { from: list.csv }\nuserTags: [{ name: "\${each.name}" }]\n`;
	writeFileSync(join(folder, "fleet/fleet.yaml"), template);
	const document = "fleet/fleet.yaml";
	expect(readOrganization({ document, organizationId: idOf(7) }).objects).toMatchObject([{ name: "name 7" }]);
	expect(() => readOrganization({ document })).toThrow(/has 30 organizations: .*, 10 more$/);
	writeFileSync(join(folder, "fleet/fleet.yaml"), template.replace("list.csv", "../list.csv"));
	writeFileSync(join(folder, "list.csv"), "");
	expect(() => readOrganization({ document })).toThrow("it is outside the folder of the documents");
	expect(() => readOrganization({ document: { organizations: [] } })).toThrow("a program has a loop for this");
});

describe.each(adapters)("an Organization of $title", { timeout: 120_000 }, (adapter) => {
	it.each([
		"policy 1",
		policies[0],
	])("keeps policies that protect names, as %s, and takes all limits", async (named) => {
		const { world, stack } = await adapter.makeWorld(program());
		const limits = "limits: { userTags: 0, policyUpdates: 0, takeovers: 0, policies: 1 }";
		const removal = `absent: { policies: [${policies[0]}] }`;
		stack.write({ "orgsync.yaml": document(removal, limits, `protect: { policies: ["${named}"] }`) });
		const refused = await stack.up();
		expect(refused.exitCode).toBe(1);
		expect(shown(refused)).toContain("protect");
		expect(world.submits()).toEqual([]);
		stack.write({ "orgsync.yaml": document(removal, limits) });
		expect((await stack.up()).exitCode).toBe(0);
		expect(world.submits()).toEqual(["delete_policies"]);
	});
});
