/**
 * What orgsync says to people who got something wrong. Each golden file holds one case as its reader sees it: the command,
 * standard error word by word, and the exit code.
 */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Answer, normalize, type RunOptions } from "../../run.ts";
import { agreeing, alice, document, keys, makeWorld, organizationId, policies, tags, type World } from "../../world.ts";

const strangeId = "f0000000-0000-4000-8000-000000000009";
const sound = document(agreeing.userTags);

async function expectGolden(name: string, words: readonly string[], answer: Answer): Promise<void> {
	const text = `$ orgsync ${words.join(" ")}\n${answer.stderr}exit ${answer.code}\n`;
	await expect(normalize(text)).toMatchFileSnapshot(`../../golden/cli/${name}.txt`);
}

/** The case's standard error is its golden file; nothing was printed as a result, nothing sent. */
async function expectRefused(
	name: string,
	world: World,
	words: readonly string[],
	options?: RunOptions,
): Promise<void> {
	const answer = await world.run(words, options);
	await expectGolden(name, words, answer);
	expect(answer.stdout).toBe("");
	expect(world.requests()).toEqual([]);
}

describe("a document with a problem", () => {
	/** Each mistake alone: test/document/document-golden.test.ts. */
	const problems: Readonly<Record<string, string | Uint8Array>> = {
		"conflicting-members": document("userTags: [{ name: signers, members: { atLeast: [alice], never: [alice] } }]"),
		"unset-variable": document('userTags: [{ name: "${ORGSYNC_VAR_NOT_SET}" }]'),
		"no-utf-8": Buffer.concat([Buffer.from(sound), Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a])]),
		"several-at-once": document(
			"userTags:",
			"  - { name: signers, membres: { exactly: [alice] } }",
			"  - { name: oncall, members: { exactly: [alcie, bob, bob] } }",
			"absent: { policies: [not-an-id] }",
			"limits: { policies: many }",
		),
	};

	test.each(Object.entries(problems))("is refused with its place: %s", async (name, content) => {
		const world = await makeWorld();
		world.write("orgsync.yaml", content);
		await expectRefused(`validate-${name}`, world, ["validate"]);
	});

	test("is reported with file:line:column for every problem before anything else", async () => {
		const world = await makeWorld(problems["several-at-once"] as string);
		const { stderr } = await world.run(["apply", "--yes"]);
		const lines = stderr.trimEnd().split("\n");
		expect(lines.at(-1)).toBe(`error: the document has ${lines.length - 1} problems`);
		for (const line of lines.slice(0, -1)) expect(line).toMatch(/^orgsync\.yaml:\d+:\d+: \S/);
		expect(world.requests()).toEqual([]);
	});
});

describe("a command line with a mistake", () => {
	const wrong: Readonly<Record<string, readonly string[]>> = {
		"command-unknown": ["frobnicate"],
		"command-mistyped": ["plna"],
		"command-unknown-help": ["help", "frobnicate"],
		"flag-unknown": ["plan", "--bogus"],
		"flag-mistyped": ["plan", "--flie", "x.yaml"],
		"flag-before-command": ["--format", "text", "plan"],
		"flag-of-another-command": ["plan", "--yes"],
		"flag-value-reads": ["plan", "--reads", "everything"],
		"flag-value-format": ["plan", "--format", "yaml"],
		"flag-value-timeout": ["plan", "--timeout", "soon"],
		"flag-value-concurrency": ["plan", "--concurrency", "0"],
		"flag-value-file-empty": ["plan", "-f", ""],
		"flag-value-missing": ["plan", "--url"],
		"argument-too-many": ["plan", "orgsync.yaml"],
		"argument-missing": ["query"],
		"required-flag-missing": ["import-key"],
		"query-unknown": ["query", "list_user_tag"],
		"query-field-unknown": ["query", "list_user_tags", "name=signers"],
		"query-field-missing": ["query", "get_mfa_policies"],
		"query-field-no-uuid": ["query", "get_mfa_policies", "userId=alice"],
		"query-field-no-choice": ["query", "list_supported_assets", "caip2=eip155:0"],
		"query-no-pair": ["query", "list_user_tags", "signers"],
		"query-no-json": ["query", "list_user_tags", "--json", "{"],
		"explain-no-uuid": ["explain", "the-last-one"],
		"explain-urn": ["explain", "urn:uuid:019aa660-9400-7c3a-8f21-5d0e6b7a4c11"],
		"import-key-unknown-user": ["import-key", "--user", "alcie"],
		"schema-unknown": ["schema", "plans"],
		"init-over-a-document": ["init"],
		"init-no-uuid": ["init", "-f", "new.yaml", "--organization", "acme"],
		"export-no-uuid": ["export", "--organization", "acme"],
		"init-two-files": ["init", "-f", "one.yaml", "-f", "two.yaml"],
		"init-into-no-folder": ["init", "-f", "nowhere/new.yaml"],
		"local-and-url": ["plan", "--local", "--url", "https://service.test"],
		"emulator-seed-missing": ["emulator", "--seed", "seed.yaml"],
		"emulator-port": ["emulator", "--port", "65536"],
		"apply-nobody-to-ask": ["apply"],
	};

	test.each(Object.entries(wrong))("is refused: %s", async (name, words) => {
		const world = await makeWorld(sound);
		await expectRefused(name, world, words);
	});

	test("is refused if a query names no organization and the folder has no document", async () => {
		const world = await makeWorld();
		await expectRefused("organization-missing", world, ["query", "list_user_tags"]);
	});
});

describe("a file that cannot be used is an error:", () => {
	test("no document", async () => {
		const world = await makeWorld();
		await expectRefused("document-missing", world, ["plan"]);
		await expectRefused("document-named-missing", world, ["plan", "-f", "other.yaml"]);
	});

	test("a folder without documents", async () => {
		const world = await makeWorld();
		mkdirSync(join(world.folder, "empty"));
		await expectRefused("folder-empty", world, ["plan", "-f", "empty"]);
	});

	test("a document that may not be read", async () => {
		const world = await makeWorld();
		// Root may read every file, so this is one that no user can read: a link to itself.
		const file = join(world.folder, "orgsync.yaml");
		symlinkSync("orgsync.yaml", file);
		await expectRefused("document-unreadable", world, ["plan"]);
		rmSync(file);
	});

	test("a result that cannot be written is refused before anything is asked or sent, and said once", async () => {
		const world = await makeWorld(document("userTags: [{ name: signatories, previously: [signers] }]"));
		await expectRefused("output-no-folder", world, ["apply", "--yes", "--output", "nowhere/report.txt"]);
		await expectRefused("output-is-a-folder", world, ["apply", "--yes", "--output", "."]);
		const answer = await world.run(["plan", "--format", "json", "--output", "nowhere/plan.json"]);
		expect(JSON.parse(answer.stdout)).toMatchObject({ exitCode: 3, error: { code: "configuration" } });
		expect(answer.stderr.match(/error:/g)).toHaveLength(1);
		expect(world.requests()).toEqual([]);
	});

	test("a journal that is no database", async () => {
		const world = await makeWorld(sound);
		world.write("journal.txt", "Dear diary, nothing was submitted today.\n".repeat(10));
		await expectRefused("journal-no-database", world, ["apply", "--yes", "--journal", "journal.txt"]);
		await expectRefused("journal-no-database-plan", world, ["plan", "--journal", "journal.txt"]);
		await expectRefused("journal-no-path", world, ["apply", "--yes", "--journal", "file:///journal.sqlite"]);
	});

	test("--local with the document of a strange organization", async () => {
		const world = await makeWorld(sound);
		const env = { ORGSYNC_URL: "" };
		await expectRefused("local-strange-organization", world, ["plan", "--local"], { env });
		await expectRefused("local-strange-organization-apply", world, ["apply", "--local", "--yes"], { env });
	});
});

describe("a key or an address that cannot be used is an error:", () => {
	const env: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		"key-missing": { ORGSYNC_API_PRIVATE_KEY: "" },
		"key-malformed": { ORGSYNC_API_PRIVATE_KEY: `0x${keys.alice.privateKey}` },
		"key-zero": { ORGSYNC_API_PRIVATE_KEY: "0".repeat(64) },
		"key-of-another-pair": { ORGSYNC_API_PUBLIC_KEY: keys.bob.publicKey },
		"public-key-malformed": { ORGSYNC_API_PUBLIC_KEY: "04abcd" },
		"address-missing": { ORGSYNC_URL: "" },
		"address-no-url": { ORGSYNC_URL: "service.test" },
		"address-with-password": { ORGSYNC_URL: "https://alice:secret-word@service.test" },
		"address-with-query": { ORGSYNC_URL: "https://service.test/?token=secret-word" },
		"address-plain-http": { ORGSYNC_URL: "http://service.test" },
	};

	test.each(Object.entries(env))("%s", async (name, more) => {
		const world = await makeWorld(sound);
		await expectRefused(name, world, ["plan"], { env: more });
	});

	test("an address with a secret, which the error does not repeat", async () => {
		const world = await makeWorld(sound);
		for (const name of ["address-with-password", "address-with-query"]) {
			const { stdout, stderr } = await world.run(["plan", "--verbose"], { env: env[name] ?? {} });
			expect(stdout + stderr).not.toContain("secret-word");
		}
	});

	test("a key file that is not there", async () => {
		const world = await makeWorld(sound);
		await expectRefused("key-file-missing", world, ["plan", "--key-file", "alice.private"]);
	});

	test("a stamp command that fails", async () => {
		const world = await makeWorld(sound);
		await expectRefused("stamp-command-fails", world, ["plan", "--stamp-command", "exit 3"]);
	});

	test("no server at the address", async () => {
		const world = await makeWorld(sound);
		const words = ["plan", "--url", "http://127.0.0.1:1", "--timeout", "1"];
		await expectRefused("no-server", world, words);
	});

	test("a key that the service does not know, after one query and no submit", async () => {
		const world = await makeWorld(document("userTags: [{ name: signatories, previously: [signers] }]"));
		for (const words of [["plan"], ["apply", "--yes"]]) {
			const answer = await world.run(words, { env: { ORGSYNC_API_PRIVATE_KEY: keys.stranger.privateKey } });
			await expectGolden(`key-unknown-${words[0]}`, words, answer);
			expect(answer).toMatchObject({ code: 4, stdout: "" });
			expect(world.requests()).toEqual(["list_user_tags"]);
			world.clearRequests();
		}
	});

	test("an organization that the service does not have", async () => {
		const world = await makeWorld(sound.replace(organizationId, "f0000000-0000-4000-8000-000000000009"));
		const answer = await world.run(["plan"]);
		await expectGolden("organization-wrong", ["plan"], answer);
		expect(answer.stdout).toBe("");
		expect(world.submits()).toEqual([]);
	});

	test.each([
		["plan", "--reads", "auto"],
		["plan", "--reads", "documented"],
		["drift", "--reads", "documented"],
		["status"],
		["wait", "--wait", "0"],
		["import-key", "--user", alice, "--organization", strangeId],
	])("an organization that the service does not have, where no tag is managed: %s %s", async (...words) => {
		const removal = `organizationId: ${strangeId}\nabsent: { policies: [${policies[0]}] }\n`;
		const world = await makeWorld(removal);
		const answer = await world.run(words);
		expect(answer).toMatchObject({ code: 1, stdout: "" });
		expect(answer.stderr).toContain(`no organization found with id ${strangeId}`);
		expect(world.submits()).toEqual([]);
	});

	test("a web page answers at the address", async () => {
		const page = createServer((_request, response) => {
			response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");
		});
		await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
		onTestFinished(() => void page.close());
		const world = await makeWorld(sound);
		const { port } = page.address() as AddressInfo;
		await expectRefused("answer-is-html", world, ["plan", "--url", `http://127.0.0.1:${port}`]);
	});

	test("the service answers with a page of its gateway until the timeout", async () => {
		const world = await makeWorld(sound);
		await world.addFault({ operation: "*", fault: "html", count: 50 });
		const answer = await world.run(["plan", "--timeout", "1"]);
		await expectGolden("answer-is-gateway-page", ["plan", "--timeout", "1"], answer);
		expect(answer).toMatchObject({ code: 1, stdout: "" });
	});

	test("an address with a path that is not the service's", async () => {
		const world = await makeWorld(sound);
		const answer = await world.run(["plan", "--url", `${world.url}/api`]);
		await expectGolden("address-with-path", ["plan", "--url", `${world.url}/api`], answer);
		expect(answer.stdout).toBe("");
		expect(world.requests()[0]).toMatch(/^\/api\/public\/v1\/query\//);
	});
});

describe("an organization that cannot converge is an error:", () => {
	test("a tag does not exist, its nearest names are listed, and apply submits nothing for any tag", async () => {
		const world = await makeWorld(
			document("userTags: [{ name: singers }, { name: oncall, members: { exactly: [alice, carol] } }]"),
		);
		const answer = await world.run(["apply", "--yes"]);
		await expectGolden("tag-not-there", ["apply", "--yes"], answer);
		expect(answer).toMatchObject({ code: 1, stdout: "" });
		expect(answer.stderr).toContain("`signers`");
		expect(world.submits()).toEqual([]);
	});

	test("another tag already has the new name", async () => {
		const world = await makeWorld(document(`userTags: [{ name: oncall, id: ${tags.signers} }]`));
		const answer = await world.run(["apply", "--yes"]);
		await expectGolden("tag-name-taken", ["apply", "--yes"], answer);
		expect(answer).toMatchObject({ code: 1, stdout: "" });
		expect(world.submits()).toEqual([]);
	});
});
